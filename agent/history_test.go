package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// storied is a workspace with some history: three sessions, the user, and a
// commit outside the workspace.
func storied(t *testing.T) *lab {
	l := newLab(t, "ws", "AGENTS.md", "# Rules\n\n- ask first\n", "memory/a.md", "- one\n", "MEMORY.md", "# M\n\n- secret plan\n")
	l.clock("2026-05-03T10:00:00Z")
	l.write("memory/a.md", "- one\n- two\n")
	l.save(Agent, "s1", "note two")
	l.clock("2026-05-03T11:00:00Z")
	l.write("AGENTS.md", "# Rules\n\n- never ask\n")
	l.save(Agent, "s2", "")
	l.clock("2026-05-03T12:00:00Z")
	l.write("memory/b.md", "- b\n")
	l.write("MEMORY.md", "# M\n\n- secret plan\n- and more\n")
	l.save(Agent, "s1", "the plan goes on")
	l.clock("2026-05-04T10:00:00Z")
	l.write("memory/c.md", "- c\n")
	l.gitCommit("by hand\n\nsee Claw-Id: 20260502-00000001\n\nas above")
	l.write("../code.go", "package x\n")
	l.gitCommit("code")
	return l
}

func TestHistory(t *testing.T) {
	t.Parallel()
	l := storied(t)
	all := "git user  memory/c.md\nwriteback agent s1 MEMORY.md,memory/b.md\nl1.edit agent s2 AGENTS.md\n" +
		"writeback agent s1 memory/a.md\nworkspace.adopt user  .claw/config,AGENTS.md,MEMORY.md,memory/a.md\n"
	for _, c := range []struct {
		name string
		opt  HistoryOptions
		want string
	}{
		{"all of the workspace", HistoryOptions{}, all},
		{"the repository", HistoryOptions{All: true}, "git user  \n" + all},
		{"event", HistoryOptions{Events: []string{"l1.edit"}}, "l1.edit agent s2 AGENTS.md\n"},
		{"events of a kind", HistoryOptions{Events: []string{"workspace.*"}}, "workspace.adopt user  .claw/config,AGENTS.md,MEMORY.md,memory/a.md\n"},
		{"events of a kind, without star", HistoryOptions{Events: []string{"l1", "git"}}, "git user  memory/c.md\nl1.edit agent s2 AGENTS.md\n"},
		{"actor", HistoryOptions{Actors: []Actor{User}}, "git user  memory/c.md\nworkspace.adopt user  .claw/config,AGENTS.md,MEMORY.md,memory/a.md\n"},
		{"session", HistoryOptions{Session: "s1"}, "writeback agent s1 MEMORY.md,memory/b.md\nwriteback agent s1 memory/a.md\n"},
		{"session, not its beginning", HistoryOptions{Session: "s"}, ""},
		{"newest", HistoryOptions{Max: 1}, "git user  memory/c.md\n"},
		{"newest of a session", HistoryOptions{Session: "s1", Max: 1}, "writeback agent s1 MEMORY.md,memory/b.md\n"},
		{"since", HistoryOptions{Since: "2026-05-04"}, "git user  memory/c.md\n"},
		{"until", HistoryOptions{Until: "2026-05-03T10:30:00Z"}, "writeback agent s1 memory/a.md\nworkspace.adopt user  .claw/config,AGENTS.md,MEMORY.md,memory/a.md\n"},
		{"path", HistoryOptions{Paths: []string{"memory/a.md"}}, "writeback agent s1 memory/a.md\nworkspace.adopt user  memory/a.md\n"},
		{"group session", HistoryOptions{Kind: "group"}, "git user  memory/c.md\nwriteback agent s1 memory/b.md\nl1.edit agent s2 AGENTS.md\n" +
			"writeback agent s1 memory/a.md\nworkspace.adopt user  .claw/config,AGENTS.md,memory/a.md\n"},
	} {
		if got := brief(l.history(c.opt)); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", c.name, got, c.want)
		}
	}
	for _, e := range l.history(HistoryOptions{Kind: "cron"}) {
		if text := e.Subject + e.Commit.Subject + e.Commit.Body; strings.Contains(text, "plan") {
			t.Errorf("a cron session sees %q", text)
		}
	}
	for _, err := range History(context.Background(), l.ws(), HistoryOptions{Since: "whenever"}) {
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("a bad date: %v", err)
		}
	}
}

func TestHistoryOfNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.git("checkout", "-q", "--orphan", "empty")
	if got := l.history(HistoryOptions{}); len(got) != 0 {
		t.Errorf("events without a commit: %v", got)
	}
}

func seq(events ...Event) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestGroupBySession(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) time.Time { return time.Date(2026, 5, day, hour, 0, 0, 0, time.UTC) }
	events := seq(
		Event{Session: "s2", Actor: Agent, Date: at(4, 12), Subject: "6"},
		Event{Session: "s1", Actor: Agent, Date: at(4, 11), Subject: "5"},
		Event{Actor: User, Date: at(4, 10), Subject: "4"},
		Event{Session: "s2", Actor: Unknown, Date: at(4, 9), Subject: "3"},
		Event{Actor: User, Date: at(4, 8), Subject: "2"},
		Event{Actor: User, Date: at(3, 8), Subject: "1"},
		Event{Actor: Unknown, Date: at(3, 7), Subject: "0"},
	)
	var got []string
	for g, err := range GroupBySession(events) {
		if err != nil {
			t.Fatal(err)
		}
		var subjects []string
		for _, e := range g.Events {
			subjects = append(subjects, e.Subject)
		}
		got = append(got, fmt.Sprintf("%s/%s %s-%s: %s", g.Session, g.Actor, g.From.Format("02T15"), g.To.Format("02T15"), strings.Join(subjects, " ")))
	}
	want := []string{"s2/agent 04T09-04T12: 6 3", "s1/agent 04T11-04T11: 5", "/user 04T08-04T10: 4 2", "/user 03T08-03T08: 1", "/unknown 03T07-03T07: 0"}
	if !slices.Equal(got, want) {
		t.Errorf("groups:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestGroupsInTime: what has no session is one group only while nothing else comes
// between; a session is one group in any case.
func TestGroupsInTime(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 5, 4, hour, 0, 0, 0, time.UTC) }
	events := seq(
		Event{Actor: User, Date: at(12), Subject: "7"},
		Event{Actor: User, Date: at(11), Subject: "6"},
		Event{Session: "s1", Actor: Agent, Date: at(10), Subject: "5"},
		Event{Actor: Unknown, Date: at(9), Subject: "4"},
		Event{Session: "s1", Actor: Agent, Date: at(8), Subject: "3"},
		Event{Actor: Unknown, Date: at(7), Subject: "2"},
		Event{Actor: User, Date: at(6), Subject: "1"},
	)
	var got []string
	for g, err := range GroupBySession(events) {
		if err != nil {
			t.Fatal(err)
		}
		line := g.Session + "/" + string(g.Actor)
		for _, e := range g.Events {
			line += " " + e.Subject
		}
		got = append(got, line)
	}
	want := []string{"/user 7 6", "s1/agent 5 3", "/unknown 4 2", "/user 1"}
	if !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
}

// TestHistoryMarksUndone: whatever is filtered out, what was taken back is marked,
// and what was brought back is not.
func TestHistoryMarksUndone(t *testing.T) {
	t.Parallel()
	l := storied(t)
	undone := func(opt HistoryOptions) (out []string) {
		for _, e := range l.history(opt) {
			if e.UndoneBy != "" {
				out = append(out, e.Subject)
			}
		}
		return out
	}
	filters := []HistoryOptions{
		{},
		{Session: "s1"},
		{Actors: []Actor{Agent}},
		{Events: []string{"writeback"}},
		{Paths: []string{"memory/a.md"}},
		{Events: []string{"writeback"}, Session: "s1", Actors: []Actor{Agent}, Max: 2},
	}
	target := l.history(HistoryOptions{Session: "s1"})[1]
	undo := func(name string) string {
		res, err := Undo(context.Background(), l.ws(), Caller{Actor: User}, UndoOptions{Target: name})
		if err != nil {
			t.Fatal(err)
		}
		return res.ID
	}
	first := undo(target.ID)
	for _, opt := range filters {
		if got := undone(opt); !slices.Equal(got, []string{target.Subject}) {
			t.Errorf("%+v: taken back are %q, want %q", opt, got, target.Subject)
		}
	}
	undo(first)
	for _, opt := range filters[1:4] {
		if got := undone(opt); len(got) > 0 {
			t.Errorf("%+v: after it was brought back %q are marked", opt, got)
		}
	}
}

// TestGroupStreams: groups come while events are read, whatever the history's
// length, and none is lost.
func TestGroupStreams(t *testing.T) {
	t.Parallel()
	const all = 10000
	read, seen := 0, 0
	events := func(yield func(Event, error) bool) {
		for i := range all {
			read++
			if !yield(Event{Session: fmt.Sprint(i / 10 % 7 * i / 300), Date: time.Unix(int64(-i), 0)}, nil) {
				return
			}
		}
		yield(Event{}, errors.New("broken pack"))
	}
	var last error
	for g, err := range GroupBySession(events) {
		if err != nil {
			last = err
			continue
		}
		if seen == 0 && read > 2*groupWindow {
			t.Errorf("%d events read before the first group", read)
		}
		seen += len(g.Events)
	}
	if seen != all || last == nil {
		t.Errorf("%d events of %d, error %v", seen, all, last)
	}
	read = 0
	for _, err := range GroupBySession(events) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if read > 2*groupWindow {
		t.Errorf("%d events read for one group", read)
	}
}

func TestFindEvent(t *testing.T) {
	t.Parallel()
	l := storied(t)
	ctx := context.Background()
	id := l.history(HistoryOptions{Session: "s2"})[0].ID
	for _, name := range []string{id, id[:12], "HEAD~3"} {
		e, err := FindEvent(ctx, l.ws(), name)
		if err != nil || e.Name != eventL1Edit || e.ID != id {
			t.Errorf("%s: found %s %s, %v", name, e.Name, e.ID, err)
		}
	}
	// The commit by hand quotes this id.
	if e, err := FindEvent(ctx, l.ws(), "20260502-00000001"); err != nil || e.Name != eventAdopt {
		t.Errorf("a quoted id: found '%s', %v", e.Subject, err)
	}
	var none *gitops.RevError
	for _, name := range []string{"20260502-ffffffff", "20260502-", "nothing", ""} {
		if e, err := FindEvent(ctx, l.ws(), name); !errors.As(err, &none) {
			t.Errorf("%q: found '%s', %v", name, e.Subject, err)
		}
	}
	// All commits of a day begin alike.
	_, err := FindEvent(ctx, l.ws(), "20260503-"+commonHex(l))
	var amb *AmbiguousError
	if commonHex(l) != "" && (!errors.As(err, &amb) || len(amb.Commits) < 2) {
		t.Errorf("an ambiguous beginning: %v", err)
	}
	// The same id twice.
	l.gitCommit("again\n\nClaw-Event: writeback\nClaw-Id: " + id + "\nClaw-Actor: agent\n")
	if _, err := FindEvent(ctx, l.ws(), id); !errors.As(err, &amb) || len(amb.Hints()) != 2 {
		t.Errorf("an id twice: %v", err)
	}
	// On another branch only, dated long ago.
	l.git("checkout", "-q", "-b", "claw/l1/x", "HEAD~1")
	l.clock("2020-01-01T00:00:00Z")
	l.gitCommit("proposal\n\nClaw-Event: l1.change\nClaw-Id: 20260505-0badcafe\nClaw-Actor: agent\n")
	l.git("checkout", "-q", "main")
	if e, err := FindEvent(ctx, l.ws(), "20260505-0bad"); err != nil || e.Name != "l1.change" {
		t.Errorf("on another branch: %v", err)
	}
}

// commonHex is a beginning that several ids of 2026-05-03 share, if chance made
// one.
func commonHex(l *lab) string {
	seen := map[string]bool{}
	for _, e := range l.history(HistoryOptions{}) {
		if h, ok := strings.CutPrefix(e.ID, "20260503-"); ok {
			if seen[h[:1]] {
				return h[:1]
			}
			seen[h[:1]] = true
		}
	}
	return ""
}
