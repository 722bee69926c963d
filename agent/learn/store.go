package learn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
)

// store reads the files of the store as the work tree has them. Names are relative to
// the store.
type store struct{ ws *memory.Workspace }

// rel is a path below the root of the workspace.
func (s store) rel(name string) string { return s.ws.SIRoot() + name }

// name is a path below the store, of one below the root.
func (s store) name(rel string) string { return strings.TrimPrefix(rel, s.ws.SIRoot()) }

// read returns a file; none where there is no regular file.
func (s store) read(name string) ([]byte, bool, error) {
	text, mode, err := s.ws.Repo.ReadWork(s.ws.Prefix+s.rel(name), s.ws.MaxFileBytes())
	if errors.Is(err, gitops.ErrTooLarge) {
		return nil, false, &agent.RefusedError{Problem: fmt.Sprintf("'%s' is larger than claw.maxFileBytes", s.rel(name))}
	}
	return text, err == nil && mode.IsFile(), err
}

// list names the Markdown files of a folder, which ends in a slash, in order; deep looks
// into its folders. Links are not followed.
func (s store) list(folder string, deep bool) ([]string, error) {
	top := filepath.Join(s.ws.Root, filepath.FromSlash(s.rel(folder)))
	var out []string
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("list '%s': %w", s.rel(folder), err)
		case e.IsDir() && path != top && !deep:
			return fs.SkipDir
		case e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".md"):
			rel, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			out = append(out, folder+filepath.ToSlash(rel))
		}
		return nil
	})
	return out, err
}

// tierFile is a file of confirmed preferences.
type tierFile struct {
	name    string
	tier    prefs.Tier
	text    []byte
	entries []prefs.Entry
}

// placed is where a confirmed preference stands.
type placed struct {
	file  *tierFile
	entry prefs.Entry
}

// waiting is a file in pending/.
type waiting struct {
	name string
	text []byte
	cand *prefs.Candidate
	err  error // why it cannot be edited
}

// snapshot is all that the store says.
type snapshot struct {
	store
	tiers    []*tierFile
	byID     map[string]placed
	pending  map[string]*waiting // by the id that is its name
	rejected map[string]prefs.Rejection
	reversed map[string]prefs.Entry // in archive/reversed.md
	uses     map[string]string      // latest day on which a confirmed one was asked for again
}

func newSnapshot(ws *memory.Workspace) *snapshot {
	return &snapshot{
		store: store{ws}, byID: map[string]placed{}, pending: map[string]*waiting{},
		rejected: map[string]prefs.Rejection{}, reversed: map[string]prefs.Entry{},
	}
}

// load reads the store.
func load(ws *memory.Workspace) (*snapshot, error) {
	s := newSnapshot(ws)
	names, err := s.tierNames()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := s.loadTier(name); err != nil {
			return nil, err
		}
	}
	waits, err := s.list(prefs.Pending, false)
	if err != nil {
		return nil, err
	}
	for _, name := range waits {
		if err := s.loadPending(name); err != nil {
			return nil, err
		}
	}
	return s, s.loadLogs()
}

// tierNames lists the files of the tiers, the warmest first.
func (s store) tierNames() ([]string, error) {
	names := []string{prefs.Hot}
	for _, folder := range []string{"domains/", "projects/", "archive/"} {
		list, err := s.list(folder, folder == "archive/")
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			if tier, _, _ := prefs.Place(name); tier != prefs.NoTier {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// confirmedIn looks for a confirmed preference. Only a file with its id is read as
// entries.
func (s store) confirmedIn(id string) (placed, error) {
	names, err := s.tierNames()
	if err != nil {
		return placed{}, err
	}
	for _, name := range names {
		text, ok, err := s.read(name)
		if err != nil {
			return placed{}, err
		}
		if !ok || !bytes.Contains(text, []byte(id)) {
			continue
		}
		if e, ok := entryOf(text, id); ok {
			tier, _, _ := prefs.Place(name)
			return placed{&tierFile{name: name, tier: tier, text: text}, e}, nil
		}
	}
	return placed{}, nil
}

func (s *snapshot) loadTier(name string) error {
	tier, _, _ := prefs.Place(name)
	text, ok, err := s.read(name)
	if err != nil || !ok {
		return err
	}
	f := &tierFile{name: name, tier: tier, text: text, entries: prefs.ParseTier(text)}
	s.tiers = append(s.tiers, f)
	for _, e := range f.entries {
		if _, twice := s.byID[e.ID]; e.ID != "" && !twice {
			s.byID[e.ID] = placed{f, e}
		}
	}
	return nil
}

func (s *snapshot) loadPending(name string) error {
	text, ok, err := s.read(name)
	if err != nil || !ok {
		return err
	}
	id := strings.TrimSuffix(strings.TrimPrefix(name, prefs.Pending), ".md")
	c := prefs.ParseCandidate(text)
	if !strings.HasPrefix(id, "cand-") && !strings.HasPrefix(c.ID, "cand-") {
		return nil // somebody's note
	}
	s.pending[id] = &waiting{name: name, text: text, cand: c, err: c.Sound(id)}
	return nil
}

func (s *snapshot) loadRejected() error {
	text, _, err := s.read(prefs.Rejected)
	for _, r := range prefs.ParseRejected(text) {
		if r.Day >= s.rejected[r.ID].Day {
			s.rejected[r.ID] = r
		}
	}
	return err
}

func (s *snapshot) loadLogs() error {
	if err := s.loadRejected(); err != nil {
		return err
	}
	text, _, err := s.read(prefs.Reversed)
	if err != nil {
		return err
	}
	for _, e := range prefs.ParseTier(text) {
		if e.ID != "" {
			s.reversed[e.ID] = e
		}
	}
	now, _, err := s.read(prefs.Corrections)
	if err != nil {
		return err
	}
	old, _, err := s.read(prefs.OldCorrections)
	s.uses = prefs.Uses(now, old)
	return err
}

// waits lists the files in pending/ by id.
func (s *snapshot) waits() []*waiting {
	out := make([]*waiting, 0, len(s.pending))
	for _, w := range s.pending {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b *waiting) int { return strings.Compare(a.name, b.name) })
	return out
}

// pendingName is the file of a candidate.
func pendingName(id string) string { return prefs.Pending + id + ".md" }

// clock is the time of an occurrence: in UTC, so that two machines write and order it
// alike.
func clock(ws *memory.Workspace) time.Time { return ws.Now().UTC().Truncate(time.Second) }

// unsound is the refusal to edit a file that somebody edited by hand.
func (s store) unsound(name string, err error) error {
	return &agent.RefusedError{
		Problem: fmt.Sprintf("cannot read '%s': %v", s.rel(name), err),
		Advice:  []string{"correct it by hand, or bring it back: git claw log " + s.rel(name)},
	}
}

// forbidden refuses what must not be stored (SPEC SI-70). A line of the new text that
// the old one has was stored before.
func forbidden(scan *secret.Scanner, rel string, old, next []byte) error {
	found := hooks.AddedSecrets(scan, old, next)
	if len(found) == 0 {
		return nil
	}
	return &agent.RefusedError{
		Problem: fmt.Sprintf("it must not be stored in '%s': %s", rel, found[0].Kind),
		Advice:  []string{"say it without the value"},
	}
}

// vet is forbidden for all edits of a plan. What moves to the archive of corrections was
// looked at when it came.
func vet(files []agent.File, p agent.Planned) (agent.Planned, error) {
	scan := secret.New()
	for _, ed := range p.Edits {
		if strings.HasSuffix(ed.Path, "/"+prefs.OldCorrections) {
			continue
		}
		i := slices.IndexFunc(files, func(f agent.File) bool { return f.Path == ed.Path })
		if err := forbidden(scan, ed.Path, files[i].Text, ed.Next); err != nil && !ed.Remove {
			return agent.Planned{}, err
		}
	}
	return p, nil
}
