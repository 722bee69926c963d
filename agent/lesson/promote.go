package lesson

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/lessons"
	"github.com/git-claw/git-claw/memory/prefs"
	"github.com/git-claw/git-claw/memory/stamp"
)

// Reasons to promote a lesson (SPEC LR-13), and to make a skill of it (SPEC LR-18).
const (
	Explicit   = "explicit"   // the user said so
	Severity   = "severity"   // data loss, security, an irrecoverable failure averted
	Recurrence = "recurrence" // it came up often
	References = "references" // two others refer to it, or it to them
	Fix        = "fix"        // it holds a fix that works
	Surprise   = "surprise"   // nobody would have thought of it
	Broad      = "broad"      // it is useful beyond its task
)

var (
	reasons      = []string{Explicit, Severity, Recurrence}
	skillReasons = []string{Explicit, Severity, Recurrence, References, Fix, Surprise, Broad}
)

// PromoteOptions say which lesson becomes what, and why.
type PromoteOptions struct {
	ID     string
	Reason string // one of the reasons; "" where Quote or how often it came up tells
	Quote  string // the words of the user
	To     string // <file>[#<anchor>], "" for the home that the layout has for it
	Skill  string // name of a skill to make of it, "" for none
	DryRun bool
}

// Promoted is the proposal of a promotion.
type Promoted struct {
	Proposal *proposal.Proposal // nil for a dry run
	To       string             // <path>#<anchor>, or the SKILL.md
	Text     string             // of the lesson
	Reason   string
	// Accepted is the merge where a quoted order is taken for an approval (SPEC GN-08).
	Accepted *proposal.AcceptedAs
	// Unquoted tells what was found in the quote that must not be in git; it was left out.
	Unquoted string
}

// Promote proposes to make long-term memory, a rule or a skill of a lesson. It never
// changes the branch, but where a quoted order is accepted as an approval. A check of
// health that fails on a file it would write stops it.
func Promote(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt PromoteOptions) (*Promoted, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	p := &promoter{caller: caller, opt: opt, base: head.Commit, router: router{ws: ws, read: reader(ctx, ws, head.Commit)}}
	if err := p.find(); err != nil {
		return nil, err
	}
	if err := p.reason(); err != nil {
		return nil, err
	}
	if err := p.waiting(ctx); err != nil {
		return nil, err
	}
	draft, err := p.draft(ctx)
	if err != nil {
		return nil, err
	}
	if err := agent.RefuseUnhealthy(ctx, ws, pathsOf(draft.Edits)); err != nil {
		return nil, err
	}
	if opt.DryRun {
		return &p.res, nil
	}
	if p.res.Proposal, err = proposal.Propose(ctx, ws, caller, draft); err != nil {
		return nil, err
	}
	return &p.res, p.accept(ctx)
}

type promoter struct {
	router
	caller agent.Caller
	opt    PromoteOptions
	base   gitops.ID
	l      at
	quote  string // to be recorded
	why    string
	res    Promoted
}

// find reads all lessons of HEAD and finds the one that was named.
func (p *promoter) find() error {
	var err error
	if p.all, err = allOf(p.read); err != nil {
		return err
	}
	for _, l := range p.all {
		if !strings.EqualFold(l.ID, p.opt.ID) {
			continue
		}
		if p.l.Entry != nil {
			return &agent.RefusedError{
				Problem: fmt.Sprintf("two lessons have the id '%s': in '%s', line %d, and in '%s', line %d", l.ID, p.l.path, p.l.Line, l.path, l.Line),
				Advice:  []string{"git claw health --verbose --only SCR-007"},
			}
		}
		p.l = l
	}
	if p.l.Entry == nil {
		return p.missing()
	}
	p.res.Text = p.l.Text
	if p.l.IsPromoted() {
		where := ""
		if p.l.To != "" {
			where = " to '" + p.l.To + "'"
		}
		return &agent.RefusedError{Problem: fmt.Sprintf("'%s' was promoted already%s", p.l.ID, where)}
	}
	return nil
}

// allOf reads the lessons of the canonical files.
func allOf(read func(string) ([]byte, bool, error)) ([]at, error) {
	var all []at
	for _, rel := range lessons.Canonical {
		text, _, err := read(rel)
		if err != nil {
			return nil, err
		}
		f := lessons.Parse(text)
		for i := range f.Entries {
			all = append(all, at{rel, &f.Entries[i]})
		}
	}
	return all, nil
}

// missing tells a lesson that is not saved from one that does not exist.
func (p *promoter) missing() error {
	for _, rel := range lessons.Canonical {
		text, _, err := p.ws.Repo.ReadWork(p.ws.Prefix+rel, p.ws.MaxFileBytes())
		if err != nil {
			continue // what cannot be read holds no lesson either
		}
		for _, e := range lessons.Parse(text).Entries {
			if strings.EqualFold(e.ID, p.opt.ID) {
				return &agent.RefusedError{Problem: fmt.Sprintf("'%s' is not in git yet", e.ID), Advice: []string{"git claw save " + rel}}
			}
		}
	}
	return &NoLessonError{ID: p.opt.ID}
}

// NoLessonError: there is no such lesson.
type NoLessonError struct{ ID string }

func (e *NoLessonError) Error() string { return fmt.Sprintf("no lesson '%s'", e.ID) }

// ExitCode is git's for a name that cannot be resolved.
func (e *NoLessonError) ExitCode() int { return 128 }

// Hints names the list.
func (e *NoLessonError) Hints() []string { return []string{"git claw promote --all"} }

// reason decides why the lesson is promoted. Repetition gives one only where it is true.
func (p *promoter) reason() error {
	p.quote = gitops.OneLine(p.opt.Quote)
	if found := secret.New().Scan([]byte(p.opt.Quote)); len(found) > 0 {
		p.quote, p.res.Unquoted = "", found[0].Kind
	}
	known := reasons
	if p.opt.Skill != "" {
		known = skillReasons
	}
	p.why = p.opt.Reason
	if p.why == "" {
		switch {
		case p.opt.Quote != "":
			p.why = Explicit
		case often(p.ws, p.l.Entry):
			p.why = Recurrence
		case p.opt.Skill != "" && p.references() >= 2:
			p.why = References
		}
	}
	switch {
	case p.why == "":
		return &agent.UsageError{
			Problem: fmt.Sprintf("a promotion needs a reason, and '%s' came up %s", p.l.ID, times(p.l.Count())),
			Hint:    fmt.Sprintf("git claw promote %s --quote '<what the user said>', or --reason severity", p.l.ID),
		}
	case !slices.Contains(known, p.why):
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' is no reason", p.why), Hint: "reasons are " + strings.Join(known, ", ")}
	case p.why == Explicit && p.opt.Quote == "" && p.caller.Actor != agent.User:
		return &agent.UsageError{Problem: "the reason 'explicit' needs the words of the user", Hint: "add --quote '<what the user said>'"}
	case p.why == Recurrence && !often(p.ws, p.l.Entry):
		return &agent.RefusedError{
			Problem: fmt.Sprintf("'%s' did not come up %d times within %d days", p.l.ID, p.ws.Settings.Int("promote.count"), p.ws.Settings.Int("promote.windowDays")),
			Advice:  []string{fmt.Sprintf("git claw promote %s --quote '<what the user said>', or --reason severity", p.l.ID)},
		}
	case p.why == References && p.references() < 2:
		return &agent.RefusedError{Problem: fmt.Sprintf("'%s' has %d references to other lessons, not two", p.l.ID, p.references())}
	}
	p.res.Reason = p.why
	return nil
}

// references counts the lessons that refer to this one, or it to them.
func (p *promoter) references() int {
	others := slices.Clone(p.l.SeeAlso)
	for _, l := range p.all {
		if slices.Contains(l.SeeAlso, p.l.ID) && !slices.Contains(others, l.ID) {
			others = append(others, l.ID)
		}
	}
	return len(slices.DeleteFunc(others, func(id string) bool { return id == p.l.ID }))
}

// from names the lesson in trailers.
func (p *promoter) from() string { return p.l.path + "#" + p.l.ID }

// waiting refuses a second proposal of one lesson.
func (p *promoter) waiting(ctx context.Context) error {
	open, err := openOf(ctx, p.ws)
	if err != nil {
		return err
	}
	if id, ok := open[p.from()]; ok {
		return &agent.RefusedError{Problem: fmt.Sprintf("'%s' waits as a proposal already", p.l.ID), Advice: []string{"git claw proposal show " + id}}
	}
	return nil
}

// openOf maps the Claw-From of open promotions to their ids.
func openOf(ctx context.Context, ws *memory.Workspace) (map[string]string, error) {
	list, err := proposal.List(ctx, ws, false)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, p := range list.Proposals {
		if from := p.Trailers.Get("Claw-From"); from != "" && !p.State.Decided() {
			out[from] = p.ID
		}
	}
	return out, nil
}

// draft works the proposal out.
func (p *promoter) draft(ctx context.Context) (proposal.Draft, error) {
	d := proposal.Draft{
		Kind: proposal.Promote, Event: agent.EventPromote, Slug: p.l.Text, Area: "lessons", Base: p.base, Body: p.body(),
		Trailers: gitops.Trailers{{Key: "Claw-From", Value: p.from()}, {Key: "Claw-Reason", Value: p.why}, {Key: "Claw-Key", Value: p.l.Key}, {Key: "Claw-Count", Value: strconv.Itoa(p.l.Count())}},
	}
	status := lessons.Promoted
	if p.opt.Skill != "" {
		edit, err := p.skill()
		if err != nil {
			return d, err
		}
		d.Kind, d.Event, d.Area, d.Edits = proposal.Skill, agent.EventSkill, "skills", []proposal.Edit{edit}
		d.Summary = "make a skill of a lesson: " + p.l.Text
		d.Trailers = append(d.Trailers, gitops.Trailer{Key: "Claw-Skill", Value: p.opt.Skill})
		p.res.To, status = edit.Path, lessons.PromotedToSkill
	} else {
		t, err := p.route(ctx, p.l, p.opt.To)
		if err != nil {
			return d, err
		}
		if t.text != nil {
			d.Edits = append(d.Edits, proposal.Edit{Path: t.path, Content: t.text})
		}
		d.Summary = "promote to " + t.path + ": " + p.l.Text
		p.res.To = t.String()
	}
	d.Trailers = append(d.Trailers, gitops.Trailer{Key: "Claw-To", Value: p.res.To})
	if p.why == Recurrence {
		d.Trailers = append(d.Trailers, gitops.Trailer{Key: "Claw-Window", Value: strconv.FormatInt(p.ws.Settings.Int("promote.windowDays"), 10) + "d"})
	}
	if p.quote != "" {
		d.Trailers = append(d.Trailers, gitops.Trailer{Key: "Claw-Evidence", Value: clip(p.quote)})
	}
	text, _, err := p.read(p.l.path)
	if err != nil {
		return d, err
	}
	d.Edits = append(d.Edits, proposal.Edit{Path: p.l.path, Content: lessons.SetStatus(text, p.l.Entry, status, p.res.To)})
	return d, nil
}

// body tells a reviewer when and where the lesson came up.
func (p *promoter) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s came up %s", p.l.ID, p.l.path, times(p.l.Count()))
	const most = 20
	for i, t := range p.l.Seen[max(0, len(p.l.Seen)-most):] {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		b.WriteString(sep + stamp.Format(t))
	}
	if len(p.l.Tasks) > 0 {
		b.WriteString("; tasks " + strings.Join(p.l.Tasks[:min(most, len(p.l.Tasks))], ", "))
	}
	return b.String() + ".\n"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// accept merges at once what the user ordered in so many words, where that is switched on.
// A rule file never is, nor MEMORY.md: every session reads those, and a quote can be
// planted (SPEC GN-08).
func (p *promoter) accept(ctx context.Context) error {
	rel, _, _ := strings.Cut(p.res.To, "#")
	kind := p.ws.Kind(rel)
	if !p.ws.Settings.Bool("approve.quotes") || p.opt.Skill != "" || p.why != Explicit || p.caller.Kind == "group" ||
		kind == memory.KindL1 || kind == memory.KindMemory || !prefs.IsOrder(p.quote) {
		return nil
	}
	var err error
	p.res.Accepted, err = proposal.Accept(ctx, p.ws, p.caller, p.res.Proposal, proposal.AcceptOptions{Quote: true})
	return err
}

func pathsOf(edits []proposal.Edit) []string {
	out := make([]string, len(edits))
	for i, e := range edits {
		out[i] = e.Path
	}
	return out
}
