package health

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/frontmatter"
	"github.com/git-claw/git-claw/skills"
)

// evolutionFamily looks at how skills changed that adapt to their user.
func evolutionFamily() Family {
	both := on(memory.SelfImproving, memory.Skills)
	const undo = "look at it with 'git claw show', and take it back with 'git claw undo' when it is wrong"
	return Family{
		Name: "evolution",
		Checks: []Check{
			{
				ID: "EVO-001", Severity: Failure, Profiles: both, Rule: "EV-01", Live: true, Since: true, Fix: undo,
				Meaning: "no agent changed metadata, triggers or dependencies of a skill that evolves",
			},
			{
				ID: "EVO-002", Severity: Failure, Profiles: both, Rule: "EV-08", Live: true, Since: true, Fix: undo,
				Meaning: "of a skill that evolves, agents changed mutable values within their bounds only",
			},
			{
				ID: "EVO-003", Severity: Failure, Profiles: both, Rule: "EV-05", Live: true, Meaning: "each applied proposal raised the version of its skill by one",
				Fix: "raise the last number of 'version' by one",
			},
			{
				ID: "EVO-004", Severity: Failure, Profiles: both, Rule: "EV-03", Meaning: "proposals to evolve a skill can be read, and have ids of their own",
				Fix: "write proposal-id, type and reason in its frontmatter, and Target, Old rule and New rule below",
			},
			{
				ID: "EVO-005", Severity: Failure, Profiles: both, Rule: "EV-04", Live: true, Since: true, Fix: undo,
				Meaning: "a person approved each proposal that was applied",
			},
			{
				ID: "EVO-006", Severity: Warning, Profiles: both, Rule: "EV-09", Live: true, Meaning: "no proposal is stale, and at most claw.evolution.maxPending wait",
				Fix: "look at it with 'git log -p HEAD..<branch>', then merge or delete the branch",
			},
		},
		Look: Over(isProposalFile, func(_ *Run, n *Note, out *Out) string {
			p := skills.ParseProposal(n.Text)
			for _, bad := range p.Problems {
				out.Add(Finding{ID: "EVO-004", Path: n.Path, Line: bad.Line, Message: bad.What, Expected: "a proposal", Actual: clip(string(n.Line(bad.Line)))})
			}
			return p.ID
		}, judgeEvolution),
		Whole: whenAny(isProposalFile),
	}
}

func isProposalFile(r *Run, f File) bool {
	return f.Mode.IsFile() && isMarkdown(f.Path) && strings.HasPrefix(f.Path, r.WS.SIRoot()+skills.ProposalDir) && !strings.EqualFold(path.Base(f.Path), "README.md")
}

func judgeEvolution(ctx context.Context, r *Run, facts []Fact[string], out *Out) error {
	first := map[string]string{}
	for _, f := range facts {
		other, ok := first[f.Value]
		switch {
		case f.Value == "":
		case ok:
			out.Add(Finding{ID: "EVO-004", Path: f.File.Path, Message: "'" + other + "' has the same id", Expected: "an id of its own", Actual: clip(f.Value)})
		default:
			first[f.Value] = f.File.Path
		}
	}
	if r.On("EVO-006") {
		if err := judgePending(ctx, r, out); err != nil {
			return err
		}
	}
	if !r.On("EVO-001", "EVO-002", "EVO-003", "EVO-005") {
		return nil
	}
	if _, ok, err := r.Git.Adoption(ctx); err != nil || !ok {
		return err // nothing was recorded: nobody can tell
	}
	commits, err := r.Git.Others(ctx)
	if err != nil {
		return err
	}
	h := evolution{run: r, out: out, undone: undone(commits)}
	if h.approved, err = r.tips(ctx, commits); err != nil {
		return err
	}
	for _, c := range commits {
		if err := h.commit(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// evolution looks at commits one by one.
type evolution struct {
	run      *Run
	out      *Out
	undone   map[string]bool
	approved map[gitops.ID]bool // tips that a person's merge brought in
}

func (h *evolution) commit(ctx context.Context, c gitops.Commit) error {
	id, event := c.Trailers.Get("Claw-Id"), c.Trailers.Get("Claw-Event")
	if h.undone[c.ID.String()] || id != "" && h.undone[id] {
		return nil
	}
	if event == "evolve.apply" {
		if err := h.version(ctx, c); err != nil {
			return err
		}
	}
	judged, err := h.run.unseen(ctx, c)
	if err != nil {
		return err
	}
	judged = judged && len(c.Parents) == 1
	applied := event == "evolve.apply" || event == "evolve.propose"
	if applied && merged(c) {
		ok, err := h.run.approves(ctx, c)
		if err != nil {
			return err
		}
		applied = !ok
	}
	if h.approved[c.ID] || !judged && !applied {
		return nil
	}
	kept, err := accepted(ctx, h.run, c.ID)
	if err != nil || kept {
		return err
	}
	if event == "evolve.apply" && len(c.Parents) > 1 { // git's own merge of a tip that a person confirmed later
		for _, tip := range c.Parents[1:] {
			if kept, err = accepted(ctx, h.run, tip); err != nil || kept {
				return err
			}
		}
	}
	for _, rel := range c.Paths {
		if h.run.WS.Kind(rel) != memory.KindSkill || !isSkillFile(rel) {
			continue
		}
		if applied {
			h.add(c, "EVO-005", rel, "a proposal was applied that nobody approved", "a person's approval")
		}
		if judged {
			if err := h.edit(ctx, c, rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// edit compares a skill that evolves with what it was before a commit.
func (h *evolution) edit(ctx context.Context, c gitops.Commit, rel string) error {
	was, now, ok, err := h.texts(ctx, c, rel)
	if err != nil || !ok {
		return err
	}
	params, _ := skills.Params(was)
	if !slices.ContainsFunc(params, func(p skills.Param) bool { return p.Mutable }) {
		return nil // it does not evolve
	}
	told := map[bool]bool{}
	for _, change := range skills.Changes(was, now) {
		if told[change.Frozen] {
			continue
		}
		told[change.Frozen] = true
		if change.Frozen {
			h.add(c, "EVO-001", rel, change.What, "the same")
		} else {
			h.add(c, "EVO-002", rel, change.What, "mutable values within their bounds")
		}
	}
	return nil
}

// version looks at the version of the skill that a proposal changed.
func (h *evolution) version(ctx context.Context, c gitops.Commit) error {
	for _, rel := range c.Paths {
		if h.run.WS.Kind(rel) != memory.KindSkill || !isSkillFile(rel) {
			continue
		}
		was, now, ok, err := h.texts(ctx, c, rel)
		if err != nil {
			return err
		}
		old, have := frontmatter.Parse(was).Text("version"), frontmatter.Parse(now).Text("version")
		if want, numbered := skills.NextVersion(old); ok && numbered && have != want {
			h.out.Add(Finding{ID: "EVO-003", Path: rel, Message: fmt.Sprintf("version %s after %s in %s", orNone(clip(have)), old, nameOf(c)), Expected: want, Actual: orNone(clip(have))})
		}
	}
	return nil
}

// texts are a file before and after a commit; ok is false where it is not there both
// times.
func (h *evolution) texts(ctx context.Context, c gitops.Commit, rel string) (was, now []byte, ok bool, err error) {
	if len(c.Parents) == 0 {
		return nil, nil, false, nil
	}
	was, before, err := h.run.Git.At(ctx, c.Parents[0], rel)
	now, after, err2 := h.run.Git.At(ctx, c.ID, rel)
	return was, now, before && after, errors.Join(err, err2)
}

func (h *evolution) add(c gitops.Commit, id, rel, what, want string) {
	h.out.Add(Finding{
		ID: id, Path: rel, Message: what + " in " + nameOf(c), Expected: want, Actual: orNone(actorOf(c)),
		Fix: "look at it with 'git claw show " + nameOf(c) + "', and take it back with 'git claw undo " + nameOf(c) + "' when it is wrong",
	})
}

// nameOf is what commands call a commit.
func nameOf(c gitops.Commit) string {
	if id := c.Trailers.Get("Claw-Id"); id != "" {
		return id
	}
	return c.ID.Short()
}

// judgePending counts the proposals that wait, and looks for those whose target has
// changed meanwhile.
func judgePending(ctx context.Context, r *Run, out *Out) error {
	refs, err := r.Git.Refs(ctx, "refs/heads/claw/evolve")
	if err != nil {
		return err
	}
	waiting := 0
	for _, ref := range refs {
		name := strings.TrimPrefix(ref.Name, "refs/heads/")
		if !isProposal(name) {
			continue
		}
		waiting++
		target, err := staleTarget(ctx, r, ref.ID, path.Base(name))
		if err != nil {
			return err
		}
		if target != "" {
			out.Add(Finding{
				ID: "EVO-006", Path: target, Message: "the proposal '" + name + "' is stale: the skill has changed since", Expected: "the text that the proposal began with", Actual: "another one",
				Fix: "look at it with 'git log -p HEAD.." + name + "', then merge or delete the branch",
			})
		}
	}
	limited(out, "EVO-006", "", 0, waiting, r.Int("evolution.maxPending"), "proposals to evolve a skill")
	return nil
}

// staleTarget is the target of a proposal where it has another text now than the
// proposal began with, or "".
func staleTarget(ctx context.Context, r *Run, tip gitops.ID, id string) (string, error) {
	c, err := r.Git.Commit(ctx, tip)
	if err != nil || c == nil || len(c.Parents) == 0 {
		return "", err
	}
	text, ok, err := r.Git.At(ctx, tip, r.WS.SIRoot()+skills.ProposalDir+id+".md")
	if err != nil || !ok {
		return "", err
	}
	target := path.Clean(strings.Trim(skills.ParseProposal(text).Target, "`\"' "))
	if gitops.CheckPath(target) != nil || r.WS.Kind(target) != memory.KindSkill {
		return "", nil
	}
	was, there, err := r.Git.At(ctx, c.Parents[0], target)
	if err != nil || !there {
		return "", err
	}
	now, there, err := r.Git.Head(ctx, target)
	if err != nil || there && slices.Equal(was, now) {
		return "", err
	}
	return target, nil
}
