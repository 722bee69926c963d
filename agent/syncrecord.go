package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// SyncRecord is how the last sync of a work tree ended. The dashboard shows it: one that
// runs by itself has nobody to tell.
type SyncRecord struct {
	V       int       `json:"v"`
	At      time.Time `json:"at"`
	Remote  string    `json:"remote"`
	Branch  string    `json:"branch"`  // there
	Code    int       `json:"code"`    // exit status
	Message string    `json:"message"` // the first line of what was wrong, without passwords
}

// syncRecordVersion is the version of the record's form.
const syncRecordVersion = 1

func syncRecordFile(ws *memory.Workspace) string {
	return filepath.Join(ws.Repo.ClawDir(), "sync.json")
}

// RecordSync keeps how a sync ended. It is a convenience: failing to write it changes
// nothing.
func RecordSync(ws *memory.Workspace, r SyncRecord) {
	r.V, r.At = syncRecordVersion, ws.Now()
	r.Message, _, _ = strings.Cut(gitops.WithoutPassword(r.Message), "\n")
	b, err := json.Marshal(r)
	if err != nil || os.MkdirAll(filepath.Dir(syncRecordFile(ws)), 0o777) != nil {
		return
	}
	_ = gitops.WriteFileAtomic(syncRecordFile(ws), b, 0o666)
}

// LastSync reads the record; nil where there is none.
func LastSync(ws *memory.Workspace) *SyncRecord {
	b, err := gitops.ReadSmall(syncRecordFile(ws), 1<<20)
	if err != nil {
		return nil
	}
	var r SyncRecord
	if json.Unmarshal(b, &r) != nil || r.V != syncRecordVersion {
		return nil
	}
	return &r
}

// compare finds out what git does not tell of a branch without an upstream.
func (s *Sync) compare(ctx context.Context, ws *memory.Workspace) error {
	head, err := ws.Repo.Head(ctx)
	if err != nil || head.Ref == "" || head.Commit.IsZero() {
		return err
	}
	cfg, err := ws.Repo.Config(ctx)
	if err != nil {
		return err
	}
	if _, ok := cfg.Get("branch." + head.Branch() + ".merge"); ok {
		return nil
	}
	c, err := ChooseRemote(cfg, head.Branch())
	if err != nil {
		return nil //nolint:nilerr // there is nobody to compare with
	}
	ahead, behind, ok, err := ws.Repo.Compare(ctx, head.Commit, "refs/remotes/"+c.Remote+"/"+c.Branch)
	if err == nil && ok {
		s.Remote, s.Ahead, s.Behind = c.Remote+"/"+c.Branch, ahead, behind
	}
	return err
}
