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
