package merge

import (
	"strings"
	"testing"
)

func TestDaily(t *testing.T) {
	t.Parallel()
	closure := func(updated, decisions, signal, open string) string {
		return "Updated: " + updated + "\nDecisions: " + decisions + "\nSignal: " + signal + "\nOpen: " + open + "\n"
	}
	head := "# 2026-05-02\n\n"
	for _, c := range []struct{ name, base, one, two, want string }{
		{
			"both append", head + "- a\n\n" + closure("2026-05-02", "x", "none", "p; q"),
			head + "- a\n- b\n\n" + closure("2026-05-02", "x; z", "s", "q"),
			head + "- a\n- c\n\n" + closure("2026-05-03", "x; y", "none", "p; q; r"),
			head + "- a\n- b\n- c\n\n" + closure("2026-05-03", "x; y; z", "s", "q; r"),
		},
		{
			"one closes", head + "- a\n", head + "- a\n\n" + closure("2026-05-02", "d", "none", "none"), head + "- a\n- b\n",
			head + "- a\n- b\n\n" + closure("2026-05-02", "d", "none", "none"),
		},
		{
			"both close, without a base", "", head + "- a\n\n" + closure("2026-05-02", "d", "none", "none"), head + "- b\n\n" + closure("2026-05-02", "c", "None", "o"),
			head + "- a\n- b\n\n" + closure("2026-05-02", "c; d", "none", "o"),
		},
		{
			"text below the block", head + "- a\n\n" + closure("2026-05-02", "d", "none", "none"),
			head + "- a\n\n" + closure("2026-05-02", "d", "none", "none") + "\n- late\n", head + "- a\n- b\n\n" + closure("2026-05-03", "d", "none", "none"),
			head + "- a\n- b\n\n- late\n\n" + closure("2026-05-03", "d", "none", "none"),
		},
		{
			"the block is taken out", head + "- a\n\n" + closure("2026-05-02", "d", "none", "none"),
			head + "- a\n", head + "- a\n- b\n\n" + closure("2026-05-02", "d", "none", "none"),
			head + "- a\n- b\n",
		},
		{
			"right behind a list", head + "- a\n" + closure("2026-05-02", "d", "none", "none"),
			head + "- a\n- b\n" + closure("2026-05-02", "d", "none", "none"), head + "- a\n- c\n" + closure("2026-05-02", "d", "none", "none"),
			head + "- a\n- b\n- c\n" + closure("2026-05-02", "d", "none", "none"),
		},
	} {
		got := both(t, Input{Kind: Daily, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two)})
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		crlf := func(s string) []byte { return []byte(strings.ReplaceAll(s, "\n", "\r\n")) }
		if got := both(t, Input{Kind: Daily, Base: crlf(c.base), Ours: crlf(c.one), Theirs: crlf(c.two)}); got != string(crlf(c.want)) {
			t.Errorf("%s, CRLF:\n%q", c.name, got)
		}
		for _, side := range []string{c.one, c.two} {
			if again := both(t, Input{Kind: Daily, Base: []byte(c.base), Ours: []byte(side), Theirs: []byte(got)}); again != got {
				t.Errorf("%s: merged again\n%q\nwant\n%q", c.name, again, got)
			}
		}
	}
}
