package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/review"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type statusOptions struct {
	Porcelain bool
	Zero      bool // -z
}

func newStatusCommand(env *Env, run func(context.Context, *Env, statusOptions) error) *cli.Command {
	var opts statusOptions
	return &cli.Command{
		Name:     "status",
		Category: categoryStart,
		Usage:    "show how the workspace stands and what to do next",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "porcelain", Usage: "in a form for scripts that does not change", Destination: &opts.Porcelain},
			&cli.BoolFlag{Name: "null", Aliases: []string{"z"}, Usage: "end lines with NUL and do not quote paths", Destination: &opts.Zero},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			return run(c.Context, env, opts)
		},
	}
}

func runStatus(ctx context.Context, env *Env, opts statusOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	d, err := agent.Status(ctx, ws, func(ctx context.Context) (agent.Waiting, error) { return review.Count(ctx, ws, caller) })
	if err != nil {
		return err
	}
	d.AdviseHosts(ws, env.connections(ws))
	switch {
	case env.Opt.JSON:
		return writeJSON(env.Out, "claw.status/1", statusLine(d))
	case opts.Porcelain || opts.Zero:
		return printPorcelain(env.Out, d, opts.Zero)
	}
	for _, w := range ws.Settings.Warnings() {
		env.Warn(w)
	}
	return printStatus(env.Out, d, env.Style(config(ctx, ws)), env.textColumns())
}

// textColumns is where to cut lines for a person; 0 in a pipe, where nothing is
// cut.
func (e *Env) textColumns() int {
	if !e.OutTTY {
		return 0
	}
	return e.Columns()
}

// maxListed is how many paths the dashboard names.
const maxListed = 10

func printStatus(w io.Writer, d *agent.Dashboard, style term.Style, columns int) error {
	var b strings.Builder
	cut := func(s string) string {
		if columns == 0 {
			return s
		}
		return term.Truncate(s, columns)
	}
	branch := "no branch, at " + d.Commit.Short()
	if d.Branch != "" {
		branch = "on " + term.Escape(d.Branch)
	}
	fmt.Fprintf(&b, "%s, %s, %s\n", style.Bold(term.Escape(d.Root)), branch, adoption(d))
	if d.Failed != nil {
		fmt.Fprintf(&b, "  %s\n", style.Red(cut(fmt.Sprintf("hook '%s' refused a commit on %s", term.Escape(d.Failed.Hook), d.Failed.At.Format("2006-01-02 15:04")))))
	}
	if d.Progress != "" {
		fmt.Fprintf(&b, "  %s\n", style.Red("a "+d.Progress+" is in progress; saving waits until it is over"))
	}
	if d.Adopted && len(d.Unsaved) == 0 && len(d.Withheld) == 0 {
		all := "everything"
		if len(d.LeftOut) > 0 {
			all = "everything else"
		}
		fmt.Fprintf(&b, "  %s is saved\n", all)
	}
	if l := d.Sync.Last; l != nil && l.Code != 0 {
		fmt.Fprintf(&b, "  %s\n", style.Red(cut(failedSync(l))))
	}
	if d.Health != nil {
		fmt.Fprintf(&b, "  %s\n", healthLine(d, style, cut))
	}
	for i, u := range d.Unsaved {
		if i == maxListed {
			fmt.Fprintf(&b, "  and %d more\n", len(d.Unsaved)-i)
			break
		}
		fmt.Fprintf(&b, "  %s %s\n", style.Yellow(changeWord(u.Change)), cut(term.Escape(u.Path)))
	}
	for i, h := range d.Withheld {
		if i == maxListed {
			fmt.Fprintf(&b, "  and %d more\n", len(d.Withheld)-i)
			break
		}
		fmt.Fprintf(&b, "  %s %s: %s\n", style.Red("held back "), term.Escape(place(h)), term.Escape(h.Reason))
	}
	for i, h := range d.LeftOut {
		if i == maxListed {
			fmt.Fprintf(&b, "  and %d more\n", len(d.LeftOut)-i)
			break
		}
		fmt.Fprintf(&b, "  %s %s: %s\n", style.Red("not saved "), term.Escape(h.Path), term.Escape(h.Reason))
	}
	if d.Adopted && d.Code && d.Unmanaged.Notes > 0 {
		fmt.Fprintf(&b, "  %s\n", style.Dim(cut(fmt.Sprintf("%s of the code, most in '%s', not managed", count(d.Unmanaged.Notes, "note"), term.Escape(d.Unmanaged.Folder)))))
	}
	if len(d.Next) > 0 {
		fmt.Fprintf(&b, "\n%s\n", style.Bold("next"))
		printNext(&b, d.Next, style, columns)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// healthLine is what the last examination found.
func healthLine(d *agent.Dashboard, style term.Style, cut func(string) string) string {
	text := fmt.Sprintf("health: %s, tested %s", d.Health.Brief(), d.Health.At.Format("2006-01-02 15:04"))
	if d.Health.Commit != d.Commit {
		text += ", before the last commit"
	}
	if text = cut(text); d.Health.Fails > 0 {
		text = style.Red(text)
	}
	return text
}

// failedSync says when a sync failed, and why.
func failedSync(l *agent.SyncRecord) string {
	return fmt.Sprintf("last sync failed, %s: %s", l.At.Format("2006-01-02 15:04"), term.Escape(l.Message))
}

// printNext prints what to do: why, and beside or below it the command.
func printNext(b *strings.Builder, next []agent.Next, style term.Style, columns int) {
	width := 0
	for _, n := range next {
		width = max(width, term.Width(term.Escape(n.Why)))
	}
	for _, n := range next {
		why, command := term.Escape(n.Why), term.Escape(n.Command)
		if columns > 0 && 2+width+2+term.Width(command) > columns {
			fmt.Fprintf(b, "  %s\n      %s\n", why, style.Bold(command))
			continue
		}
		fmt.Fprintf(b, "  %s  %s\n", term.Pad(why, width), style.Bold(command))
	}
}

func adoption(d *agent.Dashboard) string {
	if !d.Adopted {
		return "not adopted"
	}
	return "host " + term.Escape(d.Host)
}

func changeWord(change byte) string {
	switch change {
	case 'A':
		return "new       "
	case 'D':
		return "removed   "
	case 'U':
		return "unmerged  "
	}
	return "changed   "
}

// printPorcelain prints a record a line: a word, then fields. Paths come last,
// quoted as git quotes them; with zero records end with NUL and paths are bytes.
func printPorcelain(w io.Writer, d *agent.Dashboard, zero bool) error {
	end, path := "\n", quotePath
	if zero {
		end, path = "\x00", func(p string) string { return p }
	}
	var b strings.Builder
	record := func(format string, args ...any) { fmt.Fprintf(&b, format+end, args...) }
	record("branch %s", path(orDash(d.Branch)))
	record("commit %s", d.Commit)
	record("adopted %t", d.Adopted)
	for _, u := range d.Unsaved {
		record("unsaved %c %s", u.Change, path(u.Path))
	}
	for _, h := range d.Withheld {
		record("withheld %d %s", h.Line, path(h.Path))
	}
	for _, h := range d.LeftOut {
		record("leftout %s", path(h.Path))
	}
	record("waiting %d %d %d %d", d.Waiting.Proposals, d.Waiting.Candidates, d.Waiting.Edits, d.Waiting.Contradictions)
	record("unmanaged %d", d.Unmanaged.Notes)
	record("sync %d %d %s", d.Sync.Ahead, d.Sync.Behind, path(orDash(d.Sync.Remote)))
	if l := d.Sync.Last; l != nil {
		record("synced %d %s", l.Code, l.At.Format(time.RFC3339))
	}
	if d.Progress != "" {
		record("progress %s", d.Progress)
	}
	if d.Failed != nil {
		record("hook %s", path(d.Failed.Hook))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// quotePath quotes a path as git does: in double quotes, with octal escapes,
// where it holds a control character, a quote, a backslash or a byte outside
// ASCII.
func quotePath(path string) string {
	plain := func(c byte) bool { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' }
	var b strings.Builder
	quoted := false
	for i := range len(path) {
		c := path[i]
		if plain(c) {
			b.WriteByte(c)
			continue
		}
		quoted = true
		switch c {
		case '"', '\\':
			b.WriteString(`\` + string(c))
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	if !quoted {
		return path
	}
	return `"` + b.String() + `"`
}

type statusJSON struct {
	Branch    string        `json:"branch"`
	Commit    string        `json:"commit"`
	Root      string        `json:"root"`
	Adopted   bool          `json:"adopted"`
	Host      string        `json:"host"`
	Unsaved   []unsavedJSON `json:"unsaved"`
	Withheld  []skippedJSON `json:"withheld"`
	LeftOut   []skippedJSON `json:"leftOut"`
	Waiting   waitingJSON   `json:"waiting"`
	Unmanaged unmanagedJSON `json:"unmanaged"`
	Index     *statusIndex  `json:"index"`  // null: there is no index
	Health    *statusHealth `json:"health"` // null: it was never tested
	Sync      syncJSON      `json:"sync"`
	Progress  string        `json:"progress"`
	Hook      string        `json:"hook"` // that refused the last commit
	Next      []nextJSON    `json:"next"`
}

type unsavedJSON struct {
	Path   string `json:"path"`
	Change string `json:"change"`
}

type waitingJSON struct {
	Proposals      int `json:"proposals"`
	Candidates     int `json:"candidates"`
	Edits          int `json:"edits"`
	Contradictions int `json:"contradictions"`
}

type unmanagedJSON struct {
	Notes   int    `json:"notes"`
	Folder  string `json:"folder"`
	Command string `json:"command"`
}

type statusIndex struct {
	Commit  string `json:"commit"`
	Pending int    `json:"pending"`
}

// statusHealth is what the last full examination found.
type statusHealth struct {
	Fails  int    `json:"fails"`
	Warns  int    `json:"warns"`
	Infos  int    `json:"infos"`
	Commit string `json:"commit"`
	Date   string `json:"date"`
}

type syncJSON struct {
	Remote string `json:"remote"`
	Ahead  int    `json:"ahead"`
	Behind int    `json:"behind"`
	// Last is how the last sync ended; null: there was none.
	Last *lastSyncJSON `json:"last"`
}

type lastSyncJSON struct {
	Date    string `json:"date"`
	Remote  string `json:"remote"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type nextJSON struct {
	Why     string `json:"why"`
	Command string `json:"command"`
}

func statusLine(d *agent.Dashboard) statusJSON {
	line := statusJSON{
		Branch: d.Branch, Root: d.Root, Adopted: d.Adopted, Host: d.Host,
		Unsaved: []unsavedJSON{}, Withheld: []skippedJSON{}, LeftOut: []skippedJSON{}, Next: []nextJSON{},
		Waiting:   waitingJSON{d.Waiting.Proposals, d.Waiting.Candidates, d.Waiting.Edits, d.Waiting.Contradictions},
		Unmanaged: unmanagedJSON{d.Unmanaged.Notes, d.Unmanaged.Folder, d.Unmanaged.Hint},
		Sync:      syncJSON{d.Sync.Remote, d.Sync.Ahead, d.Sync.Behind, nil},
		Progress:  d.Progress,
	}
	if !d.Commit.IsZero() {
		line.Commit = d.Commit.String()
	}
	if d.Index != nil {
		line.Index = &statusIndex{d.Index.Commit.String(), d.Index.Pending}
	}
	if l := d.Sync.Last; l != nil {
		line.Sync.Last = &lastSyncJSON{l.At.Format(time.RFC3339), l.Remote, l.Code, l.Message}
	}
	if h := d.Health; h != nil {
		line.Health = &statusHealth{h.Fails, h.Warns, h.Infos, "", h.At.Format(time.RFC3339)}
		if !h.Commit.IsZero() {
			line.Health.Commit = h.Commit.String()
		}
	}
	for _, u := range d.Unsaved {
		line.Unsaved = append(line.Unsaved, unsavedJSON{u.Path, string(u.Change)})
	}
	for _, h := range d.Withheld {
		line.Withheld = append(line.Withheld, skippedJSON{h.Path, h.Line, h.Reason})
	}
	for _, h := range d.LeftOut {
		line.LeftOut = append(line.LeftOut, skippedJSON{h.Path, h.Line, h.Reason})
	}
	if d.Failed != nil {
		line.Hook = d.Failed.Hook
	}
	for _, n := range d.Next {
		line.Next = append(line.Next, nextJSON{n.Why, n.Command})
	}
	return line
}
