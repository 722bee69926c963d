package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type getOptions struct {
	What  string
	From  int
	Lines int
	At    string
	Force bool
}

func newGetCommand(env *Env, run func(context.Context, *Env, getOptions) error) *cli.Command {
	var opts getOptions
	return &cli.Command{
		Name:      "get",
		Category:  categoryFind,
		Usage:     "read lines of a note",
		ArgsUsage: "<path>|<id>",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "from", Usage: "first line", Destination: &opts.From},
			&cli.IntFlag{Name: "lines", Usage: "at most so many lines", Destination: &opts.Lines},
			&cli.StringFlag{Name: "at", Usage: "as the note was at a revision", Destination: &opts.At},
			&cli.BoolFlag{Name: "force", Usage: "answer although memory is not healthy", Destination: &opts.Force},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 1, 1); err != nil {
				return err
			}
			for _, name := range []string{"from", "lines"} {
				if c.IsSet(name) && c.Int(name) < 1 {
					return usagef("'%d' is no value of option '--%s'", c.Int(name), name)
				}
			}
			opts.What = c.Args().First()
			return run(c.Context, env, opts)
		},
	}
}

// gotJSON is the answer of get --json.
type gotJSON struct {
	Path      string `json:"path"`
	From      int    `json:"from"`
	To        int    `json:"to"`
	Text      string `json:"text"`
	Truncated bool   `json:"truncated"`
	Next      int    `json:"next"`
}

func runGet(ctx context.Context, env *Env, opts getOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	what := opts.What
	if path, from, lines, ok := cutLines(what); ok && opts.From == 0 {
		if there, _ := ws.Exists(what); !there {
			what, opts.From = path, from
			if opts.Lines == 0 {
				opts.Lines = lines
			}
		}
	}
	// A path as it is typed; else as search prints it, from the root of the workspace;
	// what is neither may be an id.
	rel, err := env.relPath(ws, what)
	if err == nil && (rel != what || !isHex(what)) {
		if there, _ := ws.Exists(rel); there || !rooted(ws, what) {
			what = rel
		}
	} else if err != nil && !rooted(ws, what) {
		return err
	}
	g, err := agent.Get(ctx, ws, agent.GetOptions{
		What: what, From: opts.From, Lines: opts.Lines, At: opts.At, Kind: env.Opt.SessionKind, Force: opts.Force, Hostname: env.Hostname(),
		Warn: func(f string, a ...any) { env.Warn(fmt.Sprintf(f, a...)) },
	})
	if err != nil {
		return err
	}
	if env.Opt.JSON {
		return writeJSON(env.Out, "claw.get/1", gotJSON(*g))
	}
	text := g.Text
	if env.OutTTY {
		text = term.EscapeText(text)
	}
	if _, err := fmt.Fprint(env.Out, text); err != nil {
		return err
	}
	if g.Truncated {
		env.Confirm("there is more: git claw get %s --from %d", term.Escape(shellQuote(g.Path)), g.Next)
	}
	return nil
}

// rooted reports whether a path leads somewhere from the root of the workspace.
func rooted(ws *memory.Workspace, path string) bool {
	there, err := ws.Exists(path)
	return err == nil && there && !strings.HasPrefix(path, "..")
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// cutLines takes `path:12` and `path:12-20` apart, as search prints places.
func cutLines(what string) (path string, from, lines int, ok bool) {
	i := strings.LastIndexByte(what, ':')
	if i <= 0 {
		return "", 0, 0, false
	}
	first, last, ranged := strings.Cut(what[i+1:], "-")
	from, err := strconv.Atoi(first)
	if err != nil || from < 1 {
		return "", 0, 0, false
	}
	if ranged {
		to, err := strconv.Atoi(last)
		if err != nil || to < from {
			return "", 0, 0, false
		}
		lines = to - from + 1
	}
	return what[:i], from, lines, true
}
