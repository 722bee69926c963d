package prefs

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

const hot = `# Preferences

## Confirmed Preferences
- Answer in German <!-- id=cand-000000000001 pin=1 since=2026-01-02 -->

## Active Patterns
- [code] "tabs" -> "spaces" <!-- id=cand-000000000002 pin=0 since=2026-02-03 n=4 last=2026-02-20 -->
  - only in Go
- by hand
  over two lines <!-- a remark -->

## Recent (last 7 days)
`

func TestParseTier(t *testing.T) {
	t.Parallel()
	all := ParseTier([]byte(hot))
	if len(all) != 3 {
		t.Fatalf("%d entries", len(all))
	}
	a, b, c := all[0], all[1], all[2]
	if a.ID != "cand-000000000001" || !a.Pin || a.Since != "2026-01-02" || a.Text != "Answer in German" || a.Section != Confirmed || a.Line != 4 {
		t.Errorf("%+v", a)
	}
	if b.Pin || b.Uses != 4 || b.LastUse != "2026-02-20" || b.Section != Active || b.Line != 7 || b.EndLine != 8 {
		t.Errorf("%+v", b)
	}
	if l, ok := b.Preference(); !ok || l.Pattern != "tabs" {
		t.Errorf("%+v %v", l, ok)
	}
	if _, ok := c.Preference(); ok || c.ID != "" || c.Text != "by hand over two lines <!-- a remark -->" {
		t.Errorf("%+v", c)
	}
}

func TestTierEdits(t *testing.T) {
	t.Parallel()
	src := []byte(hot)
	all := ParseTier(src)
	n := Entry{ID: "cand-000000000009", Text: "new\none", Since: "2026-03-01"}
	const line = "- new one <!-- id=cand-000000000009 pin=0 since=2026-03-01 -->\n"
	for name, c := range map[string]struct{ got, want string }{
		"add":    {string(AddHot(src, n)), strings.Replace(hot, "a remark -->\n", "a remark -->\n"+line, 1)},
		"remove": {string(Remove(src, all[1])), strings.Replace(hot, "- [code] \"tabs\" -> \"spaces\" <!-- id=cand-000000000002 pin=0 since=2026-02-03 n=4 last=2026-02-20 -->\n  - only in Go\n", "", 1)},
		"pin": {
			string(SetPin(src, all[1], true)),
			strings.Replace(strings.Replace(hot, "- [code] \"tabs\" -> \"spaces\" <!-- id=cand-000000000002 pin=0 since=2026-02-03 n=4 last=2026-02-20 -->\n  - only in Go\n", "", 1), "since=2026-01-02 -->\n",
				"since=2026-01-02 -->\n- [code] \"tabs\" -> \"spaces\" <!-- id=cand-000000000002 pin=1 since=2026-02-03 n=4 last=2026-02-20 -->\n  - only in Go\n", 1),
		},
		"unpin the last one": {
			string(SetPin([]byte("## Confirmed Preferences\r\n- a <!-- id=cand-1 pin=1 -->\r\n"), ParseTier([]byte("## Confirmed Preferences\r\n- a <!-- id=cand-1 pin=1 -->\r\n"))[0], false)),
			"## Confirmed Preferences\r\n\r\n## Active Patterns\r\n- a <!-- id=cand-1 pin=0 -->\r\n",
		},
		"add to an empty section": {string(AddHot([]byte("## Active Patterns\n\n## Recent (last 7 days)"), n)), "## Active Patterns\n" + line + "\n## Recent (last 7 days)"},
		"add to nothing":          {string(AddHot(nil, n)), "## Active Patterns\n" + line},
		"a new file":              {string(Add(nil, "writing", n)), "# writing\n\n" + line},
		"another file":            {string(Add([]byte("# W\n\n- a\n"), "writing", n)), "# W\n\n- a\n" + line},
		"by hand is not pinned":   {string(SetPin(src, all[2], true)), hot},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", name, c.got, c.want)
		}
	}
	if string(src) != hot {
		t.Error("the text itself was changed")
	}
}

func FuzzTier(f *testing.F) {
	f.Add([]byte(hot))
	f.Add([]byte("- a <!-- id=x pin=1 -->\r\n```\n- b\n## Active Patterns"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if at := bytes.LastIndex(src, []byte("<!--")); at >= 0 && !bytes.Contains(src[at+4:], []byte("-->")) {
			return // a comment without end, which the mark of a new entry would end
		}
		for _, e := range doc.Parse(src).Entries {
			if e.Kind == doc.Heading && bytes.Contains(e.OwnText(), []byte("\n")) {
				return // below an underlined heading with indented text an item would take that in
			}
		}
		all := ParseTier(src)
		end := 0
		for _, e := range all {
			if e.start < end || e.end <= e.start || e.end > len(src) || string(src[e.start:e.end]) != e.source {
				t.Fatalf("entry [%d %d) behind %d of %q", e.start, e.end, end, src)
			}
			end = e.end
			if e.ID == "" {
				continue
			}
			out := SetPin(src, e, !e.Pin)
			found := false
			for _, n := range ParseTier(out) {
				found = found || n.ID == e.ID && n.Pin != e.Pin
			}
			if !found || len(out) < len(src)-8 {
				t.Fatalf("pin %v of %+v:\n%q\n%q", !e.Pin, e, src, out)
			}
		}
		n := Entry{ID: "cand-000000000009", Text: "new", Since: "2026-03-01"}
		if again := ParseTier(AddHot(src, n)); len(again) != len(all)+1 {
			t.Fatalf("%d entries, then %d:\n%q\n%q", len(all), len(again), src, AddHot(src, n))
		}
	})
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]struct {
		tier  Tier
		level Level
		name  string
	}{
		"memory.md":              {TierHot, Global, ""},
		"domains/writing.md":     {TierWarm, Domain, "writing"},
		"projects/shop.md":       {TierWarm, Project, "shop"},
		"archive/2026/03.md":     {TierCold, Global, ""},
		"archive/rejected.md":    {NoTier, Global, ""},
		"archive/corrections.md": {NoTier, Global, ""},
		"corrections.md":         {NoTier, Global, ""},
		"index.md":               {NoTier, Global, ""},
		"projects/a/b.md":        {NoTier, Global, ""},
		"domains/x.txt":          {NoTier, Global, ""},
	} {
		tier, level, name := Place(rel)
		if tier != want.tier || level != want.level || name != want.name {
			t.Errorf("%s: %s %d %s", rel, tier, level, name)
		}
	}
	for context, want := range map[string]string{
		"project:shop": "projects/shop.md", "project:shop:css": "projects/shop.md", "project": "domains/project.md", "writing:report": "domains/writing.md",
	} {
		if got := WarmPath(context); got != want {
			t.Errorf("%s: %s", context, got)
		}
	}
	if got := ColdPath(at("2026-03-01")); got != "archive/2026/03.md" {
		t.Error(got)
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	rows := []IndexRow{Row("projects/shop.md", []byte("- x\ny")), Row("memory.md", []byte(hot)), Row("archive/2026/03.md", nil), Row("corrections.md", []byte("x\n"))}
	want := "# Index\n\nLast compaction: 2026-02-28\n\n## HOT\n- memory.md: 12 lines, 2026-02-20\n\n## WARM\n- projects/shop.md: 2 lines\n\n## COLD\n- archive/2026/03.md: 0 lines\n"
	got := RenderIndex(rows, "2026-02-28")
	if string(got) != want {
		t.Errorf("%s", got)
	}
	if !bytes.Equal(RenderIndex(rows, LastCompaction(got)), got) {
		t.Error("regenerated it differs")
	}
	if LastCompaction(RenderIndex(nil, "")) != "" || LastCompaction(nil) != "" {
		t.Error("a compaction out of nothing")
	}
}
