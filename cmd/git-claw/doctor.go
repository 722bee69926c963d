package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
)

type doctorOptions struct {
	Fix bool
}

func newDoctorCommand(env *Env, run func(context.Context, *Env, doctorOptions) error) *cli.Command {
	var opts doctorOptions
	return &cli.Command{
		Name:     "doctor",
		Category: categoryStart,
		Usage:    "look whether everything git claw needs is in order",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "fix", Usage: "repair what is ours", Destination: &opts.Fix},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			return run(c.Context, env, opts)
		},
	}
}

func runDoctor(ctx context.Context, env *Env, opts doctorOptions) error {
	ws, done, unopened := env.Workspace(ctx)
	defer done()
	binary, err := env.Executable()
	if err != nil {
		return err
	}
	findings, err := agent.Doctor(ctx, env.Git(), ws, agent.DoctorOptions{Fix: opts.Fix, Binary: binary, ManPage: env.hasManPage, Hosts: env.connections(ws)})
	explainUnopened(findings, unopened)
	if perr := printFindings(env, findings); err == nil {
		err = perr
	}
	if err != nil {
		return err
	}
	for _, f := range findings {
		if f.Verdict == agent.Fail {
			return exitStatus(exitNo)
		}
	}
	return nil
}

// explainUnopened puts the reason why there is no workspace into the finding on
// the repository: the doctor answers whatever is wrong.
func explainUnopened(findings []agent.Finding, err error) {
	if err == nil || errors.Is(err, gitops.ErrNotRepository) {
		return
	}
	for i := range findings {
		if f := &findings[i]; f.Name == "repository" {
			f.Verdict, f.Text, f.Command = agent.Fail, err.Error(), ""
			if hints := hintsOf(err); len(hints) > 0 {
				f.Command = hints[0]
			}
		}
	}
}

type findingJSON struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
	Command string `json:"command"`
	Fixed   bool   `json:"fixed"`
}

func printFindings(env *Env, findings []agent.Finding) error {
	style := env.Style(nil)
	for _, f := range findings {
		if env.Opt.JSON {
			err := writeJSON(env.Out, "claw.doctor/1", findingJSON{f.Name, string(f.Verdict), f.Text, f.Command, f.Fixed})
			if err != nil {
				return err
			}
			continue
		}
		verdict := term.Pad(string(f.Verdict), 5)
		switch {
		case f.Fixed:
			verdict = style.Green("fixed")
		case f.Verdict == agent.OK:
			verdict = style.Green(verdict)
		case f.Verdict == agent.Warn:
			verdict = style.Yellow(verdict)
		default:
			verdict = style.Red(verdict)
		}
		fmt.Fprintf(env.Out, "%s %s %s\n", verdict, term.Pad(f.Name, 10), term.Escape(f.Text))
		if f.Command != "" {
			fmt.Fprintf(env.Out, "%17s%s\n", "", style.Bold(term.Escape(f.Command)))
		}
	}
	return nil
}
