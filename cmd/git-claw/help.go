package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/cmd/git-claw/help"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type helpOptions struct {
	Words []string // the command, with its subcommand or without; empty for the overview
}

func newHelpCommand(env *Env, run func(context.Context, *Env, helpOptions) error) *cli.Command {
	var opts helpOptions
	return &cli.Command{
		Name:      "help",
		Category:  categoryHelp,
		Usage:     "show the manual of a command",
		ArgsUsage: "[<command>]",
		Action: func(c *cli.Context) error {
			opts.Words = c.Args().Slice()
			return run(c.Context, env, opts)
		},
	}
}

func runHelp(ctx context.Context, env *Env, opts helpOptions) error {
	app := newApp(env)
	if len(opts.Words) == 0 {
		return showUsage(env, app, nil)
	}
	word := strings.TrimPrefix(opts.Words[0], "git-claw-")
	if word == "git-claw" {
		return showPage(ctx, env, app, nil)
	}
	c := find(app.Commands, word)
	if c == nil || !help.Has("git-claw-"+c.Name) {
		return unknownCommand(word, app.Commands, nil)
	}
	return showPage(ctx, env, app, []*cli.Command{c})
}

// showUsage prints what -h asks for: the options of a command in short, or the
// overview.
func showUsage(env *Env, app *cli.App, path []*cli.Command) error {
	style := env.Style(nil)
	if len(path) == 0 {
		return writeOverview(env.Out, app, env.Columns(), style)
	}
	page, err := loadPage(app, path[0].Name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(env.Out, page.Usage(env.Columns(), style))
	return err
}

// showPage shows the manual page of a command, or of git claw itself.
func showPage(ctx context.Context, env *Env, app *cli.App, path []*cli.Command) error {
	name := ""
	if len(path) > 0 {
		name = path[0].Name
	}
	page, err := loadPage(app, name)
	if err != nil {
		return err
	}
	return env.Page(ctx, nil, func(w io.Writer, style term.Style) error {
		_, err := io.WriteString(w, page.Render(env.Columns(), style))
		return err
	})
}

// loadPage reads a page of the manual; the empty name is that of git claw.
func loadPage(app *cli.App, command string) (*help.Page, error) {
	name := "git-claw"
	if command != "" {
		name += "-" + command
	}
	return help.Load(name, map[string]string{"commands": commandList(app)})
}

// commandList is the list of commands for the page of git claw.
func commandList(app *cli.App) string {
	var b strings.Builder
	for _, category := range categories {
		fmt.Fprintf(&b, "## %s\n\n", category)
		for _, c := range visible(app.Commands, category) {
			fmt.Fprintf(&b, "`git claw %s`\n:   %s.\n\n", c.Name, sentence(c.Usage))
		}
	}
	return b.String()
}

// writeOverview lists the commands by category, one line each.
func writeOverview(w io.Writer, app *cli.App, columns int, style term.Style) error {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: git claw [<options>] [<command> [<arguments>]]\n\n%s.\n", sentence(app.Usage))
	width := 0
	for _, c := range app.Commands {
		width = max(width, len(c.Name))
	}
	for _, category := range categories {
		list := visible(app.Commands, category)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", style.Bold(category))
		for _, c := range list {
			line := "   " + term.Pad(c.Name, width) + "  "
			fmt.Fprintf(&b, "%s%s\n", line, term.Truncate(c.Usage, columns-len(line)))
		}
	}
	b.WriteString("\n'git claw' alone shows how the workspace stands. 'git claw help <command>' shows\n" +
		"the page of a command, 'git claw help git-claw' that of git claw itself.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func visible(list []*cli.Command, category string) []*cli.Command {
	var out []*cli.Command
	for _, c := range list {
		if c.Category == category && !c.Hidden {
			out = append(out, c)
		}
	}
	return out
}

// sentence begins a summary with a capital letter.
func sentence(summary string) string { return strings.ToUpper(summary[:1]) + summary[1:] }
