package doc

import (
	"slices"
	"testing"
)

func TestFront(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"---\na: b\n---\nbody\n":                      "---\na: b\n---\n",
		"---\na: b\n---":                              "---\na: b\n---",
		"\xef\xbb\xbf\r\n \r\n---\r\na: b\r\n...\r\n": "---\r\na: b\r\n...\r\n",
		"--- \n---\t\nbody":                           "--- \n---\t\n",
		"---\n# comment\nplain\n---\n":                "---\n# comment\nplain\n---\n",
		"---\nplain\n---\n":                           "",
		"---\na: b\n":                                 "",
		"text\n---\na: b\n---\n":                      "",
		"---":                                         "",
		"":                                            "",
		"\n\n":                                        "",
	} {
		from, to := Front([]byte(src))
		if got := src[from:to]; got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Nightly job moved to 02:30":   "nightly-job-moved-to-0230",
		"  C# & `go test` ":            "c--go-test",
		"Why [Postgres](https://x.y)?": "why-postgres",
		"a](b [c](d) e":                "ab-c-e",
		"snake_case-and - dash":        "snake_case-and---dash",
		"为什么选 A":                       "为什么选-a",
		"🔥 hot":                        "-hot",
		"":                             "",
	} {
		if got := Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
	anchors := Parse([]byte("# A\n## B\n## A\n```\n# C\n```\nA\n===\n")).Anchors()
	var got []string
	for a := range anchors {
		got = append(got, a)
	}
	slices.Sort(got)
	if want := []string{"a", "a-1", "a-2", "b"}; !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("[a](b) c](")
	f.Fuzz(func(t *testing.T, title string) {
		if s := Slug(title); Slug(s) != s {
			t.Errorf("Slug(%q) = %q, and of that %q", title, s, Slug(s))
		}
	})
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"  Use\tgo  test.\n": "use go test",
		"Never!！":            "never",
		"ＡＢＣ　全角。":            "abc 全角",
		"Ünïcode . ":         "ünïcode",
		"v1.2.3":             "v1.2.3",
		"caf\xe9":            "caf\ufffd",
		"...":                "",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("ẞ İ ﬁ \xff.")
	f.Fuzz(func(t *testing.T, text string) {
		if n := Normalise(text); Normalise(n) != n {
			t.Errorf("Normalise(%q) = %q, and of that %q", text, n, Normalise(n))
		}
	})
}
