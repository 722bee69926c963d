package bootstrap

import (
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

// Kinds of session (SPEC WS-14).
const (
	Main     = "main"
	Group    = "group"
	Cron     = "cron"
	Subagent = "subagent"
)

// KindOf reads a kind of session. None is the main one; one that is not known is
// not trusted with more than a group sees.
func KindOf(name string) string {
	switch name {
	case "", Main:
		return Main
	case Cron, Subagent:
		return name
	}
	return Group
}

// Names lists the files that a host loads into a kind of session, in order. there
// says whether a file exists.
func Names(h memory.Host, kind string, there func(string) bool) []string {
	classic := h.Name == memory.OpenClawClassic
	openclaw := classic || h.Name == memory.OpenClaw
	names := slices.Clone(h.Injected)
	if h.Name == memory.Generic {
		names = slices.DeleteFunc(names, func(n string) bool { return !there(n) })
	}
	keep := func(list ...string) []string {
		return slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(list, n) })
	}
	switch kind {
	case Group:
		return slices.DeleteFunc(names, func(n string) bool { return n == "MEMORY.md" })
	case Subagent:
		switch {
		case classic:
			return keep("AGENTS.md", "TOOLS.md")
		case openclaw:
			return keep("AGENTS.md")
		}
		names = slices.DeleteFunc(names, func(n string) bool { return n == "MEMORY.md" })
		return names[:min(1, len(names))]
	case Cron:
		if openclaw {
			list := []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md"}
			if classic {
				list = append(list, "TOOLS.md")
			}
			return keep(list...)
		}
	}
	return names
}

// Presence is how a file is found.
type Presence int

// What a host meets.
const (
	There Presence = iota
	Absent
	Unreadable // no file, too large, or a link that leads out
)

// Source is a root file as it is.
type Source struct {
	Name     string
	Path     string // absolute; the marker of an absent file names it
	Presence Presence
	Text     []byte
}

// State is what becomes of a file.
type State string

// The states of a file in a session.
const (
	Whole   State = "whole"
	Cut     State = "cut"
	Marked  State = "marked" // absent; a line says so
	Missing State = "absent" // absent, and nothing says so
	Unread  State = "unread" // the host cannot read it
	Dropped State = "dropped"
)

// File is what a session sees of a root file.
type File struct {
	Source
	State  State
	Chars  int // of the file
	Loaded int // characters that the session sees, markers among them
	Limit  int // the host's, or what is left of the total; 0: none
	Lines  int
	Pieces []Piece
	Lost   []Range
	Near   bool // whole, and at 85 % of a limit or more
	Approx bool // which lines are lost is not exact
}

// Render is what the session sees.
func (f File) Render() []byte { return Render(f.Text, f.Pieces) }

// Load plays the host: it takes files in the order of the sources.
func Load(h memory.Host, sources []Source) []File {
	out := make([]File, 0, len(sources))
	l := loader{host: h, left: h.TotalChars}
	for _, s := range sources {
		f := File{Source: s, Chars: doc.Chars(s.Text), Lines: countLines(s.Text)}
		switch h.Name {
		case memory.OpenClaw, memory.OpenClawClassic:
			l.openclaw(&f)
		default:
			l.other(&f)
		}
		f.Loaded = unitsOf(f.Text, f.Pieces)
		if f.State == Whole {
			f.Loaded = f.Chars
		}
		if f.Presence == There {
			f.Lost = lost(f.Text, f.Pieces)
		}
		l.left -= f.Loaded
		out = append(out, f)
	}
	return out
}

func countLines(text []byte) int {
	n := strings.Count(string(text), "\n")
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// OwnLimit is the most that a host loads of a file, whatever the others take; 0 is
// no limit.
func OwnLimit(h memory.Host, name string) int {
	if name == "USER.md" && h.UserChars > 0 && (h.FileChars == 0 || h.UserChars < h.FileChars) {
		return h.UserChars
	}
	return h.FileChars
}

type loader struct {
	host    memory.Host
	left    int // of the total, if there is one
	stopped bool
}

func (l *loader) openclaw(f *File) {
	limited := l.host.TotalChars > 0
	if limited && l.left <= 0 {
		l.stopped = true
	}
	switch {
	case f.Presence == Absent:
		l.absent(f)
		return
	case f.Presence == Unreadable:
		f.State, f.Approx = Unread, true
		if !l.stopped {
			f.Pieces = l.within(f.Text, []Piece{{Text: "[UNREADABLE: workspace file could not be read]"}})
		}
		return
	case l.stopped, limited && l.left < minLeft:
		l.stopped, f.State = true, Dropped
		f.Limit = max(l.left, 0)
		return
	}
	f.Limit = OwnLimit(l.host, f.Name)
	if limited && (f.Limit == 0 || l.left < f.Limit) {
		f.Limit = l.left
	}
	text := doc.TrimEnd(f.Text)
	if f.Limit == 0 || f.Chars <= f.Limit {
		f.State = Whole
		f.Pieces = joined("", Piece{To: len(text)})
		f.Near = near(f.Chars, f.Limit)
		return
	}
	f.State = Cut
	switch {
	case l.host.Name == memory.OpenClawClassic:
		f.Pieces = l.within(f.Text, cutClassic(f.Name, text, f.Limit))
	case f.Name == "AGENTS.md":
		f.Approx = true
		f.Pieces = cutRules(f.Name, text, f.Limit)
	default:
		f.Pieces = cutOpenClaw(f.Name, text, f.Limit)
	}
}

// within cuts what is more than the total leaves.
func (l *loader) within(text []byte, pieces []Piece) []Piece {
	if l.host.TotalChars == 0 {
		return pieces
	}
	mark := "…"
	if l.left <= 3 {
		mark = ""
	}
	return clamp(text, pieces, l.left, mark)
}

func (l *loader) absent(f *File) {
	if l.stopped || silent(l.host, f.Name) {
		f.State = Missing
		return
	}
	f.State = Marked
	f.Pieces = l.within(nil, []Piece{{Text: "[MISSING] Expected at: " + f.Path}})
}

// silent reports whether no line stands for a file when it is absent. OpenClaw
// drops BOOTSTRAP.md once the workspace is set up, without a word.
func silent(h memory.Host, name string) bool {
	if h.Name == memory.OpenClawClassic {
		return name == "MEMORY.md"
	}
	return name == "MEMORY.md" || name == "USER.md" || name == "BOOTSTRAP.md"
}

// other loads for the hosts that know no limit but that of the index.
func (l *loader) other(f *File) {
	switch f.Presence {
	case Absent:
		f.State = Missing
		return
	case Unreadable:
		f.State = Unread
		return
	case There:
	}
	f.State = Whole
	end := len(f.Text)
	if f.Name == "MEMORY.md" {
		end = l.index(f)
	}
	f.Pieces = joined("", Piece{To: end})
	if end < len(doc.TrimEnd(f.Text)) {
		f.State, f.Near = Cut, false
	}
}

// index is the byte at which the index of an auto-memory folder is cut: behind
// its last line, or the last whole character within the bytes.
func (l *loader) index(f *File) int {
	end := len(f.Text)
	if n := l.host.IndexLines; n > 0 {
		end = lineEnd(f.Text, n)
		f.Near = near(f.Lines, n)
	}
	if n := l.host.IndexBytes; n > 0 {
		f.Near = f.Near || near(len(f.Text), n)
		end = min(end, wholeChars(f.Text, n))
	}
	return end
}

// wholeChars is the end of the last character that lies within n bytes.
func wholeChars(text []byte, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for i := n; i > n-4 && i > 0; i-- {
		if text[i]&0xc0 != 0x80 {
			return i
		}
	}
	return n
}

func near(have, limit int) bool { return limit > 0 && have*100 >= limit*85 }
