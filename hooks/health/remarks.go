package health

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/skills"
)

const (
	// longLine is how many characters of one line a person reads to its end.
	longLine = 2000
	// remarkBytes is how large a text may be that is looked at while somebody waits.
	remarkBytes = 1 << 20
	// mostRemarks is how many of them anybody reads.
	mostRemarks = 8
)

// remarkScanner masks secrets in remarks.
var remarkScanner = sync.OnceValue(secret.New)

// Remarks tells what a person should know of a change before approving it, and may
// not see in a diff: text that is hidden (TXT-001 to 003), conflict markers, commands
// that run what they fetch (SKL-006), lines so long that their end is not read, and
// bytes that are no text. What the old text has too is not told. Each remark is one
// line that hides nothing and holds no secret, the gravest first; nil: nothing is
// strange. path is relative to the root; a nil text is one that is not there.
func Remarks(path string, old, new []byte) []string {
	if len(new) > remarkBytes || len(old) > remarkBytes {
		return []string{fmt.Sprintf("too large to be looked at: %d bytes", max(len(new), len(old)))}
	}
	if bytes.Equal(old, new) {
		return nil
	}
	var told []Finding
	known := map[string]int{}
	now := strange(path, new)
	if len(now) == 0 {
		return nil
	}
	was := Lines(old)
	for _, f := range strange(path, old) {
		known[whole(f, kindOf(f), was)]++
	}
	lines := Lines(new)
	for _, f := range now {
		k := whole(f, kindOf(f), lines)
		if known[k]--; known[k] < 0 {
			told = append(told, f)
		}
	}
	return phrase(told)
}

// kindOf tells the remarks apart that no check makes; a check's may name a line, which
// moves.
func kindOf(f Finding) string {
	if f.ID == "" {
		return f.Message
	}
	return ""
}

// strange finds what is to be told of a text.
func strange(rel string, text []byte) []Finding {
	out := newOut(map[string]int{"TXT-001": 0, "TXT-002": 1, "TXT-003": 2, "GIT-005": 3, "SKL-006": 4}, 0)
	// A NUL makes no difference to what a model reads around it.
	n := NewNote(File{Path: rel}, bytes.ReplaceAll(text, []byte{0}, []byte{'?'}))
	p := &peek{n: n, scanner: remarkScanner}
	p.unseen(out)
	conflicts(n, out)
	if isMarkdown(rel) {
		p.concealed(out)
	}
	if isScript(rel) || isSkillFile(rel) {
		addFetches(out, rel, fetchLines(n))
	}
	if isSkillFile(rel) {
		s := skills.Parse(n.Text, path.Dir(rel))
		addDenial(out, rel, s, denies(s, n))
	}
	list := out.sorted()
	for i, line := range Lines(text) {
		if chars := utf8.RuneCount(line); chars > longLine {
			list = append(list, Finding{Line: i + 1, Message: fmt.Sprintf("over %d characters in one line", longLine)})
		}
		if bytes.IndexByte(line, 0) >= 0 || !utf8.Valid(line) {
			list = append(list, Finding{Line: i + 1, Severity: Warning, Message: "bytes that are no text"})
		}
	}
	return list
}

// phrase writes findings down, those that differ by their line only as one.
func phrase(list []Finding) []string {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(remarkWeight(b), remarkWeight(a)), cmp.Compare(a.Line, b.Line))
	})
	var said []string
	at := map[string][]int{}
	for _, f := range list {
		text := f.Message
		if strings.HasPrefix(f.ID, "TXT-") {
			text += ": " + f.Actual
		}
		if at[text] == nil {
			said = append(said, text)
		}
		at[text] = append(at[text], f.Line)
	}
	var out []string
	for i, text := range said {
		if i == mostRemarks {
			return append(out, fmt.Sprintf("and %d more remarks", len(said)-i))
		}
		out = append(out, atLines(at[text])+": "+text)
	}
	return out
}

// remarkWeight: a finding without a severity of its own is as grave as its check,
// which are warnings and failures all; a line that is long is a remark only.
func remarkWeight(f Finding) int {
	if f.Severity == 0 && f.ID != "" {
		return Warning.weight()
	}
	return f.Severity.weight()
}

func atLines(lines []int) string {
	const most = 3
	if len(lines) == 1 {
		return fmt.Sprintf("line %d", lines[0])
	}
	var b strings.Builder
	b.WriteString("lines ")
	for i, line := range lines[:min(len(lines), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line)
	}
	if n := len(lines) - most; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	return b.String()
}
