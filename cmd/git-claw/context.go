package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/bootstrap"
)

type contextOptions struct {
	Budget bool
	Print  bool
}

func newContextCommand(env *Env, run func(context.Context, *Env, contextOptions) error) *cli.Command {
	var opts contextOptions
	return &cli.Command{
		Name:     "context",
		Category: categoryFind,
		Usage:    "show what a session loads, and what is cut",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "budget", Usage: "limits, shares, the lines that are lost, and what to shorten", Destination: &opts.Budget},
			&cli.BoolFlag{Name: "print", Usage: "the content, as the session sees it", Destination: &opts.Print},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			if opts.Budget && opts.Print && !env.Opt.JSON {
				return usagef("options '--budget' and '--print' exclude each other")
			}
			return run(c.Context, env, opts)
		},
	}
}

func runContext(ctx context.Context, env *Env, opts contextOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	c, err := agent.ReadContext(ctx, ws, env.Opt.SessionKind, opts.Print)
	if err != nil {
		return err
	}
	switch {
	case env.Opt.JSON:
		return contextLines(env, ws, c, opts.Print)
	case opts.Print:
		return printContent(env, c)
	}
	for _, w := range ws.Settings.Warnings() {
		env.Warn(w)
	}
	p := contextPrinter{c: c, style: env.Style(config(ctx, ws)), budget: opts.Budget, bars: env.OutTTY}
	_, err = io.WriteString(env.Out, p.page(ws))
	return err
}

// printContent gives the files one after the other below their names, as a host
// does.
func printContent(env *Env, c *agent.Context) error {
	var b strings.Builder
	for i := range c.Files {
		f := &c.Files[i]
		if f.Hidden {
			env.Warn(fmt.Sprintf("'%s' is not shown in a session of kind '%s'", f.Name, c.Kind))
			continue
		}
		if len(f.Pieces) == 0 {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", f.Name, strings.TrimSuffix(string(f.Content), "\n"))
	}
	text := b.String()
	if env.OutTTY {
		text = term.EscapeText(text)
	}
	_, err := io.WriteString(env.Out, text)
	return err
}

type contextPrinter struct {
	c      *agent.Context
	style  term.Style
	budget bool
	bars   bool
	b      strings.Builder
}

const barCells = 20

func (p *contextPrinter) page(ws *memory.Workspace) string {
	p.summary(ws)
	width := 0
	for i := range p.c.Files {
		width = max(width, len(p.c.Files[i].Name))
	}
	for i := range p.c.Files {
		p.file(&p.c.Files[i], width)
	}
	if p.budget {
		for _, a := range p.c.Advices {
			fmt.Fprintf(&p.b, "shorten %s by %s, %s\n", p.style.Cyan(a.File), advisedSize(a), a.Why)
		}
	}
	return p.b.String()
}

func (p *contextPrinter) summary(ws *memory.Workspace) {
	c := p.c
	chars := count(c.Loaded, "character")
	if c.Host.TotalChars > 0 {
		chars = fmt.Sprintf("%d of %s", c.Loaded, count(c.Host.TotalChars, "character"))
	}
	fmt.Fprintf(&p.b, "host %s, %s session: %s, ~%s", c.Host.Name, c.Kind, chars, count(c.Tokens, "token"))
	if c.Near {
		p.b.WriteString(", " + p.style.Yellow("near"))
	}
	if !ws.Adopted {
		p.b.WriteString("; not adopted")
	}
	p.b.WriteByte('\n')
}

func (p *contextPrinter) file(f *agent.ContextFile, width int) {
	line := fmt.Sprintf("%s  %7s  %7s", p.style.Cyan(term.Pad(f.Name, width)), sizeWord(f, fmt.Sprint(f.Chars)), sizeWord(f, fmt.Sprintf("~%d", f.Tokens)))
	if p.budget {
		line += fmt.Sprintf("  %12s  %4d %%", limitWord(p.c.Host, f), int(math.Round(100*f.Share)))
	}
	if p.bars {
		line += "  " + p.bar(f)
	}
	if s := p.remark(f); s != "" {
		line += "  " + s
	}
	p.b.WriteString(line + "\n")
	if !p.budget {
		return
	}
	for _, r := range f.Lost {
		how := ""
		if f.Approx {
			how = " approx"
		}
		fmt.Fprintf(&p.b, "%s  lost%s: lines %d-%d, bytes %d-%d\n", strings.Repeat(" ", width), how, r.From, r.To, r.FromByte, r.ToByte)
	}
}

func sizeWord(f *agent.ContextFile, s string) string {
	if f.Presence != bootstrap.There {
		return "-"
	}
	return s
}

// limitWord is the limit of a file as a person reads it.
func limitWord(h memory.Host, f *agent.ContextFile) string {
	switch {
	case f.Presence != bootstrap.There:
		return "-"
	case h.TotalChars > 0 || f.Limit > 0:
		return fmt.Sprintf("of %d", f.Limit)
	case f.Name == "MEMORY.md" && h.IndexLines > 0:
		return fmt.Sprintf("of %d lines", h.IndexLines)
	}
	return "no limit"
}

func (p *contextPrinter) remark(f *agent.ContextFile) string {
	switch f.State {
	case bootstrap.Cut:
		return p.style.Red("cut")
	case bootstrap.Dropped:
		return p.style.Red("not loaded: no room is left")
	case bootstrap.Unread:
		return p.style.Red("not loaded: the host cannot read it")
	case bootstrap.Marked:
		return p.style.Yellow("absent, and a line says so")
	case bootstrap.Missing:
		return p.style.Dim("absent")
	case bootstrap.Whole:
		if f.Near {
			return p.style.Yellow("near")
		}
	}
	return ""
}

// bar shows how full a file is against its limit; what has none is shown against
// all that is loaded.
func (p *contextPrinter) bar(f *agent.ContextFile) string {
	full := f.Share
	h := p.c.Host
	switch {
	case f.State == bootstrap.Dropped:
		full = 1
	case f.Limit > 0:
		full = float64(f.Chars) / float64(f.Limit)
	case f.Name == "MEMORY.md" && h.IndexLines > 0:
		full = float64(f.Lines) / float64(h.IndexLines)
		if h.IndexBytes > 0 {
			full = max(full, float64(len(f.Text))/float64(h.IndexBytes))
		}
	}
	n := min(barCells, int(math.Ceil(full*barCells)))
	bar := strings.Repeat("█", n)
	switch {
	case f.State == bootstrap.Cut, f.State == bootstrap.Dropped:
		bar = p.style.Red(bar)
	case f.Near:
		bar = p.style.Yellow(bar)
	default:
		bar = p.style.Green(bar)
	}
	return bar + p.style.Dim(strings.Repeat("░", barCells-n))
}

func advisedSize(a agent.ContextAdvice) string {
	var parts []string
	if a.Lines > 0 {
		parts = append(parts, count(a.Lines, "line"))
	}
	if a.Bytes > 0 {
		parts = append(parts, count(a.Bytes, "byte"))
	}
	if len(parts) > 0 {
		return strings.Join(parts, " and ")
	}
	return fmt.Sprintf("%s (~%s)", count(a.Chars, "character"), count(a.Tokens, "token"))
}

// contextJSON is a file that a session loads.
type contextJSON struct {
	Host   string     `json:"host"`
	Kind   string     `json:"kind"`
	File   string     `json:"file"`
	State  string     `json:"state"` // whole, cut, marked, absent, unread, dropped
	Chars  int        `json:"chars"`
	Tokens int        `json:"tokens"` // an estimate
	Limit  int        `json:"limit"`  // 0: none
	Share  float64    `json:"share"`  // of the total, 1 is all
	Near   bool       `json:"near"`
	Approx bool       `json:"approx"` // which lines are lost is not exact
	Loaded loadedJSON `json:"loaded"`
	Lost   []lostJSON `json:"lost"`
	// Content is as the session sees it, with --print.
	Content *string `json:"content,omitempty"`
}

type loadedJSON struct {
	Chars  int `json:"chars"`
	Tokens int `json:"tokens"`
}

type lostJSON struct {
	From     int `json:"from"`
	To       int `json:"to"`
	FromByte int `json:"fromByte"`
	ToByte   int `json:"toByte"` // the first byte behind
}

// contextSumJSON ends the answer.
type contextSumJSON struct {
	Host    string       `json:"host"`
	Kind    string       `json:"kind"`
	Adopted bool         `json:"adopted"`
	Chars   int          `json:"chars"` // that are loaded
	Tokens  int          `json:"tokens"`
	Limit   int          `json:"limit"`
	Near    bool         `json:"near"`
	Shorten []adviceJSON `json:"shorten"`
}

type adviceJSON struct {
	File   string `json:"file"`
	Chars  int    `json:"chars"`
	Tokens int    `json:"tokens"`
	Lines  int    `json:"lines"`
	Bytes  int    `json:"bytes"`
	Why    string `json:"why"`
}

func contextLines(env *Env, ws *memory.Workspace, c *agent.Context, content bool) error {
	for i := range c.Files {
		f := &c.Files[i]
		line := contextJSON{
			Host: c.Host.Name, Kind: c.Kind, File: f.Name, State: string(f.State), Chars: f.Chars, Tokens: f.Tokens, Limit: f.Limit,
			Share: math.Round(f.Share*1e4) / 1e4, Near: f.Near, Approx: f.Approx, Loaded: loadedJSON{f.Loaded, f.Seen}, Lost: []lostJSON{},
		}
		for _, r := range f.Lost {
			line.Lost = append(line.Lost, lostJSON(r))
		}
		if content && !f.Hidden && len(f.Pieces) > 0 {
			text := string(f.Content)
			line.Content = &text
		}
		if err := writeJSON(env.Out, "claw.context/1", line); err != nil {
			return err
		}
	}
	sum := contextSumJSON{
		Host: c.Host.Name, Kind: c.Kind, Adopted: ws.Adopted, Chars: c.Loaded, Tokens: c.Tokens,
		Limit: c.Host.TotalChars, Near: c.Near, Shorten: []adviceJSON{},
	}
	for _, a := range c.Advices {
		sum.Shorten = append(sum.Shorten, adviceJSON(a))
	}
	return writeJSON(env.Out, "claw.context.summary/1", sum)
}
