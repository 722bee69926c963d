package syncing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/syncing"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/prefs"
)

const day = "memory/2026-05-02.md"

// TestSameDay is T39: two machines append to one day and to one file of lessons.
func TestSameDay(t *testing.T) {
	t.Parallel()
	const closure = "\nUpdated: %s\nDecisions: %s\nSignal: none\nOpen: none\n"
	f := newFleet(t, 2, day, "# 2026-05-02\n\n## Notes\n- start\n", ".learnings/LEARNINGS.md", "# Learnings\n", "other.txt", "code\n")
	a, b := f.m[0], f.m[1]
	a.Write(day, "# 2026-05-02\n\n## Notes\n- start\n- from a\n"+fmt.Sprintf(closure, "2026-05-02", "ship it"))
	b.Write(day, "# 2026-05-02\n\n## Notes\n- start\n- from b\n"+fmt.Sprintf(closure, "2026-05-03", "test it"))
	a.Write(".learnings/LEARNINGS.md", "# Learnings\n\n- lesson a\n")
	b.Write(".learnings/LEARNINGS.md", "# Learnings\n\n- lesson b\n")
	old := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(b.Path("other.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	doSync(a)
	res := doSync(b)
	if !res.Merged || !res.Pushed || res.In != 1 || res.Contradictions != 0 {
		t.Errorf("%+v", res)
	}
	f.settle()
	for _, l := range f.m {
		text := l.ReadFile(day)
		for _, want := range []string{"- start\n", "- from a\n", "- from b\n", "Updated: 2026-05-03\n", "ship it; test it"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%q is not there once:\n%s", want, text)
			}
		}
		if n := strings.Count(text, "Updated:"); n != 1 {
			t.Errorf("%d closure blocks:\n%s", n, text)
		}
		lessons := l.ReadFile(".learnings/LEARNINGS.md")
		if !strings.Contains(lessons, "lesson a") || !strings.Contains(lessons, "lesson b") {
			t.Errorf("lessons:\n%s", lessons)
		}
	}
	if fi, err := os.Stat(b.Path("other.txt")); err != nil || !fi.ModTime().Equal(old) {
		t.Error("an unchanged file was written")
	}
	if got := b.Trailer("HEAD", "Claw-Event"); got != "sync.merge" {
		t.Errorf("event %q", got)
	}
	// The other direction gives the same tree.
	parents := strings.Fields(b.Git("log", "-1", "--format=%P"))
	base := b.Git("merge-base", parents[0], parents[1])
	ws := b.Workspace()
	var ids [3]gitops.ID
	for i, s := range []string{base, parents[0], parents[1]} {
		ids[i], _ = gitops.ParseID(s)
	}
	for _, pair := range [][2]gitops.ID{{ids[1], ids[2]}, {ids[2], ids[1]}} {
		m, err := agent.MergeCommits(t.Context(), ws, ids[:1], pair[0], pair[1], "x")
		if err != nil || m.Tree.String() != b.Git("rev-parse", "HEAD^{tree}") {
			t.Errorf("%+v, %v", m, err)
		}
	}
}

// TestSameBullet is T40: one bullet edited on both sides.
func TestSameBullet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ a, b, kind string }{
		"edit":   {"- the server listens on port 8080 since May\n", "- the server listens on port 9090 since May\n", "kind=edit n=2"},
		"delete": {"- the server listens on port 8080 since May\n", "", "kind=delete n=1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const head, tail = "# Memory\n\n- first fact\n", "- last fact\n"
			f := newFleet(t, 2, "MEMORY.md", head+"- the server listens on port 80 since May\n"+tail)
			f.m[0].Write("MEMORY.md", head+c.a+tail)
			f.m[1].Write("MEMORY.md", head+c.b+tail)
			doSync(f.m[0])
			if res := doSync(f.m[1]); res.Contradictions != 1 {
				t.Errorf("%+v", res)
			}
			// Where it comes by itself it is news, too, and once.
			if res := doSync(f.m[0]); res.Contradictions != 1 || res.Merged {
				t.Errorf("%+v", res)
			}
			if res := doSync(f.m[0]); res.Contradictions != 0 {
				t.Errorf("%+v", res)
			}
			f.settle()
			text := f.m[0].ReadFile("MEMORY.md")
			if text != f.m[1].ReadFile("MEMORY.md") || strings.Count(text, "claw:conflict") != 1 || !strings.Contains(text, c.kind) {
				t.Errorf("a:\n%s\nb:\n%s", text, f.m[1].ReadFile("MEMORY.md"))
			}
			if !strings.Contains(text, c.a) || !strings.Contains(text, c.b) {
				t.Errorf("a version is lost:\n%s", text)
			}
			if got := f.m[1].Trailer("HEAD", "Claw-Count"); got != "1" {
				t.Errorf("Claw-Count %q", got)
			}
			f.settle()
			if f.m[0].ReadFile("MEMORY.md") != text {
				t.Error("a further sync changed it")
			}
		})
	}
}

// TestSeveralKinds is T42: JSON, JSON Lines and what is derived.
func TestSeveralKinds(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "memory/state.json", "{\n  \"n\": 1,\n  \"list\": [1]\n}\n", "memory/events.jsonl", "{\"t\":1}\n",
		"self-improving/memory.md", "# Preferences\n", "self-improving/index.md", "# Index\n\nLast compaction: 2026-05-01\n")
	a, b := f.m[0], f.m[1]
	a.Write("memory/state.json", "{\n  \"n\": 2,\n  \"list\": [1],\n  \"a\": true\n}\n")
	a.Write("memory/events.jsonl", "{\"t\":1}\n{\"t\":2,\"by\":\"a\"}\n")
	a.Write("self-improving/domains/code.md", "# Code\n\n- [code] \"tabs\" -> \"spaces\" <!-- id=cand-7e1f9a20 pin=0 since=2026-04-01 -->\n")
	a.Write("self-improving/index.md", "# Index\n\nLast compaction: 2026-05-02\n\n- a\n")
	save(a)
	b.Later(time.Hour)
	b.Write("memory/state.json", "{\n  \"n\": 3,\n  \"list\": [1, 2],\n  \"b\": true\n}\n")
	b.Write("memory/events.jsonl", "{\"t\":1}\n{\"t\":3,\"by\":\"b\"}\n")
	b.Write("self-improving/domains/text.md", "# Text\n\n- [text] \"long\" -> \"short\" <!-- id=cand-7e1f9a21 pin=0 since=2026-04-01 -->\n")
	b.Write("self-improving/index.md", "# Index\n\nLast compaction: 2026-05-01\n\n- b\n")
	save(b)
	doSync(b)
	doSync(a)
	f.settle()
	state := a.ReadFile("memory/state.json")
	for _, want := range []string{`"n": 3`, `"a": true`, `"b": true`} {
		if !strings.Contains(state, want) {
			t.Errorf("no %s in\n%s", want, state)
		}
	}
	if got := a.ReadFile("memory/events.jsonl"); got != "{\"t\":1}\n{\"t\":2,\"by\":\"a\"}\n{\"t\":3,\"by\":\"b\"}\n" {
		t.Errorf("events:\n%s", got)
	}
	var rows []prefs.IndexRow
	for _, rel := range []string{"domains/code.md", "domains/text.md", "memory.md"} {
		rows = append(rows, prefs.Row(rel, []byte(a.ReadFile("self-improving/"+rel))))
	}
	if got, want := a.ReadFile("self-improving/index.md"), string(prefs.RenderIndex(rows, "2026-05-02")); got != want {
		t.Errorf("index.md:\n%s\nwant:\n%s", got, want)
	}
}

// TestArchived is T43: archived here, edited there.
func TestArchived(t *testing.T) {
	t.Parallel()
	note := "# Onboarding\n\n" + strings.Repeat("- a line about the client and how it is set up\n", 4) + "- the contact is Ada\n"
	f := newFleet(t, 3, "memory/onboarding.md", note, "MEMORY.md", "# Memory\n\n- a fact that lives long\n- a fact that is over soon\n")
	a, b, c := f.m[0], f.m[1], f.m[2]
	if err := os.MkdirAll(a.Path("memory/archive"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(a.Path("memory/onboarding.md"), a.Path("memory/archive/onboarding.md")); err != nil {
		t.Fatal(err)
	}
	// An entry that moves, not a file.
	a.Write("MEMORY.md", "# Memory\n\n- a fact that lives long\n")
	a.Write("memory/archive/memory.md", "# Old facts\n\n- a fact that is over soon\n")
	b.Write("memory/onboarding.md", strings.Replace(note, "Ada", "Grace", 1))
	b.Write("MEMORY.md", "# Memory\n\n- a fact that lives long\n- a fact that is over soon, in June\n")
	c.Write("memory/onboarding.md", note+"- added by c\n")
	for _, l := range f.m {
		doSync(l)
	}
	f.settle()
	got := c.ReadFile("memory/archive/onboarding.md")
	if !strings.Contains(got, "Grace") || strings.Contains(got, "Ada") || !strings.Contains(got, "added by c") {
		t.Errorf("the archive:\n%s", got)
	}
	if got := a.ReadFile("memory/onboarding.md"); got != "" {
		t.Errorf("it is still there:\n%s", got)
	}
	if got := a.ReadFile("memory/archive/memory.md"); !strings.Contains(got, "in June") {
		t.Errorf("the edit did not follow:\n%s\nMEMORY.md:\n%s", got, a.ReadFile("MEMORY.md"))
	}
}

// TestForeignCommits is T63.
func TestForeignCommits(t *testing.T) {
	t.Parallel()
	f := newFleetIn(t, 2, "agents/one", "MEMORY.md", "# Memory\n")
	a := f.m[0]
	before := f.at("rev-parse", "main")
	if err := os.WriteFile(a.Dir+"/main.go", []byte("package main\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	a.Commit("code")
	a.Write("MEMORY.md", "# Memory\n\n- a fact\n")
	res, err := trySync(a, syncing.Options{})
	var foreign *syncing.ForeignError
	if !errors.As(err, &foreign) || foreign.ExitCode() != 1 || len(res.Foreign) != 1 || res.Foreign[0].Path != "main.go" || res.Foreign[0].Subject != "code" {
		t.Errorf("%+v, %v", res.Foreign, err)
	}
	if got := f.at("rev-parse", "main"); got != before {
		t.Error("something was pushed")
	}
	if _, err := trySync(a, syncing.Options{WithForeign: true}); err != nil {
		t.Fatal(err)
	}
	doSync(f.m[1])
	if _, err := os.Stat(f.m[1].Dir + "/main.go"); err != nil {
		t.Error(err)
	}
	// A merge of what the remote has anyway is not foreign.
	a.Write("MEMORY.md", "# Memory\n\n- a fact\n- another one\n")
	f.m[1].Write("memory/x.md", "# X\n")
	doSync(a)
	doSync(f.m[1])
	f.settle()
}

// TestHeldBack is the second half of T13: a flagged line stays in its file through a sync
// that changes the note.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, day, "# 2026-05-02\n\n- start\n")
	a, b := f.m[0], f.m[1]
	secret := "- the key is sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc\n"
	b.Write(day, "# 2026-05-02\n\n- start\n"+secret)
	a.Write(day, "# 2026-05-02\n\n- start, said a\n\n## Later\n- more\n")
	doSync(a)
	res := doSync(b)
	if !res.Save.Held() {
		t.Error("nothing was held back")
	}
	text := b.ReadFile(day)
	if !strings.Contains(text, secret) || !strings.Contains(text, "said a") || !strings.Contains(text, "- more\n") {
		t.Errorf("the file:\n%s", text)
	}
	if strings.Contains(f.at("show", "main:"+day), "4eC39") {
		t.Error("the secret is at the remote")
	}
}

// TestRace: the remote moved between fetch and push.
func TestRace(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
	a, b := f.m[0], f.m[1]
	// The first push meets a hook that has another machine push before.
	b.Write("memory/b.md", "# B\n")
	b.Commit("b")
	hook := fmt.Sprintf("#!/bin/sh\ntest -e %[1]s/done && exit 0\ntouch %[1]s/done\nunset GIT_DIR\nunset $(git rev-parse --local-env-vars)\ncd %[2]s && git push -q origin main 2>/dev/null\nexit 0\n", f.remote, b.Dir)
	if err := os.WriteFile(a.Dir+"/.git/hooks/pre-push", []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	a.Write("memory/a.md", "# A\n")
	res := doSync(a)
	if !res.Merged || !res.Pushed {
		t.Errorf("%+v", res)
	}
	f.settle()
	if b.ReadFile("memory/a.md") == "" || a.ReadFile("memory/b.md") == "" {
		t.Error("something is lost")
	}
}

// TestWrittenMeanwhile: behind the save, and before what came is written, an agent makes the
// note that the remote has, too.
func TestWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	for name, commit := range map[string]string{"saved": "git add memory/kiln.md && git commit -q -m kiln", "not saved": ":"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
			a, b := f.m[0], f.m[1]
			b.Write("memory/kiln.md", "# Kiln\n\n- from b\n")
			doSync(b)
			a.Write("MEMORY.md", "# Memory\n\n- to be saved\n")
			script := fmt.Sprintf("#!/bin/sh\n(unset $(git rev-parse --local-env-vars)\ncd %s\nwhile test $(git rev-parse HEAD) = %s; do sleep 0.02; done\n"+
				"mkdir -p memory\nprintf '# Kiln\\n\\n- from a\\n' >memory/kiln.md\n%s)\nexec git-upload-pack \"$@\"\n", a.Dir, a.Git("rev-parse", "HEAD"), commit)
			upload := f.remote + "/upload"
			if err := os.WriteFile(upload, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			a.Git("config", "remote.origin.uploadpack", upload)
			doSync(a)
			a.Git("config", "--unset", "remote.origin.uploadpack")
			f.settle()
			if s := b.ReadFile("memory/kiln.md"); !strings.Contains(s, "- from a\n") || !strings.Contains(s, "- from b\n") {
				t.Errorf("%q", s)
			}
		})
	}
}

// TestMarkers: a machine without git claw merged with markers; the next sync unites them.
func TestMarkers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"MEMORY.md":         "# Memory\n\n- first\n<<<<<<< HEAD\n- mine\n=======\n- yours\n>>>>>>> theirs\n",
		"memory/log.jsonl":  "{\"id\":\"first\"}\n<<<<<<< HEAD\n{\"id\":\"mine\"}\n=======\n{\"id\":\"yours\"}\n>>>>>>> theirs\n",
		"memory/state.json": "{\n  \"first\": 1,\n<<<<<<< HEAD\n  \"mine\": 1\n=======\n  \"yours\": 2\n>>>>>>> theirs\n}\n",
		".claw/tags.txt":    "first\n<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> theirs\n",
	} {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprint(name, edited), func(t *testing.T) {
				t.Parallel()
				before, _, _ := strings.Cut(text, "<<<")
				rest := text[strings.LastIndex(text, ">>>>>>> theirs\n")+len(">>>>>>> theirs\n"):]
				old := strings.TrimSuffix(before, ",\n")
				if old != before {
					old += "\n"
				}
				f := newFleet(t, 2, "MEMORY.md", "# Memory\n", name, old+rest)
				a, b := f.m[0], f.m[1]
				a.Write(name, text)
				a.Commit("merged without git claw")
				a.Git("push", "-q", "origin", "main")
				if edited {
					b.Write(name, strings.Replace(old+rest, "first", "edited", 1))
				}
				if res := doSync(b); len(res.Mended) != 1 {
					t.Errorf("%+v", res)
				}
				f.settle()
				got := a.ReadFile(name)
				for _, word := range []string{"mine", "yours"} {
					if strings.Contains(got, "<<<<") || strings.Count(got, word) != 1 || edited && !strings.Contains(got, "edited") {
						t.Errorf("%s", got)
					}
				}
				if strings.HasSuffix(name, ".json") && !json.Valid([]byte(got)) {
					t.Errorf("%s", got)
				}
			})
		}
	}
}

// TestFirstPush: a remote without anything, and a machine without anything.
func TestFirstPush(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, "MEMORY.md", "# Memory\n")
	a := f.m[0]
	a.Git("init", "-q", "--bare", "-b", "main", f.remote+"2")
	a.Git("remote", "set-url", "origin", f.remote+"2")
	if res := doSync(a); !res.Pushed {
		t.Errorf("%+v", res)
	}
	if res := doSync(a); res.Pushed || res.In+res.Out+res.Files > 0 {
		t.Errorf("again: %+v", res)
	}
	if got := a.Git("--git-dir="+f.remote+"2", "rev-parse", "main"); got != a.Git("rev-parse", "HEAD") {
		t.Error(got)
	}
}

// TestDryRun moves nothing and says what would.
func TestDryRun(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
	a, b := f.m[0], f.m[1]
	a.Write("memory/a.md", "# A\n")
	doSync(a)
	b.Write("MEMORY.md", "# Memory\n\n- b\n")
	refs := b.Git("for-each-ref")
	res, err := trySync(b, syncing.Options{DryRun: true})
	if err != nil || res.In != 1 || res.Out != 2 || len(res.Save.Commits) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if b.Git("for-each-ref") != refs || b.ReadFile("memory/a.md") != "" {
		t.Error("something moved")
	}
	b.Check(" M MEMORY.md")
}

// TestFinishesMerge: a merge that git began without git claw, and left with markers, or
// with one side.
func TestFinishesMerge(t *testing.T) {
	t.Parallel()
	for name, driver := range map[string]string{
		"markers": "git merge-file --marker-size=%L %A %O %B", "markers, staged": "git merge-file --marker-size=%L %A %O %B", "one side": "false",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const head = "# Memory\n\n- first fact\n"
			const state = "memory/state.json"
			f := newFleet(t, 2, "MEMORY.md", head, "code.txt", "one\n", state, "{\n  \"x\": 1\n}\n")
			a, b := f.m[0], f.m[1]
			a.Write("MEMORY.md", head+"- from a\n")
			a.Write(state, "{\n  \"x\": 1,\n  \"a\": 2\n}\n")
			doSync(a)
			b.Write("MEMORY.md", head+"- from b\n")
			b.Write(state, "{\n  \"x\": 1,\n  \"b\": 3\n}\n")
			b.Commit("b")
			b.Write(".git/info/attributes", "*.md merge=claw\n*.json merge=claw\n")
			b.Git("config", "merge.claw.driver", driver)
			if _, err := b.TryGit("pull", "-q", "--no-rebase", "--no-edit"); err == nil {
				t.Fatal("git merged it")
			}
			if name == "markers, staged" { // which the hook of git claw refuses, and rightly
				b.Git("add", "-A")
				b.Write(".git/hooks/pre-commit", "#!/bin/sh\n! git grep -q --cached '^<<<<<<<'\n")
				if err := os.Chmod(filepath.Join(b.Dir, ".git/hooks/pre-commit"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			// Another git is at work, and what is united is staged only.
			locked := &gitops.LockedError{}
			b.Write(".git/HEAD.lock", "")
			if _, err := trySync(b, syncing.Options{}); !errors.As(err, &locked) {
				t.Errorf("%v", err)
			}
			if err := os.Remove(filepath.Join(b.Dir, ".git", "HEAD.lock")); err != nil {
				t.Fatal(err)
			}
			doSync(b)
			f.settle()
			if got := a.ReadFile(state); got != "{\n  \"x\": 1,\n  \"a\": 2,\n  \"b\": 3\n}\n" {
				t.Errorf("%s", got)
			}
			if got := a.ReadFile("MEMORY.md"); !strings.Contains(got, "- from a\n") || !strings.Contains(got, "- from b\n") || strings.Contains(got, "<<<") {
				t.Errorf("%s", got)
			}
		})
	}
	// What is not memory is left to a person.
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n", "code.txt", "one\n")
	a, b := f.m[0], f.m[1]
	a.Write("code.txt", "two\n")
	a.Commit("a")
	a.Git("push", "-q", "origin", "main")
	b.Write("code.txt", "three\n")
	b.Commit("b")
	_, _ = b.TryGit("pull", "-q", "--no-rebase", "--no-edit")
	was := b.ReadFile("code.txt")
	var progress *gitops.ProgressError
	if _, err := trySync(b, syncing.Options{}); !errors.As(err, &progress) || b.ReadFile("code.txt") != was {
		t.Errorf("%v", err)
	}
}
