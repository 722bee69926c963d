package prefs

import (
	"errors"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Line is what was learned, as one line (SPEC SI-11):
//
//	[<context>] "<pattern>" -> "<preference>"
type Line struct {
	Context    string // words of [a-z0-9_.-], parted by colons
	Pattern    string // what was done
	Preference string // what is wanted instead
}

// ErrLine: a text has not the form of a line.
var ErrLine = errors.New(`it is not '[<context>] "<pattern>" -> "<preference>"'`)

// ParseLine reads a line. The quotes may be missing, and `→` is read as `->`.
func ParseLine(text string) (Line, error) {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "[")
	if !ok {
		return Line{}, ErrLine
	}
	context, rest, ok := strings.Cut(rest, "]")
	if !ok || !IsContext(context) {
		return Line{}, ErrLine
	}
	pattern, rest, ok := words(strings.TrimLeft(rest, " \t"))
	if !ok {
		return Line{}, ErrLine
	}
	preference, rest, _ := words(rest)
	if pattern == "" || preference == "" || strings.TrimSpace(rest) != "" {
		return Line{}, ErrLine
	}
	return Line{context, pattern, preference}, nil
}

// words reads one side of the arrow; arrow reports that one stands behind it.
func words(text string) (side, rest string, arrow bool) {
	if strings.HasPrefix(text, `"`) {
		var b strings.Builder
		for i := 1; i < len(text); i++ {
			switch c := text[i]; {
			case c == '\\' && i+1 < len(text):
				i++
				b.WriteByte(text[i])
			case c != '"':
				b.WriteByte(c)
			default:
				rest := strings.TrimLeft(text[i+1:], " \t")
				if after, ok := cutArrow(rest); ok {
					return b.String(), after, true
				}
				return b.String(), rest, false
			}
		}
	}
	for i := range text {
		if after, ok := cutArrow(text[i:]); ok {
			return strings.TrimSpace(text[:i]), after, true
		}
	}
	return strings.TrimSpace(text), "", false
}

func cutArrow(s string) (rest string, ok bool) {
	for _, a := range []string{"->", "→"} {
		if rest, ok = strings.CutPrefix(s, a); ok {
			return strings.TrimLeft(rest, " \t"), true
		}
	}
	return s, false
}

// IsContext recognises the words of a context.
func IsContext(s string) bool {
	for word := range strings.SplitSeq(s, ":") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return !strings.ContainsRune("_.-", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z')
		}) {
			return false
		}
	}
	return true
}

// String writes the line with quotes and escapes.
func (l Line) String() string {
	return "[" + l.Context + "] " + quote(l.Pattern) + " -> " + quote(l.Preference)
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// quote writes words on one line.
func quote(s string) string {
	return `"` + escapes.Replace(strings.Join(strings.Fields(s), " ")) + `"`
}

// ID is the id of the candidate that a line makes: the same correction is the same candidate on every
// machine (SPEC SI-13).
func (l Line) ID() string {
	return "cand-" + hexOf(12, doc.Normalise(l.Context), doc.Normalise(l.Pattern), doc.Normalise(l.Preference))
}
