package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/bootstrap"
)

// What is advised is enough: then nothing is cut.
func TestContextAdvice(t *testing.T) {
	t.Parallel()
	for name, sizes := range map[string]map[string]int{
		"one long file":   {"SOUL.md": 25000},
		"the total":       {"AGENTS.md": 20000, "SOUL.md": 20000, "IDENTITY.md": 15000, "USER.md": 4000, "MEMORY.md": 1500},
		"no room":         {"AGENTS.md": 20000, "SOUL.md": 20000, "IDENTITY.md": 19980, "USER.md": 10, "MEMORY.md": 10},
		"both":            {"AGENTS.md": 90000, "SOUL.md": 30000, "IDENTITY.md": 20000, "USER.md": 9000, "MEMORY.md": 40000, "BOOTSTRAP.md": 7},
		"nothing to take": {"AGENTS.md": 2000, "SOUL.md": 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "")
			for file, n := range sizes {
				l.write(file, strings.Repeat("a", n))
			}
			c, err := ReadContext(context.Background(), l.ws(), "", false)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range c.Advices {
				if a.Chars <= 0 || a.Chars >= sizes[a.File] {
					t.Errorf("%+v of %d", a, sizes[a.File])
				}
				l.write(a.File, strings.Repeat("a", sizes[a.File]-a.Chars))
			}
			after, err := ReadContext(context.Background(), l.ws(), "", false)
			if err != nil {
				t.Fatal(err)
			}
			for i := range after.Files {
				f := &after.Files[i]
				if f.State == bootstrap.Cut || f.State == bootstrap.Dropped {
					t.Errorf("%s is %s, %d of %d; advised %+v", f.Name, f.State, f.Chars, f.Limit, c.Advices)
				}
			}
		})
	}
}

func TestContextOfOddFiles(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.write("SOUL.md", "# Soul\n")
	l.write("IDENTITY.md/x", "a folder\n")
	l.write("USER.md", strings.Repeat("a", 2<<20+1))
	l.write("MEMORY.md", "\xff\xfe😀\x00\n")
	c, err := ReadContext(context.Background(), l.ws(), "main", true)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bootstrap.State{
		"AGENTS.md": bootstrap.Marked, "SOUL.md": bootstrap.Whole, "IDENTITY.md": bootstrap.Unread,
		"USER.md": bootstrap.Unread, "BOOTSTRAP.md": bootstrap.Missing, "MEMORY.md": bootstrap.Whole,
	}
	for i := range c.Files {
		if f := &c.Files[i]; f.State != want[f.Name] {
			t.Errorf("%s is %s, want %s", f.Name, f.State, want[f.Name])
		}
	}
	if f := c.Files[len(c.Files)-1]; string(f.Content) != "\xff\xfe😀\x00" || f.Chars != 5 {
		t.Errorf("%q, %d characters", f.Content, f.Chars)
	}
}
