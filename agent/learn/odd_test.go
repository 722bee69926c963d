package learn

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/memory/prefs"
)

// TestManyWriters: sessions that capture one correction at once are all counted.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const sessions, times = 3, 4
	var wg sync.WaitGroup
	for s := range sessions {
		ws := d.Workspace()
		wg.Go(func() {
			for i := range times {
				c := agent.Caller{Actor: agent.Agent, Session: fmt.Sprintf("s%d-%d", s, i)}
				if _, err := Correct(context.Background(), ws, c, Correction{Line: line(t, report)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if c := d.find(line(t, report).ID()); c.Count != sessions*times {
		t.Errorf("%d of %d were counted", c.Count, sessions*times)
	}
	if n := len(prefs.ParseCorrections([]byte(d.InHead(si + prefs.Corrections)))); n != sessions*times {
		t.Errorf("%d corrections", n)
	}
	d.Check()
}

// TestLinks: a folder or a file of the store that is a link is not followed.
func TestLinks(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for _, name := range []string{"pending", "domains"} {
		d := newDesk(t, si+"keep.md", "x\n")
		must(t, os.Symlink(elsewhere, d.Path(si+name)))
		if _, err := List(context.Background(), d.Workspace(), person, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := d.tryCorrect(bot, report, "")
		if name == "pending" && err == nil {
			t.Error("it was written through a link")
		}
		left, err := os.ReadDir(elsewhere)
		must(t, err)
		if len(left) > 0 {
			t.Errorf("%s: %v was written elsewhere", name, left)
		}
	}
}

// TestTeam: in a workspace whose preferences git ignores they are kept, decided and moved
// as in any other, and no word of them is in git.
func TestTeam(t *testing.T) {
	t.Parallel()
	d := newDesk(t, ".gitignore", si+"\n")
	id := d.often(report)
	if got := d.ask(); len(got.Questions) != 1 {
		t.Errorf("%+v", got)
	}
	if c := d.find(id); c.Count != 3 || c.Asks != 1 {
		t.Errorf("%+v", c)
	}
	other := d.often(`[code] "tabs" -> "spaces"`)
	got := d.confirm(id, ConfirmOptions{})
	if got.Candidate.Status != confirmed {
		t.Errorf("%+v", got.Candidate)
	}
	wants(t, d.ReadFile(hotFile), "- "+report+" <!-- id="+id+" pin=0 since=2026-05-08 -->\n")
	if d.ReadFile(si+pendingName(id)) != "" {
		t.Error("it waits still")
	}
	_, err := Reject(context.Background(), d.Workspace(), person, other, RejectOptions{Reason: "no"})
	must(t, err)
	wants(t, d.ReadFile(si+prefs.Rejected), other)
	d.Later(40 * day)
	d.tick()
	wants(t, d.ReadFile(si+"domains/writing.md"), id)
	if again := d.tick(); len(again.Actions) != 0 {
		t.Errorf("%v", again.Actions)
	}
	if all := d.Git("cat-file", "--batch-all-objects", "--batch"); strings.Contains(all, "long introduction") || strings.Contains(all, "tabs") {
		t.Error("preferences are in git")
	}
	if d.refs() != "" {
		t.Error(d.refs())
	}
	d.Check()
}
