package section

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

const note = "# Top\nintro\n\n## 🛠 Tools\n- a\n\n### Sub\n- b\n\n## Tools\n- c\n"

func TestFind(t *testing.T) {
	t.Parallel()
	d := doc.Parse([]byte(note))
	if i := ByTitle(d, "nothing", "tools."); i == None || d.Entries[i].Line != 4 {
		t.Errorf("by title: %d", i)
	}
	for anchor, line := range map[string]int{"top": 1, "-tools": 4, "tools": 10, "sub": 7} {
		if i := ByAnchor(d, anchor); i == None || d.Entries[i].Line != line {
			t.Errorf("by anchor '%s': %d", anchor, i)
		}
	}
	twice := doc.Parse([]byte("## A\n## a\n## A\n"))
	for i, want := range []string{"a", "a-1", "a-2"} {
		if got := Anchor(twice, i); got != want || !twice.Anchors()[want] {
			t.Errorf("anchor %d is '%s'", i, got)
		}
	}
	if ByAnchor(d, "none") != None || ByTitle(d, "none") != None {
		t.Error("found what is not there")
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	d := doc.Parse([]byte(note))
	i := ByAnchor(d, "-tools")
	want := strings.Replace(note, "- a\n", "- a\n- new\n", 1)
	if got := string(Add(d, i, []string{"- new"})); got != want {
		t.Errorf("add: %q", got)
	}
	want = strings.Replace(note, "- a\n", "\n- new\n", 1)
	if got := string(Replace(d, i, []string{"- new"})); got != want {
		t.Errorf("replace: %q", got)
	}
	want = strings.Replace(note, "## Tools\n- c\n", "## Tools\n\n- new\n", 1)
	if got := string(Replace(d, ByAnchor(d, "tools"), []string{"- new"})); got != want {
		t.Errorf("replace the last: %q", got)
	}
	host := note + "\n## " + HostPromoted + " (2026-05-01)\n- theirs\n"
	text, anchor := New([]byte(host), "Tools", []string{"- new"})
	if want = note + "\n## Tools\n\n- new\n\n## " + HostPromoted + " (2026-05-01)\n- theirs\n"; string(text) != want || anchor != "tools-1" {
		t.Errorf("new: %s %q", anchor, text)
	}
}

var pieces = []string{"# T\n", "## A\n", "- a\n", "  b\n", "\n", "text\n", "```\n# no\n```\n", "```\nopen\n", "A\n===\n", "<!-- c -->\n", "- x\r\n", "### A\r\n"}

// TestOthersStay: all bytes outside of the section stay, for any text.
func TestOthersStay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	replaced := 0
	for range 20000 {
		var b bytes.Buffer
		for range r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		src := b.Bytes()
		d := doc.Parse(src)
		i := ByTitle(d, "A")
		if i == None {
			continue
		}
		head, rest := src[:d.Entries[i].End], src[End(d, i):]
		for _, got := range [][]byte{Add(d, i, []string{"- new"}), Replace(d, i, []string{"- new"})} {
			if !bytes.HasPrefix(got, bytes.TrimRight(head, "\r\n")) || !bytes.HasSuffix(got, rest) || bytes.Count(got, []byte("- new")) != 1 {
				t.Fatalf("of %q\ngot %q", src, got)
			}
			again := doc.Parse(got)
			if j := ByTitle(again, "A"); j != i || !bytes.Contains(Body(again, j), []byte("- new")) {
				t.Fatalf("of %q\n%q is not below its heading", src, got)
			}
		}
		replaced++
	}
	if replaced < 1000 {
		t.Error(replaced)
	}
}
