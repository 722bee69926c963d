package buffer

import (
	"strings"
	"testing"
)

func TestContent(t *testing.T) {
	t.Parallel()
	const body = "## Active Task:\n- a\n\n### Notes\n- b\n"
	hash := ContentHash([]byte(body))
	for name, same := range map[string]string{
		"blank lines around": "\n\n" + body + "\n \n", "CRLF": strings.ReplaceAll(body, "\n", "\r\n"), "white space at line ends": strings.ReplaceAll(body, "\n", " \t\n"),
		"no newline": strings.TrimSuffix(body, "\n"),
	} {
		if ContentHash([]byte(same)) != hash {
			t.Errorf("%s: another hash", name)
		}
	}
	const title = "# 2026-05-02\n\n- x\n\n## Buffer 2026-05-02T08:10:00Z - 2026-05-02T08:41:12Z\n\n"
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"there":         {title + body + "\nUpdated: 2026-05-02\nDecisions: none\nSignal: none\nOpen: none\n", true},
		"at the end":    {title + strings.TrimSuffix(body, "\n"), true},
		"the second":    {title + "other\n" + title + body, true},
		"changed":       {title + strings.Replace(body, "- b", "- c", 1), false},
		"cut":           {title + "## Active Task:\n- a\n", false},
		"not below it":  {"# T\n" + body, false},
		"an extra line": {title + "- new\n" + body, false},
		"nothing":       {"", false},
	} {
		if got := HasContent([]byte(c.text), hash); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !HasContent([]byte(title), ContentHash(nil)) || HasContent(nil, ContentHash(nil)) {
		t.Error("an empty body")
	}
}

func FuzzContent(f *testing.F) {
	f.Add([]byte("a\n\nb"), []byte("c\n"))
	f.Fuzz(func(t *testing.T, body, after []byte) {
		text := append([]byte(RotatedTitle+"x\n"), body...)
		text = append(append(text, '\n'), after...)
		if !HasContent(text, ContentHash(body)) {
			t.Fatalf("%q is not found in %q", body, text)
		}
	})
}
