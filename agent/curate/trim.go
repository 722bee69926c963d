package curate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/bootstrap"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/hot"
)

// TrimOptions say which rule file to shorten.
type TrimOptions struct {
	Path   string // relative to the root; "" for all that are too long
	DryRun bool
}

// Trimmed is what became of it.
type Trimmed struct {
	Files []TrimmedFile
	// Total are the tokens of all rule files, before and after; Target is what they are
	// to be less than.
	TotalBefore, TotalAfter, Target int
	Save                            *agent.SaveResult  // of a commit
	Proposal                        *proposal.Proposal // of a proposal
}

// TrimmedFile is a rule file and its size in tokens.
type TrimmedFile struct {
	Path          string
	Before, After int
	Limit         int
	To            string // <note>#<anchor> that the rest went to, "" when it fits
}

// Trim moves what is too much in rule files to today's note and leaves a pointer (SPEC
// TL-12 to TL-16). For a user and a checkpoint it is a commit, where no line is gained or
// lost; else a proposal.
func Trim(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt TrimOptions) (*Trimmed, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	rels, err := ruleFiles(ws, opt.Path)
	if err != nil {
		return nil, err
	}
	notePath, err := agent.DailyPath(ws, ws.Now())
	if err != nil {
		return nil, err
	}
	t := &trimmer{ws: ws, opt: opt, rels: rels, note: notePath}
	if person(caller) || caller.Actor == agent.Checkpoint {
		err = t.commit(ctx, caller)
	} else {
		t.proposed = true
	}
	if err == nil && t.proposed {
		err = t.propose(ctx, caller)
	}
	return &t.res, err
}

// person reports whether somebody acts who may change rule files directly. A host that
// starts a command with `--as user` is none.
func person(caller agent.Caller) bool { return caller.Actor == agent.User && !caller.Host }

// ruleFiles lists the rule files that are there, or the one that was named.
func ruleFiles(ws *memory.Workspace, named string) ([]string, error) {
	var out []string
	for _, rel := range []string{"AGENTS.md", "CLAUDE.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md"} {
		if k := ws.Kind(rel); k != memory.KindL1 && k != memory.KindMemory {
			continue
		}
		if ok, err := ws.Exists(rel); err != nil {
			return nil, err
		} else if ok {
			out = append(out, rel)
		}
	}
	if named != "" && !slices.Contains(out, named) {
		if k := ws.Kind(named); k == memory.KindL1 || k == memory.KindMemory {
			return nil, &agent.NoFileError{Path: named}
		}
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("'%s' is no rule file", named), Advice: []string{"rule files are " + strings.Join(out, ", ")}}
	}
	return out, nil
}

type trimmer struct {
	ws       *memory.Workspace
	opt      TrimOptions
	rels     []string // rule files
	note     string   // today's
	proposed bool     // a person has to look at it
	res      Trimmed
}

// plan works out what moves. texts are those of the rule files; nil stands for a file that
// is not there.
func (t *trimmer) plan(texts [][]byte, note []byte) ([]cut, []byte, error) {
	t.res = Trimmed{Target: int(t.ws.Settings.Int("l1.totalTokensMax"))}
	var cuts []cut
	for i, rel := range t.rels {
		text := texts[i]
		f := TrimmedFile{Path: rel, Before: doc.Tokens(text), Limit: t.limit(rel)}
		f.After = f.Before
		if named := t.opt.Path == rel; named || t.opt.Path == "" && !t.fits(rel, text) {
			if !t.fits(rel, text) {
				c, ok := trimFile(rel, text, t.note, note, t.ws.Now(), func(b []byte) bool { return t.fits(rel, b) })
				if !ok {
					return nil, nil, &agent.RefusedError{
						Problem: fmt.Sprintf("'%s' cannot be cut: its first entry alone is too long", rel), Advice: []string{"part it by hand, or move it to reference/"},
					}
				}
				if c.swallowed {
					return nil, nil, &agent.RefusedError{
						Problem: fmt.Sprintf("'%s' leaves a comment open, and what moves there would be hidden", t.note), Advice: []string{"write '-->' behind it"},
					}
				}
				cuts, note = append(cuts, c), c.note
				f.After, f.To = c.left, c.to
			}
			t.res.Files = append(t.res.Files, f)
		}
		t.res.TotalBefore += f.Before
		t.res.TotalAfter += f.After
	}
	return cuts, note, nil
}

// budgets are the optional limits of TL-11, in tokens.
var budgets = map[string]int{
	"SOUL.md": 1000, "AGENTS.md": 1000, "CLAUDE.md": 1000, "MEMORY.md": 1000, "USER.md": 800, "TOOLS.md": 800, "IDENTITY.md": 500, "HEARTBEAT.md": 900,
}

// limit is how many tokens a rule file may have: claw.l1.fileTokensMax, or less where
// claw.l1.budget is on, or names the file (`USER=600`).
func (t *trimmer) limit(rel string) int {
	most := int(t.ws.Settings.Int("l1.fileTokensMax"))
	value := t.ws.Settings.String("l1.budget")
	if on, err := gitops.ParseBool(value); err == nil {
		if on {
			return min(most, budgets[rel])
		}
		return most
	}
	for word := range strings.FieldsSeq(value) {
		name, number, _ := strings.Cut(word, "=")
		if n, err := strconv.Atoi(number); err == nil && n > 0 && strings.EqualFold(strings.TrimSuffix(name, ".md"), strings.TrimSuffix(rel, ".md")) {
			most = min(most, n)
		}
	}
	return most
}

// fits reports whether a text of a rule file is within its budget and what the host loads.
func (t *trimmer) fits(rel string, text []byte) bool {
	if doc.Tokens(text) > t.limit(rel) {
		return false
	}
	if rel == hot.Path {
		return hot.TooLong(t.ws, text) == ""
	}
	most := bootstrap.OwnLimit(t.ws.Host, rel)
	return most == 0 || !slices.Contains(t.ws.Host.Injected, rel) || doc.Chars(text) <= most
}

// commit does it directly, where no line is gained or lost.
func (t *trimmer) commit(ctx context.Context, caller agent.Caller) error {
	res, err := agent.Commit(ctx, t.ws, caller, agent.Rewrite{
		Paths: append(slices.Clone(t.rels), t.note), DryRun: t.opt.DryRun, Whole: true,
		Plan: func(files []agent.File) (agent.Planned, error) {
			t.proposed = false
			last := files[len(files)-1]
			base := last.Text
			if !last.Exists {
				base = agent.FreshDaily(t.ws.Now())
			}
			texts := make([][]byte, len(t.rels))
			for i := range t.rels {
				texts[i] = files[i].Text
			}
			cuts, note, err := t.plan(texts, base)
			if err != nil || len(cuts) == 0 {
				return agent.Planned{}, err
			}
			if slices.ContainsFunc(cuts, func(c cut) bool { return !c.exact }) {
				t.proposed = true
				return agent.Planned{}, nil
			}
			p := agent.Planned{Event: agent.EventTrim, Area: "rules", Summary: summary(cuts), Trailers: trailers(cuts)}
			for _, c := range cuts {
				p.Edits = append(p.Edits, agent.FileEdit{Path: c.rel, Next: c.kept})
			}
			p.Edits = append(p.Edits, agent.FileEdit{Path: t.note, Next: note, Bare: base})
			return p, nil
		},
	})
	t.res.Save = res
	return err
}

// propose does it on a branch, from what HEAD has.
func (t *trimmer) propose(ctx context.Context, caller agent.Caller) error {
	head, err := t.ws.Repo.Head(ctx)
	if err != nil {
		return err
	}
	texts := make([][]byte, len(t.rels))
	for i, rel := range t.rels {
		if texts[i], _, err = proposal.ReadAt(ctx, t.ws, head.Commit, rel); err != nil {
			return err
		}
	}
	base, ok, err := proposal.ReadAt(ctx, t.ws, head.Commit, t.note)
	if err != nil {
		return err
	}
	if !ok {
		base = agent.FreshDaily(t.ws.Now())
	}
	cuts, note, err := t.plan(texts, base)
	if err != nil || len(cuts) == 0 || t.opt.DryRun {
		return err
	}
	d := proposal.Draft{
		Kind: proposal.Trim, Event: agent.EventTrim, Area: "rules", Slug: "trim " + cuts[0].rel, Summary: summary(cuts), Trailers: trailers(cuts), Base: head.Commit,
	}
	for _, c := range cuts {
		d.Edits = append(d.Edits, proposal.Edit{Path: c.rel, Content: c.kept})
		if !c.exact {
			d.Body += "Lines were added to close what is open in '" + c.rel + "' or '" + t.note + "'.\n"
		}
	}
	d.Edits = append(d.Edits, proposal.Edit{Path: t.note, Content: note})
	t.res.Proposal, err = proposal.Propose(ctx, t.ws, caller, d)
	return err
}

func summary(cuts []cut) string {
	names := make([]string, len(cuts))
	for i, c := range cuts {
		names[i] = c.rel
	}
	return "trim " + strings.Join(names, ", ")
}

func trailers(cuts []cut) gitops.Trailers {
	var out gitops.Trailers
	for _, c := range cuts {
		out = append(out,
			gitops.Trailer{Key: "Claw-Moved", Value: c.rel + " → " + c.to},
			gitops.Trailer{Key: "Claw-Tokens", Value: fmt.Sprintf("%s %d → %d", c.rel, c.from, c.left)})
	}
	return out
}
