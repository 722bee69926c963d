package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

type healthOptions struct {
	Only    []string
	Staged  bool
	Explain string
	Fix     bool
	DryRun  bool
}

func newHealthCommand(env *Env, run func(context.Context, *Env, healthOptions) error) *cli.Command {
	var opts healthOptions
	return &cli.Command{
		Name:     "health",
		Category: categoryStart,
		Usage:    "test whether the memory is sound",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "only", Usage: "only these checks, ids parted by commas"},
			&cli.BoolFlag{Name: "staged", Usage: "only what the next commit brings in", Destination: &opts.Staged},
			&cli.BoolFlag{Name: "fix", Usage: "mend what has only one right answer", Destination: &opts.Fix},
			&cli.BoolFlag{Name: "dry-run", Usage: "with --fix: only tell what would be done", Destination: &opts.DryRun},
			&cli.StringFlag{Name: "explain", Usage: "tell about a check, by its id", Destination: &opts.Explain},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			opts.Only = strings.FieldsFunc(strings.Join(c.StringSlice("only"), ","), func(r rune) bool { return r == ',' || r == ' ' })
			if c.IsSet("only") && len(opts.Only) == 0 {
				return usagef("option '--only' names no check")
			}
			switch {
			case c.IsSet("explain") && (opts.Staged || opts.Fix || c.IsSet("only")):
				return usagef("option '--explain' stands alone")
			case opts.Fix && opts.Staged:
				return usagef("option '--fix' mends the workspace, not what is staged")
			case opts.DryRun && !opts.Fix:
				return usagef("option '--dry-run' goes with '--fix'")
			}
			return run(c.Context, env, opts)
		},
	}
}

func runHealth(ctx context.Context, env *Env, opts healthOptions) error {
	if opts.Explain != "" {
		return explainCheck(ctx, env, opts.Explain)
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	look := agent.HealthOptions{Only: opts.Only, Staged: opts.Staged, Hostname: env.Hostname()}
	rep, err := agent.Health(ctx, ws, look)
	var held *refusal // what '--fix' left as it was
	if err == nil && opts.Fix {
		rep, err = fixHealth(ctx, env, ws, rep, look, opts.DryRun)
		if errors.As(err, &held) {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	for _, p := range rep.Unread {
		if rep.Totals["GIT-012"][p] == 0 {
			env.Warn(fmt.Sprintf("'%s' was not looked at: 'git claw health --only GIT-012' tells why", term.Escape(p)))
		}
	}
	if env.Opt.JSON {
		err = healthLines(env, ws, rep)
	} else {
		for _, w := range ws.Settings.Warnings() {
			env.Warn(term.Escape(w))
		}
		for _, id := range agent.UnknownDisabled(ws) {
			env.Warn(fmt.Sprintf("'%s' in claw.health.disable is no check", term.Escape(id)), "git config --get-all claw.health.disable")
		}
		err = printHealth(env.Out, ws, rep, env.Style(config(ctx, ws)), env.Opt.Verbose)
		env.hints(innerHints(ctx, ws))
		if rep.Fails+rep.Warns > 0 && !env.Opt.Verbose {
			env.hints([]string{"'git claw health --verbose' tells how to mend it"})
		}
	}
	switch {
	case err != nil:
		return err
	case held != nil:
		return held
	case !rep.OK():
		return exitStatus(exitNo)
	}
	return nil
}

// innerHints name the workspaces below a folder that is none itself.
func innerHints(ctx context.Context, ws *memory.Workspace) []string {
	const most = 3
	if ws.Adopted || ws.Repo.Bare {
		return nil
	}
	inner, err := agent.InnerWorkspaces(ctx, ws)
	if err != nil {
		return nil // a hint less
	}
	var out []string
	for _, dir := range inner[:min(len(inner), most)] {
		out = append(out, fmt.Sprintf("a workspace lies in '%s': git claw -w %s health", dir, shellQuote(dir)))
	}
	return out
}

// fixHealth mends what can be, tells each commit, and looks again. A *refusal comes
// with a report: something was held back.
func fixHealth(ctx context.Context, env *Env, ws *memory.Workspace, rep *health.Report, look agent.HealthOptions, dry bool) (*health.Report, error) {
	caller, err := env.Caller()
	if err != nil {
		return nil, err
	}
	res, err := agent.MendHealth(ctx, ws, caller, rep, dry)
	var no *refusal
	held := finishSave(env, res, err, dry)
	if held != nil && !errors.As(held, &no) || dry || len(res.Commits) == 0 {
		return rep, held
	}
	if rep, err = agent.Health(ctx, ws, look); err != nil {
		return nil, err
	}
	return rep, held
}

// healthJSON is one finding, or with --verbose a check that passed or was skipped.
type healthJSON struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Status   string `json:"status"`
	Path     string `json:"path"`
	Line     int    `json:"line"` // 0: the whole file
	Message  string `json:"message"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Fix      string `json:"fix"`
	Rule     string `json:"rule"`
	Count    int    `json:"count"` // findings of this check in this file
}

// healthSumJSON ends the answer.
type healthSumJSON struct {
	Adopted bool     `json:"adopted"`
	Fails   int      `json:"fails"`
	Warns   int      `json:"warns"`
	Infos   int      `json:"infos"`
	Passed  int      `json:"passed"`
	Skipped int      `json:"skipped"`
	Files   int      `json:"files"`
	Unread  []string `json:"unread"`
}

func healthLines(env *Env, ws *memory.Workspace, rep *health.Report) error {
	const schema = "claw.health/1"
	for _, f := range rep.Findings {
		line := healthJSON{f.ID, severityWord(f.Severity), string(f.Status), f.Path, f.Line, f.Message, f.Expected, f.Actual, f.Fix, f.Rule, rep.Totals[f.ID][f.Path]}
		if err := writeJSON(env.Out, schema, line); err != nil {
			return err
		}
	}
	if env.Opt.Verbose {
		for _, c := range rep.Passed {
			if err := writeJSON(env.Out, schema, healthJSON{ID: c.ID, Severity: severityWord(c.Severity), Status: string(health.Pass), Message: c.Meaning, Rule: c.Rule}); err != nil {
				return err
			}
		}
		for _, s := range rep.Skipped {
			line := healthJSON{ID: s.Check.ID, Severity: severityWord(s.Check.Severity), Status: string(health.Skip), Message: s.Why, Rule: s.Check.Rule}
			if err := writeJSON(env.Out, schema, line); err != nil {
				return err
			}
		}
	}
	sum := healthSumJSON{ws.Adopted, rep.Fails, rep.Warns, rep.Infos, len(rep.Passed), len(rep.Skipped), rep.Files, rep.Unread}
	if sum.Unread == nil {
		sum.Unread = []string{}
	}
	return writeJSON(env.Out, "claw.health.summary/1", sum)
}

func severityWord(s health.Severity) string { return string(rune(s)) }

// Bounds of what is printed: files of a check, and with --verbose findings of a
// file.
const (
	maxHealthFiles = 50
	maxHealthLines = 20
)

func printHealth(w io.Writer, ws *memory.Workspace, rep *health.Report, style term.Style, verbose bool) error {
	var b strings.Builder
	p := healthPrinter{b: &b, rep: rep, style: style, verbose: verbose}
	for i := 0; i < len(rep.Findings); {
		j := i
		for j < len(rep.Findings) && rep.Findings[j].ID == rep.Findings[i].ID {
			j++
		}
		p.check(rep.Findings[i:j])
		i = j
	}
	if verbose {
		for _, c := range rep.Passed {
			p.line(c.ID, health.Pass, "", c.Meaning)
		}
		for _, s := range rep.Skipped {
			p.line(s.Check.ID, health.Skip, "", s.Why)
		}
	}
	fmt.Fprintf(&b, "%s\n", healthSummary(ws, rep))
	_, err := io.WriteString(w, b.String())
	return err
}

type healthPrinter struct {
	b       *strings.Builder
	rep     *health.Report
	style   term.Style
	verbose bool
}

func (p *healthPrinter) line(id string, s health.Status, place, message string) {
	word := term.Pad(string(s), 4)
	switch s {
	case health.Pass:
		word = p.style.Green(word)
	case health.Fail:
		word = p.style.Red(word)
	case health.Warn:
		word = p.style.Yellow(word)
	case health.Inform, health.Skip:
		word = p.style.Dim(word)
	}
	if place != "" {
		place = term.Escape(place) + " "
	}
	fmt.Fprintf(p.b, "%s %s %s%s\n", id, word, place, term.Escape(message))
}

// check prints the findings of one check, a file once.
func (p *healthPrinter) check(list []health.Finding) {
	files := 0
	for i := 0; i < len(list); {
		j := i
		for j < len(list) && list[j].Path == list[i].Path {
			j++
		}
		if files++; files > maxHealthFiles {
			break
		}
		p.file(list[i:j])
		i = j
	}
	if more := len(p.rep.Totals[list[0].ID]) - maxHealthFiles; more > 0 {
		p.line(list[0].ID, list[0].Status, "", "and "+count(more, "more file"))
	}
}

// file prints the findings of a check in a file: the first with a count, or with
// --verbose each with what mends it.
func (p *healthPrinter) file(list []health.Finding) {
	total := p.rep.Totals[list[0].ID][list[0].Path]
	if !p.verbose {
		message := list[0].Message
		if total > 1 {
			message += fmt.Sprintf(" (and %d more)", total-1)
		}
		p.line(list[0].ID, list[0].Status, healthPlace(list[0]), message)
		return
	}
	for i, f := range list {
		if i == maxHealthLines {
			break
		}
		p.line(f.ID, f.Status, healthPlace(f), f.Message)
		p.more("expected", f.Expected)
		p.more("actual", f.Actual)
		p.more("fix", f.Fix)
		p.more("rule", f.Rule)
	}
	if total > maxHealthLines {
		p.line(list[0].ID, list[0].Status, list[0].Path, fmt.Sprintf("and %d more", total-maxHealthLines))
	}
}

func (p *healthPrinter) more(name, value string) {
	if value != "" {
		fmt.Fprintf(p.b, "    %s %s\n", p.style.Dim(term.Pad(name+":", 9)), term.Escape(value))
	}
}

func healthPlace(f health.Finding) string {
	switch {
	case f.Path == "":
		return "."
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return f.Path
}

func healthSummary(ws *memory.Workspace, rep *health.Report) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, count(n, what))
		}
	}
	add(rep.Fails, "failure")
	add(rep.Warns, "warning")
	add(rep.Infos, "remark")
	parts = append(parts, count(len(rep.Passed), "check")+" passed")
	s := "health: " + strings.Join(parts, ", ") + ", " + count(rep.Files, "file") + " read"
	if !ws.Adopted {
		s += "; not adopted"
	}
	return s
}

// explainedJSON is a check, for health --explain.
type explainedJSON struct {
	ID       string   `json:"id"`
	Severity string   `json:"severity"`
	Here     string   `json:"here"`
	Profiles []string `json:"profiles"`
	Rule     string   `json:"rule"`
	Meaning  string   `json:"meaning"`
	Fix      string   `json:"fix"`
	Skipped  string   `json:"skipped"`
}

// explainCheck works outside of a workspace too.
func explainCheck(ctx context.Context, env *Env, id string) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		ws = nil
	}
	defer done()
	e, err := agent.ExplainCheck(ws, id)
	if err != nil {
		return err
	}
	line := explainedJSON{e.ID, severityWord(e.Severity), severityWord(e.Here), []string{}, e.Rule, e.Meaning, e.Fix, e.WhyNot}
	for _, p := range e.Profiles {
		line.Profiles = append(line.Profiles, string(p))
	}
	if env.Opt.JSON {
		return writeJSON(env.Out, "claw.health.check/1", line)
	}
	printExplained(env.Out, line, e, ws != nil)
	return nil
}

func printExplained(w io.Writer, line explainedJSON, e health.Explanation, here bool) {
	fmt.Fprintf(w, "%s: %s\n", line.ID, line.Meaning)
	profile := "base, always on"
	if len(line.Profiles) > 0 {
		profile = strings.Join(line.Profiles, ", ")
	}
	fmt.Fprintf(w, "  profile   %s\n  rule      %s\n  severity  %s\n", profile, line.Rule, severityName(e.Severity))
	switch {
	case here && line.Skipped != "":
		fmt.Fprintf(w, "  here      it does not run: %s\n", term.Escape(line.Skipped))
	case here:
		fmt.Fprintf(w, "  here      %s\n", severityName(e.Here))
	}
	if line.Fix != "" {
		fmt.Fprintf(w, "  fix       %s\n", line.Fix)
	}
	fmt.Fprintf(w, "  change    git config claw.health.severity.%s <I|W|F>\n", line.ID)
}

func severityName(s health.Severity) string {
	switch s {
	case health.Failure:
		return "failure"
	case health.Warning:
		return "warning"
	case health.Info:
	}
	return "remark"
}
