package agent

import (
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/merge"
)

// TestUntangle: markers that do not nest, as git leaves them when it merges into a file
// that had some, are taken out, and no line with them.
func TestUntangle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{
			"interleaved",
			"- x\n<<<<<<< HEAD\n<<<<<<< HEAD\n- y C again\n=======\n- x\n=======\n- y A\n- y C\n>>>>>>> one\n>>>>>>> two\n- z\n",
			"- x\n- y C again\n- x\n- y A\n- y C\n- z\n",
		},
		{
			"what an inner one calls a base",
			"<<<<<<< HEAD\n- a\n<<<<<<< HEAD\n- b\n||||||| 1\n- typed\n=======\n- c\n>>>>>>> 2\n||||||| 3\n=======\n- d\n>>>>>>> 4\n",
			"- a\n- b\n- typed\n- c\n- d\n",
		},
		{"no middle", "# M\n\n<<<<<<< HEAD\n- a\n>>>>>>> feed\n- b\n", "# M\n\n- a\n- b\n"},
		{"one line twice", "<<<<<<< HEAD\n- a\n- b\n<<<<<<< x\n- b\n>>>>>>> y\n- c\n", "- a\n- b\n- c\n"},
		{"no end", "<<<<<<< HEAD\n- a\n=======\n- b\n", ""},
		{"in a fence", "```\n<<<<<<< HEAD\n- a\n>>>>>>> b\n```\n", ""},
		{"a heading's underline", "Title\n=======\n\n- a\n", ""},
	} {
		res, ok := Mend(merge.Markdown, []byte(c.text))
		if ok != (c.want != "") || ok && strings.TrimSpace(string(res.Content)) == "" {
			t.Errorf("%s: %v, %q", c.name, ok, res.Content)
			continue
		}
		if !ok {
			continue
		}
		got := string(res.Content)
		if tangled(res.Content) || strings.Contains(got, "claw:conflict") && !strings.Contains(c.want, "claw:conflict") || got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// FuzzUntangle: whatever stands between markers, no line that is none of them is lost, and
// none of them stays between the first and the last.
func FuzzUntangle(f *testing.F) {
	f.Add([]byte("- x\n<<<<<<< a\n<<<<<<< b\n- y\n=======\n- z\n>>>>>>> c\n=======\n>>>>>>> d\n"))
	f.Add([]byte("<<<<<<< a\n- q\n||||||| b\n```\n=======\n>>>>>>> c\n```\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, ok := untangle(text)
		if !ok {
			return
		}
		have := map[string]bool{}
		for l := range strings.Lines(string(out)) {
			have[strings.TrimSpace(l)] = true
		}
		for l := range strings.Lines(string(text)) {
			if markerOf([]byte(l)) == 0 && !have[strings.TrimSpace(l)] {
				t.Fatalf("%q is lost of %q: %q", l, text, out)
			}
		}
	})
}
