package health

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
)

// ownFamily looks for facts that have two homes, or the wrong one (SPEC OM-15).
func ownFamily() Family {
	om := on(memory.OpenClawMemory)
	return Family{
		Name: "homes",
		Checks: []Check{
			{
				ID: "OWN-001", Severity: Failure, Profiles: om, Rule: "OM-15", Meaning: "a fact has one home",
				Fix: "keep it where it belongs, and take it out of the other file",
			},
			{
				ID: "OWN-002", Severity: Warning, Profiles: om, Rule: "OM-15", Meaning: "addresses are in memory/semantic/infrastructure.md, closure blocks in daily notes",
				Fix: "move it to its home",
			},
		},
		Look:  Over(isTagged, readFacts, judgeFacts),
		Whole: whenAny(isTagged),
		Enter: intoWarm,
	}
}

// ownFact is where a fact stands.
type ownFact struct {
	hash [16]byte // of its normalised text
	line int
	end  int
}

const infrastructure = "memory/semantic/infrastructure.md"

func readFacts(_ *Run, n *Note, out *Out) []ownFact {
	var facts []ownFact
	for i := range n.Doc().Entries {
		e := &n.Doc().Entries[i]
		if text := factOf(e); text != "" {
			sum := sha256.Sum256([]byte(text))
			facts = append(facts, ownFact{[16]byte(sum[:16]), e.OwnLine, e.EndLine})
		}
		if n.Path != infrastructure && (e.Kind == doc.Item || e.Kind == doc.Paragraph) {
			judgeAddresses(n, e, out)
		}
	}
	if _, at, ok := daily.FindClosure(n.Text); ok {
		out.Add(Finding{
			ID: "OWN-002", Path: n.Path, Line: 1 + bytes.Count(n.Text[:at], []byte("\n")), Message: "a closure block, which belongs to a daily note",
			Expected: "none", Actual: "a closure block",
		})
	}
	return facts
}

// factOf returns what an entry says, normalised, or "" when it is too short to be
// the same by more than chance: less than five words and less than ten characters
// of a script without spaces. Headers, tables and links from here to there are no
// facts.
func factOf(e *doc.Entry) string {
	if e.Kind != doc.Item && e.Kind != doc.Paragraph {
		return ""
	}
	text := strings.TrimSpace(string(e.OwnText()))
	for _, prefix := range []string{"#tags:", "last_", "> last_", "|", "<!--"} {
		if strings.HasPrefix(text, prefix) {
			return ""
		}
	}
	if e.Kind == doc.Item {
		text = strings.TrimLeft(text, "-*+0123456789.) \t")
		for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
			text = strings.TrimPrefix(text, box)
		}
	}
	const words, wide = 5, 10
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	if n < wide && len(strings.Fields(text)) < words {
		return ""
	}
	return doc.Normalise(text)
}

// judgeAddresses looks for addresses with a port in what people read: what stands
// in code is part of a command.
func judgeAddresses(n *Note, e *doc.Entry, out *Out) {
	if bytes.IndexByte(e.OwnText(), ':') < 0 {
		return
	}
	for i := e.OwnLine; i <= e.EndLine; i++ {
		if n.Fenced(i) {
			continue
		}
		if a := address(outsideCode(string(n.Line(i)))); a != "" {
			out.Add(Finding{
				ID: "OWN-002", Path: n.Path, Line: i, Message: "an address with a port, which belongs to " + infrastructure,
				Expected: "no address", Actual: a, Fix: "move it to " + infrastructure,
			})
		}
	}
}

// outsideCode leaves out what stands between backticks.
func outsideCode(line string) string {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 { // the last one is not closed
		parts = append(parts[:len(parts)-2], strings.Join(parts[len(parts)-2:], " "))
	}
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i] + " ")
	}
	return b.String()
}

// address returns the first IPv4 address with a port, "" when there is none.
func address(line string) string {
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ':' }) {
		word = strings.Trim(word, ".:")
		host, port, ok := strings.Cut(word, ":")
		if ok && isIPv4(host) && port != "" && len(port) <= 5 && strings.Trim(port, "0123456789") == "" {
			return word
		}
	}
	return ""
}

func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" || len(p) > 3 || len(p) == 3 && p > "255" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 4
}

func judgeFacts(_ context.Context, _ *Run, facts []Fact[[]ownFact], out *Out) error {
	type place struct {
		path string
		line int
	}
	first := map[[16]byte]place{}
	for _, f := range facts {
		for _, o := range f.Value {
			home, ok := first[o.hash]
			if !ok {
				first[o.hash] = place{f.File.Path, o.line}
				continue
			}
			if home.path != f.File.Path {
				out.Add(Finding{
					ID: "OWN-001", Path: f.File.Path, Line: o.line, EndLine: o.end, Message: fmt.Sprintf("the same stands in '%s', line %d", home.path, home.line),
					Expected: "one home", Actual: "two",
				})
			}
		}
	}
	return nil
}
