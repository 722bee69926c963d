package health

import (
	"context"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
)

// prefsHistoryFamily looks at how confirmed preferences came into the store, and
// whether they are there still.
func prefsHistoryFamily() Family {
	si := on(memory.SelfImproving)
	return Family{
		Name: "history of preferences",
		Checks: []Check{
			{
				ID: "PRF-009", Severity: Failure, Profiles: si, Rule: "SI-35", Live: true, Since: true, Loss: true,
				Meaning: "what was confirmed is in a tier, or was taken out on purpose",
				Fix:     "bring the line back from the commit that is named",
			},
			{
				ID: "PRF-012", Severity: Failure, Profiles: si, Rule: "SI-24", Live: true, Since: true,
				Meaning: "a person approved each entry of the store's memory.md",
				Fix:     "look at it with 'git claw show', and take it out when it is wrong",
			},
		},
		Look: Over(isTierFile, func(r *Run, n *Note, _ *Out) []prefs.Entry { return prefs.ParseTier(n.Text) }, judgePrefsHistory),
	}
}

func isTierFile(r *Run, f File) bool {
	tier, _, _ := prefs.Place(strings.TrimPrefix(f.Path, r.WS.SIRoot()))
	return tier != prefs.NoTier && isPrefs(r, f)
}

// entryKey is by what an entry is known in history: its id, or its words.
func entryKey(e prefs.Entry) string {
	if e.ID != "" {
		return e.ID
	}
	return e.Text
}

func judgePrefsHistory(ctx context.Context, r *Run, facts []Fact[[]prefs.Entry], out *Out) error {
	if _, ok, err := r.Git.Adoption(ctx); err != nil || !ok {
		return err // nothing was recorded: nobody can tell
	}
	root := r.WS.SIRoot()
	commits, err := r.Git.Since(ctx, root+prefs.Hot, root+"domains", root+"projects", root+"archive")
	if err != nil || len(commits) == 0 {
		return err
	}
	slices.Reverse(commits)
	t := tierHistory{run: r, states: map[string]map[string]bool{}, came: map[string]arrival{}, left: map[string][]gitops.Commit{}}
	for _, c := range commits {
		for _, rel := range c.Paths {
			if isTierFile(r, File{Path: rel, Mode: gitops.ModeFile}) {
				if err := t.add(ctx, c, rel); err != nil {
					return err
				}
			}
		}
	}
	if t.approved, err = t.confirmed(ctx); err != nil {
		return err
	}
	if r.On("PRF-009") {
		if err := t.lost(ctx, facts, out); err != nil {
			return err
		}
	}
	if r.On("PRF-012") {
		return t.unapproved(ctx, facts, out)
	}
	return nil
}

// arrival is where an entry was first.
type arrival struct {
	commit gitops.Commit
	path   string
}

// tierHistory follows the entries of tiers through commits, the oldest first.
type tierHistory struct {
	run    *Run
	states map[string]map[string]bool // of a path, the entries it had last
	came   map[string]arrival
	left   map[string][]gitops.Commit // commits that took an entry out of a file
	// approved are the candidates, and the tips of proposals, that confirmations name.
	approved map[string]bool
}

func (t *tierHistory) add(ctx context.Context, c gitops.Commit, rel string) error {
	was, seen := t.states[rel]
	if !seen { // what adoption held came from nobody here
		text, _, err := t.run.Git.AtAdoption(ctx, rel)
		if err != nil {
			return err
		}
		was = keys(text)
		for k := range was {
			if _, ok := t.came[k]; !ok {
				t.came[k] = arrival{}
			}
		}
	}
	text, _, err := t.run.Git.At(ctx, c.ID, rel)
	if err != nil {
		return err
	}
	now := map[string]bool{}
	for _, e := range prefs.ParseTier(text) {
		k := entryKey(e)
		now[k] = true
		if _, ok := t.came[k]; !ok {
			t.came[k] = arrival{c, rel}
		}
	}
	for k := range was {
		if !now[k] {
			t.left[k] = append(t.left[k], c)
		}
	}
	t.states[rel] = now
	return nil
}

func keys(text []byte) map[string]bool {
	out := map[string]bool{}
	for _, e := range prefs.ParseTier(text) {
		out[entryKey(e)] = true
	}
	return out
}

// lost looks for confirmed entries that are in no tier, neither here nor in the
// newest commit, though nobody took them out.
func (t *tierHistory) lost(ctx context.Context, facts []Fact[[]prefs.Entry], out *Out) error {
	here := map[string]bool{}
	for _, f := range facts {
		for _, e := range f.Value {
			here[e.ID] = true
		}
	}
	for rel := range t.states {
		text, _, err := t.run.Git.Head(ctx, rel)
		if err != nil {
			return err
		}
		for k := range keys(text) {
			here[k] = true
		}
	}
	if slices.ContainsFunc(t.run.Large(), func(f File) bool { return isTierFile(t.run, f) }) {
		return nil // nobody knows what is in it
	}
	for id, came := range t.came {
		if came.path == "" || here[id] || !strings.HasPrefix(id, "cand-") {
			continue
		}
		meant, err := t.strange(ctx, id) // what nobody confirmed may go as it came
		if err != nil {
			return err
		}
		for _, c := range t.left[id] {
			ok, err := t.meant(ctx, c)
			if err != nil {
				return err
			}
			meant = meant || ok
		}
		if !meant {
			out.Add(Finding{
				ID: "PRF-009", Path: came.path, Message: "'" + clip(id) + "' was confirmed in " + nameOf(came.commit) + " and is in no tier", Expected: "an entry", Actual: "none",
				Fix: "bring the line back with 'git show " + came.commit.ID.Short() + ":" + t.run.WS.Prefix + came.path + "'",
			})
		}
	}
	return nil
}

// leaves are the events that take preferences out of the tiers.
var leaves = []string{"preference.reverse", "candidate.reject", "forget", "purge", "undo"}

// meant reports whether a commit took an entry out on purpose: by such an event, by
// a person's own hand, or so that a person kept it.
func (t *tierHistory) meant(ctx context.Context, c gitops.Commit) (bool, error) {
	if slices.Contains(leaves, c.Trailers.Get("Claw-Event")) {
		return true, nil
	}
	if ok, err := t.run.approves(ctx, c); ok || err != nil {
		return ok, err
	}
	if strings.HasPrefix(c.Trailers.Get("Claw-Event"), "tier.") {
		return false, nil // moves lose nothing
	}
	if !byAgent(c) {
		return true, nil
	}
	return accepted(ctx, t.run, c.ID)
}

// strange reports whether an entry was written by an agent, or in a commit whose
// approval does not count, and no person approved it.
func (t *tierHistory) strange(ctx context.Context, key string) (bool, error) {
	came, ok := t.came[key]
	if !ok || came.path == "" || t.approved[key] || t.approved[came.commit.ID.String()] || quoted(came.commit) {
		return false, nil
	}
	if unseen, err := t.run.unseen(ctx, came.commit); !unseen || err != nil {
		return false, err
	}
	kept, err := accepted(ctx, t.run, came.commit.ID)
	return !kept, err
}

// unapproved looks for such entries in memory.md.
func (t *tierHistory) unapproved(ctx context.Context, facts []Fact[[]prefs.Entry], out *Out) error {
	for _, f := range facts {
		if f.File.Path != t.run.WS.SIRoot()+prefs.Hot {
			continue
		}
		for _, e := range f.Value {
			bad, err := t.strange(ctx, entryKey(e))
			if err != nil {
				return err
			}
			if bad {
				c := t.came[entryKey(e)].commit
				out.Add(Finding{
					ID: "PRF-012", Path: f.File.Path, Line: e.Line, EndLine: e.EndLine, Message: "written by " + authority(c) + " in " + nameOf(c) + ", and nobody approved it",
					Expected: "a person's approval", Actual: "none", Fix: "look at it with 'git claw show " + nameOf(c) + "', and take it out when it is wrong",
				})
			}
		}
	}
	return nil
}

// quoted recognises the merge of an entry that the user ordered in so many words (SPEC
// GN-08).
func quoted(c gitops.Commit) bool {
	return merged(c) && c.Trailers.Get("Claw-Event") == "candidate.confirm" && c.Trailers.Get("Claw-Reason") == "explicit" && c.Trailers.Get("Claw-Evidence") != ""
}

// confirmed collects what confirmations name: candidates, and tips of proposals. A
// merge that only brought in a tip changes no file by itself, so they are asked for
// by event. A commit that only says so, with no proposal behind it, confirms nothing.
func (t *tierHistory) confirmed(ctx context.Context) (map[string]bool, error) {
	commits, err := t.run.Git.Every(ctx, "candidate.confirm")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, c := range commits {
		if !merged(c) {
			continue
		}
		ok, err := t.run.approves(ctx, c)
		if err != nil {
			return nil, err
		}
		if !ok && !quoted(c) {
			continue
		}
		if id := c.Trailers.Get("Claw-Candidate"); id != "" {
			out[id] = true
		}
		for _, p := range c.Parents[1:] {
			out[p.String()] = true
		}
	}
	return out, nil
}
