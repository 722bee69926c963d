package breadcrumb

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]bool{
		"memory/client-onboarding.md": true, "memory/备忘.md": true, "memory/2026-03-01.md": false, "memory/20260301_x.md": false, "memory/2026-3-1.md": false,
		"memory/working-buffer.md": false, "memory/index.md": false, "memory/MEMORY.md": false, "memory/semantic/a.md": false, "memory/.md": false, "memory/a.txt": false,
		"MEMORY.md": false,
	} {
		if Is(rel) != want {
			t.Errorf("Is(%s) = %v", rel, !want)
		}
	}
}

func TestPointer(t *testing.T) {
	t.Parallel()
	for fact, want := range map[string]string{
		"- a → Deep dive: reference/x.md":                        "reference/x.md",
		"- a -> Deep dive: reference/x.md.":                      "reference/x.md",
		"- a → **Deep dive:** [x](reference/x.md)":               "", // the link's words stand there first
		"- a → Deep dive: `reference/x.md#part`, and more":       "reference/x.md",
		"- a → Deep dive: (reference/a/b.md)":                    "reference/a/b.md",
		"- a Deep dive: reference/x.md":                          "",
		"- a → Deep dive: docs/x.md":                             "",
		"- a → Deep dive: docs/x.md → Deep dive: reference/y.md": "reference/y.md",
		"- a": "",
	} {
		if got := Pointer(fact); got != want {
			t.Errorf("%s: %q, want %q", fact, got, want)
		}
	}
}

func TestPointers(t *testing.T) {
	t.Parallel()
	src := "# T\n- a → Deep dive: reference/x.md\n```\n- b → Deep dive: reference/y.md\n```\n- c -> Deep dive: reference/z.md → Deep dive: reference/x.md\n"
	if got, want := Pointers([]byte(src)), []Link{{"reference/x.md", 2}, {"reference/z.md", 6}, {"reference/x.md", 6}}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	names := "see `reference/x.md`, [y](reference/y.md#a) and ../reference/x.md or reference/ alone\nreference/dir/z.md"
	if got, want := Mentions([]byte(names)), []string{"reference/x.md", "reference/y.md", "reference/dir/z.md"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	src := "# client-onboarding\ntext\n- one → Deep dive: reference/a.md\n- two\n  more → Deep dive: reference/b.md\n- three\n  - nested\n* four\n\n## H\n"
	var got []string
	for _, f := range Facts(doc.Parse([]byte(src))) {
		got = append(got, fmt.Sprint(f.Line, f.OneLine, f.Pointer))
	}
	if want := "3 truereference/a.md|4 falsereference/b.md|6 false|8 true"; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
}

func FuzzPointers(f *testing.F) {
	f.Add([]byte("- a → Deep dive: `reference/x.md`\n```\nreference/"))
	f.Fuzz(func(t *testing.T, src []byte) {
		names := Mentions(src)
		for _, l := range Pointers(src) {
			if !slices.Contains(names, l.Target) && l.Target != ReferenceDir && l.Target != strings.TrimRight(ReferenceDir, "/") {
				t.Fatalf("%q points to %q and does not name it", src, l.Target)
			}
		}
		Facts(doc.Parse(src))
	})
}
