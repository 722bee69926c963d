package header

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestVerified(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"# T\n#tags: a\n> last_verified: 2026-05-02\n":      "2026-05-02@3 true",
		"# T\r\n\r\ntext\r\nlast_verified: 2026-05-02 \r\n": "2026-05-02@4 true",
		"last_verified: soon\nlast_verified: 2026-05-02\n":  "soon@1 false",
		"last_verified:\n":          "@1 false",
		"last_verified: 2026-02-30": "2026-02-30@1 false",
		"```\nlast_verified: 2026-05-01\n```\n>last_verified: 2026-05-02\n": "2026-05-02@4 true",
		"- last_verified: 2026-05-02\nthe last_verified: x\n":               "none",
		"": "none",
	} {
		got := "none"
		if f, ok := Verified([]byte(src)); ok {
			_, good := f.Day()
			got = fmt.Sprintf("%s@%d %v", f.Value, f.Line, good)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

func TestHot(t *testing.T) {
	t.Parallel()
	const good = "# Agent Memory\n#tags: memory\nlast_verified: 2026-05-02\nlast_updated: 2026-05-02\n"
	for src, want := range map[string][]string{
		good: nil,
		"\ufeff" + strings.ReplaceAll(good, "\n", "\r\n") + "\r\nmore": nil,
		strings.TrimSuffix(good, "\n"):                                 nil,
		"":                                                             {"1 ", "2 ", "3 ", "4 "},
		"# Memory\ntags: a\n> last_verified: 2026-05-02\nlast_updated: today\n": {
			"1 # Memory", "2 tags: a", "3 > last_verified: 2026-05-02", "4 last_updated: today",
		},
	} {
		var got []string
		for _, p := range Hot([]byte(src)) {
			got = append(got, fmt.Sprintf("%d %s", p.Line, p.Actual))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"# T\n#tags: a b,c|d , e\n": "[a b c d e] true",
		"\ufeff# T\r\n#tags:a\r\nx": "[a] true",
		"# T\n#tags:":               "[] true",
		"#tags: a\n# T\n":           "[] false",
		"# T\n":                     "[] false",
		"":                          "[] false",
		"# T\n\n#tags: a\n":         "[] false",
	} {
		tags, ok := Tags([]byte(src))
		if got := fmt.Sprint(tags, " ", ok); got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	const day = "2026-05-02"
	for src, want := range map[string]string{
		"# T\n#tags: a\n> last_verified: 2026-01-01  \nx": "# T\n#tags: a\n> last_verified: 2026-05-02  \nx",
		"# T\r\n#tags: a\r\nx\r\n":                        "# T\r\n#tags: a\r\n> last_verified: 2026-05-02\r\nx\r\n",
		"last_verified:\n":                                "last_verified: 2026-05-02\n",
		"# T":                                             "# T\n\n> last_verified: 2026-05-02\n",
	} {
		if got := string(SetVerified([]byte(src), day)); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
	for src, want := range map[string]string{
		"# A\n#tags: a\nlast_verified: x\nlast_updated: 2026-01-01\r\n": "# A\n#tags: a\nlast_verified: x\nlast_updated: 2026-05-02\r\n",
		"# A\n#tags: a\nx\nlast_updated:":                               "# A\n#tags: a\nx\nlast_updated: 2026-05-02",
		"# A\nno tags\nx\nlast_updated: 2026-01-01":                     "# A\nno tags\nx\nlast_updated: 2026-01-01",
		"# A\n#tags: a\nlast_updated: 2026-01-01\nx":                    "# A\n#tags: a\nlast_updated: 2026-01-01\nx",
	} {
		if got := string(SetUpdated([]byte(src), day)); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	src := []byte("\ufeffssh\n# ways\nrules\n style \r\n\n# care\naudit")
	v := ParseVocabulary(src)
	for tag, want := range map[string]bool{"ssh": true, "rules": true, "style": true, "audit": true, "ways": false, "Rules": false, "": false} {
		if v.Has(tag) != want {
			t.Errorf("Has(%q) = %v", tag, !want)
		}
	}
	for tag, want := range map[string]bool{"a-1": true, "A": false, "a_b": false, "": false, "é": false} {
		if ValidTag(tag) != want {
			t.Errorf("ValidTag(%q) = %v", tag, !want)
		}
	}
	for name, c := range map[string]struct{ got, want string }{
		"in a group":    {string(AddTag(src, "workflow", "ways")), "\ufeffssh\n# ways\nrules\n style \r\nworkflow\n\n# care\naudit"},
		"at the end":    {string(AddTag(src, "new", "")), string(src) + "\nnew\n"},
		"in an other":   {string(AddTag(src, "new", "none")), string(src) + "\nnew\n"},
		"there already": {string(AddTag(src, "ssh", "ways")), string(src)},
		"removed":       {string(RemoveTag(src, "rules")), "\ufeffssh\n# ways\n style \r\n\n# care\naudit"},
		"not there":     {string(RemoveTag(src, "none")), string(src)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte("# T\n#tags: a\n> last_verified: 2026-05-02\nlast_updated: x"), "a")
	f.Add([]byte("```\r\n>last_verified:\r\n"), "b")
	f.Fuzz(func(t *testing.T, src []byte, tag string) {
		Hot(src)
		Tags(src)
		out := SetVerified(src, "2026-05-02")
		// In the third line of a text that begins with an open fence it would be code.
		if f, ok := Verified(out); ok && f.Value != "2026-05-02" || !ok && !bytes.ContainsAny(src, "`~") {
			t.Fatalf("%q became %q", src, out)
		}
		SetUpdated(src, "2026-05-02")
		if !ValidTag(tag) {
			return
		}
		with := AddTag(src, tag, "")
		if !ParseVocabulary(with).Has(tag) {
			t.Fatalf("%q is not in %q", tag, with)
		}
		if !ParseVocabulary(src).Has(tag) {
			if back := RemoveTag(with, tag); !bytes.HasPrefix(back, src) {
				t.Fatalf("%q, then %q", src, back)
			}
		}
	})
}
