package main

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory/doc"
)

// diffPrinter shows changes by entry for a person. A changed entry is shown
// once, with its words marked: by colour, or as git's --word-diff does.
type diffPrinter struct {
	w     io.Writer
	style term.Style
	// marks: words are marked by brackets beside their colour, which not everybody tells
	// apart.
	marks bool
}

// files prints all files and says whether there was one.
func (p diffPrinter) files(files iter.Seq2[agent.FileDiff, error]) (bool, error) {
	some := false
	for f, err := range files {
		if err != nil {
			return some, err
		}
		if some {
			fmt.Fprintln(p.w)
		}
		some = true
		if err := p.file(f); err != nil {
			return some, err
		}
	}
	return some, nil
}

func (p diffPrinter) file(f agent.FileDiff) error {
	head := p.style.Bold(term.Escape(f.Path))
	if f.From != "" {
		head = p.style.Bold(term.Escape(f.From) + " -> " + term.Escape(f.Path))
	}
	tail := string(f.Change)
	if f.Change == agent.FileMode {
		tail = fmt.Sprintf("mode %s to %s", f.OldMode, f.NewMode)
	}
	if f.Summary != "" {
		tail += ", " + f.Summary
		if f.OldSize != f.NewSize {
			tail += fmt.Sprintf(", %d to %d bytes", f.OldSize, f.NewSize)
		}
	}
	if _, err := fmt.Fprintf(p.w, "%s  %s\n", head, p.style.Dim(tail)); err != nil {
		return err
	}
	under := ""
	for _, e := range f.Entries {
		if heading := strings.Join(e.Heading, " > "); heading != under {
			under = heading
			if heading != "" {
				fmt.Fprintf(p.w, "  %s\n", p.style.Cyan("@ "+term.Escape(heading)))
			}
		}
		p.entry(e)
	}
	return nil
}

func (p diffPrinter) entry(e agent.EntryDiff) {
	switch e.Kind {
	case doc.Added:
		p.lines(e.NewLine, "+", e.New, p.style.Green)
	case doc.Deleted:
		p.lines(e.OldLine, "-", e.Old, p.style.Red)
	case doc.Moved:
		p.lines(e.NewLine, ">", e.New, p.style.Dim)
	default:
		p.words(e)
	}
}

// lines prints a text with its line number, a sign and a colour.
func (p diffPrinter) lines(number int, sign, text string, colour func(string) string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(p.w, "  %5d %s\n", number, colour(sign+" "+show1(line)))
		number++
	}
}

// show1 makes a line of a file fit for a terminal; the carriage return of a
// Windows line end is no part of it.
func show1(line string) string { return term.EscapeText(strings.TrimSuffix(line, "\r")) }

// words prints an edited entry with its changed words marked. Each new line of
// the entry starts with its number in the new text.
func (p diffPrinter) words(e agent.EntryDiff) {
	var b strings.Builder
	for _, s := range wholeWords(e.Words()) {
		text := s.Text
		for {
			line, rest, more := strings.Cut(text, "\n")
			b.WriteString(p.mark(s.Op, show1(line)))
			if !more {
				break
			}
			b.WriteByte('\n')
			text = rest
		}
	}
	number := e.NewLine
	for line := range strings.SplitSeq(b.String(), "\n") {
		fmt.Fprintf(p.w, "  %5d ~ %s\n", number, line)
		number++
	}
}

func (p diffPrinter) mark(op doc.Op, text string) string {
	switch {
	case text == "" || op == doc.Equal:
		return text
	case op == doc.Insert && p.style.On && !p.marks:
		return p.style.Green(text)
	case op == doc.Insert:
		return p.style.Green("{+" + text + "+}")
	case p.style.On && !p.marks:
		return p.style.Red(text)
	}
	return p.style.Red("[-" + text + "-]")
}

// fileJSON is a file of 'diff --json' and 'show --json'.
type fileJSON struct {
	Path    string      `json:"path"`
	From    string      `json:"from,omitempty"`
	Change  string      `json:"change"`
	Summary string      `json:"summary,omitempty"`
	Entries []entryJSON `json:"entries"`
}

type entryJSON struct {
	Change  string   `json:"change"`
	Heading []string `json:"heading"`
	OldLine int      `json:"oldLine,omitempty"`
	NewLine int      `json:"newLine,omitempty"`
	Old     string   `json:"old"`
	New     string   `json:"new"`
}

func fileLine(f agent.FileDiff) fileJSON {
	out := fileJSON{Path: f.Path, From: f.From, Change: string(f.Change), Summary: f.Summary, Entries: []entryJSON{}}
	for _, e := range f.Entries {
		out.Entries = append(out.Entries, entryJSON{
			Change: e.Kind.String(), Heading: list(e.Heading), OldLine: e.OldLine, NewLine: e.NewLine, Old: e.Old, New: e.New,
		})
	}
	return out
}
