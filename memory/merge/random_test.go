package merge

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// world makes notes and lets machines work on them. Every entry it writes is the only one of its text.
type world struct {
	r    *rand.Rand
	n    int
	dull bool // no moves
	keep bool // no deletions
}

// block is an entry of a generated note.
type block struct {
	kind byte // h heading, i item, n nested item, p paragraph, f fence
	text string
}

// words are many enough that two entries are alike only when one was made of the other.
func (w *world) words(n int) string {
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za")
	out := make([]string, n)
	for i := range out {
		for range 2 + w.r.IntN(2) {
			out[i] += syllables[w.r.IntN(len(syllables))]
		}
	}
	return strings.Join(out, " ")
}

func (w *world) fresh(kind byte) block {
	w.n++
	body := fmt.Sprintf("e%d %s", w.n, w.words(3+w.r.IntN(5)))
	switch kind {
	case 'h':
		return block{kind, strings.Repeat("#", 2+w.r.IntN(2)) + " " + body}
	case 'i':
		if w.r.IntN(3) == 0 {
			body = fmt.Sprintf("%02d:%02d %s", w.r.IntN(24), w.r.IntN(60), body)
		}
		return block{kind, "- " + body}
	case 'n':
		return block{kind, "  - " + body}
	case 'f':
		return block{kind, "```\n" + body + "\n```"}
	}
	if w.r.IntN(3) == 0 {
		w.n++
		body += fmt.Sprintf("\ne%d %s\nlast of e%d", w.n, w.words(6), w.n)
	}
	return block{'p', body}
}

func (w *world) kind() byte { return "hiiiiiinnppf"[w.r.IntN(12)] }

func (w *world) note(size int) []block {
	out := []block{{'h', "# Note"}}
	for range size {
		out = append(out, w.freshBehind(out[len(out)-1]))
	}
	return out
}

// freshBehind makes an entry that can stand behind another one: nothing is nested in nothing.
func (w *world) freshBehind(b block) block {
	kind := w.kind()
	if kind == 'n' && b.kind != 'i' && b.kind != 'n' {
		kind = 'i'
	}
	return w.fresh(kind)
}

// work changes a note as one machine does in a while.
func (w *world) work(note []block, steps int) []block {
	note = slices.Clone(note)
	for range steps {
		i := 1 + w.r.IntN(len(note))
		switch op := w.r.IntN(12); {
		case op < 5:
			b := w.freshBehind(note[i-1])
			for w.keep && b.kind != 'i' && b.kind != 'n' && i < len(note) && note[i].kind == 'n' {
				i++ // what is nested stays below an item
			}
			note = slices.Insert(note, i, b)
		case op < 7:
			note = append(note, w.fresh('i'))
		case op < 9 && i < len(note):
			words := strings.Fields(note[i].text)
			if note[i].kind != 'p' && note[i].kind != 'f' && len(words) > 4 {
				w.n++
				note[i].text = strings.Replace(note[i].text, words[len(words)-1], fmt.Sprintf("v%d", w.n), 1)
			}
		case op < 11 && i < len(note) && len(note) > 3 && !w.keep:
			note = slices.Delete(note, i, i+1)
		case op == 11 && !w.dull && i < len(note):
			note = move(note, i, 1+w.r.IntN(len(note)-1))
		}
	}
	return note
}

// move puts a section, or another entry, elsewhere.
func move(note []block, from, to int) []block {
	end := from + 1
	if note[from].kind == 'h' {
		for end < len(note) && note[end].kind != 'h' {
			end++
		}
	}
	part := slices.Clone(note[from:end])
	rest := slices.Delete(slices.Clone(note), from, end)
	return slices.Insert(rest, min(to, len(rest)), part...)
}

func render(note []block) []byte {
	var b bytes.Buffer
	for i, e := range note {
		if e.kind == 'n' && i > 0 && note[i-1].kind != 'i' && note[i-1].kind != 'n' {
			e.text = strings.TrimSpace(e.text) // below nothing, it is an item like others
		}
		list := e.kind == 'i' || e.kind == 'n'
		if i > 0 && !(list && (note[i-1].kind == 'i' || note[i-1].kind == 'n')) {
			b.WriteByte('\n')
		}
		b.WriteString(e.text + "\n")
	}
	return b.Bytes()
}

func mustMerge(t testing.TB, kind Kind, o, a, b []byte) []byte {
	t.Helper()
	r, err := Three(Input{Kind: kind, Base: o, Ours: a, Theirs: b})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content
}

func lineCounts(text []byte) map[string]int {
	out := make(map[string]int)
	for _, l := range strings.Split(string(text), "\n") {
		if l = strings.TrimSpace(l); l != "" && l != "```" && !strings.HasPrefix(l, "<!-- claw:conflict ") {
			out[l]++
		}
	}
	return out
}

// checkLines holds a merge against what it must keep: what a side wrote is there once, what both have is
// there, and nothing else is.
func checkLines(t *testing.T, o, a, b, got []byte) {
	t.Helper()
	in, one, two, out := lineCounts(o), lineCounts(a), lineCounts(b), lineCounts(got)
	for l := range one {
		if (two[l] > 0 || in[l] == 0) && out[l] != 1 {
			t.Errorf("%q stands %d times", l, out[l])
		}
	}
	for l := range two {
		if in[l] == 0 && out[l] != 1 {
			t.Errorf("%q stands %d times", l, out[l])
		}
	}
	for l, n := range out {
		if one[l]+two[l] == 0 || n > 1 {
			t.Errorf("%q stands %d times, and %d and %d in the sides", l, n, one[l], two[l])
		}
	}
	if bytes.Contains(got, []byte("<<<<<<<")) || bytes.Contains(got, []byte(">>>>>>>")) {
		t.Error("conflict markers")
	}
	if t.Failed() {
		t.Fatalf("--- base\n%s--- one\n%s--- two\n%s--- merged\n%s", o, a, b, got)
	}
}

func newWorld(seed uint64) *world { return &world{r: rand.New(rand.NewPCG(seed, 7))} }

// short reports whether to take few seeds.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestRandomHistories: no line is lost or doubled, the sides may be swapped, and merging once more
// changes nothing.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	for seed := range seeds(2000) {
		w := newWorld(seed)
		w.dull = true
		o, a, b := w.fork()
		got := mustMerge(t, Markdown, o, a, b)
		checkLines(t, o, a, b, got)
		for name, again := range mergedAgain(t, o, a, b, got) {
			if !bytes.Equal(again, got) {
				t.Fatalf("seed %d, %s:\n--- base\n%s--- one\n%s--- two\n%s--- merged\n%s--- again\n%s", seed, name, o, a, b, got, again)
			}
		}
	}
}

// TestRandomMoves: the same where entries and sections move as well. Merging a result with one of its
// sides over their old base, which git does not do by itself, is then ambiguous now and then: what moved,
// and what stayed? Nothing may be lost there either.
func TestRandomMoves(t *testing.T) {
	t.Parallel()
	total, changed := seeds(2000), 0
	for seed := range total {
		w := newWorld(seed)
		o, a, b := w.fork()
		got := mustMerge(t, Markdown, o, a, b)
		checkLines(t, o, a, b, got)
		for name, again := range mergedAgain(t, o, a, b, got) {
			switch {
			case bytes.Equal(again, got):
			case name != "one side again" && name != "the other side again":
				t.Fatalf("seed %d, %s:\n--- base\n%s--- one\n%s--- two\n%s--- merged\n%s--- again\n%s", seed, name, o, a, b, got, again)
			default:
				changed++
				had := lineCounts(again)
				for l := range lineCounts(got) {
					if had[l] == 0 {
						t.Fatalf("seed %d: %q is lost when %s", seed, l, name)
					}
				}
			}
		}
	}
	if changed*50 > int(total) {
		t.Errorf("%d of %d histories change when they are merged again", changed, total)
	}
}

func (w *world) fork() (o, a, b []byte) {
	base := w.note(w.r.IntN(20))
	return render(base), render(w.work(base, 1+w.r.IntN(8))), render(w.work(base, 1+w.r.IntN(8)))
}

func mergedAgain(t *testing.T, o, a, b, got []byte) map[string][]byte {
	return map[string][]byte{
		"swapped":               mustMerge(t, Markdown, o, b, a),
		"one side again":        mustMerge(t, Markdown, o, a, got),
		"the other side again":  mustMerge(t, Markdown, o, got, b),
		"from one side":         mustMerge(t, Markdown, a, a, got),
		"the result and itself": mustMerge(t, Markdown, o, got, got),
	}
}

// TestThreeMachines: whatever is merged first, what three machines added and edited ends up in the same
// place. Where one deleted what stood between two additions of the others, their order can depend on
// it; the lines are the same ones.
func TestThreeMachines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		delete bool
		bound  int // of 1,000 histories that may differ
	}{{"additions and edits", false, 0}, {"deletions, too", true, 60}} {
		total, differ := seeds(1000), 0
		for seed := range total {
			w := newWorld(seed)
			w.dull, w.keep = true, !c.delete
			base := w.note(w.r.IntN(20))
			o := render(base)
			var side [3][]byte
			for i := range side {
				side[i] = render(w.work(base, 1+w.r.IntN(5)))
			}
			var results [3][]byte
			for i := range results {
				first := mustMerge(t, Markdown, o, side[i], side[(i+1)%3])
				results[i] = mustMerge(t, Markdown, o, first, side[(i+2)%3])
			}
			if bytes.Equal(results[0], results[1]) && bytes.Equal(results[1], results[2]) {
				continue
			}
			differ++
			if c.bound == 0 {
				t.Fatalf("seed %d\n--- base\n%s--- sides\n%s---\n%s---\n%s--- results\n%s---\n%s---\n%s", seed, o, side[0], side[1], side[2], results[0], results[1], results[2])
			}
		}
		t.Logf("%s: %d of %d differ", c.name, differ, total)
		if differ*1000 > c.bound*int(total) {
			t.Errorf("%s: %d of %d differ", c.name, differ, total)
		}
	}
}
