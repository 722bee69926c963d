package agent

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

// HealthRecord is what the last full `health` found. The dashboard shows it: testing
// anew would cost it more than all the rest.
type HealthRecord struct {
	V      int       `json:"v"`
	Commit gitops.ID `json:"commit"` // that HEAD was; zero: none
	At     time.Time `json:"at"`
	Fails  int       `json:"fails"`
	Warns  int       `json:"warns"`
	Infos  int       `json:"infos"`
	Failed []string  `json:"failed"` // ids of the checks that failed
}

// healthVersion is the version of the record's form.
const healthVersion = 1

// healthFile is one for each workspace of a work tree.
func healthFile(ws *memory.Workspace) string {
	name := "health.json"
	if ws.Prefix != "" {
		sum := sha256.Sum256([]byte(ws.Prefix))
		name = fmt.Sprintf("health-%x.json", sum[:4])
	}
	return filepath.Join(ws.Repo.ClawDir(), name)
}

// recordHealth keeps a report for the dashboard. It is a convenience: failing to
// write it changes nothing.
func recordHealth(ws *memory.Workspace, head gitops.ID, rep *health.Report) {
	r := HealthRecord{V: healthVersion, Commit: head, At: ws.Now(), Fails: rep.Fails, Warns: rep.Warns, Infos: rep.Infos}
	for _, f := range rep.Findings {
		if f.Status == health.Fail && !slices.Contains(r.Failed, f.ID) {
			r.Failed = append(r.Failed, f.ID)
		}
	}
	b, err := json.Marshal(r)
	if err != nil || os.MkdirAll(filepath.Dir(healthFile(ws)), 0o777) != nil {
		return
	}
	_ = gitops.WriteFileAtomic(healthFile(ws), b, 0o666)
}

// LastHealth reads the record; nil where there is none.
func LastHealth(ws *memory.Workspace) *HealthRecord {
	b, err := gitops.ReadSmall(healthFile(ws), 1<<20)
	if err != nil {
		return nil
	}
	var r HealthRecord
	if json.Unmarshal(b, &r) != nil || r.V != healthVersion {
		return nil
	}
	return &r
}

// Brief says in a few words what was found.
func (r *HealthRecord) Brief() string {
	switch {
	case r.Fails > 0 && r.Warns > 0:
		return plural(r.Fails, "failure") + ", " + plural(r.Warns, "warning")
	case r.Fails > 0:
		return plural(r.Fails, "failure")
	case r.Warns > 0:
		return plural(r.Warns, "warning")
	}
	return "sound"
}
