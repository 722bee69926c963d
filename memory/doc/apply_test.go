package doc

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestApply3(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, base, ours, theirs, want string
		conflicts                      int
	}{
		{
			name: "neighbouring edits",
			base: "- a one\n- b one\n- c one\n", ours: "- a two\n- b one\n- c two\n", theirs: "- a one\n- b two\n- c one\n",
			want: "- a two\n- b two\n- c two\n",
		},
		{
			name: "edit beside a deletion",
			base: "- a one\n- b one\n- c one\n", ours: "- a one\n- c one\n", theirs: "- a two\n- b one\n- c two\n",
			want: "- a two\n- c two\n",
		},
		{
			name: "the same entry, other words", base: "- status: ok\n", ours: "- status: down\n", theirs: "- status: failing\n",
			want: "- status: down\n", conflicts: 1,
		},
		{name: "the same edit", base: "- a\n- x\n", ours: "- b\n- x\n- y\n", theirs: "- b\n- x\n", want: "- b\n- x\n- y\n"},
		{name: "deleted here, edited there", base: "- a one two three\n- b\n", ours: "- b\n", theirs: "- a one two four\n- b\n", want: "- b\n", conflicts: 1},
		{
			name: "edited here, deleted there", base: "- a one two three\n- b\n", ours: "- a one two four\n- b\n", theirs: "- b\n",
			want: "- a one two four\n- b\n", conflicts: 1,
		},
		{name: "deleted on both sides", base: "- a\n- b\n- c\n", ours: "- b\n- c\n- d\n", theirs: "- b\n", want: "- b\n- d\n"},
		{name: "both append, ours first", base: "- a\n", ours: "- a\n- ours\n", theirs: "- a\n- theirs\n", want: "- a\n- ours\n- theirs\n"},
		{name: "both append the same and more", base: "- a\n", ours: "- a\n- b\n- ours\n", theirs: "- a\n- b\n- theirs\n", want: "- a\n- b\n- ours\n- theirs\n"},
		{
			name: "a new section does not catch an entry of the old one",
			base: "# A\n- a\n", ours: "# A\n- a\n\n# B\n- b\n", theirs: "# A\n- a\n- more\n", want: "# A\n- a\n- more\n\n# B\n- b\n",
		},
		{
			name: "one new section from both sides",
			base: "# A\n", ours: "# A\n\n# S\n- x\n- ours\n\n# O\n- o\n", theirs: "# A\n\n# S\n- x\n- theirs\n", want: "# A\n\n# S\n- x\n- ours\n- theirs\n\n# O\n- o\n",
		},
		{name: "a nested item stays with its parent", base: "- a\n", ours: "- a\n- sibling\n", theirs: "- a\n  - child\n", want: "- a\n  - child\n- sibling\n"},
		{
			name: "the same words in two sections", base: "# A\n\n# B\n", ours: "# A\n\n# S1\n- x\n\n# B\n", theirs: "# A\n\n# S2\n- x\n\n# B\n",
			want: "# A\n\n# S1\n- x\n\n# S2\n- x\n\n# B\n",
		},
		{name: "paragraphs do not run together", base: "a\n", ours: "a\n\nours\n", theirs: "a\n\ntheirs\n", want: "a\n\nours\n\ntheirs\n"},
		{name: "paragraphs without a blank line anywhere", base: "# H\n", ours: "# H\nours\n", theirs: "# H\ntheirs\n", want: "# H\nours\n\ntheirs\n"},
		{name: "items stay together under a heading", base: "# H\n", ours: "# H\n\n- ours\n\n# I\n", theirs: "# H\n\n- theirs\n", want: "# H\n\n- ours\n- theirs\n\n# I\n"},
		{name: "items with blank lines between them", base: "- a\n\n- b\n", ours: "- a\n\n- b\n\n- c\n", theirs: "- a\n\n- b\n\n- d\n", want: "- a\n\n- b\n\n- c\n\n- d\n"},
		{name: "blank lines of one side", base: "- a\n- b\n- c\n", ours: "- a\n\n- b\n- c\n", theirs: "- a\n- b\n- c changed too\n", want: "- a\n\n- b\n- c changed too\n"},
		{
			name: "moved here, edited there",
			base: "# A\n- a long enough entry one\n# B\n- x\n", ours: "# A\n# B\n- x\n- a long enough entry one\n", theirs: "# A\n- a long enough entry two\n# B\n- x\n",
			want: "# A\n# B\n- x\n- a long enough entry two\n",
		},
		{
			name: "moved there, edited here",
			base: "# A\n- a long enough entry one\n# B\n- x\n", ours: "# A\n- a long enough entry two\n# B\n- x\n", theirs: "# A\n# B\n- x\n- a long enough entry one\n",
			want: "# A\n# B\n- x\n- a long enough entry two\n",
		},
		{
			name: "moved here, deleted there",
			base: "# A\n- a long enough entry one\n# B\n- x\n", ours: "# A\n# B\n- x\n- a long enough entry one\n", theirs: "# A\n# B\n- x\n",
			want: "# A\n# B\n- x\n",
		},
		{
			name: "moved on both sides: ours",
			base: "# A\n- a long enough entry one\n# B\n- x\n# C\n", ours: "# A\n# B\n- x\n- a long enough entry one\n# C\n", theirs: "# A\n# B\n- x\n# C\n- a long enough entry one\n",
			want: "# A\n# B\n- x\n- a long enough entry one\n# C\n",
		},
		{
			name: "a duplicate elsewhere does not confuse",
			base: "- twice the same entry\n- b\n- c\n", ours: "- twice the same entry\n- b\n- c\n- twice the same entry\n", theirs: "- twice the same thing\n- b\n- c\n",
			want: "- twice the same thing\n- b\n- c\n- twice the same entry\n",
		},
		{
			name: "a duplicate moved apart, one of them deleted",
			base: "# A\n- twice the same entry\n# B\n- twice the same entry\n- z\n", ours: "# A\n- twice the same entry\n# B\n- z\n- new\n", theirs: "# A\n- twice the same entry, edited\n# B\n- twice the same entry\n- z\n",
			want: "# A\n- twice the same entry, edited\n# B\n- z\n- new\n",
		},
		{
			name: "both wrote the place anew", base: "# A\n- old thing\n- second\n", ours: "# A\n- entirely\n- other\n- words\n", theirs: "# A\n- something\n- else\n- again\n- here\n",
			want: "# A\n- entirely\n- other\n- words\n", conflicts: 1,
		},
		{
			name: "both wrote the place anew, alike", base: "# A\n- old thing\n# B\n- b one\n", ours: "# A\n- x\n- y\n# B\n- b one\n", theirs: "# A\n- x\n- y\n# B\n- b two\n",
			want: "# A\n- x\n- y\n# B\n- b two\n",
		},
		{
			name: "conflict and the rest", base: "- a one\n- b one\n- c one\n", ours: "- a two\n- b one\n- c one\n- d\n", theirs: "- a three\n- b two\n- c one\n",
			want: "- a two\n- b two\n- c one\n- d\n", conflicts: 1,
		},
		{
			name: "CRLF kept, what comes from LF follows", base: "- a\n- b c one\n", ours: "- a\r\n- b c one\r\n- ours\r\n", theirs: "- a\n- b c two\n- theirs\n",
			want: "- a\r\n- b c two\r\n- ours\r\n- theirs\r\n",
		},
		{name: "line ends changed on one side", base: "- a\n- b one\n", ours: "- a\n- b two\n", theirs: "- a\r\n- b one\r\n", want: "- a\r\n- b two\r\n"},
		{name: "mixed line ends keep their bytes", base: "- a\r\n- b\n- c one\n", ours: "- a\r\n- b\n- c two\n", theirs: "- a\r\n- n\r\n- b\n- c one\n", want: "- a\r\n- n\r\n- b\n- c two\n"},
		{name: "last line without end", base: "- a", ours: "- a\n- ours", theirs: "- a\n- theirs", want: "- a\n- ours\n- theirs"},
		{name: "end added on one side", base: "- a\n- b", ours: "- a\n- b\n", theirs: "- a two\n- b", want: "- a two\n- b\n"},
		{name: "BOM and blank beginning", base: "\xef\xbb\xbf\n# A\n", ours: "\xef\xbb\xbf\n# A\n- x\n", theirs: "\xef\xbb\xbf\n# A\n\n# B\n", want: "\xef\xbb\xbf\n# A\n- x\n\n# B\n"},
		{name: "from nothing", base: "", ours: "- a\n- b\n", theirs: "- a\n- c\n", want: "- a\n- b\n- c\n"},
		{name: "each deletes what the other left", base: "- a\n- b\n", ours: "- b\n", theirs: "- a\n", want: ""},
		{name: "frontmatter added stays first", base: "# A\n", ours: "# New\n\n# A\n", theirs: "---\nname: x\n---\n# A\n", want: "---\nname: x\n---\n# New\n\n# A\n"},
		{
			name: "promotion comment goes with its bullet",
			base: "# P\n- a\n", ours: "# P\n- a\n<!-- openclaw-memory-promotion:k1 -->\n- one\n", theirs: "# P\n- a\n<!-- openclaw-memory-promotion:k2 -->\n- two\n",
			want: "# P\n- a\n<!-- openclaw-memory-promotion:k1 -->\n- one\n<!-- openclaw-memory-promotion:k2 -->\n- two\n",
		},
		{
			name: "undo of an older change, later ones kept",
			base: "# A\n- kept\n- added by the change\n- later\n", ours: "# A\n- kept, edited later\n- added by the change\n- later\n- latest\n", theirs: "# A\n- kept\n- later\n",
			want: "# A\n- kept, edited later\n- later\n- latest\n",
		},
	}
	for _, tt := range tests {
		got, conflicts := Apply3([]byte(tt.base), []byte(tt.ours), []byte(tt.theirs))
		if string(got) != tt.want || len(conflicts) != tt.conflicts {
			t.Errorf("%s: %d conflicts, want %d\ngot  %q\nwant %q", tt.name, len(conflicts), tt.conflicts, got, tt.want)
		}
	}
}

func TestConflictNamesTheEntry(t *testing.T) {
	t.Parallel()
	_, c := Apply3([]byte("# A\n- x\n- one two three\n"), []byte("# A\n- x\n- one two four\n"), []byte("# A\n- x\n- y\n- one two five\n"))
	if len(c) != 1 || c[0].Base.Line != 3 || c[0].Ours.Line != 3 || c[0].Theirs.Line != 4 || string(c[0].Theirs.Text()) != "- one two five" {
		t.Fatalf("conflicts %+v", c)
	}
	_, c = Apply3([]byte("- one two three\n- b\n"), []byte("- b\n"), []byte("- one two four\n- b\n"))
	if len(c) != 1 || c[0].Ours != nil || c[0].Theirs == nil {
		t.Fatalf("conflicts %+v", c)
	}
}

// TestApply3Identity runs the merge itself, without the short cuts for equal texts.
func TestApply3Identity(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(7))
	for range 4000 {
		base := randomText(rng)
		x := randomText(rng)
		if rng.Intn(3) > 0 {
			x = mutate(rng, base)
		}
		checkIdentity(t, base, x)
		checkIdentity(t, toCRLF(base), toCRLF(x))
	}
}

func checkIdentity(t *testing.T, base, x []byte) {
	t.Helper()
	if got, c := apply(base, base, x); !bytes.Equal(got, x) || len(c) > 0 {
		t.Fatalf("apply(base, base, x): %d conflicts\nbase %q\nx    %q\ngot  %q", len(c), base, x, got)
	}
	if got, c := apply(base, x, base); !bytes.Equal(got, x) || len(c) > 0 {
		t.Fatalf("apply(base, x, base): %d conflicts\nbase %q\nx    %q\ngot  %q", len(c), base, x, got)
	}
	if got, c := apply(base, x, x); !bytes.Equal(got, x) || len(c) > 0 {
		t.Fatalf("apply(base, x, x): %d conflicts\nbase %q\nx    %q\ngot  %q", len(c), base, x, got)
	}
}

func FuzzApply3(f *testing.F) {
	f.Add([]byte("- a\n- b\n"), []byte("- a\n- c\n"), []byte("# x\n- b"))
	f.Add([]byte("---\na: b\n---\n"), []byte("```\nx"), []byte("<!-- c -->\n- b\r\n"))
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		checkIdentity(t, base, ours)
		got, _ := Apply3(base, ours, theirs)
		again, _ := Apply3(base, ours, theirs)
		if !bytes.Equal(got, again) {
			t.Fatal("not deterministic")
		}
	})
}

// script edits a list of distinct entries and records what it did.
type script struct {
	entries     []string
	added, gone []string
	touched     map[int]bool // numbers of the base entries it edited or deleted
	edits       map[int]string
	name        string
	serial      int
}

func entryText(n int) string {
	return fmt.Sprintf("- entry number %d about topic t%d and its reason r%d", n, n, n)
}

func (s *script) run(rng *rand.Rand, base int, allowed func(int) bool) {
	s.touched, s.edits = make(map[int]bool), make(map[int]string)
	for n := range base {
		op := rng.Intn(5)
		if op > 1 || !allowed(n) {
			op = 2
		}
		// Beside an entry that the side deletes or edits an addition would read as its new text.
		if op == 2 && !s.touched[n-1] && rng.Intn(3) == 0 {
			s.serial++
			fresh := fmt.Sprintf("- %s wrote %d%s here z%d", s.name, s.serial, s.name, s.serial)
			s.entries, s.added = append(s.entries, fresh), append(s.added, fresh)
		}
		switch text := entryText(n); op {
		case 0:
			s.gone, s.touched[n] = append(s.gone, text), true
		case 1:
			edited := text + " edited by " + s.name
			s.entries, s.gone, s.touched[n] = append(s.entries, edited), append(s.gone, text), true
			s.added, s.edits[n] = append(s.added, edited), edited
		default:
			s.entries = append(s.entries, text)
		}
	}
}

func (s *script) text(sep string) []byte {
	return []byte(strings.Join(s.entries, "\n"+sep) + "\n")
}

// TestApply3HoldsEveryChange lets two sides edit other entries of one text, neighbours included: no
// conflict, every change of both in the result, the order of both kept. When both touched an entry in
// different ways, that is a conflict and nothing else is.
func TestApply3HoldsEveryChange(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(8))
	for round := range 3000 {
		n := 1 + rng.Intn(12)
		base := script{}
		for i := range n {
			base.entries = append(base.entries, entryText(i))
		}
		a, b := script{name: "ann"}, script{name: "bob"}
		a.run(rng, n, func(int) bool { return true })
		overlap := rng.Intn(3) == 0
		b.run(rng, n, func(i int) bool { return overlap || !a.touched[i] })
		sep := []string{"", "\n"}[rng.Intn(2)]
		got, conflicts := Apply3(base.text(sep), a.text(sep), b.text(sep))
		var want []int
		for i := range a.touched {
			if b.touched[i] && (a.edits[i] != "" || b.edits[i] != "") {
				want = append(want, i)
			}
		}
		if len(conflicts) != len(want) {
			t.Fatalf("round %d: %d conflicts, want %v\nbase %q\na %q\nb %q\ngot %q", round, len(conflicts), want, base.entries, a.entries, b.entries, got)
		}
		if len(want) > 0 {
			continue
		}
		lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(string(got), "\n"), "\n\n", "\n"), "\n")
		for _, s := range []script{a, b} {
			for _, text := range s.gone {
				if slices.Contains(lines, text) {
					t.Fatalf("round %d: %q is still there\n%q", round, text, lines)
				}
			}
			for _, text := range s.added {
				if !slices.Contains(lines, text) {
					t.Fatalf("round %d: %q is lost\n%q", round, text, lines)
				}
			}
			at := 0
			for _, text := range s.entries {
				if i := slices.Index(lines[at:], text); i >= 0 {
					at += i
				} else if slices.Contains(lines, text) {
					t.Fatalf("round %d: %q is out of order\n%q\n%q", round, text, s.entries, lines)
				}
			}
		}
	}
}

// bigNote returns a text of about 5 MB with 20,000 entries.
func bigNote(edit func(i int) string) []byte {
	const n = 20000
	pad := strings.Repeat("word and reason, ", 13)
	var b bytes.Buffer
	for i := range n {
		if i%10 == 0 {
			fmt.Fprintf(&b, "## %02d:%02d heartbeat\n", i/60%24, i%60)
		} else {
			fmt.Fprintf(&b, "- run %d %s%s\n", i, pad, edit(i))
		}
	}
	return b.Bytes()
}

// TestLargeTexts asserts on time only as far as to catch what is not near linear.
func TestLargeTexts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	every := func(n int, text string) func(int) string {
		return func(i int) string {
			if i%n == 1 {
				return text
			}
			return ""
		}
	}
	base := bigNote(every(1<<30, ""))
	line := bytes.Repeat([]byte("one line, "), 5<<20/10)
	flat := bytes.Repeat([]byte("- x\n- y\n\n"), 200000)
	same := bytes.Repeat([]byte("- no change\n"), 100000)
	tests := []struct {
		name               string
		base, ours, theirs []byte
	}{
		{"few edits", base, bigNote(every(1000, "ours")), bigNote(every(777, "theirs"))},
		{"every entry edited", base, bigNote(every(1, "ours")), bigNote(every(2, "theirs"))},
		{"written anew", base, bytes.ReplaceAll(base, []byte("r"), []byte("rr")), bytes.ReplaceAll(base, []byte("word"), []byte("xyzzy"))},
		{"one long line", line, append(line[:len(line):len(line)], "ours"...), append([]byte("theirs "), line...)},
		{"two words a thousand times", flat, append([]byte("- y\n"), flat...), append([]byte("- y\n- y\n- x\n"), flat...)},
		{"one entry a thousand times", same, same[:len(same)/2], append(same[:len(same):len(same)], "- more\n"...)},
		{"open fences and comments", bytes.Repeat([]byte("<!-- x\n- a\n"), 100000), bytes.Repeat([]byte("```\n<!-- \n\n"), 100000), bytes.Repeat([]byte("- \n\n  \n"), 100000)},
	}
	for _, tt := range tests {
		start := time.Now()
		got, _ := Apply3(tt.base, tt.ours, tt.theirs)
		Diff(tt.base, tt.ours)
		if len(got) == 0 {
			t.Errorf("%s: empty result", tt.name)
		}
		took := time.Since(start)
		t.Logf("%s: %d bytes in %v", tt.name, len(tt.base), took)
		if took > time.Minute {
			t.Errorf("%s took %v", tt.name, took)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	src := bigNote(func(int) string { return "" })
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Parse(src)
	}
}

func BenchmarkApply3(b *testing.B) {
	base := bigNote(func(int) string { return "" })
	ours := bigNote(func(i int) string { return strings.Repeat("ours", (i%1000)/999) })
	theirs := bigNote(func(i int) string { return strings.Repeat("theirs", (i%777)/776) })
	for b.Loop() {
		Apply3(base, ours, theirs)
	}
}
