package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// noIdentity returns what git would say to a commit for want of a name. Where
// the configuration or the environment has both parts git is not asked: that is
// the rule, and a process costs more than all the rest.
func noIdentity(ctx context.Context, ws *memory.Workspace) (problem, err error) {
	cfg, err := ws.Repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	known := func(what, env string) bool {
		if v, ok := cfg.Get("user." + what); ok && v != "" {
			return true
		}
		e := ws.Repo.Git.Env()
		return e.Getenv("GIT_AUTHOR_"+env) != "" && e.Getenv("GIT_COMMITTER_"+env) != ""
	}
	if known("name", "NAME") && known("email", "EMAIL") {
		return nil, nil
	}
	err = ws.Repo.CheckIdent(ctx)
	var ident *gitops.IdentError
	if errors.As(err, &ident) {
		return ident, nil
	}
	return nil, err
}

// identCommand is one line that mends a missing identity.
func identCommand() string { return strings.Join((&gitops.IdentError{}).Hints(), " && ") }

// tooLarge says why a file is left out, how large one may be, and the way out.
func tooLarge(ws *memory.Workspace, rel string) string {
	limit := ws.MaxFileBytes()
	text := "larger than claw.maxFileBytes: the limit is " + size(limit)
	fi, err := os.Lstat(filepath.Join(ws.Root, filepath.FromSlash(rel)))
	if err != nil {
		return text
	}
	mb := int64(1)
	for mb<<20 < fi.Size() {
		mb *= 2
	}
	return fmt.Sprintf("larger than claw.maxFileBytes: %s, and the limit is %s; 'git config claw.maxFileBytes %dm' takes it", size(fi.Size()), size(limit), mb)
}

// size writes bytes for a person.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.4g MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.4g kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// advise lists the next commands, most urgent first.
func (d *Dashboard) advise() {
	add := func(why, cmd string) { d.Next = append(d.Next, Next{Why: why, Command: cmd}) }
	switch {
	case d.Progress != "":
		// Nothing else works before that is over.
		verb := d.Progress
		if verb == "patch series" {
			verb = "am"
		}
		add("finish the "+d.Progress+" that is in progress", "git "+verb+" --continue")
		add("or drop it", "git "+verb+" --abort")
		return
	case !d.Adopted:
		for _, dir := range d.inner {
			add("'"+dir+"' is a workspace", "git claw -C "+shellQuote(dir))
		}
		if len(d.inner) == 0 {
			add("git claw does not record this folder yet", "git claw init")
		}
		return
	}
	if d.detached() {
		add("HEAD is on no branch: what is saved now is easily lost", switchCommand(d.Commit))
	}
	d.adviseSave(add)
	if d.Health != nil && d.Health.Fails > 0 {
		add("health found "+plural(d.Health.Fails, "failure"), "git claw health")
	}
	if why := d.Waiting.String(); why != "" {
		add(why, "git claw review")
	}
	if d.Unmanaged.Notes > 0 && !d.Code {
		add(plural(d.Unmanaged.Notes, "note")+" outside the managed folders", d.Unmanaged.Hint)
	}
	// A search takes up what is new by itself; only what it may not manage in time is
	// worth a line.
	if d.Index != nil && d.Index.Pending >= manyPending {
		add(plural(d.Index.Pending, "note")+" changed since the search index was updated", "git claw index update")
	}
	d.adviseHooks(add)
	d.adviseSync(add)
}

// adviseSync tells what this machine and the others do not have of each other.
func (d *Dashboard) adviseSync(add func(why, cmd string)) {
	failed := ""
	if l := d.Sync.Last; l != nil && l.Code != 0 && d.Adopted {
		failed = "the last sync failed"
		if d.Sync.Ahead == 0 && d.Sync.Behind == 0 {
			add(failed, "git claw sync")
			return
		}
		failed += "; "
	}
	pull, push := "git claw sync", "git claw sync"
	if !d.Adopted {
		pull, push = "git pull", "git push"
	}
	behind, ahead := d.Sync.Behind, d.Sync.Ahead
	if behind > 0 && ahead > 0 && d.Adopted {
		add(failed+fmt.Sprintf("%s of %s not here yet, and %d not there", plural(behind, "commit"), d.Sync.Remote, ahead), pull)
		return
	}
	if behind > 0 {
		add(failed+plural(behind, "commit")+" of "+d.Sync.Remote+" not here yet", pull)
	}
	if ahead > 0 {
		add(failed+plural(ahead, "commit")+" not on "+d.Sync.Remote+" yet", push)
	}
}

// adviseSave tells what stands between the edits and a commit.
func (d *Dashboard) adviseSave(add func(why, cmd string)) {
	unmerged := false
	for _, u := range d.Unsaved {
		unmerged = unmerged || u.Change == 'U'
	}
	switch {
	case unmerged:
		add("some files are unmerged; saving waits until that is resolved", "git status")
	case d.noIdent != nil:
		add(d.noIdent.Error(), identCommand())
	case d.Failed != nil:
		why := "the hook '" + d.Failed.Hook + "' refused the last commit"
		if d.ready > 0 {
			why += "; " + plural(d.ready, "file") + " changed"
		}
		add(why, "git claw save")
	case d.ready > 0:
		add(plural(d.ready, "file")+" changed since the last save", "git claw save")
	}
	lines, first := 0, ""
	for _, w := range d.Withheld {
		if w.partlyStaged() {
			add("'"+w.Path+"' is partly staged and is not saved", "git restore --staged "+shellQuote(w.Path))
			continue
		}
		if lines++; lines == 1 {
			first = w.Path
		}
	}
	if lines > 0 {
		add(plural(lines, "line")+" held back from git; 'claw:allow' in a line lets it pass", "git claw diff -- "+shellQuote(first))
	}
}

// adviseHooks tells of git hooks that do not work, one command once.
func (d *Dashboard) adviseHooks(add func(why, cmd string)) {
	type need struct{ state, command string }
	var order []need
	hooks := map[need][]string{}
	for _, h := range d.Hooks {
		if inPlace(h) || h.Next == "" {
			continue
		}
		n := need{string(h.State), h.Next}
		if hooks[n] == nil {
			order = append(order, n)
		}
		hooks[n] = append(hooks[n], h.Hook)
	}
	for _, n := range order {
		switch names := hooks[n]; len(names) {
		case 1:
			add(fmt.Sprintf("the git hook %s is %s", names[0], n.state), n.command)
		case 2:
			add(fmt.Sprintf("the git hooks %s are %s", strings.Join(names, " and "), n.state), n.command)
		default:
			add(fmt.Sprintf("the git hooks %s and %d more are %s", names[0], len(names)-1, n.state), n.command)
		}
	}
}

func (d *Dashboard) detached() bool { return d.Branch == "" && !d.Commit.IsZero() }

// switchCommand gives what was saved on no branch a branch.
func switchCommand(commit gitops.ID) string { return "git switch -c keep-" + commit.Short() }

// manyPending is from how many notes on a search may answer before it knows all.
const manyPending = 2000

// String says what waits, "" for nothing.
func (w Waiting) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{w.Contradictions, "contradiction"}, {w.Proposals, "proposal"}, {w.Edits, "rule edit"}, {w.Candidates, "question"},
	} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.what))
		}
	}
	switch {
	case len(parts) == 0:
		return ""
	case w.Contradictions+w.Proposals+w.Edits+w.Candidates == 1:
		return parts[0] + " waits for you"
	}
	return strings.Join(parts, ", ") + " wait for you"
}
