package learn

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/memory/prefs"
)

// TestOrder: the user's order makes it eligible at once, and nothing more.
func TestOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.correct(report, "always start with the result, remember this forever").Candidate
	if !c.Eligible || !c.Explicit || c.Count != 1 {
		t.Errorf("%+v", c)
	}
	if d.ReadFile(hotFile) != "" || d.refs() != "" {
		t.Error("a quote approved something")
	}
	d.ask()
	list, err := proposal.List(context.Background(), d.Workspace(), false)
	must(t, err)
	if len(list.Proposals) != 1 || list.Proposals[0].Reason != "the user said so" || list.Proposals[0].State != proposal.Open {
		t.Errorf("%+v", list.Proposals)
	}
	d.Check()
}

// TestAtOnce: where that is switched on, the user's order is a rule at once (GN-08).
func TestAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Git("config", "claw.approve.quotes", "true")
	start := d.head()
	if got := d.correct(report, "skip the intro"); got.Confirmed != nil {
		t.Error("no order, and it is a rule")
	}
	got := d.correct(report, "always start with the result")
	if got.Known { // the same second
		d.Later(time.Second)
		got = d.correct(report, "always start with the result")
	}
	if got.Confirmed == nil || got.Candidate.Status != confirmed {
		t.Fatalf("%+v", got)
	}
	for key, want := range map[string]string{"Claw-Reason": "explicit", "Claw-Evidence": "skip the intro,always start with the result", "Claw-Approved-By": "", "Claw-Event": "candidate.confirm", "Claw-Actor": "agent"} {
		if got := d.Trailer("HEAD", key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got := d.events(start); got != "candidate.create candidate.repeat candidate.confirm" {
		t.Error(got)
	}
	d.Git("config", "claw.si.mode", "strict")
	if got := d.correct(`[code] "tabs" -> "spaces"`, "always use spaces"); got.Confirmed != nil {
		t.Error("a strict workspace took it at once")
	}
	d.Check()
}

// TestLessons is T18: one lesson three times, with other case and spacing.
func TestLessons(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	start := d.head()
	for i, r := range []Reflection{
		{Context: "Deploy the shop", Reflection: "the build was old", Lesson: "Build before you deploy."},
		{Context: "deploy  the shop", Reflection: "again", Lesson: "build before  you deploy"},
		{Context: "Deploy the shop", Lesson: "BUILD BEFORE YOU DEPLOY"},
		{Context: "Deploy the shop", Reflection: "and again", Lesson: "Build before you deploy"},
	} {
		got, err := Reflect(context.Background(), d.Workspace(), bot, r)
		must(t, err)
		if (got.Candidate != nil) != (i == 2) {
			t.Errorf("%d: %+v", i, got.Candidate)
		}
		d.Later(time.Hour)
	}
	want := "reflect reflect reflect candidate.create reflect"
	if got := d.events(start); got != want {
		t.Errorf("events: %s", got)
	}
	list, err := List(context.Background(), d.Workspace(), person, false)
	must(t, err)
	if len(list) != 1 || list[0].Source != "reflection" || list[0].Count != 1 || list[0].Eligible ||
		list[0].Line != (prefs.Line{Context: "deploy-the-shop", Pattern: "deploy the shop", Preference: "Build before you deploy."}) {
		t.Errorf("%d: %+v", len(list), list[0])
	}
	if got := d.tick(); len(got.Actions) != 0 {
		t.Errorf("%v", got.Actions)
	}
	// The counter began anew: two more make three.
	for range 2 {
		_, err := Reflect(context.Background(), d.Workspace(), bot, Reflection{Context: "Deploy the shop", Lesson: "Build before you deploy"})
		must(t, err)
		d.Later(time.Hour)
	}
	if c := d.find(list[0].ID); c.Count != 2 {
		t.Errorf("%+v", c)
	}
	d.Check()
}

// TestStory is T19: three corrections, three times each within a week.
func TestStory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	all := []string{
		`[ui] "plain CSS" -> "the component library"`,
		`[project:shop] "CSV export" -> "XLSX export"`,
		`[code:js] "class methods" -> "arrow functions"`,
	}
	for range 3 {
		for _, l := range all {
			d.correct(l, "as I said")
			d.Later(time.Hour)
		}
		d.Later(2 * day)
	}
	asked := d.ask()
	if len(asked.Questions) != 3 {
		t.Fatalf("%d questions", len(asked.Questions))
	}
	for _, q := range asked.Questions {
		d.confirm(q.ID, ConfirmOptions{})
	}
	d.tick()
	text := d.ReadFile(hotFile)
	explained := 0
	for i, row := range strings.Split(text, "\n") {
		if !strings.HasPrefix(row, "- ") {
			continue
		}
		why, err := agent.Why(context.Background(), d.Workspace(), hotFile, i+1, "")
		must(t, err)
		merge := d.Git("log", "-1", "--merges", "--format=%H", "--grep=Claw-Proposal: "+why.Proposal)
		if why.Event != agent.EventConfirm || why.Evidence != "as I said" || why.Proposal == "" || d.Trailer(merge, "Claw-Approved-By") != "Li <li@example.org>" {
			t.Errorf("%+v", why)
		}
		explained++
	}
	if wants(t, text, all...); explained != 3 {
		t.Errorf("%d lines were explained", explained)
	}
	if refs := d.refs(); strings.Contains(refs, "heads") {
		t.Error(refs)
	}
	d.Check()
}

// TestTickTwice is T21.
func TestTickTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.ask()
	d.confirm(id, ConfirmOptions{})
	first := d.tick()
	if strings.Join(first.Actions, "; ") != "index.md written" {
		t.Errorf("%v", first.Actions)
	}
	head := d.head()
	if got := d.tick(); len(got.Actions) != 0 || d.head() != head || len(got.Save.Commits) != 0 {
		t.Errorf("%v", got.Actions)
	}
	wants(t, d.ReadFile(si+prefs.Heartbeat), "last_heartbeat_result: HEARTBEAT_OK\n", "last_actions: none\n")
	if got := d.Git("rev-parse", Marker(d.Workspace())); got != head {
		t.Errorf("the marker is at %s, not %s", got, head)
	}
	d.Check()
}
