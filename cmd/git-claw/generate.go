package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/cmd/git-claw/completion"
	"github.com/git-claw/git-claw/cmd/git-claw/help"
)

type generateOptions struct {
	What   string // man or completion
	Target string // directory of the pages, or name of the shell
}

// newGenerateCommand is for the build and for packagers.
func newGenerateCommand(env *Env, run func(context.Context, *Env, generateOptions) error) *cli.Command {
	var opts generateOptions
	sub := func(name, usage, arg string) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: arg, Category: categoryHelp,
			Action: func(c *cli.Context) error {
				if err := operands(c, 1, 1); err != nil {
					return err
				}
				opts.What, opts.Target = name, c.Args().First()
				return run(c.Context, env, opts)
			},
		}
	}
	return &cli.Command{
		Name:     "generate",
		Category: categoryHelp,
		Usage:    "write man pages and completion scripts",
		Hidden:   true,
		Action: func(*cli.Context) error {
			return usagef("say what to generate").hint("run 'git claw generate man <dir>'").
				hint("run 'git claw generate completion <bash|zsh|fish>'")
		},
		Subcommands: []*cli.Command{
			sub("man", "write the man pages into a directory", "<dir>"),
			sub("completion", "print the completion script of a shell", "<bash|zsh|fish>"),
		},
	}
}

func runGenerate(_ context.Context, env *Env, opts generateOptions) error {
	app := newApp(env)
	if opts.What == "man" {
		return generateMan(app, env.Abs(opts.Target))
	}
	script, err := completion.Script(opts.Target, completionTree(app))
	if err != nil {
		return usagef("%v", err).hint("use 'bash', 'zsh' or 'fish'")
	}
	_, err = io.WriteString(env.Out, script)
	return err
}

func generateMan(app *cli.App, dir string) error {
	names := []string{""}
	for _, c := range app.Commands {
		if help.Has("git-claw-" + c.Name) {
			names = append(names, c.Name)
		}
	}
	for _, name := range names {
		page, err := loadPage(app, name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, page.Name+".1")
		if err := os.WriteFile(path, page.Man(buildVersion()), 0o644); err != nil {
			return fmt.Errorf("write man page: %w", err)
		}
	}
	return nil
}

// choices are the words that options take, for completion.
var choices = map[string][]string{
	"as":    {"user", "agent", "cron", "checkpoint", "unknown"},
	"for":   {"main", "group", "cron", "subagent"},
	"color": {"always", "never", "auto"},
	"actor": {"user", "agent", "cron", "checkpoint", "unknown"},
}

// completionTree describes the command line to package completion.
func completionTree(app *cli.App) completion.Command {
	root := completion.Command{Name: "git-claw", Summary: app.Usage, Options: completionOptions(app.Flags)}
	for _, c := range app.Commands {
		if !c.Hidden {
			root.Commands = append(root.Commands, completionCommand(c))
		}
	}
	return root
}

func completionCommand(c *cli.Command) completion.Command {
	out := completion.Command{Name: c.Name, Summary: c.Usage, Arguments: c.ArgsUsage, Options: completionOptions(c.Flags)}
	for _, sub := range c.Subcommands {
		if !sub.Hidden {
			out.Commands = append(out.Commands, completionCommand(sub))
		}
	}
	return out
}

func completionOptions(flags []cli.Flag) []completion.Option {
	var out []completion.Option
	for _, f := range flags {
		o := completion.Option{Choices: choices[f.Names()[0]], Equals: f.Names()[0] == "color"}
		for _, name := range f.Names() {
			o.Names = append(o.Names, dashed(name))
		}
		if d, ok := f.(cli.DocGenerationFlag); ok {
			o.Summary, o.Value = d.GetUsage(), d.TakesValue()
		}
		out = append(out, o)
	}
	return out
}
