package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Values that must stay out of git, put together so that no scanner finds one in
// this source.
func stripeKey() string { return "sk_" + "live_" + "9fGh27QkWm3ZtRb81XcVn5Ly" }

func githubToken() string { return "ghp" + "_" + "k7Qm2VxR9sTb4LwZ8nHc3JdF6pGy1XeAuE5o" }

// T13: a flagged line stays in the work tree and gets into no object and no
// output; what is harmless beside it is committed.
func TestT13(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newAdopted(t, nil)
	stripe, github := stripeKey(), githubToken()
	s.Append("memory/2026-02-28.md", "- pay with "+stripe+"\n- water the plants\n")
	s.Append("USER.md", "- likes cake\n")
	s.Write("memory/state.json", "{\"n\": 1,\n \"token\": \""+github+"\"}\n")
	s.Write("memory/only.md", "- "+github+"\n")
	files := s.files()

	res := s.saveAs(Agent, SaveOptions{})
	wantBrief(t, res, "l1.edit agent USER.md", "writeback agent memory/2026-02-28.md")
	if !res.Held() {
		t.Error("the save does not say that it held something back")
	}
	want := []string{"memory/2026-02-28.md:4", "memory/only.md:1", "memory/state.json:2"}
	for i, r := range reasons(res.Skipped) {
		if i >= len(want) || !strings.HasPrefix(r, want[i]+" secret: ") {
			t.Errorf("skipped %q, want %q", reasons(res.Skipped), want)
			break
		}
	}
	if got, want := s.InHead("memory/2026-02-28.md"), "# 2026-02-28\n\n- old note\n- water the plants\n"; got != want {
		t.Errorf("HEAD has %q, want %q", got, want)
	}
	sameFiles(t, "save", files, s.files(), nil)
	left := []string{" M memory/2026-02-28.md", "?? memory/only.md", "?? memory/state.json"}
	s.CheckClean(left...)

	if again := s.saveAs(Agent, SaveOptions{}); len(again.Commits) > 0 || !again.Held() {
		t.Errorf("saving again: %q, held %v", again.brief(), again.Held())
	}
	dash, err := Status(ctx, s.open(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"memory/2026-02-28.md", "memory/only.md", "memory/state.json"} {
		if !slices.ContainsFunc(dash.Withheld, func(k Skipped) bool { return k.Path == path && k.Line > 0 }) {
			t.Errorf("status does not name file and line of '%s': %q", path, reasons(dash.Withheld))
		}
	}

	for _, f := range s.check("held back", "EPI-006 GIT-008", "EPI-006 FAIL memory/2026-02-28.md:4", "GIT-008 FAIL memory/only.md:1", "GIT-008 FAIL memory/state.json:2") {
		if text := fmt.Sprintf("%+v", f); strings.Contains(text, stripe) || strings.Contains(text, github) {
			t.Errorf("the value is in a finding: %s", text)
		}
	}

	// A note, an undo and another save in the same file leave the line where it is.
	note, err := Note(ctx, s.open(), Caller{Actor: Agent}, NoteOptions{Text: "noted"})
	if err != nil {
		t.Fatal(err)
	}
	undone, err := s.undoAs(User, res.Commits[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Read("memory/2026-02-28.md"), "# 2026-02-28\n\n- old note\n- pay with "+stripe+"\n"; got != want {
		t.Errorf("after the undo the file is %q, want %q", got, want)
	}
	s.Append("memory/2026-02-28.md", "- one more\n")
	more := s.saveAs(User, SaveOptions{Message: "with " + stripe})
	for _, value := range []string{stripe, github} {
		s.noValue(value, res, dash, note, undone, more)
	}
	s.CheckClean(left...)

	// When the line is gone nothing is left of it.
	s.Write("memory/2026-02-28.md", strings.ReplaceAll(s.Read("memory/2026-02-28.md"), "- pay with "+stripe+"\n", ""))
	s.Remove("memory/only.md")
	s.Remove("memory/state.json")
	if last := s.saveAs(Agent, SaveOptions{}); last.Held() {
		t.Errorf("still held: %q", reasons(last.Skipped))
	}
	s.noValue(stripe)
	s.CheckClean()
}

// A secret in a message, in a file's name, in the id of a session, in a link's
// target or in a replaced line gets nowhere either.
func TestSecretElsewhere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newAdopted(t, nil)
	value := stripeKey()
	s.Write("memory/"+value+".md", "- harmless\n")
	s.Write("MEMORY.md", "# Memory\n\n- the key is "+value+"\n- another fact\n")
	s.Write("skills/"+value+"/SKILL.md", "# x\n")
	s.Symlink("../x-"+value, "memory/link.md")
	s.Write("memory/fine.md", "- fine\n")
	ws := s.open()
	res, err := Save(ctx, ws, Caller{Actor: Agent, Session: "s " + value}, SaveOptions{Message: "use " + value + "\n\n" + value, Source: value})
	if err != nil {
		t.Fatal(err)
	}
	wantBrief(t, res, "writeback agent memory/fine.md")
	if !res.Held() {
		t.Error("nothing says that it was held back")
	}
	if n := len(slices.DeleteFunc(reasons(res.Skipped), func(r string) bool { return !strings.Contains(r, "message") })); n != 1 {
		t.Errorf("the message is complained about %d times: %q", n, reasons(res.Skipped))
	}
	if got := s.InHead("MEMORY.md"); !strings.Contains(got, "- one fact\n") {
		t.Errorf("the replaced line is lost: %q", got)
	}
	caller := Caller{Actor: Agent, Session: "s " + value}
	note, err := Note(ctx, s.open(), caller, NoteOptions{Text: "a note", Source: value})
	if err != nil {
		t.Fatal(err)
	}
	undo, err := Undo(ctx, s.open(), Caller{Actor: User, Session: value}, UndoOptions{Target: res.Commits[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	dash, err := Status(ctx, s.open(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.noValue(value, res, note, undo, dash)
}

// An undo does not bring a secret back into git that somebody took out of it.
func TestUndoBringsNoSecretBack(t *testing.T) {
	t.Parallel()
	value := stripeKey()
	s := newAdopted(t, map[string]string{
		"AGENTS.md": "# A\n", "SOUL.md": "# S\n", "IDENTITY.md": "# I\n",
		"memory/a.md": "- one\n- key " + value + "\n- three\n", "memory/gone.md": "- key " + value + "\n",
	})
	s.Write("memory/a.md", "- one\n- three\n")
	s.saveAs(User, SaveOptions{})
	s.Append("memory/a.md", "- four\n")
	s.Remove("memory/gone.md")
	s.saveAs(User, SaveOptions{})
	for _, target := range []string{"HEAD", "HEAD~1"} {
		files, state := s.files(), s.state()
		_, err := s.undoAs(User, target)
		var no *RefusedError
		if !errors.As(err, &no) || strings.Contains(err.Error(), value) {
			t.Errorf("undo of %s: %v, want *RefusedError without the value", target, err)
		}
		sameFiles(t, "the refused undo", files, s.files(), nil)
		if s.state() != state {
			t.Error("the refused undo changed HEAD, refs or index")
		}
	}
	s.CheckClean()
}

// Undo of the save that made a file: git has it no more, and what was held back
// from git stays in the work tree.
func TestUndoKeepsWithheld(t *testing.T) {
	t.Parallel()
	value := stripeKey()
	s := newAdopted(t, nil)
	s.Write("memory/new.md", "# New\n\n- one\n- key "+value+"\n- two\n")
	id := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
	if _, err := s.undoAs(User, id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Try("cat-file", "-e", "HEAD:memory/new.md"); err == nil {
		t.Error("the file is still in HEAD")
	}
	if got := s.Read("memory/new.md"); !strings.Contains(got, "- key "+value+"\n") || strings.Contains(got, "- one") {
		t.Errorf("the work tree has %q", got)
	}
	if res := s.saveAs(Agent, SaveOptions{}); strings.Contains(strings.Join(res.brief(), " "), "one") {
		t.Errorf("the next save brings back %q", res.brief())
	}
	s.noValue(value)
}
