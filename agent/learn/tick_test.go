package learn

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/prefs"
)

// rule is a line of a tier.
func rule(n int, context, since string, pin bool) string {
	l := prefs.Line{Context: context, Pattern: fmt.Sprintf("p%d", n), Preference: "q"}
	return prefs.Entry{ID: l.ID(), Text: l.String(), Pin: pin, Since: since}.String() + "\n"
}

// TestMoves is T17 without uses: 30 and 31 days, 90 and 91, and what is pinned.
func TestMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t,
		hotFile, "# P\n\n## "+prefs.Confirmed+"\n"+rule(1, "a", "2025-03-28", true)+"- by hand\n\n## "+prefs.Active+"\n"+
			rule(2, "code:go", "2026-04-02", false)+rule(3, "project:shop:css", "2026-04-01", false)+"  - with this\n"+rule(4, "code", "2026-01-31", false)+"- no date <!-- id=cand-00000000000a pin=0 -->\n- by hand too\n",
		si+"domains/code.md", "# code\n\n"+rule(5, "code", "2026-02-01", false)+rule(6, "code", "2026-01-31", false),
	)
	start := d.head()
	got := d.tick() // on 2026-05-02
	if want := "2 preferences moved to warm, unused; 2 preferences moved to cold, unused; index.md written"; strings.Join(got.Actions, "; ") != want {
		t.Errorf("%v", got.Actions)
	}
	if got := d.events(start); got != "tier.demote tier.demote heartbeat" {
		t.Error(got)
	}
	want := "# P\n\n## " + prefs.Confirmed + "\n" + rule(1, "a", "2025-03-28", true) + "- by hand\n\n## " + prefs.Active + "\n" + rule(2, "code:go", "2026-04-02", false) +
		"- no date <!-- id=cand-00000000000a pin=0 -->\n- by hand too\n"
	if got := d.InHead(hotFile); got != want {
		t.Errorf("%s", got)
	}
	if got, want := d.InHead(si+"projects/shop.md"), "# shop\n\n"+rule(3, "project:shop:css", "2026-04-01", false)+"  - with this\n"; got != want {
		t.Errorf("%s", got)
	}
	if got, want := d.InHead(si+"domains/code.md"), "# code\n\n"+rule(5, "code", "2026-02-01", false); got != want {
		t.Errorf("%s", got)
	}
	if got, want := d.InHead(si+"archive/2026/05.md"), "# Archive 2026-05\n\n"+rule(6, "code", "2026-01-31", false)+rule(4, "code", "2026-01-31", false); got != want {
		t.Errorf("%s", got)
	}
	if again := d.tick(); len(again.Actions) != 0 {
		t.Errorf("%v", again.Actions)
	}
	d.Check()
}

// TestDoubles: exact doubles go from a file that is too large, and from no other.
func TestDoubles(t *testing.T) {
	t.Parallel()
	var small, large strings.Builder
	small.WriteString("# small\n\n- a\n- a\n")
	large.WriteString("# large\n\n- Twice.\n" + rule(1, "large", "2026-04-30", false))
	for i := range 200 {
		fmt.Fprintf(&large, "- entry %d\n", i)
	}
	large.WriteString("- twice\n" + strings.TrimSuffix(rule(1, "large", "2026-05-01", false), "\n") + "\n- entry 7\n  - with more\n")
	d := newDesk(t, si+"domains/small.md", small.String(), si+"domains/large.md", large.String(), si+"archive/2025/01.md", large.String())
	got := d.tick()
	if want := "2 doubles taken out; index.md written"; strings.Join(got.Actions, "; ") != want {
		t.Errorf("%v", got.Actions)
	}
	text := d.InHead(si + "domains/large.md")
	if strings.Contains(text, "- twice\n") || strings.Count(text, "\"p1\"") != 1 || strings.Count(text, "entry 7\n") != 2 || d.InHead(si+"domains/small.md") != small.String() || d.InHead(si+"archive/2025/01.md") != large.String() {
		t.Errorf("%s", text)
	}
	wants(t, d.InHead(si+prefs.Index), "Last compaction: 2026-05-02\n")
	if again := d.tick(); len(again.Actions) != 0 {
		t.Errorf("%v", again.Actions)
	}
	d.Check()
}

// TestOverflow: a memory.md that became too large makes room; one that is full of pins is
// left as it is.
func TestOverflow(t *testing.T) {
	t.Parallel()
	var b, pins strings.Builder
	b.WriteString("# P\n\n## " + prefs.Active + "\n- by hand\n")
	pins.WriteString("# P\n\n## " + prefs.Confirmed + "\n")
	for i := range 101 {
		b.WriteString(rule(i, "code", fmt.Sprintf("2026-04-%02d", 10+i%20), false))
		pins.WriteString(rule(i, "code", "2026-04-10", true))
	}
	d := newDesk(t, hotFile, b.String())
	if got := strings.Join(d.tick().Actions, "; "); got != "5 preferences moved to warm, for there was no room; index.md written" {
		t.Error(got)
	}
	if n := strings.Count(d.InHead(hotFile), "\n"); n != 100 {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(d.InHead(hotFile), "- by hand\n") || strings.Count(d.InHead(si+"domains/code.md"), "since=2026-04-10") != 5 {
		t.Errorf("%s", d.InHead(si+"domains/code.md"))
	}
	d.Check()

	d = newDesk(t, hotFile, pins.String())
	if got := strings.Join(d.tick().Actions, "; "); got != "index.md written" || d.InHead(hotFile) != pins.String() {
		t.Error(got)
	}
	d.Check()
}

// TestIndexByHand: an index.md that somebody else wrote stays.
func TestIndexByHand(t *testing.T) {
	t.Parallel()
	const mine = "# My index\n\n- memory.md: what I like\n"
	d := newDesk(t, hotFile, "# P\n", si+prefs.Index, mine)
	if got := d.tick(); len(got.Actions) != 0 || d.ReadFile(si+prefs.Index) != mine {
		t.Errorf("%v", got.Actions)
	}
	d.Check()
}

// TestHeartbeatState: it is written only where git ignores it.
func TestHeartbeatState(t *testing.T) {
	t.Parallel()
	d := newDesk(t, ".gitignore", "", hotFile, "# P\n")
	d.tick()
	if d.ReadFile(si+prefs.Heartbeat) != "" {
		t.Error("git would see it")
	}
	d.Check()
}

// TestCountersAreNotStale: questions change the counters, and the proposal stays open.
func TestCountersAreNotStale(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.ask()
	d.Later(day)
	d.ask()
	d.correct(report, "once more")
	open, err := proposalsOf(t.Context(), d.Workspace())
	must(t, err)
	if len(open[id]) != 1 || open[id][0].State != "open" {
		t.Errorf("%+v", open[id])
	}
	d.Later(time.Hour)
	d.confirm(id, ConfirmOptions{})
	if got := d.Trailer("HEAD", "Claw-Count"); got != "4" {
		t.Errorf("count %s", got)
	}
	d.Check()
}

// TestElsewhere: a candidate that somebody decided by hand has no open proposal any more.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.ask()
	d.Write(si+prefs.Rejected, "# Rejected\n- "+id+" 2026-05-05 by hand\n")
	d.Git("rm", "-q", si+pendingName(id))
	d.Commit("no")
	if got := strings.Join(d.tick().Actions, "; "); got != "1 proposal superseded" || strings.Contains(d.refs(), "heads") {
		t.Error(got)
	}
	d.Check()
}
