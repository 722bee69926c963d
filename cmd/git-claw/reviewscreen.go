package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/agent/review"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

// choice is a key and what it does.
type choice struct {
	key    rune
	answer review.Answer
	name   string // in the prompt
	help   string
}

// reviewKeys are the keys for each kind of item, like those of git add -p where they mean
// the same.
var reviewKeys = map[review.Kind][]choice{
	review.Proposal: {
		{'y', review.Accept, "accept", "accept it: merge it into the current branch"},
		{'n', review.Reject, "reject", "reject it: close it; 'git claw proposal refresh' brings it back"},
		{'r', review.Reject, "", "reject it and say why"},
		{'l', review.Defer, "later", "decide later: it comes back after a week"},
		{'s', review.Split, "some", "accept some entries; the others wait on"},
		{'e', review.Change, "edit", "change its text first, in your editor"},
	},
	review.Edit: {
		{'y', review.Accept, "keep", "keep the edit as it is"},
		{'n', review.Reject, "take back", "take the edit back, as a new commit"},
	},
	review.Candidate: {
		{'y', review.Accept, "yes", "yes: make it a rule"},
		{'a', review.Pin, "always", "yes, and it never fades when it is not used"},
		{'n', review.Reject, "no", "no: it is not asked again until it came up three times more"},
		{'r', review.Reject, "", "no, and say why"},
		{'l', review.Defer, "later", "ask again in a week"},
	},
	review.Contradiction: {
		{'1', review.First, "first", "keep the first version"},
		{'2', review.Second, "second", "keep the second version"},
		{'b', review.Both, "both", "keep both"},
		{'n', review.Reject, "neither", "keep none: it was deleted on purpose"},
		{'e', review.Change, "edit", "write it anew, in your editor"},
	},
}

// merged are the keys for a proposal that git merged already.
var merged = []choice{
	{'y', review.Accept, "yes", "yes, that was meant: confirm it"},
	{'n', review.Reject, "take back", "no: take it back, as a new commit"},
	{'r', review.Reject, "", "take it back and say why"},
}

// keysOf are the keys for an item.
func keysOf(i *review.Item) []choice {
	if i.Kind == review.Proposal && (i.Proposal.State == proposal.Merged || i.Proposal.State == proposal.Accepted) {
		return merged
	}
	if i.Kind == review.Contradiction && len(i.Contradiction.Versions) > 2 {
		var out []choice
		for n := range i.Contradiction.Versions {
			if a, ok := review.Nth(n); ok {
				out = append(out, choice{rune('1' + n), a, "this", fmt.Sprintf("keep version %d", n+1)})
			}
		}
		return append(out, choice{'b', review.Both, "all", "keep all of them"}, reviewKeys[i.Kind][4])
	}
	return reviewKeys[i.Kind]
}

// choiceOf is what a key does for an item; nil for nothing.
func choiceOf(i *review.Item, key rune) *choice {
	for _, c := range keysOf(i) {
		if c.key == key && slices.Contains(i.Answers, c.answer) {
			return &c
		}
	}
	return nil
}

// prompt asks about an item, in one line.
func (r *reviewer) prompt(i *review.Item) string {
	var b strings.Builder
	for _, c := range keysOf(i) {
		if c.name != "" && slices.Contains(i.Answers, c.answer) {
			fmt.Fprintf(&b, "%s %s  ", r.style.Bold(string(c.key)), c.name)
		}
	}
	fmt.Fprintf(&b, "%s skip  %s quit  %s ", r.style.Bold("j"), r.style.Bold("q"), r.style.Bold("?"))
	return b.String()
}

func (r *reviewer) help(i *review.Item) {
	for _, c := range keysOf(i) {
		if slices.Contains(i.Answers, c.answer) {
			fmt.Fprintf(r.env.Err, "  %c  %s\n", c.key, c.help)
		}
	}
	fmt.Fprint(r.env.Err, "  j  skip it: it stays in the queue (also the space bar)\n  k  go back to the one before\n  v  view all of it in the pager\n  q  quit: what was decided stays decided\n")
}

// decision asks what a choice still needs.
func (r *reviewer) decision(ctx context.Context, i *review.Item, c *choice) (review.Decision, error) {
	d := review.Decision{Answer: c.answer}
	switch {
	case c.key == 'r':
		fmt.Fprint(r.env.Err, "why? ")
		line, err := r.keys.line(ctx)
		d.Reason = line
		return d, err
	case c.answer == review.Split:
		return r.some(ctx, i, d)
	case c.answer == review.Change && i.Kind == review.Contradiction:
		text, err := r.env.EditText(ctx, r.ws, i.Contradiction.Path, []byte(strings.Join(i.Contradiction.Versions, "\n")+"\n"))
		if err != nil {
			report(r.env, err)
			return d, errAgain
		}
		if d.Words = string(text); strings.TrimSpace(d.Words) == "" {
			r.env.Confirm("nothing was written; it is as it was")
			return d, errAgain
		}
	case c.answer == review.Change:
		return r.changed(ctx, i, d)
	}
	return d, nil
}

// some asks for the numbers of entries.
func (r *reviewer) some(ctx context.Context, i *review.Item, d review.Decision) (review.Decision, error) {
	entries, err := i.Proposal.Entries(ctx)
	if err != nil {
		return d, err
	}
	if len(entries) < 2 {
		r.env.Confirm("it has one entry only")
		return d, errAgain
	}
	fmt.Fprintf(r.env.Err, "accept which of the entries 1 to %d, such as 1,3? ", len(entries))
	line, err := r.keys.line(ctx)
	if err != nil {
		return d, err
	}
	d.Answer = review.Accept
	d.Only, err = numbers(line)
	if err == nil && len(d.Only) == 0 {
		return d, errAgain
	}
	if err != nil {
		report(r.env, err)
		return d, errAgain
	}
	return d, nil
}

// changed lets a person word the files of a proposal.
func (r *reviewer) changed(ctx context.Context, i *review.Item, d review.Decision) (review.Decision, error) {
	for _, c := range i.Proposal.Changes {
		if c.New.IsZero() {
			continue
		}
		old, err := r.ws.Repo.Objects().Blob(ctx, c.New.ID)
		if err != nil {
			return d, fmt.Errorf("read '%s': %w", c.Path, err)
		}
		text, err := r.env.EditText(ctx, r.ws, c.Path, old)
		if err != nil {
			report(r.env, err)
			return d, errAgain
		}
		if !bytes.Equal(text, old) {
			d.Edits = append(d.Edits, proposal.Edit{Path: c.Path, Content: text})
		}
	}
	if len(d.Edits) == 0 {
		r.env.Confirm("nothing was changed")
		return d, errAgain
	}
	return d, nil
}

// leastScreen is how many lines of an item are shown at least.
const leastScreen = 12

// screen shows one item, as much of it as the terminal has room for.
func (r *reviewer) screen(ctx context.Context, n int, i *review.Item) error {
	var b bytes.Buffer
	if err := r.render(ctx, &b, r.style, i); err != nil {
		return err
	}
	cols := min(max(r.env.Columns(), 20), 120)
	head := fmt.Sprintf("── %d of %d ── %s ", n+1, len(r.queue.Items), kindWord(i))
	head += strings.Repeat("─", max(cols-term.Width(head), 0))
	text := term.WrapStyled(b.String(), cols, 12)
	lines := strings.SplitAfter(text, "\n")
	room := leastScreen
	if r.env.Rows != nil {
		const around = 5 // the head, an empty line, the question
		room = max(room, r.env.Rows()-around)
	}
	if len(lines) > room {
		text = strings.Join(lines[:room], "") + r.style.Dim(fmt.Sprintf("… %s more; v shows all of it\n", count(len(lines)-room, "line")))
	}
	_, err := fmt.Fprintf(r.env.Out, "%s\n%s\n", r.style.Dim(head), text)
	return err
}

// whole shows all of an item in the pager.
func (r *reviewer) whole(ctx context.Context, i *review.Item) error {
	return r.env.Page(ctx, config(ctx, r.ws), func(w io.Writer, style term.Style) error { return r.render(ctx, w, style, i) })
}

func kindWord(i *review.Item) string {
	switch i.Kind {
	case review.Edit:
		return "edited in place"
	case review.Candidate:
		return "a question"
	case review.Proposal:
		switch i.Proposal.State {
		case proposal.Merged:
			return "merged with git"
		case proposal.Accepted:
			return "accepted here, rejected elsewhere"
		}
		return "proposal, " + string(i.Proposal.Kind)
	}
	return string(i.Kind)
}

// render writes what a person has to know to decide.
func (r *reviewer) render(ctx context.Context, w io.Writer, style term.Style, i *review.Item) error {
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s %s\n", style.Dim(term.Pad(name, 9)), term.Escape(value))
		}
	}
	switch i.Kind {
	case review.Proposal:
		return r.renderProposal(ctx, w, style, i, field)
	case review.Candidate:
		c := i.Candidate
		fmt.Fprintf(w, "%s\n\n  %s\n\n", style.Bold("Should this be a rule?"), term.Escape(saying(c)))
		for _, o := range c.Occurrences {
			words := o.Quote
			if words != "" {
				words = "“" + words + "”"
			}
			field(o.At.In(r.ws.Now().Location()).Format(time.DateOnly), strings.TrimSpace(words+"  "+sessionWord(o.Session)))
		}
		field("kind", strings.TrimSpace(c.Kind+", from a "+c.Source))
		field("id", c.ID)
		if i.Proposal != nil {
			return r.costs(ctx, i.Proposal, field)
		}
	case review.Edit:
		e := i.Edit
		fmt.Fprintf(w, "%s\n", style.Bold(term.Escape(e.Subject)))
		field("by", byWhom(e))
		field("date", e.Date.Format("2006-01-02 15:04"))
		field("evidence", e.Commit.Trailers.Get("Claw-Evidence"))
		field("id", i.ID)
		fmt.Fprintln(w)
		shown, err := agent.Show(ctx, r.ws, e.Commit.ID.String(), "")
		if err != nil {
			return err
		}
		_, err = diffPrinter{w: w, style: style, marks: true}.files(shown.Files)
		return err
	default:
		c := i.Contradiction
		head := "Two machines changed one entry"
		if c.Value != nil {
			head = fmt.Sprintf("Two machines set '%s'", term.Escape(c.Value.Title()))
		}
		fmt.Fprintf(w, "%s\n\n", style.Bold(fmt.Sprintf("%s: %s:%d", head, term.Escape(c.Path), c.Line)))
		switch {
		case c.Anew:
			fmt.Fprintf(w, "  The merge kept the first; somebody set it anew since:\n")
		case c.Value != nil:
			fmt.Fprintf(w, "  The merge kept the first, which is newer:\n")
		}
		if c.Deleted {
			fmt.Fprintf(w, "  One deleted it; the other one made it say:\n")
		}
		// Who wrote a version is good to know, and no condition for choosing one.
		from, _ := review.Writers(ctx, r.ws, c)
		for n, v := range c.Versions {
			for k, line := range strings.Split(v, "\n") {
				mark := "   "
				if k == 0 {
					mark = fmt.Sprintf("%d  ", n+1)
				}
				fmt.Fprintf(w, "  %s%s\n", style.Cyan(mark), show1(line))
			}
			if e := from[n]; e != nil {
				fmt.Fprintf(w, "       %s\n", style.Dim(term.Escape(e.Date.Format("2006-01-02 15:04")+"  "+byWhom(e))))
			}
		}
	}
	return nil
}

// byWhom names who made a change.
func byWhom(e *agent.Event) string {
	return strings.TrimSuffix(string(e.Actor)+", session "+e.Session, ", session ")
}

func (r *reviewer) renderProposal(ctx context.Context, w io.Writer, style term.Style, i *review.Item, field func(name, value string)) error {
	p := i.Proposal
	fmt.Fprintf(w, "%s\n", style.Bold(term.Escape(p.Title)))
	switch p.State {
	case proposal.Merged:
		field("state", "git merged it already: was that meant?")
	case proposal.Accepted:
		field("state", "it is on this branch, and "+p.Disputed.By+" rejected it: shall it stay?")
	case proposal.Quarantined:
		field("state", "quarantined, it cannot be accepted: "+p.Why)
	case proposal.Stale:
		field("state", p.Why+"; it is fitted to that when it is accepted")
	}
	if p.Reason != p.Title {
		field("why", p.Reason)
	}
	for n, line := range review.Evidence(p) {
		name := ""
		if n == 0 {
			name = "evidence"
		}
		fmt.Fprintf(w, "  %s %s\n", style.Dim(term.Pad(name, 9)), term.Escape(line))
	}
	if c := p.Trailers.Get("Claw-Count"); c != "" {
		field("count", strings.TrimSuffix(c+" times within "+p.Trailers.Get("Claw-Window"), " within "))
	}
	for _, key := range []string{"Claw-From", "Claw-Source", "Claw-Split-From", "Claw-Undoes"} {
		for _, v := range p.Trailers.All(key) {
			field(strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(key, "Claw-"), "-", " ")), v)
		}
	}
	for _, v := range p.Verdicts {
		said := strings.TrimSuffix(v.Verdict+" by "+v.By, " by ")
		field(v.At.In(r.ws.Now().Location()).Format(time.DateOnly), strings.TrimSuffix(said+": "+v.Reason, ": "))
	}
	if p.Edited {
		field("note", "others committed to its branch after it was made")
	}
	remarks, err := review.Remarks(ctx, r.ws, p)
	if err != nil {
		return err
	}
	for n, line := range remarks {
		name := ""
		if n == 0 {
			name = "careful"
		}
		fmt.Fprintf(w, "  %s %s\n", style.Red(term.Pad(name, 9)), term.Escape(line))
	}
	if err := r.costs(ctx, p, field); err != nil {
		return err
	}
	field("by", strings.TrimSuffix(string(p.Actor)+", session "+p.Session, ", session ")+", "+p.Created.In(r.ws.Now().Location()).Format("2006-01-02 15:04"))
	field("id", p.ID)
	fmt.Fprintln(w)
	entries, err := p.Entries(ctx)
	if err != nil {
		return err
	}
	return numberedEntries(w, style, entries, true, func(string) bool { return false })
}

// costs tells what a proposal costs in the files that every session loads.
func (r *reviewer) costs(ctx context.Context, p *proposal.Proposal, field func(name, value string)) error {
	costs, err := review.Costs(ctx, r.ws, p)
	if err != nil {
		return err
	}
	for n, c := range costs {
		name := ""
		if n == 0 {
			name = "cost"
		}
		field(name, c.String())
	}
	return nil
}
