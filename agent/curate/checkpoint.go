package curate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/header"
	"github.com/git-claw/git-claw/memory/hot"
	"github.com/git-claw/git-claw/memory/section"
)

// CheckpointOptions are what a session leaves behind.
type CheckpointOptions struct {
	Entries []Entry
	DryRun  bool
}

// Checked is what became of it.
type Checked struct {
	Save     *agent.SaveResult  // MEMORY.md, notes and references; rule files too when a user acts
	Proposal *proposal.Proposal // the part that changes rule files, nil for none
	Rules    []string           // the rule files that would change or did
}

// Checkpoint routes what a session leaves behind to where it belongs (SPEC TL-21 to TL-23).
// What goes to MEMORY.md, notes and references is one commit. What changes other rule files
// is a proposal, or part of the commit when a user acts. What stands there already is not
// written again.
func Checkpoint(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt CheckpointOptions) (*Checked, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	tags, err := vocabulary(ws)
	if err != nil {
		return nil, err
	}
	r := &router{ws: ws, tags: tags}
	if err := r.route(opt.Entries); err != nil {
		return nil, err
	}
	out := &Checked{Save: &agent.SaveResult{}}
	direct, rules := r.jobs, []*job(nil)
	if !person(caller) {
		direct = slices.DeleteFunc(slices.Clone(r.jobs), func(j *job) bool { return j.rule })
		rules = slices.DeleteFunc(slices.Clone(r.jobs), func(j *job) bool { return !j.rule })
	}
	for _, j := range r.jobs {
		if j.rule {
			out.Rules = append(out.Rules, j.path)
		}
	}
	// The proposal first: what it refuses, such as a secret, must not be half done.
	if len(rules) > 0 && !opt.DryRun {
		if out.Proposal, err = r.propose(ctx, caller, rules); err != nil {
			return out, err
		}
	}
	if len(direct) > 0 {
		out.Save, err = r.commit(ctx, caller, direct, opt.DryRun)
	}
	return out, err
}

// job is what one file gets.
type job struct {
	path    string
	rule    bool // a rule file other than MEMORY.md
	entries []Entry
	// second is where what does not fit into a breadcrumb goes, "" for other files.
	second string
	name   string // of a breadcrumb or reference
}

type router struct {
	ws   *memory.Workspace
	tags header.Vocabulary
	jobs []*job
}

// route finds the file of each entry.
func (r *router) route(entries []Entry) error {
	for _, e := range entries {
		j, e, err := r.home(e)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(r.jobs, func(o *job) bool { return o.path == j.path })
		if i < 0 {
			i, r.jobs = len(r.jobs), append(r.jobs, &j)
		}
		r.jobs[i].second = max(r.jobs[i].second, j.second)
		r.jobs[i].entries = append(r.jobs[i].entries, e)
	}
	return nil
}

func (r *router) home(e Entry) (job, Entry, error) {
	rules := "AGENTS.md"
	if r.ws.Host.Name == memory.ClaudeCode {
		rules = "CLAUDE.md"
	}
	var err error
	j := job{rule: true}
	switch e.Class {
	case Rule:
		j.path = rules
	case Style:
		j.path = "USER.md"
	case Tool:
		there, err := r.ws.Exists("TOOLS.md")
		if err != nil {
			return j, e, err
		}
		if j.path = "TOOLS.md"; !there {
			j.path = rules
			if e.Name == "" {
				e.Name = "+Tools" // added to, not replaced
			}
		}
	case Live:
		j.path, j.rule = hot.Path, false
	case Done, Decision, History:
		j.path, err = agent.DailyPath(r.ws, r.ws.Now())
		j.rule = false
	case Fact:
		j.path, j.second, err = agent.TopicPaths(r.ws, e.Name)
		j.rule, j.name = false, strings.TrimSuffix(strings.TrimPrefix(j.second, "reference/"), ".md")
	case Deep:
		j.path, err = agent.ReferencePath(r.ws, e.Name)
		j.rule, j.name = false, strings.TrimSuffix(strings.TrimPrefix(j.path, "reference/"), ".md")
	}
	return j, e, err
}

// write adds a job's entries to a text. second is the reference of a breadcrumb; its new
// text is nil when it stays. replaced: words of the old text were taken out.
func (r *router) write(j *job, f, second agent.File) (text, refText []byte, replaced bool, err error) {
	text = f.Text
	if !f.Exists {
		text = r.fresh(j)
	}
	day := r.ws.Now()
	for _, e := range group(j.entries) {
		lines := missing(text, e.lines())
		switch {
		case j.second != "":
			if len(lines) == 0 {
				continue
			}
			var ref []byte
			if text, ref, err = agent.AddFacts(r.ws, j.name, agent.File{Exists: true, Text: text}, second, agent.Items(lines)); err != nil {
				return nil, nil, false, err
			}
			if ref != nil {
				refText, second = ref, agent.File{Exists: true, Text: ref}
			}
		case e.Class == Deep:
			if len(lines) > 0 {
				text = doc.AppendLines(text, lines)
			}
		case e.Class == Done || e.Class == Decision || e.Class == History:
			if e.Class == Decision && len(lines) > 0 {
				lines = missing(text, marked(lines))
			}
			if len(lines) > 0 {
				text = daily.WithNote(text, lines, day.Format("2006-01-02"))
			}
		default:
			var took bool
			text, took = r.intoSection(j, e, text, lines)
			replaced = replaced || took
		}
	}
	if j.path == hot.Path && string(text) != string(f.Text) {
		text = header.SetUpdated(text, day.Format("2006-01-02"))
		if why := hot.TooLong(r.ws, text); why != "" && len(text) > len(f.Text) {
			return nil, nil, false, tooLong(why)
		}
	}
	return text, refText, replaced, nil
}

// DecisionMark begins a decision in a daily note, for `consolidate` to find.
const DecisionMark = "Decision: "

// marked says of one plain item that it is a decision.
func marked(lines []string) []string {
	if len(lines) == 1 && strings.HasPrefix(lines[0], "- ") && !strings.HasPrefix(lines[0][2:], DecisionMark) {
		return []string{"- " + DecisionMark + lines[0][2:]}
	}
	return lines
}

// intoSection replaces a named section, or adds to the one where such things stand (SPEC
// TL-22). lines are those of the entry that the text lacks.
func (r *router) intoSection(j *job, e Entry, text []byte, lines []string) (out []byte, replaced bool) {
	d := doc.Parse(text)
	if title, add := strings.CutPrefix(e.Name, "+"); e.Name != "" && !add {
		all := e.lines()
		i := section.ByTitle(d, title)
		if i == section.None {
			out, _ = section.New(text, title, all)
			return out, false
		}
		old := strings.TrimSpace(string(section.Body(d, i)))
		if old == strings.Join(all, "\n") {
			return text, false
		}
		return section.Replace(d, i, all), old != ""
	} else if len(lines) == 0 {
		return text, false
	} else if add {
		if i := section.ByTitle(d, title); i != section.None {
			return section.Add(d, i, lines), false
		}
		out, _ = section.New(text, title, lines)
		return out, false
	}
	if j.path == hot.Path {
		return agent.AddState(text, lines, r.ws.Now()), false
	}
	if i := section.ByTitle(d, "Rules"); e.Class == Rule && i != section.None {
		return section.Add(d, i, lines), false
	}
	return doc.AppendLines(text, lines), false
}

// fresh is the text of a file that is made.
func (r *router) fresh(j *job) []byte {
	switch {
	case j.path == hot.Path:
		return freshHot(r.ws, r.tags, r.ws.Now().Format("2006-01-02"))
	case j.name != "":
		return []byte("# " + j.name + "\n")
	case j.rule:
		return []byte("# " + strings.TrimSuffix(j.path, ".md") + "\n")
	}
	return agent.FreshDaily(r.ws.Now())
}

// group joins entries that replace the same section: together they are its new text.
func group(entries []Entry) []Entry {
	var out []Entry
	for _, e := range entries {
		i := slices.IndexFunc(out, func(o Entry) bool { return o.Class == e.Class && strings.EqualFold(o.Name, e.Name) })
		if i < 0 || e.Name == "" || e.Class.named() || strings.HasPrefix(e.Name, "+") {
			out = append(out, e)
			continue
		}
		out[i].Text = strings.Join(out[i].lines(), "\n") + "\n" + strings.Join(e.lines(), "\n")
	}
	return out
}

// missing leaves out one line that the text has as an entry already: one line a fact.
func missing(text []byte, lines []string) []string {
	if len(lines) != 1 {
		return lines
	}
	want := plain(lines[0])
	d := doc.Parse(text)
	for i := range d.Entries {
		if k := d.Entries[i].Kind; (k == doc.Item || k == doc.Paragraph) && plain(string(d.Entries[i].OwnText())) == want {
			return nil
		}
	}
	return lines
}

// plain is what an item says, without its mark and the pointer behind it.
func plain(item string) string {
	item, _, _ = strings.Cut(strings.TrimLeft(item, "-*+ \t"), "→ Deep dive:")
	return doc.Normalise(item)
}

// commit writes jobs as one commit.
func (r *router) commit(ctx context.Context, caller agent.Caller, jobs []*job, dry bool) (*agent.SaveResult, error) {
	var paths []string
	for _, j := range jobs {
		for _, p := range []string{j.path, j.second} {
			if p != "" && !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	return agent.Commit(ctx, r.ws, caller, agent.Rewrite{
		Paths: paths, DryRun: dry,
		Plan: func(files []agent.File) (agent.Planned, error) {
			p := agent.Planned{Event: agent.EventCheckpoint, Area: "checkpoint", Summary: summaryOf(jobs)}
			now := map[string]agent.File{}
			was := map[string]agent.File{}
			for _, f := range files {
				now[f.Path], was[f.Path] = f, f
			}
			for _, j := range jobs {
				text, ref, replaced, err := r.write(j, now[j.path], now[j.second])
				if err != nil {
					return p, err
				}
				now[j.path] = agent.File{Path: j.path, Exists: true, Text: text}
				if ref != nil {
					now[j.second] = agent.File{Path: j.second, Exists: true, Text: ref}
				}
				if replaced {
					p.Trailers = append(p.Trailers, gitops.Trailer{Key: "Claw-Recover", Value: r.ws.Repo.BlobID(was[j.path].Text).String()})
				}
			}
			for _, path := range paths {
				if string(now[path].Text) != string(was[path].Text) {
					p.Edits = append(p.Edits, agent.FileEdit{Path: path, Next: now[path].Text, Bare: r.bare(jobs, was[path])})
				}
			}
			return p, nil
		},
	})
}

// bare is what a new file would hold without what is written into it.
func (r *router) bare(jobs []*job, f agent.File) []byte {
	if f.Exists {
		return f.Text
	}
	for _, j := range jobs {
		if j.path == f.Path {
			return r.fresh(j)
		}
	}
	return nil
}

// propose puts the rule files on a proposal, from what HEAD has; nil when they say it all
// already.
func (r *router) propose(ctx context.Context, caller agent.Caller, jobs []*job) (*proposal.Proposal, error) {
	head, err := r.ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	d := proposal.Draft{
		Kind: proposal.L1, Event: agent.EventL1Change, Slug: jobs[0].entries[0].Text, Summary: summaryOf(jobs), Base: head.Commit,
		Trailers: gitops.Trailers{{Key: "Claw-Reason", Value: "checkpoint"}},
	}
	for _, j := range jobs {
		text, ok, err := proposal.ReadAt(ctx, r.ws, head.Commit, j.path)
		if err != nil {
			return nil, err
		}
		next, _, _, err := r.write(j, agent.File{Path: j.path, Exists: ok, Text: text}, agent.File{})
		if err != nil {
			return nil, err
		}
		if string(next) != string(text) {
			d.Edits = append(d.Edits, proposal.Edit{Path: j.path, Content: next})
		}
	}
	if len(d.Edits) == 0 {
		return nil, nil
	}
	p, err := proposal.Propose(ctx, r.ws, caller, d)
	if errors.Is(err, gitops.ErrNothing) {
		return nil, nil
	}
	return p, err
}

// summaryOf names what is kept.
func summaryOf(jobs []*job) string {
	first, _, _ := strings.Cut(jobs[0].entries[0].Text, "\n")
	n := 0
	for _, j := range jobs {
		n += len(j.entries)
	}
	if n == 1 {
		return first
	}
	return first + ", and more"
}
