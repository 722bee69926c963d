package agent

import (
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/merge"
)

// TestMarkersInBase: the markers that one machine united are still in the base, and in what
// another one edited. An entry that both of their sides hold stands twice in such a base;
// taken as it is, each side would miss another one, and the merge would have none.
func TestMarkersInBase(t *testing.T) {
	t.Parallel()
	const base = `<<<<<<< ours
# Memory

## More

- second entry0018

A paragraph with entry0019.

- now entry0045

## Active Decisions

- title entry0050 → memory/semantic/decisions.md#title-entry0050

## Notes

- first entry0015 of Memory
- entry0071 about 55 things
- entry0065 about 13 things
- entry0077 about 33 things
- first entry0016 of Memory
- first entry0017 of Memory
- entry0076 about 71 things
- entry0064 about 37 things

=======
# Memory

## Notes

- first entry0015 of Memory and entry0060 and entry0061
- first entry0016 of Memory
- first entry0017 of Memory

## More


A paragraph with entry0019.

- now entry0045
- now entry0074
>>>>>>> theirs
`
	const marked = `<<<<<<< ours
# Memory

## More

- second entry0018 and entry0086
- entry0087 about 15 things

A paragraph with entry0019.

- now entry0045

## Active Decisions

- title entry0050 → memory/semantic/decisions.md#title-entry0050

## Notes

- first entry0015 of Memory
- entry0071 about 55 things
- entry0065 about 13 things
- entry0077 about 33 things
- first entry0016 of Memory
- first entry0017 of Memory
- entry0079 about 49 things
- entry0076 about 71 things
- entry0064 about 37 things

=======
# Memory

## Notes

- first entry0015 of Memory and entry0060 and entry0061
- first entry0016 of Memory
- first entry0017 of Memory

## More


A paragraph with entry0019.

- now entry0045
- now entry0074
>>>>>>> theirs
`
	const united = `# Memory

## Notes

- entry0054 about 40 things
- entry0071 about 55 things
- entry0065 about 13 things
- entry0077 about 33 things
- entry0080 about 0 things
- first entry0015 of Memory and entry0060 and entry0061 and entry0084
- entry0082 about 35 things
- first entry0017 of Memory and entry0070
- first entry0016 of Memory
- entry0069 about 26 things
- entry0076 about 71 things
- entry0064 about 37 things
- entry0081 about 76 things
- first entry0015 of Memory and entry0085

## More

- second entry0018

A paragraph with entry0019.

- now entry0045
- now entry0074

## Active Decisions

- title entry0050 → memory/semantic/decisions.md#title-entry0050
`
	for _, in := range [][2]string{{marked, united}, {united, marked}} {
		d := &mergeDriver{merge: merge.Three}
		res, err := d.byKind(merge.Input{Kind: merge.Markdown, Base: []byte(base), Ours: []byte(in[0]), Theirs: []byte(in[1])})
		if err != nil || strings.Contains(string(res.Content), "<<<<") {
			t.Errorf("%v: %s", err, res.Content)
		}
		for line := range strings.Lines(marked + united) {
			line = strings.TrimSpace(line)
			// Two of them were edited.
			if !strings.Contains(line, "entry") || strings.HasSuffix(line, "entry0018") || strings.HasSuffix(line, "first entry0017 of Memory") || strings.HasSuffix(line, "first entry0015 of Memory") || strings.HasSuffix(line, "entry0061") {
				continue
			}
			if strings.Count(string(res.Content), line+"\n") != 1 {
				t.Errorf("not once: %q\n%s", line, res.Content)
			}
		}
	}
}

// TestMendNested: markers that were merged as text a second time.
func TestMendNested(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"in ours":   "# M\n\n<<<<<<< a\n<<<<<<< b\n- one\n=======\n- two\n>>>>>>> b\n- three\n=======\n- four\n>>>>>>> a\n- five\n",
		"in theirs": "# M\n\n<<<<<<< a\n- one\n=======\n- two\n<<<<<<< b\n- three\n=======\n- four\n>>>>>>> b\n>>>>>>> a\n- five\n",
		"twice":     "# M\n\n<<<<<<< a\n<<<<<<< b\n<<<<<<< c\n- one\n=======\n- two\n>>>>>>> c\n=======\n- three\n>>>>>>> b\n=======\n- four\n>>>>>>> a\n- five\n",
		"parted":    "# M\n\n<<<<<<< a\n- one\n=======\n- two\n>>>>>>> a\n<<<<<<< b\n- three\n=======\n- four\n>>>>>>> b\n- five\n",
	} {
		res, ok := Mend(merge.Markdown, []byte(text))
		got := string(res.Content)
		if !ok || strings.ContainsAny(got, "<>=") {
			t.Errorf("%s: %q", name, got)
		}
		for _, line := range []string{"- one", "- two", "- three", "- four", "- five"} {
			if strings.Count(got, line+"\n") != 1 {
				t.Errorf("%s: not once: %q in %q", name, line, got)
			}
		}
	}
}

// TestMendMarks: between markers without a base, what is alike is two versions of one
// entry, which wait for a choice; what each side added beside it is not.
func TestMendMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, ours, theirs, want string }{
		{
			"one sentence", "- The deposit is 350 euro.\n", "- The deposit is 400 euro.\n",
			"MARK kind=edit n=2 -->\n- The deposit is 350 euro.\n- The deposit is 400 euro.\n",
		},
		{
			"and additions", "- The deposit is 350 euro.\n- from a\n", "- The deposit is 400 euro.\n- quite another\n",
			"MARK kind=edit n=2 -->\n- The deposit is 350 euro.\n- The deposit is 400 euro.\n- from a\n- quite another\n",
		},
		{"a label", "- status: done\n", "- status: blocked\n", "MARK kind=edit n=2 -->\n- status: blocked\n- status: done\n"},
		{"additions alone", "- milk\n", "- a longer thing\n", "- a longer thing\n- milk\n"},
		{"one side alone", "- milk\n", "", "- milk\n"},
	} {
		text := "# M\n\n- first\n<<<<<<< HEAD\n" + c.ours + "=======\n" + c.theirs + ">>>>>>> origin/main\n- last\n"
		res, ok := Mend(merge.Markdown, []byte(text))
		got := string(res.Content)
		if i := strings.Index(got, "<!-- claw:conflict id="); i >= 0 {
			got = got[:i] + "MARK" + got[i+len("<!-- claw:conflict id=")+8:]
		}
		if want := "# M\n\n- first\n" + c.want + "- last\n"; !ok || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, ok, got, want)
		}
	}
}
