package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/agent/review"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

type proposalOptions struct {
	Do         string // list, show, new, accept, reject, defer, refresh, publish
	ID         string
	All        bool
	Kind       string
	Paths      []string
	Patch      bool
	Message    string
	Only       []int
	RejectRest bool
	Until      string
	DryRun     bool
}

func newProposalCommand(env *Env, run func(context.Context, *Env, proposalOptions) error) *cli.Command {
	one := func(name, usage string, flags ...cli.Flag) *cli.Command {
		var opts proposalOptions
		var only string
		for _, f := range flags {
			switch f := f.(type) {
			case *cli.BoolFlag:
				f.Destination = map[string]*bool{"reject-rest": &opts.RejectRest, "dry-run": &opts.DryRun}[f.Name]
			case *cli.StringFlag:
				f.Destination = map[string]*string{"only": &only, "message": &opts.Message, "until": &opts.Until}[f.Name]
			}
		}
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "<id>", Category: categoryLearn, Flags: flags,
			Action: func(c *cli.Context) (err error) {
				if err := operands(c, 1, 1); err != nil {
					return err
				}
				opts.Do, opts.ID = name, c.Args().First()
				if opts.Only, err = numbers(only); err != nil {
					return err
				}
				return run(c.Context, env, opts)
			},
		}
	}
	message := func() cli.Flag {
		return &cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "why"}
	}
	var listing proposalOptions
	list := func(c *cli.Context) error {
		if err := operands(c, 0, 0); err != nil {
			return err
		}
		listing.Do = "list"
		return run(c.Context, env, listing)
	}
	all := &cli.BoolFlag{Name: "all", Usage: "closed ones as well", Destination: &listing.All}
	return &cli.Command{
		Name: "proposal", Category: categoryLearn, Usage: "changes that wait for a person", Action: list, Flags: []cli.Flag{all},
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list them", Category: categoryLearn, Action: list, Flags: []cli.Flag{all}},
			one("show", "show one with its numbered entries"),
			newProposalNewCommand(env, run),
			one("accept", "merge one into the current branch",
				&cli.StringFlag{Name: "only", Usage: "these entries, such as 1,3"},
				&cli.BoolFlag{Name: "reject-rest", Usage: "with --only: drop the others"},
				&cli.BoolFlag{Name: "dry-run", Usage: "only say whether it can be accepted"}),
			one("reject", "close one that nobody wants", message()),
			one("defer", "decide about one later", &cli.StringFlag{Name: "until", Usage: "a day, or a time such as 3d; a week when left out"}, message()),
			one("refresh", "make one anew on the current branch"),
			one("publish", "push one, and open a pull request"),
		},
	}
}

func newProposalNewCommand(env *Env, run func(context.Context, *Env, proposalOptions) error) *cli.Command {
	opts := proposalOptions{Do: "new"}
	var patch string
	return &cli.Command{
		Name: "new", Usage: "propose unsaved edits, or a patch", ArgsUsage: "l1|skill|vocab -m <reason> <path>...", Category: categoryLearn,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "why, for whoever decides", Destination: &opts.Message},
			&cli.StringFlag{Name: "patch", Usage: "'-': a patch on standard input, not files", Destination: &patch},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 1, -1); err != nil {
				return err
			}
			opts.Kind, opts.Paths, opts.Patch = c.Args().First(), c.Args().Tail(), patch != ""
			switch {
			case opts.Kind != "l1" && opts.Kind != "skill" && opts.Kind != "vocab":
				return usagef("unknown kind '%s'", opts.Kind).hint("kinds are l1, skill, vocab")
			case patch != "" && patch != "-":
				return usagef("'--patch' takes only '-'").hint("git claw proposal new %s -m '<reason>' --patch - <%s", opts.Kind, patch)
			case opts.Patch && len(opts.Paths) > 0:
				return usagef("a patch and paths exclude each other")
			case !opts.Patch && len(opts.Paths) == 0:
				return usagef("no path given").hint("name the edited files, or give a patch with --patch -")
			case strings.TrimSpace(opts.Message) == "":
				return usagef("no reason given").hint("say it with -m '<reason>'")
			}
			return run(c.Context, env, opts)
		},
	}
}

// numbers reads `1,3` or `1-3`.
func numbers(s string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.Atoi(low)
		b, err2 := strconv.Atoi(high)
		const most = 100_000
		if err1 != nil || err2 != nil || a < 1 || b < a || b > most {
			return nil, usagef("'%s' is no number of an entry", part).hint("write --only 1,3")
		}
		for n := a; n <= b; n++ {
			out = append(out, n)
		}
	}
	return out, nil
}

func runProposal(ctx context.Context, env *Env, opts proposalOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	open := env.Workspace
	if opts.Do != "list" && opts.Do != "show" {
		open = env.WorkspaceToSave
	}
	ws, done, err := open(ctx)
	if err != nil {
		return err
	}
	defer done()
	switch opts.Do {
	case "list":
		return listProposals(ctx, env, ws, opts.All)
	case "new":
		return newProposal(ctx, env, ws, caller, opts)
	}
	p, err := proposal.Find(ctx, ws, opts.ID)
	if err != nil {
		return err
	}
	switch opts.Do {
	case "show":
		return showProposal(ctx, env, ws, p)
	case "publish":
		return publishProposal(ctx, env, ws, p)
	case "refresh":
		p, err := proposal.Refresh(ctx, ws, caller, p)
		if err != nil {
			return err
		}
		env.Confirm("refreshed %s", p.ID)
		return nil
	}
	ap, err := proposal.Approve(ctx, ws, caller)
	if err != nil {
		return err
	}
	switch opts.Do {
	case "reject":
		if err := proposal.Reject(ctx, ws, caller, p, ap, opts.Message); err != nil {
			return err
		}
		env.Confirm("rejected %s", p.ID)
		return nil
	case "defer":
		return deferProposal(ctx, env, ws, caller, p, ap, opts)
	}
	res, err := review.AcceptProposal(ctx, ws, caller, p, proposal.AcceptOptions{
		Approval: ap, Only: opts.Only, RejectRest: opts.RejectRest, DryRun: opts.DryRun,
	})
	if res == nil || err != nil && !res.Merge {
		return err
	}
	if perr := printAccepted(env, res, opts.DryRun); err == nil {
		err = perr
	}
	return err
}

func publishProposal(ctx context.Context, env *Env, ws *memory.Workspace, p *proposal.Proposal) error {
	res, err := proposal.Publish(ctx, ws, p)
	if res == nil {
		return err
	}
	env.Confirm("pushed %s to '%s'", p.Branch, term.Escape(res.Remote))
	if res.Answer != "" {
		fmt.Fprintln(env.Out, term.EscapeText(res.Answer))
	}
	if err == nil && !res.Ran {
		env.hints([]string{"a program can open a pull request of it: see claw.pullRequestCommand in 'git claw help proposal'"})
	}
	return err
}

func deferProposal(ctx context.Context, env *Env, ws *memory.Workspace, caller agent.Caller, p *proposal.Proposal, ap proposal.Approval, opts proposalOptions) error {
	until := ws.Now().AddDate(0, 0, int(ws.Settings.Int("si.deferDays")))
	if opts.Until != "" {
		var err error
		if until, err = agent.Until(ws.Now(), opts.Until); err != nil {
			return err
		}
	}
	if err := proposal.Defer(ctx, ws, caller, p, ap, until, opts.Message); err != nil {
		return err
	}
	env.Confirm("deferred %s until %s", p.ID, until.Format("2006-01-02 15:04"))
	return nil
}

// maxPatch bounds what is read from standard input, in bytes.
const maxPatch = 16 << 20

func newProposal(ctx context.Context, env *Env, ws *memory.Workspace, caller agent.Caller, opts proposalOptions) error {
	summary, body, _ := strings.Cut(strings.TrimSpace(opts.Message), "\n")
	d := proposal.Draft{
		Kind: proposal.Kind(opts.Kind), Summary: summary, Body: strings.TrimSpace(body),
		Trailers: gitops.Trailers{{Key: "Claw-Reason", Value: summary}},
	}
	p, err := draftProposal(ctx, env, ws, caller, d, opts)
	if p == nil {
		return err
	}
	if perr := printProposal(ctx, env, ws, p); err == nil {
		err = perr
	}
	return err
}

func draftProposal(ctx context.Context, env *Env, ws *memory.Workspace, caller agent.Caller, d proposal.Draft, opts proposalOptions) (*proposal.Proposal, error) {
	if opts.Patch {
		b, err := io.ReadAll(io.LimitReader(env.Stdin(ctx), maxPatch+1))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxPatch {
			return nil, fmt.Errorf("the patch has more than %d bytes", maxPatch)
		}
		return proposal.FromPatch(ctx, ws, caller, d, b)
	}
	paths, err := env.relPaths(ws, opts.Paths)
	if err != nil {
		return nil, err
	}
	return proposal.FromFiles(ctx, ws, caller, d, paths)
}
