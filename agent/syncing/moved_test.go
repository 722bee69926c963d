package syncing_test

import (
	"os"
	"strings"
	"testing"
)

// TestMovedBullet: a bullet that one machine put into another file while a second one edited it. The
// edit follows where that is certain, else it waits for a person; no line is lost or stands twice.
func TestMovedBullet(t *testing.T) {
	t.Parallel()
	const (
		from, to     = "memory/plans.md", "memory/done.md"
		old, edited  = "- the gateway listens on port 80\n", "- the gateway listens on port 8080\n"
		plans, plan2 = "# Plans\n\n- a plan\n", "- last plan\n"
		done         = "# Done\n\n- a thing\n"
	)
	for name, c := range map[string]struct {
		done, move map[string]string // what is there before, and what the move makes of it
		follows    bool
		moverFirst bool
	}{
		"into a file":              {map[string]string{to: done}, map[string]string{from: plans + plan2, to: done + old}, true, true},
		"into a new file":          {nil, map[string]string{from: plans + plan2, to: "# Done\n\n" + old}, true, false},
		"its file is gone":         {map[string]string{to: done}, map[string]string{from: "", to: done + plans[9:] + old + plan2}, true, true},
		"into two files":           {nil, map[string]string{from: plans + plan2, to: done + old, "memory/both.md": "# Both\n\n" + old}, false, false},
		"it was there before":      {map[string]string{to: done + old}, map[string]string{from: plans + plan2, to: done + old + "- more\n"}, false, true},
		"it was edited on the way": {map[string]string{to: done}, map[string]string{from: plans + plan2, to: done + "- the gateway listens on port 443\n"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			moverFirst := c.moverFirst
			files := []string{from, plans + old + plan2}
			for file, text := range c.done {
				files = append(files, file, text)
			}
			f := newFleet(t, 3, files...)
			mover, editor, third := f.m[0], f.m[1], f.m[2]
			for file, text := range c.move {
				mover.Write(file, text)
				if text == "" {
					if err := os.Remove(mover.Path(file)); err != nil {
						t.Fatal(err)
					}
				}
			}
			editor.Write(from, plans+edited+plan2)
			third.Write("memory/third.md", "# Third\n\n- from the third machine\n")
			first, second := mover, editor
			if !moverFirst {
				first, second = editor, mover
			}
			doSync(first)
			doSync(third)
			doSync(second)
			f.settle()
			all, where := "", third.ReadFile(from)
			for _, file := range []string{from, to, "memory/both.md"} {
				all += third.ReadFile(file)
				for _, l := range f.m {
					if l.ReadFile(file) != third.ReadFile(file) {
						t.Errorf("%s: '%s' differs", name, file)
					}
				}
			}
			if c.follows {
				where = third.ReadFile(to)
			}
			marks := strings.Count(all, "kind=delete")
			if strings.Count(all, edited) != 1 || !strings.Contains(where, edited) || c.follows != (marks == 0) || c.follows && strings.Contains(all, old) {
				t.Errorf("%s, mover first %v:\n%s", name, moverFirst, all)
			}
		})
	}
}
