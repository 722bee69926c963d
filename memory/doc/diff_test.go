package doc

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

func describe(changes []Change) []string {
	var out []string
	for _, c := range changes {
		switch c.Kind {
		case Added:
			out = append(out, "+"+string(c.New.Text()))
		case Deleted:
			out = append(out, "-"+string(c.Old.Text()))
		case Edited:
			out = append(out, string(c.Old.Text())+" => "+string(c.New.Text()))
		case Moved:
			out = append(out, "~"+string(c.New.Text()))
		}
	}
	return out
}

func TestDiff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, old, new string
		want           []string
	}{
		{"equal", "# A\n- a\n", "# A\n- a\n", nil},
		{"blank lines and line ends are no change", "# A\n- a\n\n- b", "\n# A\r\n\r\n- a\r\n- b\r\n\r\n", nil},
		{"one item edited", "- deploy on port 80\n- b\n", "- deploy on port 8080\n- b\n", []string{"- deploy on port 80 => - deploy on port 8080"}},
		{"replaced by something else in its place", "- a\n- status: ok\n- b\n", "- a\n- quite different\n- b\n", []string{"- status: ok => - quite different"}},
		{"added and deleted", "- a\n- b\n- c\n", "- a\n- c\n- d\n", []string{"-- b", "+- d"}},
		{"deleted before added", "- alpha\n# H\n", "- beta\n- gamma\n# H\n", []string{"-- alpha", "+- beta", "+- gamma"}},
		{"moved", "# A\n- a long enough entry\n# B\n- x\n", "# A\n# B\n- x\n- a long enough entry\n", []string{"~- a long enough entry"}},
		{"short ones are not moved", "# A\n- y\n# B\n- x\n", "# A\n# B\n- x\n- y\n", []string{"-- y", "+- y"}},
		{
			"edited among additions", "- the gateway runs on host one\n", "- new one here\n- the gateway runs on host two\n- and another\n",
			[]string{"+- new one here", "- the gateway runs on host one => - the gateway runs on host two", "+- and another"},
		},
		{
			"CJK edit", "- 网关运行在第一台主机上\n- x\n", "- y y\n- 网关运行在第二台主机上\n- z z\n- x\n",
			[]string{"+- y y", "- 网关运行在第一台主机上 => - 网关运行在第二台主机上", "+- z z"},
		},
		{"kinds do not become each other", "text of a few words\n", "- text of a few words\n", []string{"-text of a few words", "+- text of a few words"}},
	}
	for _, tt := range tests {
		if got := describe(Diff([]byte(tt.old), []byte(tt.new))); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestDiffIsComplete rebuilds the multiset of new entries from the old ones and the changes.
func TestDiffIsComplete(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(2))
	for range 2000 {
		old, new := randomText(rng), randomText(rng)
		if rng.Intn(2) == 0 {
			new = mutate(rng, old)
		}
		checkDiff(t, old, new)
	}
}

func checkDiff(t *testing.T, old, new []byte) {
	t.Helper()
	count := make(map[string]int)
	add := func(e *Entry, n int) { count[string(toLF(e.Text()))] += n }
	a, b := Parse(old), Parse(new)
	for i := range a.Entries {
		add(&a.Entries[i], 1)
	}
	for _, c := range Diff(old, new) {
		if c.Old != nil && c.Kind != Moved {
			add(c.Old, -1)
		}
		if c.New != nil && c.Kind != Moved {
			add(c.New, 1)
		}
	}
	for i := range b.Entries {
		add(&b.Entries[i], -1)
	}
	for text, n := range count {
		if n != 0 {
			t.Fatalf("entry %q is off by %d\nold %q\nnew %q", text, n, old, new)
		}
	}
}

// mutate changes some lines of a text.
func mutate(rng *rand.Rand, src []byte) []byte {
	lines := SplitLines(src)
	for range 1 + rng.Intn(4) {
		at := rng.Intn(len(lines) + 1)
		fresh := []byte(fragments[rng.Intn(len(fragments))] + "\n")
		switch {
		case at == len(lines) || rng.Intn(3) == 0:
			lines = append(lines[:at:at], append([][]byte{fresh}, lines[at:]...)...)
		case rng.Intn(2) == 0:
			lines = append(lines[:at:at], lines[at+1:]...)
		default:
			lines[at] = fresh
		}
	}
	return bytes.Join(lines, nil)
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte("- a\n- b\n"), []byte("- b\n- a\n"))
	f.Fuzz(func(t *testing.T, old, new []byte) { checkDiff(t, old, new) })
}

func TestDiffTokensIsCorrectAndSmall(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(3))
	for n := range 3000 {
		alphabet := 1 + rng.Intn(6)
		a, b := randomTokens(rng, rng.Intn(20), alphabet), randomTokens(rng, rng.Intn(20), alphabet)
		hunks := diffTokens(a, b)
		checkHunks(t, a, b, hunks)
		cost := 0
		for _, h := range hunks {
			cost += h.a1 - h.a0 + h.b1 - h.b0
		}
		// Putting tokens aside and moving hunks must not cost anything at this size.
		if best := len(a) + len(b) - 2*lcs(a, b); cost != best {
			t.Fatalf("case %d: %d changes, %d would do: %v %v %v", n, cost, best, a, b, hunks)
		}
	}
}

func TestDiffTokensBounded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(4))
	for _, alphabet := range []int{1, 2, 3, 100, 20000} {
		a, b := randomTokens(rng, 20000, alphabet), randomTokens(rng, 21000, alphabet)
		checkHunks(t, a, b, diffTokens(a, b))
	}
}

func randomTokens(rng *rand.Rand, n, alphabet int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = rng.Intn(alphabet)
	}
	return s
}

// checkHunks fails unless everything between the hunks is equal and they are in order and apart.
func checkHunks(t *testing.T, a, b []int, hunks []hunk) {
	t.Helper()
	i, j := 0, 0
	for _, h := range append(hunks, hunk{len(a), len(a), len(b), len(b)}) {
		if h.a0-i != h.b0-j || h.a0 < i || h.a1 < h.a0 || h.b1 < h.b0 {
			t.Fatalf("hunk %v at %d, %d of %v", h, i, j, hunks)
		}
		for ; i < h.a0; i, j = i+1, j+1 {
			if a[i] != b[j] {
				t.Fatalf("tokens %d and %d differ outside the hunks", i, j)
			}
		}
		i, j = h.a1, h.b1
	}
}

func lcs(a, b []int) int {
	row := make([]int, len(b)+1)
	for i := range a {
		prev := 0
		for j := range b {
			next := row[j+1]
			if a[i] == b[j] {
				row[j+1] = prev + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			prev = next
		}
	}
	return row[len(b)]
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ old, new, want string }{
		{"", "", ""},
		{"same text", "same text", "=same text"},
		{"", "new", "+new"},
		{"deploy on port 80 now", "deploy on port 8080 now", "=deploy on port |-80|+8080|= now"},
		{"one two three", "one 2 3", "=one |-two three|+2 3"},
		{"记忆在这里", "记忆在那里", "=记忆在|-这|+那|=里"},
		{"caf\xe9 a", "caf\xe9 b", "=caf\xe9 |-a|+b"},
	}
	for _, tt := range tests {
		var got []string
		for _, s := range Words(tt.old, tt.new) {
			got = append(got, string("=-+"[s.Op])+s.Text)
		}
		if g := strings.Join(got, "|"); g != tt.want {
			t.Errorf("Words(%q, %q) = %q, want %q", tt.old, tt.new, g, tt.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("a b c", "a x c")
	f.Add("记忆\xff", "记\n忆")
	f.Fuzz(func(t *testing.T, old, new string) { checkWords(t, old, new) })
}

func checkWords(t *testing.T, old, new string) {
	t.Helper()
	var a, b strings.Builder
	last := Insert
	for i, s := range Words(old, new) {
		if s.Text == "" || (i > 0 && s.Op <= last && !(s.Op == Equal && last != Equal)) {
			t.Fatalf("span %d: %v after op %v", i, s, last)
		}
		last = s.Op
		if s.Op != Insert {
			a.WriteString(s.Text)
		}
		if s.Op != Delete {
			b.WriteString(s.Text)
		}
	}
	if a.String() != old || b.String() != new {
		t.Fatalf("spans give %q and %q, want %q and %q", a.String(), b.String(), old, new)
	}
}

func TestWordsRandom(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(5))
	for range 500 {
		old := randomText(rng)
		checkWords(t, string(old), string(mutate(rng, old)))
	}
}

// TestWordsBounded has a line of 5 MB on both sides, with two changes far apart.
func TestWordsBounded(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("some words, ", 400000)
	checkWords(t, "x "+line+"y", "z "+line+"w")
	var b strings.Builder
	for i := range 300000 {
		fmt.Fprintf(&b, "other %d ", i)
	}
	checkWords(t, line, b.String())
}
