package contradiction

import (
	"reflect"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	const mark = "<!-- claw:conflict id=0a1b2c3d kind=edit n=2 -->\n"
	for _, c := range []struct {
		name, text string
		want       []Mark
	}{
		{"none", "- a\n- b\n", nil},
		{"one", "# x\n\n" + mark + "- a\n- b\n", []Mark{{3, "0a1b2c3d", false, 2}}},
		{"indented, CRLF", "- x\r\n  <!-- claw:conflict id=0a1b2c3d kind=delete n=1 -->\r\n", []Mark{{2, "0a1b2c3d", true, 1}}},
		{"two", mark + "- a\n- b\n" + mark, []Mark{{1, "0a1b2c3d", false, 2}, {4, "0a1b2c3d", false, 2}}},
		{"in a fence", "```\n" + mark + "```\n", nil},
		{"in a fence that never ends", "```\n" + mark, nil},
		{"named in prose", "a line with " + mark, nil},
		{"another kind", "<!-- claw:conflict id=0a1b2c3d kind=other n=2 -->\n", nil},
		{"a short id", "<!-- claw:conflict id=0a1b kind=edit n=2 -->\n", nil},
		{"no number", "<!-- claw:conflict id=0a1b2c3d kind=edit n=x -->\n", nil},
		{"none of them", "<!-- claw:conflict id=0a1b2c3d kind=edit n=0 -->\n", nil},
		{"too many of them", "<!-- claw:conflict id=0a1b2c3d kind=edit n=1001 -->\n", nil},
		{"more behind it", "<!-- claw:conflict id=0a1b2c3d kind=edit n=2 --> text\n", nil},
	} {
		if got := Find([]byte(c.text)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("<!-- claw:conflict id=0a1b2c3d kind=edit n=2 -->\n```\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, m := range Find(text) {
			if m.Line < 1 || m.N < 1 || len(m.ID) != 8 {
				t.Errorf("%v", m)
			}
			if again, ok := Parse([]byte(m.String())); !ok || again.ID != m.ID || again.N != m.N || again.Deleted != m.Deleted {
				t.Errorf("%v written and read is %v", m, again)
			}
		}
	})
}
