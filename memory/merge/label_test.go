package merge

import "testing"

// TestLabels: what two machines say of one thing is one entry, also where they share no
// other word and each added something behind it.
func TestLabels(t *testing.T) {
	t.Parallel()
	const mark = "<!-- claw:conflict id="
	for _, c := range []struct{ name, base, one, two, want string }{
		{
			"a status", "# P\n\n- status: open\n", "# P\n\n- status: done\n- call Ann\n", "# P\n\n- status: blocked\n- buy glaze\n",
			"# P\n\n" + mark + "e6ea7daf kind=edit n=2 -->\n- status: blocked\n- status: done\n- buy glaze\n- call Ann\n",
		},
		{
			"in bold", "- **Next:** paint\n", "- **Next:** dry it\n- x one\n", "- **Next:** sell\n- y two\n",
			mark + "2c0716d6 kind=edit n=2 -->\n- **Next:** dry it\n- **Next:** sell\n- x one\n- y two\n",
		},
		{"edited here, kept there", "- status: open\n", "- status: done\n- call Ann\n", "- status: open\n- buy glaze\n", "- status: done\n- buy glaze\n- call Ann\n"},
		{
			"a label that stands twice", "- note: milk\n", "- note: bread now\n- note: call Ann\n", "- note: glaze here\n- note: paint\n",
			"- note: bread now\n- note: call Ann\n- note: glaze here\n- note: paint\n",
		},
	} {
		if got := both(t, Input{Kind: Markdown, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two)}); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"- status: open": "status", "* **Status**: open": "status", "1. Next step: x": "next step", "- http://example.com": "", "- see http://example.com": "",
		"- 10:00 x": "", "- [x] done: y": "", "- a sentence, with more: x": "", "-": "", "- : x": "", "- x:": "x",
	} {
		m := newMerger(Input{Kind: Markdown, Ours: []byte(text + "\n")})
		if got := labelOf(&m.texts[1].entries[0]); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
