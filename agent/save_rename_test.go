package agent

import (
	"strings"
	"testing"
)

// TestSaveRename: a file that was renamed with git mv is saved under its new name, or not
// at all; never is only the old one taken away.
func TestSaveRename(t *testing.T) {
	t.Parallel()
	const old, renamed, text = "memory/old.md", "memory/new.md", "# T\n\n- one\n- two\n- three\n"
	for _, c := range []struct {
		name  string
		do    func(l *lab)
		saved bool
	}{
		{"git mv", func(l *lab) { l.git("mv", old, renamed) }, true},
		{"git mv, then an edit", func(l *lab) { l.git("mv", old, renamed); l.write(renamed, text+"- four\n") }, true},
		{"an edit, then git mv", func(l *lab) { l.write(old, text+"- four\n"); l.git("mv", old, renamed) }, true},
		{"git mv, a staged edit, and another", func(l *lab) {
			l.git("mv", old, renamed)
			l.write(renamed, text+"- four\n")
			l.git("add", renamed)
			l.write(renamed, text+"- four\n- five\n")
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "", old, text, "memory/other.md", "# O\n")
			c.do(l)
			l.write("memory/other.md", "# O\n\n- more\n")
			work := l.read(renamed)
			res := l.save(Agent, "s1", "")
			if got := l.head("memory/other.md"); !strings.Contains(got, "more") {
				t.Errorf("the other file is not saved: %q", got)
			}
			if !c.saved {
				if l.head(old) != text || l.head(renamed) != "" || len(res.Skipped) != 2 {
					t.Errorf("old %q, new %q, skipped %+v", l.head(old), l.head(renamed), res.Skipped)
				}
				l.clean("RM " + old + " -> " + renamed)
				return
			}
			if l.head(old) != "" || l.head(renamed) != work || len(res.Skipped) != 0 {
				t.Errorf("old %q, new %q, skipped %+v", l.head(old), l.head(renamed), res.Skipped)
			}
			l.clean()
		})
	}
}
