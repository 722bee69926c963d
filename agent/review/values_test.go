package review_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/review"
	"github.com/git-claw/git-claw/agent/syncing"
)

const (
	state = "memory/state.json"
	page  = "memory/page.md"
)

// merged are two machines that set the same values, in sync.
func merged(t *testing.T, sub string) (a, b *agenttest.Lab) {
	t.Helper()
	a = agenttest.New(t, sub, state, "{\n  \"port\": 80,\n  \"host\": \"x\"\n}\n", page, "---\ntitle: Old\n---\n\n- a fact\n")
	remote := filepath.Join(t.TempDir(), "r.git")
	a.Git("init", "-q", "--bare", "-b", "main", remote)
	a.Git("remote", "add", "origin", remote)
	a.Git("push", "-q", "-u", "origin", "main")
	b = a.Clone(2)
	b.Git("remote", "set-url", "origin", remote)
	a.Write(state, "{\n  \"port\": 81,\n  \"host\": \"from a\"\n}\n")
	a.Write(page, "---\ntitle: From A\n---\n\n- a fact\n")
	b.Write(state, "{\n  \"port\": 82,\n  \"host\": \"from b\"\n}\n")
	b.Write(page, "---\ntitle: From B\n---\n\n- a fact\n- more\n")
	doSync(t, a)
	b.Later(time.Hour)
	if res := doSync(t, b); len(res.Overruled) != 3 {
		t.Fatalf("overruled: %v", res.Overruled)
	}
	doSync(t, a)
	return a, b
}

func doSync(t *testing.T, l *agenttest.Lab) *syncing.Result {
	t.Helper()
	l.Later(time.Second)
	res, err := syncing.Sync(ctx, l.Workspace(), bot, syncing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// values is what waits of values, by their names.
func values(t *testing.T, l *agenttest.Lab) map[string]*review.Item {
	t.Helper()
	out := map[string]*review.Item{}
	for _, i := range queue(t, l).Items {
		if i.Contradiction != nil && i.Contradiction.Value != nil {
			out[i.Contradiction.Value.Title()] = i
		}
	}
	w, err := review.Count(ctx, l.Workspace(), human)
	if err != nil || w.Contradictions != len(out) {
		t.Errorf("counted %d of %d, %v", w.Contradictions, len(out), err)
	}
	return out
}

// TestValues: a value that both machines set is asked about on each of them, until somebody
// chose on one; the other value comes back without another byte changing.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, sub := range []string{"", "agents/one"} {
		a, b := merged(t, sub)
		for name, l := range map[string]*agenttest.Lab{"a": a, "b": b} {
			got := values(t, l)
			if len(got) != 3 || got["port"] == nil || got["host"] == nil || got["title"] == nil {
				t.Fatalf("on %s: %v", name, got)
			}
			c := got["port"].Contradiction
			if !slices.Equal(c.Versions, []string{"82", "81"}) || c.Path != state || c.Line != 2 {
				t.Errorf("on %s: %+v", name, c)
			}
			from, err := review.Writers(ctx, l.Workspace(), c)
			if err != nil || len(from) != 2 || from[0] == nil || from[1] == nil || !from[0].Date.After(from[1].Date) {
				t.Errorf("writers on %s: %v %v", name, from, err)
			}
		}
		body := b.Git("log", "-1", "--format=%b")
		if !strings.Contains(body, state+": port: 82, not 81\n") || !strings.Contains(body, "title: From B, not From A") {
			t.Errorf("the merge says\n%s", body)
		}

		if _, err := review.Decide(ctx, a.Workspace(), bot, values(t, a)["port"], review.Decision{Answer: review.Second}); err == nil {
			t.Error("an agent chose")
		}
		decide(t, a, "port", review.Second)
		decide(t, a, "host", review.First)
		if got := a.ReadFile(state); got != "{\n  \"port\": 81,\n  \"host\": \"from b\"\n}\n" {
			t.Errorf("the file is\n%s", got)
		}
		if got := a.Trailer("HEAD", "Claw-Event"); got != "conflict.resolve" {
			t.Errorf("event %q", got)
		}
		doSync(t, a)
		doSync(t, b)
		for name, l := range map[string]*agenttest.Lab{"a": a, "b": b} {
			if got := values(t, l); len(got) != 1 || got["title"] == nil {
				t.Errorf("left on %s: %v", name, got)
			}
			l.Check()
		}
		decide(t, b, "title", review.Second)
		if got := b.ReadFile(page); got != "---\ntitle: From A\n---\n\n- a fact\n- more\n" {
			t.Errorf("the page is\n%s", got)
		}
		doSync(t, b)
		doSync(t, a)
		if got := values(t, a); len(got) != 0 {
			t.Errorf("left: %v", got)
		}
	}
}

func decide(t *testing.T, l *agenttest.Lab, name string, how review.Answer) {
	t.Helper()
	if _, err := review.Decide(ctx, l.Workspace(), human, values(t, l)[name], review.Decision{Answer: how}); err != nil {
		t.Fatal(err)
	}
}

// TestValuesSetAnew: what was set anew since can only be kept, and what was given the other
// value by hand, or taken out, is decided.
func TestValuesSetAnew(t *testing.T) {
	t.Parallel()
	a, _ := merged(t, "")
	stale := values(t, a)["port"]
	a.Write(state, "{\n  \"port\": 99,\n  \"host\": \"from a\"\n}\n")
	a.Write(page, "- a fact\n- more\n")
	got := values(t, a)
	if len(got) != 1 || !got["port"].Contradiction.Anew || !slices.Equal(got["port"].Answers, []review.Answer{review.First}) {
		t.Fatalf("%v", got)
	}
	var refused *agent.RefusedError
	if _, err := review.Decide(ctx, a.Workspace(), human, stale, review.Decision{Answer: review.Second}); !errors.As(err, &refused) {
		t.Errorf("a value that was set anew was replaced: %v", err)
	}
	if !strings.Contains(a.ReadFile(state), "99") {
		t.Error("it is gone")
	}
	decide(t, a, "port", review.First)
	if got := values(t, a); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// TestNoValueTold: a value with a secret is not in the message of the merge.
func TestNoValueTold(t *testing.T) {
	t.Parallel()
	o := agent.Overruled{File: state}
	o.Path, o.Kept, o.Lost = []string{"token"}, []byte(`"ghp_`+"16C7e42F292c6912E7"+`710c838347Ae178B4a"`), []byte(`"x"`)
	if s := o.String(); s != state+": token" {
		t.Errorf("%s", s)
	}
	o.Kept = []byte(strings.Repeat("é", 100))
	body, tr := agent.OverruledMessage([]agent.Overruled{o})
	if !strings.Contains(body, strings.Repeat("é", 40)+"…, not") || len(tr) != 1 {
		t.Errorf("%s %v", body, tr)
	}
}

// TestValuesBetweenMarkers: a value that stood between conflict markers, committed or in a merge that
// git could not end, is asked about like others.
func TestValuesBetweenMarkers(t *testing.T) {
	t.Parallel()
	const mended = "{\n  \"port\": 82,\n  \"host\": \"x\"\n}\n"
	a := agenttest.New(t, "", state, "{\n  \"port\": 80,\n  \"host\": \"x\"\n}\n")
	remote := filepath.Join(t.TempDir(), "r.git")
	a.Git("init", "-q", "--bare", "-b", "main", remote)
	a.Git("remote", "add", "origin", remote)
	a.Git("push", "-q", "-u", "origin", "main")
	b := a.Clone(2)
	b.Git("remote", "set-url", "origin", remote)
	b.Write(state, "{\n<<<<<<< HEAD\n  \"port\": 81,\n=======\n  \"port\": 82,\n>>>>>>> theirs\n  \"host\": \"x\"\n}\n")
	b.Commit("merged without git claw")
	b.Git("push", "-q", "origin", "main")
	if res := doSync(t, a); len(res.Overruled) != 1 || a.ReadFile(state) != mended {
		t.Fatalf("%+v\n%s", res.Overruled, a.ReadFile(state))
	}
	if got := values(t, a); len(got) != 1 || !slices.Equal(got["port"].Contradiction.Versions, []string{"82", "81"}) {
		t.Errorf("waits: %v", got)
	}
	decide(t, a, "port", review.Second)
	doSync(t, a)
	doSync(t, b)
	if got := values(t, b); len(got) != 0 || !strings.Contains(b.ReadFile(state), "81") {
		t.Errorf("waits: %v\n%s", got, b.ReadFile(state))
	}

	// A merge that git began, where git claw is not.
	a.Write(state, strings.Replace(mended, "82", "90", 1))
	doSync(t, a)
	b.Write(state, strings.Replace(mended, "82", "91", 1))
	b.Commit("other port")
	if _, err := b.TryGit("-c", "merge.claw.driver=false", "pull", "-q", "--no-rebase", "--no-edit"); err == nil {
		t.Fatal("git merged it")
	}
	if res := doSync(t, b); len(res.Overruled) != 1 {
		t.Errorf("%+v", res)
	}
	got := values(t, b)
	if len(got) != 1 || !slices.Equal(got["port"].Contradiction.Versions, []string{"91", "90"}) {
		t.Errorf("waits: %v", got)
	}
	doSync(t, a)
	if got := values(t, a); len(got) != 1 {
		t.Errorf("waits there: %v", got)
	}
	a.Check()
}

// TestBrokenJSON: of a file that one machine broke the version that is JSON stays, on every
// machine, without markers; the other one waits.
func TestBrokenJSON(t *testing.T) {
	t.Parallel()
	const good, broken = "{\n  \"port\": 81,\n  \"host\": \"x\"\n}\n", "{\n  \"port\": 82,,\n  \"host\": \"x\"\n}\n"
	for _, byGit := range []bool{false, true} {
		a := agenttest.New(t, "", state, "{\n  \"port\": 80,\n  \"host\": \"x\"\n}\n")
		remote := filepath.Join(t.TempDir(), "r.git")
		a.Git("init", "-q", "--bare", "-b", "main", remote)
		a.Git("remote", "add", "origin", remote)
		a.Git("push", "-q", "-u", "origin", "main")
		b := a.Clone(2)
		b.Git("remote", "set-url", "origin", remote)
		a.Write(state, good)
		doSync(t, a)
		b.Write(state, broken)
		save(t, b, bot)
		if byGit { // as the driver leaves it: one version whole, and unmerged
			b.Write(".git/info/attributes", "*.json merge=claw\n")
			b.Git("config", "merge.claw.driver", "exit 1")
			if _, err := b.TryGit("pull", "-q", "--no-rebase", "--no-edit"); err == nil {
				t.Fatal("git merged it")
			}
		}
		if res := doSync(t, b); len(res.Overruled) != 1 {
			t.Errorf("by git %v: %+v", byGit, res)
		}
		doSync(t, a)
		for _, l := range []*agenttest.Lab{a, b} {
			if got := l.ReadFile(state); got != good {
				t.Errorf("by git %v: %s", byGit, got)
			}
			got := values(t, l)
			if len(got) != 1 || got["all of it"] == nil || !slices.Equal(got["all of it"].Contradiction.Versions, []string{good, broken}) {
				t.Errorf("by git %v: waits %v", byGit, got)
			}
			l.Check()
		}
		decide(t, a, "all of it", review.Second)
		if got := a.ReadFile(state); got != broken {
			t.Errorf("by git %v: the other version is %s", byGit, got)
		}
	}
}
