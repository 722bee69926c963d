package merge

import (
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/contradiction"
)

// TestResolvedTwoWays: two people choose different versions of one contradiction; both
// stay, and wait for a choice again.
func TestResolvedTwoWays(t *testing.T) {
	t.Parallel()
	const mark = "<!-- claw:conflict id=642a062e kind=edit n=2 -->\n"
	const head, tail = "# P\n\n- alpha\n", "- omega\n"
	const v1, v2 = "- the port is 81\n", "- the port is 82\n"
	base := head + mark + v1 + v2 + tail
	merge := func(ours, theirs string) string {
		t.Helper()
		var out [2]string
		for i, in := range []Input{
			{Kind: Markdown, Base: []byte(base), Ours: []byte(ours), Theirs: []byte(theirs)},
			{Kind: Markdown, Base: []byte(base), Ours: []byte(theirs), Theirs: []byte(ours)},
		} {
			res, err := Three(in)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = string(res.Content)
		}
		if out[0] != out[1] {
			t.Errorf("one way %q, the other %q", out[0], out[1])
		}
		return out[0]
	}
	got := merge(head+v1+tail, head+v2+tail)
	marks := contradiction.Find([]byte(got))
	if len(marks) != 1 || marks[0].N != 2 || !strings.Contains(got, v1+v2) || !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
		t.Errorf("two ways: %q", got)
	}
	crlf := strings.ReplaceAll(merge(head+v1+tail, head+v2+tail), "\n", "\r\n")
	if !strings.Contains(crlf, strings.ReplaceAll(v1+v2, "\n", "\r\n")) {
		t.Errorf("CRLF: %q", crlf)
	}
	for _, tt := range []struct{ ours, theirs, want string }{
		{head + v1 + tail, head + v1 + tail, head + v1 + tail},
		{head + v1 + tail, base, head + v1 + tail},
		{head + tail, head + v2 + tail, head + tail},
	} {
		if got := merge(tt.ours, tt.theirs); got != tt.want {
			t.Errorf("%q and %q give %q", tt.ours, tt.theirs, got)
		}
	}
}

// TestResolvedKeepsAround: two choices between versions that have a comment, or are paragraphs, make the
// contradiction again that there was, and nothing goes with them.
func TestResolvedKeepsAround(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"<!-- id=1 -->\n- the port is 80\n- z\n", "<!-- id=1 -->\n- the port is 81\n- z\n", "<!-- id=1 -->\n- the port is 82\n- z\n"},
		{"# T\n\nthe port is 80\n\nz\n", "# T\n\nthe port is 81\n\nz\n", "# T\n\nthe port is 82\n\nz\n"},
	} {
		two := mustMerge(t, Markdown, []byte(c[0]), []byte(c[1]), []byte(c[2]))
		if n := len(contradiction.Find(two)); n != 1 {
			t.Fatalf("%d marks in %q", n, two)
		}
		got := both(t, Input{Kind: Markdown, Base: two, Ours: []byte(c[1]), Theirs: []byte(c[2])})
		if got != string(two) {
			t.Errorf("%q, and not again %q", got, two)
		}
		chosen, ok := contradiction.Resolve(two, contradiction.Find(two)[0].ID, func(v [][]byte) [][]byte { return v[1:] })
		if !ok || string(chosen) != c[2] {
			t.Errorf("the second of them: %q", chosen)
		}
	}
}
