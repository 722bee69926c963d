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
	Waiting   Waiting
	Unmanaged Unmanaged
	Sync      Sync
	Hooks     []githook.Status
	Failed    *HookFailure // a foreign hook that refused the last commit
	Progress  string       // merge, rebase … in progress
	Next      []Next
}

// Unsaved is one changed managed file.
type Unsaved struct {
	Path   string // relative to the workspace root
	Change byte   // A added, M modified, D deleted, U unmerged
}

// Waiting counts what waits for a person.
type Waiting struct {
	Proposals, Candidates, Contradictions int
	Edits                                 int // rule files and skills edited in place by the agent, lately
}

// Unmanaged counts notes that git claw neither commits nor checks.
type Unmanaged struct {
	Notes  int
	More   bool   // there are more than were counted
	Folder string // where most of them lie, relative to the root
	Hint   string // the command that includes them
}

// Sync compares the branch with its upstream.
type Sync struct {
	Remote        string // "" without upstream
	Ahead, Behind int
}

// Next is one thing to do: why, and the command.
type Next struct{ Why, Command string }

// editsDays is how far back rule edits count as waiting.
const editsDays = 7

// Status reads the dashboard. It writes nothing and takes no lock.
func Status(ctx context.Context, ws *memory.Workspace) (*Dashboard, error) {
	d := &Dashboard{Root: ws.Root, Adopted: ws.Adopted, Host: ws.Host.Name}
	var (
		wg    sync.WaitGroup
		st    *gitops.Status
		notes = &noteCount{folders: map[string]int{}}
		edits int
		errs  [3]error
	)
	// What git is asked, and what is read meanwhile, do not depend on each other.
	wg.Go(func() {
		st, errs[0] = steadyStatus(ctx, ws.Repo, gitops.StatusOptions{Paths: ws.PrefixPaths(), Untracked: true})
	})
	wg.Go(func() { errs[1] = notes.tracked(ctx, ws) })
	if ws.Adopted {
		wg.Go(func() { edits, errs[2] = recentRuleEdits(ctx, ws) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	d.Branch, d.Commit = st.Head.Branch(), st.Head.Commit
	d.Sync = Sync{Remote: st.Upstream, Ahead: st.Ahead, Behind: st.Behind}
	d.Waiting.Edits = edits
	if err := d.readEntries(ctx, ws, st, notes); err != nil {
		return nil, err
	}
	d.Unmanaged = notes.sum(ws)
	if p := ws.Repo.Progress(); p != nil {
		d.Progress = p.What
	}
	d.Failed = lastHookFailure(ws)
	var err error
	if d.Hooks, err = HookStatus(ctx, ws, ""); err != nil {
		return nil, err
	}
	d.advise()
	return d, nil
}

// readEntries sorts git's answer into unsaved, held back and unmanaged.
func (d *Dashboard) readEntries(ctx context.Context, ws *memory.Workspace, st *gitops.Status, notes *noteCount) error {
	s := newSaver(ws, Caller{}, SaveOptions{}, &SaveResult{})
	for _, e := range st.Entries {
		rel := strings.TrimPrefix(e.Path, ws.Prefix)
		if e.Untracked() {
			notes.add(ws, e.Path)
		}
		if e.Submodule || !ws.Managed(rel) || ws.NeverRestore(rel) {
			continue
		}
		change := letter(e)
		if change == 'U' || e.Partial() {
			d.Unsaved = append(d.Unsaved, Unsaved{Path: rel, Change: change})
			if e.Partial() {
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
		}
	}
	for _, k := range s.res.Skipped {
		if k.Held {
			d.Withheld = append(d.Withheld, k)
		}
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

// recentRuleEdits counts in-place edits of rules and skills by the agent, or by
// nobody known, that were not taken back.
func recentRuleEdits(ctx context.Context, ws *memory.Workspace) (int, error) {
	n := 0
	undone := map[string]bool{}
	log := gitops.LogOptions{
		Since: gitDate(ws.Now().AddDate(0, 0, -editsDays)), Max: 2000,
		Paths: ws.PrefixPaths(), Grep: "Claw-Event: ",
	}
	for c, err := range ws.Repo.Log(ctx, log) {
		if err != nil {
			return 0, err
		}
		switch c.Trailers.Get("Claw-Event") {
		case eventUndo:
			undone[c.Trailers.Get("Claw-Undoes")] = true
		case eventL1Edit, eventSkillEdit:
			if Actor(c.Trailers.Get("Claw-Actor")) != User && !undone[c.Trailers.Get("Claw-Id")] {
				n++
			}
		}
	}
	return n, nil
}

// advise lists the next commands, most urgent first.
func (d *Dashboard) advise() {
	add := func(why, cmd string) { d.Next = append(d.Next, Next{Why: why, Command: cmd}) }
	if d.Progress != "" {
		add("a "+d.Progress+" is in progress", "git status")
	}
	if !d.Adopted {
		add("git claw does not record this folder yet", "git claw init")
		return
	}
	if d.Failed != nil {
		add("the hook '"+d.Failed.Hook+"' refused the last commit", "git claw save")
	}
	if len(d.Unsaved) > 0 {
		add(plural(len(d.Unsaved), "file")+" changed since the last save", "git claw save")
	}
	if len(d.Withheld) > 0 {
		w := d.Withheld[0]
		why := fmt.Sprintf("%s held back from git", plural(len(d.Withheld), "line"))
		add(why, "git claw diff -- "+shellQuote(w.Path))
	}
	if d.Waiting.Edits > 0 {
		add(plural(d.Waiting.Edits, "rule edit")+" by the agent in the last 7 days", fmt.Sprintf("git claw log --event l1.edit --event skill.edit --since %d.days", editsDays))
	}
	if d.Unmanaged.Notes > 0 {
		add(plural(d.Unmanaged.Notes, "note")+" outside the managed folders", d.Unmanaged.Hint)
	}
	for _, h := range d.Hooks {
		if !inPlace(h) && h.Next != "" {
			add(fmt.Sprintf("the %s hook is %s", h.Hook, h.State), h.Next)
		}
	}
	if d.Sync.Behind > 0 {
		add(plural(d.Sync.Behind, "commit")+" on "+d.Sync.Remote+" that are not here", "git pull")
	}
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
