package agent

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestNoteTopic(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.note(NoteOptions{Topic: "Client Onboarding", Text: "data form before the first call\n* invoices on the 3rd", Source: "mail"})
	l.wantFile("memory/client-onboarding.md", "# client-onboarding\n\n- data form before the first call\n- invoices on the 3rd\n")
	l.note(NoteOptions{Reference: "billing", Text: "## Steps\n\n1. first\n2. second"})
	l.wantFile("reference/billing.md", "# billing\n\n## Steps\n\n1. first\n2. second\n")
	l.note(NoteOptions{Topic: "client-onboarding", Reference: "billing", Text: "reminders after a week"})
	l.note(NoteOptions{Topic: "billing", Text: "VAT is 19 %"})
	if got, want := l.read("memory/client-onboarding.md"), "- reminders after a week → Deep dive: reference/billing.md\n"; !strings.HasSuffix(got, want) {
		t.Errorf("no pointer in %q", got)
	}
	l.wantFile("memory/billing.md", "# billing\n\n- VAT is 19 % → Deep dive: reference/billing.md\n")
	l.wantEvents("breadcrumb.add agent s1 memory/billing.md\nbreadcrumb.add agent s1 memory/client-onboarding.md\n" +
		"reference.add agent s1 reference/billing.md\nbreadcrumb.add agent s1 memory/client-onboarding.md\n")
	if e := l.history(HistoryOptions{})[3]; e.Commit.Trailers.Get("Claw-Source") != "mail" {
		t.Errorf("trailers %v", e.Commit.Trailers)
	}
	l.clean()
	for _, opt := range []NoteOptions{
		{Topic: "x", Reference: "missing", Text: "y"},
		{Topic: "x", Text: "y → Deep dive: reference/missing.md"},
		{Topic: "2026-05-02-standup", Text: "y"},
		{Topic: "Working Buffer", Text: "y"},
		{Topic: "index", Text: "y"},
		{Topic: "memory", Text: "y"},
		{Topic: "../escape", Text: "y"},
		{Topic: "a/b", Text: "y"},
		{Topic: "...", Text: "y"},
		{Reference: "../../x", Text: "y"},
		{Topic: "x", State: true, Text: "y"},
		{Text: "  \n"},
		{Merge: "2026-05-02", Text: "y"},
		{Merge: "someday"},
		{Merge: "2026-05-02"},
		{Topic: "x", Text: strings.Repeat("too long ", 600)},
	} {
		if res, err := Note(context.Background(), l.ws(), agentCaller(""), opt); err == nil {
			t.Errorf("%+v: no error but %+v", opt, res)
		}
	}
	l.clean()
}

// TestTopicNames: a file that is there keeps its name; other scripts work.
func TestTopicNames(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/Client_Notes.md", "# c\n")
	for said, want := range map[string]string{"Client_Notes": "Client_Notes", "client notes": "client-notes", "客户 入职": "客户-入职", "v0.2": "v0-2"} {
		if got, err := topicName(l.ws(), said); err != nil || got != want {
			t.Errorf("topicName(%q) = %q, %v; want %q", said, got, err, want)
		}
	}
}

// TestTopicOverflow: a breadcrumb never grows over its limit, no fact is lost,
// and the reference can be reached.
func TestTopicOverflow(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	l := newLab(t, "")
	var facts []string
	overflows := 0
	for i := range 90 {
		fact := fmt.Sprintf("fact %02d about %s", i, strings.Repeat("the job ", i%17))
		facts = append(facts, strings.TrimSpace(fact))
		res := l.note(NoteOptions{Topic: "job", Text: fact})
		if res.Commits[0].Event == eventOverflow {
			overflows++
		}
		if n := len(l.read("memory/job.md")); n > 4096 {
			t.Fatalf("%d bytes after %d facts", n, i+1)
		}
	}
	if overflows < 1 {
		t.Fatal("nothing overflowed")
	}
	crumb, ref := l.read("memory/job.md"), l.read("reference/job.md")
	for _, f := range facts {
		if n := strings.Count(crumb, "- "+f) + strings.Count(ref, "- "+f); n != 1 {
			t.Errorf("%d times '%s'", n, f)
		}
	}
	if !strings.Contains(crumb, "→ Deep dive: reference/job.md") {
		t.Errorf("nothing points to the reference:\n%s", crumb)
	}
	if strings.Index(ref, facts[0]) > strings.Index(ref, facts[1]) {
		t.Error("the older facts are not in order")
	}
	l.clean()
}

func TestNoteState(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "MEMORY.md", "# Agent Memory\n#tags: ops\nlast_verified: 2026-04-01\nlast_updated: 2026-04-01\n\n## Active\n- old\n\n## Facts\n- f\n")
	l.note(NoteOptions{State: true, Text: "migration runs"})
	l.wantFile("MEMORY.md", "# Agent Memory\n#tags: ops\nlast_verified: 2026-04-01\nlast_updated: 2026-05-02\n\n## Active\n- old\n- migration runs\n\n## Facts\n- f\n")
	l.wantEvents("l1.state agent s1 MEMORY.md\n")
	l.clean()
}

func TestNoteMerge(t *testing.T) {
	t.Parallel()
	l := newLab(
		t, "", "memory/2026-05-01.md", "# 2026-05-01\n\n- a\n- both\n", "memory/episodic/2026-05-01.md",
		"# 2026-05-01\n\n- both\n- b\n\nUpdated: 2026-05-01\nDecisions: none\nSignal: s\nOpen: none\n",
	)
	l.write("memory/2026-05-01.md", "# 2026-05-01\n\n- a\n- both\n- unsaved\n")
	l.note(NoteOptions{Merge: "2026-05-01"})
	l.wantFile("memory/episodic/2026-05-01.md", "# 2026-05-01\n\n- both\n- b\n- a\n- unsaved\n\nUpdated: 2026-05-01\nDecisions: none\nSignal: s\nOpen: none\n")
	if _, err := os.Stat(l.path("memory/2026-05-01.md")); err == nil {
		t.Error("the other file is still there")
	}
	l.wantEvents("episodic.merge agent s1 memory/2026-05-01.md,memory/episodic/2026-05-01.md\nwriteback unknown  memory/2026-05-01.md\n")
	if res := l.note(NoteOptions{Merge: "2026-05-01"}); len(res.Commits) != 0 {
		t.Errorf("a second time: %+v", res)
	}
	l.clean()
}
