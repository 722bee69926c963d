package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/memory"
)

// Dashboard is the state of a workspace at a glance, with what to do next.
type Dashboard struct {
	Root      string
	Adopted   bool
	Host      string
	Branch    string // "" when HEAD is detached
	Commit    gitops.ID
	Unsaved   []Unsaved
	Withheld  []Skipped // held back: secrets, partly staged files
	LeftOut   []Skipped // managed, but never saved: too large, links, repositories
	Waiting   Waiting
	Unmanaged Unmanaged
	Index     *IndexLine    // nil: there is none
	Health    *HealthRecord // nil: it was never tested
	Sync      Sync
	Hooks     []githook.Status
	Failed    *HookFailure // a foreign hook that refused the last commit
	Progress  string       // merge, rebase … in progress
	// Code: the repository is about code. Notes in it, such as a README, are no
	// reason to do anything.
	Code bool
	Next []Next

	ready   int      // of Unsaved, what a save would take
	noIdent error    // git knows nobody to commit as
	inner   []string // folders below that are workspaces, where this is none
}

// Unsaved is one changed managed file.
type Unsaved struct {
	Path   string // relative to the workspace root
	Change byte   // A added, M modified, D deleted, U unmerged
}

// Waiting counts what waits for a person.
type Waiting struct {
	Proposals, Candidates, Contradictions int
	Edits                                 int // rule files and skills that an agent edited in place
}

// Unmanaged counts notes that git claw neither commits nor checks.
type Unmanaged struct {
	Notes  int
	More   bool   // there are more than were counted
	Folder string // where most of them lie, relative to the root
	Hint   string // the command that includes them
}

// Sync compares the branch with its upstream, or with what it was synced with.
type Sync struct {
	Remote        string // "" without one
	Ahead, Behind int
	Last          *SyncRecord // nil: there was none
}

// Next is one thing to do: why, and the command.
type Next struct{ Why, Command string }

// Status reads the dashboard. It writes nothing and takes no lock. waiting counts what
// waits for a person, which package review knows; nil: nobody does.
func Status(ctx context.Context, ws *memory.Workspace, waiting func(context.Context) (Waiting, error)) (*Dashboard, error) {
	d := &Dashboard{Root: ws.Root, Adopted: ws.Adopted, Host: ws.Host.Name}
	var (
		wg    sync.WaitGroup
		st    *gitops.Status
		notes = &noteCount{folders: map[string]int{}}
		errs  [5]error
	)
	// What git is asked, and what is read meanwhile, do not depend on each other.
	wg.Go(func() {
		st, errs[0] = ws.Repo.Status(ctx, gitops.StatusOptions{Paths: ws.PrefixPaths(), Untracked: true})
	})
	wg.Go(func() { errs[1] = notes.tracked(ctx, ws) })
	if ws.Adopted {
		if waiting != nil {
			wg.Go(func() { d.Waiting, errs[2] = waiting(ctx) })
		}
		wg.Go(func() { d.noIdent, errs[3] = noIdentity(ctx, ws) })
	}
	wg.Go(func() { errs[4] = d.Sync.compare(ctx, ws) })
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	var err error
	if d.Index, err = indexLine(ctx, ws); err != nil {
		return nil, err
	}
	d.Branch, d.Commit = st.Head.Branch(), st.Head.Commit
	d.Sync.Last = LastSync(ws)
	if st.Upstream != "" {
		d.Sync.Remote, d.Sync.Ahead, d.Sync.Behind = st.Upstream, st.Ahead, st.Behind
	}
	if err := d.readEntries(ctx, ws, st, notes); err != nil {
		return nil, err
	}
	d.Unmanaged = notes.sum(ws)
	d.inner = notes.workspaces
	if p := ws.Repo.Progress(); p != nil {
		d.Progress = p.What
	}
	d.Failed = lastHookFailure(ws)
	if ws.Adopted {
		d.Health = LastHealth(ws)
	}
	if d.Hooks, err = HookStatus(ctx, ws, ""); err != nil {
		return nil, err
	}
	if ws.Prefix == "" {
		if d.Code, err = looksLikeCode(ctx, ws); err != nil {
			return nil, err
		}
	}
	d.advise()
	return d, nil
}

// readEntries sorts git's answer into unsaved, held back and unmanaged.
func (d *Dashboard) readEntries(ctx context.Context, ws *memory.Workspace, st *gitops.Status, notes *noteCount) error {
	s := newSaver(ws, Caller{}, SaveOptions{}, &SaveResult{})
	renamed := stagedRemovals(st.Entries)
	for _, e := range st.Entries {
		rel := strings.TrimPrefix(e.Path, ws.Prefix)
		if e.Untracked() {
			notes.add(ws, e.Path)
		}
		if e.Submodule || !ws.Managed(rel) || ws.NeverRestore(rel) {
			continue
		}
		change := letter(e)
		if part := partly(e, renamed); part || change == 'U' {
			d.Unsaved = append(d.Unsaved, Unsaved{Path: rel, Change: change})
			if part {
				s.skip(rel, 0, partlyStaged, true)
			}
			continue
		}
		ed, ok, err := s.read(ctx, e, rel)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if s.holdBack(&ed) {
			d.Unsaved = append(d.Unsaved, Unsaved{Path: rel, Change: change})
			d.ready++
		}
	}
	for _, k := range s.res.Skipped {
		if k.Held {
			d.Withheld = append(d.Withheld, k)
			continue
		}
		if k.Reason == isLink {
			k.Reason += "; put the file itself there"
		}
		d.LeftOut = append(d.LeftOut, k)
	}
	return nil
}

func letter(e gitops.StatusEntry) byte {
	switch {
	case e.Unmerged():
		return 'U'
	case e.Work == 'D' || e.Work == '.' && e.Index == 'D':
		return 'D'
	case e.HeadID.IsZero():
		return 'A'
	}
	return 'M'
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shellQuote makes a path safe to paste.
func shellQuote(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+,:@%", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) < 0
	if plain && s != "" && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
