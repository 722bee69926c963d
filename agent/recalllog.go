package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/recall"
)

// The log of what was recalled (SPEC RC-16), a JSON object a line.
const (
	recallLogName = "recall.jsonl"
	// recallLogMax is the size in bytes at which a new log is begun. One old log is
	// kept.
	recallLogMax = 8 << 20
	// loggedQuery is how many bytes of a query are written down.
	loggedQuery = 4 << 10
)

// recalled is a line of the log: what was asked, and which lines were the answer.
type recalled struct {
	Schema  string          `json:"schema"`
	Time    string          `json:"time"`
	Command string          `json:"command"` // search or get
	Query   string          `json:"query,omitempty"`
	Path    string          `json:"path,omitempty"` // that get was asked for
	Head    *gitops.ID      `json:"head"`           // null: no commit yet
	At      *gitops.ID      `json:"at,omitempty"`   // the revision asked for, where that is not HEAD
	Results []recalledLines `json:"results"`
}

// recalledLines are lines From to To of the content Blob.
type recalledLines struct {
	Path string    `json:"path"`
	From int       `json:"from"`
	To   int       `json:"to"`
	Blob gitops.ID `json:"blob"`
}

// logs reports whether what is recalled is written down.
func logs(ws *memory.Workspace) bool { return ws.Settings.Bool("recall.log") }

// logSearch writes a search down. A failure is told and hinders nobody.
func logSearch(ctx context.Context, ws *memory.Workspace, opt SearchOptions, head, at gitops.ID, results []recall.Result) {
	r := recalled{Command: "search", Query: opt.Query, Results: []recalledLines{}}
	for _, x := range results {
		r.Results = append(r.Results, recalledLines{x.Path, x.From, x.To, x.Blob})
	}
	if at != head {
		r.At = &at
	}
	r.write(ctx, ws, head, opt.Warn)
}

// logGet writes down what was read of a note.
func logGet(ctx context.Context, ws *memory.Workspace, opt GetOptions, g *Got, content []byte) {
	r := recalled{Command: "get", Path: g.Path, Results: []recalledLines{}}
	if g.To >= g.From {
		r.Results = append(r.Results, recalledLines{g.Path, g.From, g.To, ws.Repo.BlobID(content)})
	}
	head, err := ws.Repo.Head(ctx)
	if err == nil && opt.At != "" {
		var at gitops.ID
		if at, err = ws.Repo.Resolve(ctx, opt.At); at != head.Commit {
			r.At = &at
		}
	}
	if err != nil {
		complainOfLog(opt.Warn, err)
		return
	}
	r.write(ctx, ws, head.Commit, opt.Warn)
}

func complainOfLog(warn func(format string, args ...any), err error) {
	if warn != nil {
		warn("what was recalled is not in the log: %v", err)
	}
}

func (r *recalled) write(ctx context.Context, ws *memory.Workspace, head gitops.ID, warn func(format string, args ...any)) {
	r.Schema, r.Time = "claw.recall/1", ws.Now().Format(time.RFC3339)
	if !head.IsZero() {
		r.Head = &head
	}
	r.mask()
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	if err == nil {
		err = ws.Repo.MakeCommonClawDir(ctx)
	}
	if err == nil {
		err = appendLog(filepath.Join(ws.Repo.CommonClawDir(), recallLogName), line.Bytes(), recallLogMax)
	}
	if err != nil {
		complainOfLog(warn, err)
	}
}

// mask takes out of a line what must not lie about: who searches for a key, to see
// where it is, does not want it in one more place.
func (r *recalled) mask() {
	s := secret.New()
	clean := func(text string) string { return string(s.Mask([]byte(text))) }
	r.Path = clean(r.Path)
	for i := range r.Results {
		r.Results[i].Path = clean(r.Results[i].Path)
	}
	if r.Query = clean(r.Query); len(r.Query) > loggedQuery {
		r.Query = strings.ToValidUTF8(r.Query[:loggedQuery], "") + "…"
	}
}

// appendLog adds a line to a log with one write, so that the lines of several
// processes stay whole. A log that would grow beyond max becomes the old one.
func appendLog(path string, line []byte, max int64) error {
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !fi.Mode().IsRegular():
		return fmt.Errorf("write '%s': %w", path, gitops.ErrNotRegular)
	case fi.Size() > 0 && fi.Size()+int64(len(line)) > max:
		if err := rotate(path, max-int64(len(line))); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(unfinished(f), line...))
	return errors.Join(err, f.Close())
}

// unfinished ends the line that a full disk cut: the next one is whole again. A line
// that crosses a page of the cache can be seen half for a moment, while somebody
// writes it, so a second look is taken before a line is called cut.
func unfinished(f *os.File) []byte {
	size, cut := endsInLine(f)
	if !cut {
		return nil
	}
	time.Sleep(time.Millisecond)
	if now, still := endsInLine(f); !still || now != size {
		return nil
	}
	return []byte{'\n'}
}

// endsInLine reports whether a file ends in the middle of a line, and its size.
func endsInLine(f *os.File) (size int64, cut bool) {
	var last [1]byte
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return 0, false
	}
	_, err = f.ReadAt(last[:], fi.Size()-1)
	return fi.Size(), err == nil && last[0] != '\n'
}

// rotate makes a log that is larger than size the old one. Two that see this at the
// same time must not both do it: the second would put a new log in the place of the
// old one.
func rotate(path string, size int64) error {
	lock, err := gitops.TryLock(path + ".lock")
	for range 100 { // somebody else is at it, and done in no time
		if !errors.Is(err, gitops.ErrBusy) {
			break
		}
		time.Sleep(time.Millisecond)
		lock, err = gitops.TryLock(path + ".lock")
	}
	if errors.Is(err, gitops.ErrBusy) {
		return nil // some lines too many are no harm
	}
	if err != nil {
		return err
	}
	fi, err := os.Lstat(path)
	if err == nil && fi.Size() > size {
		err = os.Rename(path, path+".1")
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, lock.Close())
}
