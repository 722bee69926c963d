package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestOverruled: what had to win is told, both values as they were written, whichever side is ours; and a
// person can take the other one, without another byte changing.
func TestOverruled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		kind           Kind
		base, one, two string
		path           string
		kept, lost     string
		taken          string // the result with the other value
	}{
		{"a scalar", JSON, `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":3,"b":1,"c":1}`, "a", "3", "2", `{"a":2,"b":1,"c":1}`},
		{"in depth", JSON, `{"a":{"x":{"y":"1"}}}`, `{"a":{"x":{"y":"2"}}}`, `{"a":{"x":{"y":null}}}`, "a/x/y", "null", `"2"`, `{"a":{"x":{"y":"2"}}}`},
		{"an object and a text", JSON, `{"a":{"x":1}}`, `{"a":"none"}`, `{"a":{"x":2}}`, "a", `{"x":2}`, `"none"`, `{"a":"none"}`},
		{"in a list of objects", JSON, `{"j":[{"id":"a","n":1}]}`, `{"j":[{"id":"a","n":2}]}`, `{"j":[{"id":"a","n":3}]}`, `j/id="a"/n`, "3", "2", `{"j":[{"id":"a","n":2}]}`},
		{"lists in two orders", JSON, `{"a":[1,2]}`, `{"a":[1,2,2]}`, `{"a":[2,1]}`, "a", "[2,1]", "[1,2,2]", `{"a":[1,2,2]}`},
		{"a key of a frontmatter", Markdown, "---\ntitle: a\n---\n\nx\n", "---\ntitle: b\n---\n\nx\n", "---\ntitle: c\n---\n\nx\n\ny\n", "title", "title: c", "title: b", "---\ntitle: b\n---\n\nx\n\ny\n"},
		{"lines of a frontmatter", Markdown, "---\na: 1\n---\n", "---\na: |\n  b\n  c\nz: 1\n---\n", "---\na: 2\n---\n", "a", "a: 2", "a: |\n  b\n  c", "---\na: |\n  b\n  c\nz: 1\n---\n"},
		{"CRLF", Markdown, "---\r\na: 1\r\n---\r\n", "---\r\na: |\r\n  b\r\n---\r\n", "---\r\na: 2\r\n---\r\n", "a", "a: 2", "a: |\n  b", "---\r\na: |\r\n  b\r\n---\r\n"},
		{"a frontmatter that nobody understands", Markdown, "---\na: 1\n---\n", "---\na: 1\na: 2\n---\n", "---\nb: 1\n---\n", "", "---\nb: 1\n---", "---\na: 1\na: 2\n---", "---\na: 1\na: 2\n---\n"},
		{"a candidate's pattern", Candidate, "---\npattern: a\nasks: 1\n---\n", "---\npattern: b\nasks: 2\n---\n", "---\npattern: c\nasks: 3\n---\n", "pattern", "pattern: c", "pattern: b", "---\npattern: b\nasks: 3\n---\n"},
	} {
		in := Input{Kind: c.kind, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two), Newer: func() int { return 1 }}
		swapped := in
		swapped.Ours, swapped.Theirs, swapped.Newer = in.Theirs, in.Ours, func() int { return -1 }
		for _, in := range []Input{in, swapped} {
			got, err := Three(in)
			if err != nil || len(got.Overruled) != 1 {
				t.Errorf("%s: %d overruled, %v: %s", c.name, len(got.Overruled), err, got.Content)
				continue
			}
			o := got.Overruled[0]
			if strings.Join(o.Path, "/") != c.path || string(o.Kept) != c.kept || string(o.Lost) != c.lost {
				t.Errorf("%s: %q: %q, not %q", c.name, o.Path, o.Kept, o.Lost)
			}
			if now, ok := ValueAt(c.kind, got.Content, o.Path); !ok || !SameValue(c.kind, now, o.Kept) {
				t.Errorf("%s: the result has %q", c.name, now)
			}
			if out, ok := WithValue(c.kind, got.Content, o.Path, o.Lost); !ok || string(out) != c.taken {
				t.Errorf("%s: with the other value %q", c.name, out)
			}
		}
	}
	for _, c := range []struct {
		kind Kind
		text string
		path []string
	}{
		{JSON, `{"a":1`, []string{"a"}},
		{JSON, `{"a":1}`, []string{"b"}},
		{JSON, `{"a":1}`, []string{"a", "b"}},
		{JSON, `{"a":[{"id":1}]}`, []string{"a", "id=2"}},
		{Markdown, "text\n", []string{"a"}},
		{Markdown, "---\nb: 1\n---\n", []string{"a"}},
	} {
		if v, ok := ValueAt(c.kind, []byte(c.text), c.path); ok {
			t.Errorf("%s has %q at %q", c.text, v, c.path)
		}
	}
	if _, ok := WithValue(JSON, []byte(`{"a":1}`), []string{"a"}, []byte("}")); ok {
		t.Error("a value that breaks the file was set")
	}
}

// TestFrontLists: lists of a frontmatter are sets, in both forms.
func TestFrontLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, base, one, two, want string }{
		{"inline", "tags: [a, b]", "tags: [a, b, c]", "tags: [b, d]", "tags: [b, c, d]"},
		{"a block", "tags:\n  - a", "tags:\n  - a\n  - c", "tags:\n  - a\n  - b", "tags:\n  - a\n  - b\n  - c"},
		{"a block without indent", "tags:\n- a", "tags:\n- a\n- c", "tags:\n- a\n- b", "tags:\n- a\n- b\n- c"},
		{"one side made it a block", "tags: [a]", "tags:\n  - a", "tags: [a, b]", "tags:\n  - a\n  - b"},
		{"both added it", "x: 1", "x: 1\ntags: [a]", "x: 1\ntags: [b]", "x: 1\ntags: [a, b]"},
		{"emptied", "tags: [a]", "tags: []", "tags: [a, b]", "tags: [b]"},
		{"quotes", `k: ["a, b", c]`, `k: ["a, b", c, 'd']`, `k: [c, "a, b", e]`, `k: [c, 'd', "a, b", e]`},
		{"words", "tags: a b", "tags: a b c", "tags: b d", "tags: b c d"},
		{"comments", "# one\nk: 1", "# one\n# two\nk: 1", "# one\n# three\nk: 2", "# one\n# three\n# two\nk: 2"},
		{"a stamp", "last_updated: 2026-01-01", "last_updated: 2026-01-03", "last_updated: 2026-01-02", "last_updated: 2026-01-03"},
	} {
		front := func(s string) []byte { return []byte("---\n" + s + "\n---\n\ntext\n") }
		in := Input{Kind: Markdown, Base: front(c.base), Ours: front(c.one), Theirs: front(c.two)}
		if got := both(t, in); got != string(front(c.want)) {
			t.Errorf("%s:\n%s", c.name, got)
		}
		if got, err := Three(in); err != nil || len(got.Overruled) != 0 {
			t.Errorf("%s: overruled %v %v", c.name, got.Overruled, err)
		}
	}
	for _, c := range [][3]string{
		{"k: [1, 2, 3]", "k: [3, 2, 1]", "k: [2, 1, 3]"},
		{"k: [a]", "k: [a, a]", "k: [a, b]"},
		{"k: [a]", "k: [{b: 1}]", "k: [a, c]"},
		{"k:\n  - a", "k:\n  - a\n  # why\n  - b", "k:\n  - a\n  - c"},
	} {
		got, err := Three(Input{Kind: Markdown, Base: []byte("---\n" + c[0] + "\n---\n"), Ours: []byte("---\n" + c[1] + "\n---\n"), Theirs: []byte("---\n" + c[2] + "\n---\n")})
		if err != nil || len(got.Overruled) != 1 {
			t.Errorf("%q: %v %v\n%s", c, got.Overruled, err, got.Content)
		}
	}
}

// TestRandomLists: lists of three machines, in JSON and in a frontmatter, whatever is merged first: what
// nobody took out is there once, and what was taken out is gone.
func TestRandomLists(t *testing.T) {
	t.Parallel()
	write := map[Kind]func([]string) []byte{
		JSON: func(l []string) []byte {
			b, err := json.Marshal(map[string][]string{"list": l})
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
		Markdown: func(l []string) []byte { return []byte("---\nlist: [" + strings.Join(l, ", ") + "]\n---\n") },
	}
	for seed := range seeds(1500) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 0
		fresh := func() string { n++; return fmt.Sprintf("e%02d-%d.", r.IntN(90), n) }
		base := make([]string, r.IntN(5))
		for i := range base {
			base[i] = fresh()
		}
		var sides [3][]string
		gone := map[string]bool{}
		all := slices.Clone(base)
		for i := range sides {
			sides[i] = slices.Clone(base)
			for range r.IntN(4) {
				switch at := r.IntN(len(sides[i]) + 1); {
				case r.IntN(3) > 0:
					e := fresh()
					all = append(all, e)
					sides[i] = slices.Insert(sides[i], at, e)
				case at < len(sides[i]) && slices.Contains(base, sides[i][at]):
					gone[sides[i][at]] = true
					sides[i] = slices.Delete(sides[i], at, at+1)
				}
			}
		}
		for kind, as := range write {
			o := as(base)
			for i := range sides {
				a, b, c := as(sides[i]), as(sides[(i+1)%3]), as(sides[(i+2)%3])
				first := mustMerge(t, kind, o, a, b)
				for _, got := range [][]byte{mustMerge(t, kind, o, b, a), mustMerge(t, kind, o, a, first), mustMerge(t, kind, o, first, b)} {
					if !bytes.Equal(bytes.ReplaceAll(got, []byte(" "), nil), bytes.ReplaceAll(first, []byte(" "), nil)) {
						t.Fatalf("seed %d: %s, %s and %s: %s and then %s", seed, o, a, b, first, got)
					}
				}
				got := mustMerge(t, kind, o, first, c)
				for _, e := range all {
					if want := !gone[e]; (strings.Count(string(got), e) == 1) != want {
						t.Fatalf("seed %d: %q in %s of %s, %s, %s, %s", seed, e, got, o, a, b, c)
					}
				}
			}
		}
	}
}
