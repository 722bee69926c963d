package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/agent/review"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type reviewOptions struct {
	ID      string
	Next    bool
	Keep    string
	Answer  string
	Only    []int
	Message string
	Until   string
}

func newReviewCommand(env *Env, run func(context.Context, *Env, reviewOptions) error) *cli.Command {
	var opts reviewOptions
	var only string
	return &cli.Command{
		Name:      "review",
		Category:  categoryLearn,
		Usage:     "go through all that waits for you",
		ArgsUsage: "[<id>]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "next", Usage: "only tell what is next", Destination: &opts.Next},
			&cli.StringFlag{Name: "keep", Usage: "keep this rule edit that was made in place", Destination: &opts.Keep},
			&cli.StringFlag{Name: "answer", Usage: "decide about <id> without being asked", Destination: &opts.Answer},
			&cli.StringFlag{Name: "only", Usage: "with --answer accept: these entries, such as 1,3", Destination: &only},
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "with --answer: why", Destination: &opts.Message},
			&cli.StringFlag{Name: "until", Usage: "with --answer defer: a day, or a time such as 3d", Destination: &opts.Until},
		},
		Action: func(c *cli.Context) (err error) {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			opts.ID = c.Args().First()
			if opts.Only, err = numbers(only); err != nil {
				return err
			}
			if opts.Answer != "" && opts.ID == "" {
				return usagef("'--answer' says nothing about what").hint("name what waits: git claw review --next")
			}
			return run(c.Context, env, opts)
		},
	}
}

func runReview(ctx context.Context, env *Env, opts reviewOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.WorkspaceToSave(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k := caller.Kind; k != "" && k != "main" {
		return &refusal{msg: fmt.Sprintf("what waits is private: it is not shown in a session of kind '%s'", k), hints: []string{"ask again in the private main session"}}
	}
	if opts.Keep != "" {
		e, err := review.Keep(ctx, ws, caller, opts.Keep)
		if err == nil {
			env.Confirm("kept %s  %s", cmpOr(e.ID, e.Commit.ID.Short()), term.Escape(e.Subject))
		}
		return err
	}
	q, err := review.Read(ctx, ws, caller)
	if err != nil {
		return err
	}
	for _, b := range q.Broken {
		env.Warn(b)
	}
	if opts.ID != "" {
		i := q.Find(opts.ID)
		if i == nil {
			return notWaiting(ctx, ws, opts.ID)
		}
		q.Items = []*review.Item{i}
	}
	r := &reviewer{env: env, ws: ws, caller: caller, queue: q}
	switch {
	case opts.Answer != "":
		return r.answer(ctx, q.Items[0], opts)
	case env.Opt.JSON:
		return r.json(ctx, opts.Next)
	case opts.Next || !env.Person():
		return r.list(opts.Next)
	}
	return r.walk(ctx)
}

// notWaiting says why something is not in the queue.
func notWaiting(ctx context.Context, ws *memory.Workspace, id string) error {
	p, err := proposal.Find(ctx, ws, id)
	if err != nil {
		return &agent.NoEntryError{ID: id}
	}
	return &refusal{msg: fmt.Sprintf("'%s' does not wait: it is %s", p.ID, p.State), hints: []string{"git claw proposal show " + p.ID}}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// reviewer is one walk through the queue.
type reviewer struct {
	env    *Env
	ws     *memory.Workspace
	caller agent.Caller
	queue  *review.Queue
	style  term.Style
	keys   *keys
}

// list tells what waits and how to decide, to somebody who cannot be asked.
func (r *reviewer) list(first bool) error {
	for n, i := range r.queue.Items {
		if first && n > 0 {
			break
		}
		if _, err := fmt.Fprintf(r.env.Out, "%-13s  %s  %s\n", i.Kind, term.Escape(i.ID), term.Escape(i.Title)); err != nil {
			return err
		}
	}
	switch {
	case len(r.queue.Items) == 0:
		r.env.Confirm("nothing waits for you")
	default:
		r.env.Confirm("a person decides: git claw review")
	}
	return nil
}

// answer decides without asking.
func (r *reviewer) answer(ctx context.Context, i *review.Item, opts reviewOptions) error {
	d := review.Decision{Answer: review.Answer(opts.Answer), Only: opts.Only, Reason: opts.Message}
	if !slices.Contains(i.Answers, d.Answer) {
		names := make([]string, len(i.Answers))
		for n, a := range i.Answers {
			names[n] = string(a)
		}
		return usagef("'%s' is no answer to '%s'", opts.Answer, i.ID).hint("answers are %s", strings.Join(names, ", "))
	}
	if opts.Until != "" {
		var err error
		if d.Until, err = agent.Until(r.ws.Now(), opts.Until); err != nil {
			return err
		}
	}
	if d.Answer == review.Change {
		if i.Kind != review.Contradiction {
			return usagef("an edit of '%s' needs a terminal", i.ID).hint("git claw review %s", i.ID)
		}
		b, err := io.ReadAll(io.LimitReader(r.env.Stdin(ctx), maxNote))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		d.Words = string(b)
	}
	out, err := review.Decide(ctx, r.ws, r.caller, i, d)
	if out != nil {
		if r.env.Opt.JSON {
			if perr := r.outcomeJSON(i, out); err == nil {
				err = perr
			}
		} else {
			r.tell(i, out, err)
		}
	}
	return err
}

// walk asks about one item after the other.
func (r *reviewer) walk(ctx context.Context) error {
	if _, err := proposal.Approve(ctx, r.ws, r.caller); err != nil {
		return err
	}
	if settled, err := proposal.Settle(ctx, r.ws, r.caller); err != nil {
		return err
	} else if len(settled) > 0 {
		for _, s := range settled {
			r.env.Confirm("closed %s: %s", s.Proposal.ID, s.State)
		}
		if r.queue, err = review.Read(ctx, r.ws, r.caller); err != nil {
			return err
		}
	}
	if len(r.queue.Items) == 0 {
		r.env.Confirm("nothing waits for you")
		return nil
	}
	r.style, r.keys = r.env.Style(config(ctx, r.ws)), r.env.keys(ctx)
	decided := 0
	for n := 0; n < len(r.queue.Items); {
		i := r.queue.Items[n]
		if err := r.screen(ctx, n, i); err != nil {
			return err
		}
		did, err := r.ask(ctx, i)
		switch {
		case errors.Is(err, errQuit):
			r.summary(decided)
			return nil
		case errors.Is(err, errBack):
			n = max(n-1, 0)
			continue
		case errors.Is(err, errAgain):
			continue
		case err != nil:
			return err
		case did:
			decided++
			r.queue.Items = slices.Delete(r.queue.Items, n, n+1)
			continue
		}
		n++
	}
	r.summary(decided)
	return nil
}

func (r *reviewer) summary(decided int) {
	r.env.Confirm("%d decided, %d left", decided, len(r.queue.Items))
}

// Ways to go on that are no decision.
var (
	errBack  = errors.New("back")
	errAgain = errors.New("again")
)

// ask asks until the key is one that is known. did reports whether the item is decided.
func (r *reviewer) ask(ctx context.Context, i *review.Item) (did bool, err error) {
	for {
		fmt.Fprint(r.env.Err, r.prompt(i))
		key, err := r.keys.next(ctx)
		if err != nil {
			return false, err
		}
		switch key {
		case 'q':
			return false, errQuit
		case 'j', ' ':
			return false, nil
		case suspended:
			continue
		case 'k':
			return false, errBack
		case 'v':
			if err := r.whole(ctx, i); err != nil {
				return false, err
			}
			return false, errAgain
		}
		c := choiceOf(i, key)
		if c == nil {
			r.help(i)
			continue
		}
		d, err := r.decision(ctx, i, c)
		if errors.Is(err, errAgain) {
			continue
		}
		if err != nil {
			return false, err
		}
		if did, err = r.decide(ctx, i, d); did || err != nil {
			return did, err
		}
	}
}

// decide does it, or tells why it cannot be done.
func (r *reviewer) decide(ctx context.Context, i *review.Item, d review.Decision) (did bool, err error) {
	out, err := review.Decide(ctx, r.ws, r.caller, i, d)
	if out != nil {
		r.tell(i, out, err)
	}
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		report(r.env, err)
		return false, nil
	}
	if out.Proposal != nil { // edited: it is looked at as it is now
		i.Proposal = out.Proposal
		return false, errAgain
	}
	return true, nil
}

// tell says what became of a decision.
func (r *reviewer) tell(i *review.Item, out *review.Outcome, err error) {
	for _, s := range out.Saved {
		r.env.Confirm("saved %s  %s", s.Commit.Short(), term.Escape(s.Subject))
	}
	warnSkipped(r.env, out.Skipped)
	if err != nil {
		return
	}
	switch {
	case out.Proposal != nil:
		r.env.Confirm("changed %s; here it is again", i.ID)
	case i.Kind == review.Edit && out.Answer == review.Accept:
		r.env.Confirm("kept %s", i.ID)
	case i.Kind == review.Edit:
		r.env.Confirm("took back %s", i.ID)
	case i.Kind == review.Contradiction:
		r.env.Confirm("resolved %s", term.Escape(i.Contradiction.Path))
	case out.Answer == review.Defer:
		r.env.Confirm("later: %s waits until %s", i.ID, out.Until.Format("2006-01-02"))
	case out.Answer == review.Reject && i.Kind == review.Proposal && len(out.Saved) > 0:
		r.env.Confirm("took back %s", i.ID)
	case out.Answer == review.Reject && i.Kind == review.Proposal:
		r.env.Confirm("rejected %s; 'git claw proposal refresh %[1]s' brings it back", i.ID)
	case out.Answer == review.Reject:
		r.env.Confirm("rejected %s", i.ID)
	case i.Kind == review.Candidate:
		r.env.Confirm("it is a rule now: %s; 'git claw candidate reject %s' takes it back", term.Escape(out.Candidate.Path), i.ID)
	case out.Accepted != nil && !out.Accepted.Merge:
		r.env.Confirm("confirmed %s", i.ID)
	case out.Accepted != nil:
		r.env.Confirm("accepted %s; 'git claw undo %s' takes it back", i.ID, out.Accepted.Saved.ID)
		if out.Accepted.Rest != nil {
			r.env.Confirm("the rest waits as %s", out.Accepted.Rest.ID)
		}
	}
	if len(out.Evicted) > 0 {
		tellEvicted(r.env, out.Evicted)
	}
}
