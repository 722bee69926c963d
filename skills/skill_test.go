package skills

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	files := []string{
		"skills/a/SKILL.md", "skills/a/skill.md", "skills/a/sub/SKILL.md", "skills/group/b/skill.md", "skills/.hidden/SKILL.md", "skills/node_modules/c/SKILL.md",
		"skills/1/2/3/4/5/6/SKILL.md", "skills/1/2/3/4/5/6b/7/SKILL.md", "skills/d/README.md", ".agents/skills/SKILL.md", ".agents/skills/e/SKILL.md", "other/SKILL.md",
	}
	var got []string
	for _, l := range Find(files, []string{"skills/", ".agents/skills/"}) {
		got = append(got, l.Root+"|"+l.Dir+"|"+l.Path)
	}
	want := []string{
		"skills/|skills/1/2/3/4/5/6|skills/1/2/3/4/5/6/SKILL.md", "skills/|skills/a|skills/a/SKILL.md", "skills/|skills/group/b|skills/group/b/skill.md",
		".agents/skills/|.agents/skills|.agents/skills/SKILL.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const gates = "key=k always=true os=[linux darwin] bins=[jq] any=[rg grep] env=[A] config=[b.c]"
	for name, c := range map[string]struct{ src, want string }{
		"plain":      {"---\nname: x\ndescription: does x\nversion: 1.2.3\n---\n# X\n", "x named does x 1.2.3 valid key=x"},
		"no front":   {"# X\n", "d  unnamed   invalid-front key=d"},
		"null":       {"\xef\xbb\xbf\r\n---\r\nname: My Skill\r\ndescription: \"q text\"\r\nmetadata:\r\n---\r\n", "My Skill named q text  valid key=My Skill"},
		"colon":      {"---\nname: x\ndescription: a: b\n---\n", "x named a: b  broken key=x"},
		"hidden":     {"---\nname: x\ndescription: y\ndisable-model-invocation: true\n---\n", "x named y  valid hidden key=x"},
		"map":        {"---\nname: x\ndescription: y\nmetadata:\n  openclaw:\n    skillKey: k\n    always: true\n    os: [linux, darwin]\n    requires: {bins: [jq], anyBins: [rg, grep], env: A, config: [b.c]}\n---\n", "x named y  valid " + gates},
		"JSON":       {"---\nname: x\ndescription: y\nmetadata: {\"clawdbot\":{\"skillKey\":\"k\",\"always\":true,\"os\":[\"linux\",\"darwin\"],\"requires\":{\"bins\":[\"jq\"],\"anyBins\":[\"rg\",\"grep\"],\"env\":[\"A\"],\"config\":[\"b.c\"]}}}\n---\n", "x named y  valid " + gates},
		"JSON text":  {"---\nname: x\ndescription: y\nmetadata: '{\"skillKey\":\"k\",\"always\":\"yes\",\"os\":\"linux,darwin\",\"requires\":{\"bins\":[\"jq\"],\"anyBins\":[\"rg\",\"grep\"],\"env\":[\"A\"],\"config\":[\"b.c\"]}}'\n---\n", "x named y  valid " + gates},
		"strange":    {"---\nname: [a]\ndescription: 7\nmetadata: [1]\n---\n", "[a] named 7  valid key=[a]"},
		"empty name": {"---\nname: ''\ndescription: y\n---\n", "d  unnamed y  valid key=d"},
	} {
		s := Parse([]byte(c.src), "skills/d")
		got := s.Name
		if s.Named {
			got += " named"
		} else {
			got += "  unnamed"
		}
		got += " " + s.Description + " " + s.Version
		switch {
		case !s.Front:
			got += " invalid-front"
		case s.Err != nil:
			got += " broken"
		default:
			got += " valid"
		}
		if s.Hidden {
			got += " hidden"
		}
		got += " key=" + s.Key
		if s.Always {
			got += fmt.Sprintf(" always=true os=%v bins=%v any=%v env=%v config=%v", s.OS, s.Bins, s.AnyBins, s.Env, s.Config)
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestCatalogueChars(t *testing.T) {
	t.Parallel()
	if CatalogueChars(nil) != 0 {
		t.Error("an empty catalogue takes room")
	}
	one := CatalogueChars([]Listed{{"a", "b", "c"}})
	if got := CatalogueChars([]Listed{{"a", "b & 🔥", "c"}}) - one; got != len("b &amp; xx")-1 {
		t.Errorf("escapes and UTF-16: %d", got)
	}
	if got, want := one-catalogueFrame, len("\n  <skill>\n    <name>a</name>\n    <description>b</description>\n    <location>c</location>\n  </skill>"); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: a\nmetadata: {openclaw: {os: [linux]}}\n---\n"))
	f.Add([]byte("---\nmetadata: \"{a: {\"\n---\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) < 4096 {
			Parse(src, "skills/d")
		}
	})
}
