package merge

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/daily"
)

// FuzzThree: no input makes a merge fail, swapped sides give the same bytes, and what one side wrote
// anew is in the result, but for values that are chosen from: fields, and what JSON holds.
func FuzzThree(f *testing.F) {
	for _, s := range [][3]string{
		{"# T\n\n- a\n", "# T\n\n- a\n- b\n", "# T\n\n- a\n- 10:00 c\n"},
		{"- the port is 80\n", "- the port is 81\n", "<!-- claw:conflict id=0a1b2c3d kind=edit n=2 -->\n- the port is 82\n- the port is 83\n"},
		{"---\na: 1\n---\n", "\xef\xbb\xbf---\na: 2\n---\r\n- x", "---\nb: 1\n---\n\n```\nopen\n"},
		{"a\n\n    b\n", "1. a\n   - b\n\n     c\n", "<!-- c\n-->\ntext\n===\n> q\n"},
		{"- a\n\nUpdated: 1\nDecisions: b\nSignal: c\nOpen: d\n", "Updated: 2\nDecisions: b; x\nSignal: c\nOpen: none\n", "- z\n\nUpdated: 2\nDecisions: b\nSignal: c\nOpen: none\n\n- tail\n"},
		{"- 2026-05-02T09:10:00Z [ERR-20260502-k3f] x\n", "- 2026-05-02T09:10:00Z [ERR-20260502-k3f] seen=a,b x\n", "## [ERR-20260502-k3f] y\n\n**Status**: resolved\n\n---\n"},
		{`{"a":1}`, `{"a":{"b":[1,2]},"c":"\""}`, "{\n \"a\" : {\"b\":null}\n}\n"},
		{"== 2026-05-02T09:10:00Z r-1\nA: b\n", "{\"ts\":1}\n\n{\"ts\":2}", "== x\n\n\n"},
	} {
		for kind := Markdown; kind <= Derived; kind++ {
			f.Add(uint8(kind), []byte(s[0]), []byte(s[1]), []byte(s[2]))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, o, a, b []byte) {
		in := Input{Kind: Kind(kind) % (Derived + 1), Base: o, Ours: a, Theirs: b}
		got, err := Three(in)
		swapped, err2 := Three(Input{Kind: in.Kind, Base: o, Ours: b, Theirs: a})
		if (err == nil) != (err2 == nil) || !bytes.Equal(got.Content, swapped.Content) {
			t.Fatalf("%q and, swapped, %q", got.Content, swapped.Content)
		}
		switch {
		case err != nil, in.Kind == Derived:
		case in.Kind == JSON:
			if bytes.Equal(a, b) || bytes.Equal(o, a) || bytes.Equal(o, b) {
				return
			}
			if !json.Valid(got.Content) {
				t.Fatalf("not JSON: %q", got.Content)
			}
		default:
			checkKept(t, in, got.Content)
		}
	})
}

// checkKept fails when a line that one side wrote anew is not in the result.
func checkKept(t *testing.T, in Input, got []byte) {
	t.Helper()
	set := func(text []byte) map[string]bool {
		out := make(map[string]bool)
		for _, l := range strings.Split(string(text), "\n") {
			out[strings.Trim(strings.TrimPrefix(l, "\ufeff"), " \t\r\v\f")] = true
		}
		return out
	}
	old, have := set(in.Base), set(got)
	var chosen []byte // from frontmatters and closure blocks
	for _, text := range [][]byte{in.Base, in.Ours, in.Theirs} {
		if in.Kind != Lines && in.Kind != JSONLines && in.Kind != Records {
			m := merger{in: in, pool: newPool(), sets: make(map[int][]uint64)}
			if es := m.parse(text).entries; len(es) > 0 && es[0].rank == rankFront {
				chosen = append(append(chosen, es[0].raw...), '\n')
			}
			if n := readNote(text); n.closed {
				chosen = append(append(chosen, n.block...), '\n')
			}
		}
	}
	skip := set(chosen)
	for _, side := range [][]byte{in.Ours, in.Theirs} {
		for l := range set(side) {
			switch {
			case l == "" || old[l] || have[l] || skip[l], strings.Contains(l, "<!--"), in.Kind == Lessons && strings.Contains(l, "["):
				continue
			}
			if _, ok := readField(l); ok || inCells(l, got) {
				continue
			}
			t.Fatalf("%q is lost:\n%q\n%q\n%q\n%q", l, in.Base, in.Ours, in.Theirs, got)
		}
	}
}

// inCells reports whether all cells of a row of a table are there: it may have got others of the other side.
func inCells(row string, text []byte) bool {
	if !strings.Contains(row, "|") {
		return false
	}
	for _, c := range cells([]byte(row)) {
		if !bytes.Contains(text, bytes.TrimSpace(c)) {
			return false
		}
	}
	return true
}

// FuzzOrder: the total order is one.
func FuzzOrder(f *testing.F) {
	f.Add("- 10:00 x", "- 2026-05-02T10:00:00.5+02:00 y", "12. [x] **2026/05/02** z")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		x, y, z := orderOf([]byte(a)), orderOf([]byte(b)), orderOf([]byte(c))
		if compareOrder(x, y) != -compareOrder(y, x) || (compareOrder(x, y) == 0) != (a == b) {
			t.Fatalf("%q and %q", a, b)
		}
		if compareOrder(x, y) < 0 && compareOrder(y, z) < 0 && compareOrder(x, z) >= 0 {
			t.Fatalf("%q, %q, %q", a, b, c)
		}
	})
}

// FuzzNote: a daily note is its parts, whatever stands where.
func FuzzNote(f *testing.F) {
	f.Add([]byte("- a\n\nUpdated: 1\nDecisions: b\nSignal: c\nOpen: d\n- tail"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := readNote(text)
		if n.closed && bytes.HasSuffix(text, n.after) && len(n.before) > 0 {
			if _, _, ok := daily.FindClosure(n.block); !ok {
				t.Fatalf("%q is no block", n.block)
			}
		}
	})
}
