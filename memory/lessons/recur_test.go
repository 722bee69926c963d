package lessons

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	at := func(hours ...int) (out []time.Time) {
		for _, h := range hours {
			out = append(out, time.Date(2026, 5, 1, h, 0, 0, 0, time.UTC))
		}
		return out
	}
	for _, c := range []struct {
		times []time.Time
		want  bool
	}{
		{at(0, 24, 7*24), true},
		{at(7*24, 0, 24), true}, // in any order
		{at(0, 24, 7*24+1), false},
		{at(0, 24), false},
		{at(0, 200, 24*8, 24*9), true}, // the later ones
		{nil, false},
	} {
		if got := Within(c.times, 3, 7); got != c.want {
			t.Errorf("%v: %v", c.times, got)
		}
	}
	if Within(at(0, 0, 0), 0, 7) {
		t.Error("no times at all are not often")
	}
}

// pieces that files are made of at random.
var filePieces = []string{
	"# T\n", "\n", "- 2026-05-02T08:00:00Z [LRN-20260502-abc] key=deps.x Some Lesson\n", "- plain\n", "text\n", "  more\n", "```\n", "~~~\n", "<!-- c\n", "-->\n",
	"- * x\n", "---\n", "- \n", "<div>\n", "* [ERR-20260502-00z] ÉTÉ  was hot!\n", "- a\r\n", "## [LRN-20260401-q1q] x\n\n**Status**: pending\n\nWords of it\nin two lines\n", "\t- in\n", "   - x\n",
}

func randomFile(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range r.IntN(7) {
		b.WriteString(filePieces[r.IntN(len(filePieces))])
	}
	if r.IntN(4) == 0 {
		return bytes.TrimRight(b.Bytes(), "\n")
	}
	return b.Bytes()
}

// TestShortWays: what is done without reading all of a file is the same as with it.
func TestShortWays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	e := Entry{ID: "LRN-20260503-zzz", Text: "new", Time: time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC)}
	short, known := 0, 0
	for range 20000 {
		src := randomFile(r)
		if _, ok := listEnd(src); ok {
			short++
		}
		if got, want := Append(src, e), doc.AppendLines(src, []string{OneLine(e)}); !bytes.Equal(got, want) {
			t.Fatalf("of %q\ngot  %q\nwant %q", src, got, want)
		}
		for _, text := range []string{"some lesson", "été was hot", "words of it in two lines", "another"} {
			byText, byKey := Parse(src).Known("deps.x", text)
			if byText >= 0 || byKey >= 0 {
				known++
				if !MayKnow(src, "deps.x", text) {
					t.Fatalf("%q is in %q", text, src)
				}
			}
		}
		f := Parse(src)
		for i := range f.Entries {
			if again := Find(src, &f.Entries[i]); again == nil || again.Line != f.Entries[i].Line || again.start != f.Entries[i].start || again.body != f.Entries[i].body || again.Text != f.Entries[i].Text {
				t.Fatalf("entry %+v of %q is found as %+v", f.Entries[i], src, again)
			}
		}
	}
	if short < 100 || known < 100 {
		t.Errorf("only %d short ways, %d known", short, known)
	}
	if MayKnow([]byte(strings.Repeat("- x\n", 9)), "deps.y", "something") {
		t.Error("nothing there can be known")
	}
}
