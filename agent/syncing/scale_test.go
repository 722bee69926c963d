package syncing_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/syncing"
)

// gits runs something and lists the gits that we started meanwhile, without those that
// these started: the first word of each that is no option.
func gits(t *testing.T, l *agenttest.Lab, run func()) []string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	env := l.Env
	l.Env = append(slices.Clone(env), "GIT_TRACE2_EVENT="+trace)
	run()
	l.Env = env
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	var verbs []string
	for line := range strings.Lines(string(b)) {
		var e struct {
			Event, SID, Name string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Event == "cmd_name" && !strings.Contains(e.SID, "/") {
			verbs = append(verbs, e.Name)
		}
	}
	return verbs
}

// TestProcesses holds a sync to few processes: most of them have nothing to do, and no
// number of refs, commits or files makes more of them.
func TestProcesses(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, day, "# 2026-05-02\n")
	a, b := f.m[0], f.m[1]
	f.settle()
	got := gits(t, a, func() { doSync(a) })
	if want := []string{"config", "fetch"}; !slices.Equal(got, want) {
		t.Errorf("with nothing to do: %v, want %v", got, want)
	}
	many(t, f, 60)
	var few, more []string
	b.Write(day, "# 2026-05-02\n- b\n")
	few = gits(t, b, func() {
		if res := doSync(b); res.Proposals.In != 60 || !res.Merged {
			t.Errorf("%+v", res)
		}
	})
	for i := range 30 {
		b.Write(fmt.Sprintf("memory/note-%d.md", i), "# b\n")
		a.Write(fmt.Sprintf("memory/note-%d.md", i), "# a\n")
	}
	doSync(a)
	more = gits(t, b, func() { doSync(b) })
	const most = 25
	if len(few) > most || len(more) > most {
		t.Errorf("%d gits for 60 proposals: %v\n%d for 30 files: %v", len(few), few, len(more), more)
	}
	got = gits(t, b, func() { doSync(b) })
	if want := []string{"config", "fetch"}; !slices.Equal(got, want) {
		t.Errorf("with 60 proposals and nothing to do: %v, want %v", got, want)
	}
	f.settle()
}

// many puts foreign refs and commits, notes and n proposals into the remote, and commits on
// top of main, as other machines and people would.
func many(t *testing.T, f *fleet, n int) {
	t.Helper()
	head := f.at("rev-parse", "main")
	var in strings.Builder
	commit := func(ref, message, from, path, text string) {
		in.WriteString("commit " + ref + "\ncommitter X <x@example.com> 1780000000 +0000\n")
		fmt.Fprintf(&in, "data %d\n%s\n", len(message), message)
		if from != "" {
			in.WriteString("from " + from + "\n")
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	}
	for i := range n {
		id := fmt.Sprintf("20260601-p%d-%04x", i, i)
		commit("refs/heads/claw/l1/"+id, fmt.Sprintf(
			"claw(rules): calm %d\n\nClaw-Event: l1.change\nClaw-Id: 20260601-%08x\nClaw-Actor: agent\nClaw-Proposal: %s\nClaw-Reason: calm\n", i, i, id),
			head, "SOUL.md", fmt.Sprintf("# SOUL\n- calm %d\n", i))
		for k := range 10 {
			commit(fmt.Sprintf("refs/heads/feature/%d", i), "foreign\n", "", "src/main.c", fmt.Sprintf("%d %d\n", i, k))
		}
		from := ""
		if i == 0 {
			from = head
		}
		commit("refs/heads/main", fmt.Sprintf("claw(memory): note %d\n\nClaw-Event: writeback\nClaw-Id: 20260602-%08x\nClaw-Actor: agent\n", i, i),
			from, fmt.Sprintf("memory/flat/%d.md", i), "# flat\n")
	}
	in.WriteString("done\n")
	cmd := exec.Command("git", "--git-dir="+f.remote, "fast-import", "--quiet", "--force", "--done")
	cmd.Env, cmd.Stdin = f.m[0].Env, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestScale goes through the shapes of clone that have not all of a history, beside a
// remote with much that is not ours. CLAW_TEST_BIG makes it as large as that of a company.
func TestScale(t *testing.T) {
	t.Parallel()
	n, shapes := 20, [][]string{{"--depth=1"}, {"--depth=1", "--filter=blob:none"}}
	if os.Getenv("CLAW_TEST_BIG") != "" {
		n, shapes = 3000, append(shapes, []string{"--single-branch"}, []string{"--filter=blob:none"}, []string{"--filter=tree:0"})
	}
	f := newFleet(t, 1, day, "# 2026-05-02\n- start\n")
	a := f.m[0]
	many(t, f, n)
	f.at("config", "uploadpack.allowFilter", "true")
	for i, options := range shapes {
		c := a.CloneFrom(byte(i+2), "file://"+f.remote, options...)
		a.Write(day, a.ReadFile(day)+fmt.Sprintf("- a %d\n", i))
		c.Write(day, c.ReadFile(day)+fmt.Sprintf("- c %d\n", i))
		save(c) // a commit of its own, to be merged
		start := time.Now()
		doSync(a)
		res, err := trySync(c, syncing.Options{})
		if err != nil || !res.Merged || res.Proposals.In != n {
			t.Fatalf("%v: %+v, %v", options, res, err)
		}
		t.Logf("%v: %v", options, time.Since(start).Round(time.Millisecond))
		if got := c.ReadFile(day); !strings.Contains(got, fmt.Sprintf("- a %d\n", i)) || !strings.Contains(got, fmt.Sprintf("- c %d\n", i)) {
			t.Errorf("%v:\n%s", options, got)
		}
		if refs := c.Git("for-each-ref", "refs/remotes/origin/feature"); refs != "" && slices.Contains(options, "--depth=1") {
			t.Errorf("%v: foreign branches were fetched: %.200s", options, refs)
		}
		away(t, f, c, options)
		doSync(c)
		f.m = append(f.m, c)
	}
	f.settle()
}

// away: with the remote away nothing is lost, and the next sync goes on.
func away(t *testing.T, f *fleet, c *agenttest.Lab, options []string) {
	t.Helper()
	if err := os.Rename(f.remote, f.remote+".away"); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("- offline, %v\n", options)
	c.Write(day, c.ReadFile(day)+line)
	_, err := trySync(c, syncing.Options{})
	if err == nil || !strings.Contains(err.Error(), "cannot reach 'origin'") {
		t.Errorf("%v: %v", options, err)
	}
	if err := os.Rename(f.remote+".away", f.remote); err != nil {
		t.Fatal(err)
	}
	if got := c.Git("show", "HEAD:"+day) + "\n"; !strings.Contains(got, line) {
		t.Errorf("%v: what was written offline is not saved:\n%s", options, got)
	}
}

// TestFreshClone: of a clone the index does not know which files are unchanged; the first
// sync has it look.
func TestFreshClone(t *testing.T) {
	t.Parallel()
	files := make([]string, 0, 200)
	for i := range 100 {
		files = append(files, fmt.Sprintf("memory/n%d.md", i), "# n\n")
	}
	l := newFleet(t, 2, files...).m[1]
	old := time.Unix(1_700_000_000, 0)
	for i := range 100 {
		if err := os.Chtimes(l.Path(fmt.Sprintf("memory/n%d.md", i)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if got := gits(t, l, func() { doSync(l) }); !slices.Contains(got, "update-index") {
		t.Errorf("the first sync: %v", got)
	}
	if got := gits(t, l, func() { doSync(l) }); slices.Contains(got, "update-index") {
		t.Errorf("the second sync: %v", got)
	}
	l.Check()
}
