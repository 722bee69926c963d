package merge

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                 string
		kind                 Kind
		base, one, two, want string
	}{
		{"tags", Lines, "a\nb\n", "a\nb\nd\n", "a\nb\nc\n", "a\nb\nc\nd\n"},
		{"a tag that was taken out", Lines, "a\nb\n", "b\n", "a\nb\nc\n", "b\nc\n"},
		{"no line end", Lines, "a", "a\nc", "a\nb", "a\nb\nc"},
		{"a line end at last", Lines, "a", "a\nc\n", "a\nb", "a\nb\nc\n"},
		{"twice on one side", Lines, "", "x\nx\n", "x\ny\n", "x\nx\ny\n"},
		{"tombstones", Lines, "", "h1 2026-05-02\n", "h0 2026-05-03\n", "h0 2026-05-03\nh1 2026-05-02\n"},
		{
			"by time", JSONLines, `{"ts":"2026-05-01T10:00:00Z"}` + "\n",
			`{"ts":"2026-05-01T10:00:00Z"}` + "\n" + `{"ts":"2026-05-01T12:00:00Z","m":1}` + "\n",
			`{"ts":"2026-05-01T10:00:00Z"}` + "\n" + `{"ts":"2026-05-01T13:00:00+02:00","m":2}` + "\n" + `{"ts":"2026-05-01T12:30:00Z","m":2}` + "\n",
			`{"ts":"2026-05-01T10:00:00Z"}` + "\n" + `{"ts":"2026-05-01T13:00:00+02:00","m":2}` + "\n" + `{"ts":"2026-05-01T12:00:00Z","m":1}` + "\n" + `{"ts":"2026-05-01T12:30:00Z","m":2}` + "\n",
		},
		{"by number", JSONLines, "", `{"at":1767225601}` + "\n", `{"at":1767225600500}` + "\n", `{"at":1767225600500}` + "\n" + `{"at":1767225601}` + "\n"},
		{"without a time", JSONLines, "", "{\"b\":1}\nnot json\n", "{\"a\":1}\n", "not json\n{\"a\":1}\n{\"b\":1}\n"},
		{"CRLF", JSONLines, "{}\r\n", "{}\r\n{\"b\":1}\r\n", "{}\r\n{\"a\":1}\r\n", "{}\r\n{\"a\":1}\r\n{\"b\":1}\r\n"},
		{
			"records", Records, "== 2026-05-01T10:00:00Z r-00000001\nCONTEXT: a\n",
			"== 2026-05-01T10:00:00Z r-00000001\nCONTEXT: a\n\n== 2026-05-01T12:00:00Z r-00000002\nCONTEXT: b\n",
			"== 2026-05-01T10:00:00Z r-00000001\nCONTEXT: a\n\n== 2026-05-01T11:00:00Z r-00000003\nCONTEXT: c\n\nCONTEXT: bare\n",
			"== 2026-05-01T10:00:00Z r-00000001\nCONTEXT: a\n\nCONTEXT: bare\n\n== 2026-05-01T11:00:00Z r-00000003\nCONTEXT: c\n\n== 2026-05-01T12:00:00Z r-00000002\nCONTEXT: b\n",
		},
		{"records without blank lines", Records, "", "== 2026-05-01T10:00:00Z r-1\nA: a\n== 2026-05-01T12:00:00Z r-2\nA: b\n", "== 2026-05-01T11:00:00Z r-3\nA: c\n", "== 2026-05-01T10:00:00Z r-1\nA: a\n\n== 2026-05-01T11:00:00Z r-3\nA: c\n\n== 2026-05-01T12:00:00Z r-2\nA: b\n"},
	} {
		got := both(t, Input{Kind: c.kind, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two)})
		if got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, c.want)
		}
		for _, side := range []string{c.one, c.two} {
			if again := both(t, Input{Kind: c.kind, Base: []byte(c.base), Ours: []byte(side), Theirs: []byte(got)}); again != got {
				t.Errorf("%s: merged again\n%q\nwant\n%q", c.name, again, got)
			}
		}
	}
}

// TestSetsOfThree: sets are united the same whatever comes first.
func TestSetsOfThree(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		kind := []Kind{Lines, JSONLines, Records}[r.IntN(3)]
		draw := func(from []string) []byte {
			var b bytes.Buffer
			for _, l := range from {
				if r.IntN(5) > 0 {
					b.WriteString(l)
				}
			}
			for range r.IntN(4) {
				switch n := r.IntN(30); kind {
				case Records:
					fmt.Fprintf(&b, "== 2026-05-02T10:00:%02dZ r-%08x\nA: %d\n\n", n, n, n)
				case JSONLines:
					fmt.Fprintf(&b, "{\"time\":\"2026-05-02T10:00:%02dZ\"}\n", n)
				default:
					fmt.Fprintf(&b, "tag-%d\n", n)
				}
			}
			return b.Bytes()
		}
		o := draw(nil)
		var old []string
		for _, rec := range records(o) {
			old = append(old, string(rec))
		}
		if kind != Records {
			old = strings.SplitAfter(string(o), "\n")
		}
		a, b, c := draw(old), draw(old), draw(old)
		one := mustMerge(t, kind, o, mustMerge(t, kind, o, a, b), c)
		two := mustMerge(t, kind, o, a, mustMerge(t, kind, o, c, b))
		if !bytes.Equal(one, two) {
			t.Fatalf("kind %d: %q %q %q %q\n%q\n%q", kind, o, a, b, c, one, two)
		}
	}
}
