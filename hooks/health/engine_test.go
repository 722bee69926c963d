package health

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
)

// examineWith runs families of a test over files.
func examineWith(t *testing.T, ws *memory.Workspace, files tree, opt Options, fams ...Family) *Report {
	t.Helper()
	rep, err := examine(t.Context(), newRun(ws, newMem(ws, files, nil, nil), &fakeGit{adopted: tree{}}, opt), fams, opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// linesFamily finds every line of every file, under a base check of its own and one
// of a profile.
func linesFamily(checks ...Check) Family {
	return Family{
		Name: "lines", Checks: checks,
		Look: Over(isAnyFile, func(_ *Run, n *Note, out *Out) int {
			for i := range n.Lines() {
				for _, c := range checks {
					out.Add(Finding{ID: c.ID, Path: n.Path, Line: i + 1, Message: "a line"})
				}
			}
			return len(n.Lines())
		}, func(_ context.Context, _ *Run, facts []Fact[int], out *Out) error {
			if !slices.IsSortedFunc(facts, func(a, b Fact[int]) int { return strings.Compare(a.File.Path, b.File.Path) }) {
				out.Add(Finding{ID: checks[0].ID, Message: "facts are not in order"})
			}
			return nil
		}),
	}
}

func TestVeryMany(t *testing.T) {
	t.Parallel()
	ws := newLab(t).workspace(nil, nil)
	files := tree{}
	for i := range 50 {
		files[fmt.Sprintf("memory/%02d.md", i)] = strings.Repeat("x\n", 1000)
	}
	first := Check{ID: "L1-001", Severity: Failure}
	var before *Report
	for range 5 {
		rep := examineWith(t, ws, files, Options{}, linesFamily(first))
		if rep.Fails != 50_000 || len(rep.Findings) != maxKept || rep.Totals["L1-001"]["memory/49.md"] != 1000 {
			t.Fatalf("%d failures, %d kept, %d in the last file", rep.Fails, len(rep.Findings), rep.Totals["L1-001"]["memory/49.md"])
		}
		for i, f := range rep.Findings {
			if f.Path != "memory/00.md" || f.Line != i+1 {
				t.Fatalf("finding %d is %s", i, brief(f))
			}
		}
		if before != nil && !reflect.DeepEqual(before.Findings, rep.Findings) {
			t.Fatal("two reports of one state differ")
		}
		before = rep
	}
}

// A file is read once, whatever number of families look at it, and one that grew
// too large is not.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	ws := newLab(t).workspace([]string{"maxFileBytes = 65536"}, nil)
	snap := &counting{Snapshot: newMem(ws, tree{"memory/a.md": "x\n", "memory/b.md": "y\n", "memory/large.md": x(65537), "AGENTS.md": "z\n"}, nil, nil)}
	r := newRun(ws, snap, &fakeGit{}, Options{})
	var large []File
	last := Family{Name: "last", Checks: []Check{{ID: "L1-003"}}, Look: Once(func(_ context.Context, r *Run, _ *Out) error {
		large = r.Large()
		return nil
	})}
	rep, err := examine(t.Context(), r, []Family{linesFamily(Check{ID: "L1-001"}), linesFamily(Check{ID: "L1-002"}), last}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if snap.reads.Load() != 3 || rep.Files != 3 || len(large) != 1 || large[0].Path != "memory/large.md" {
		t.Errorf("%d reads, %d files, too large %v", snap.reads.Load(), rep.Files, large)
	}
}

// What cannot be read is named, what went away is not, and both stop nothing.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	ws := newLab(t).workspace(nil, nil)
	snap := &failing{Snapshot: newMem(ws, tree{"memory/a.md": "x\n", "memory/closed.md": "x\n", "memory/gone.md": "x\n", "memory/pipe.md": "x\n"}, nil, nil), errs: map[string]error{
		"memory/closed.md": fs.ErrPermission, "memory/gone.md": fs.ErrNotExist, "memory/pipe.md": gitops.ErrNotRegular,
	}}
	rep, err := examine(t.Context(), newRun(ws, snap, &fakeGit{}, Options{}), []Family{linesFamily(Check{ID: "L1-001", Severity: Failure})}, Options{})
	if err != nil || rep.Fails != 1 || !slices.Equal(rep.Unread, []string{"memory/closed.md", "memory/pipe.md"}) {
		t.Errorf("%d failures, %q, %v", rep.Fails, rep.Unread, err)
	}
	snap.errs["memory/a.md"] = errors.New("disk on fire")
	if _, err := examine(t.Context(), newRun(ws, snap, &fakeGit{}, Options{}), []Family{linesFamily(Check{ID: "L1-001"})}, Options{}); err == nil {
		t.Error("a failure of the machine is no error")
	}
}

type failing struct {
	Snapshot
	errs map[string]error
}

func (f *failing) Read(ctx context.Context, file File) ([]byte, error) {
	if err := f.errs[file.Path]; err != nil {
		return nil, err
	}
	return f.Snapshot.Read(ctx, file)
}

type counting struct {
	Snapshot
	reads atomic.Int64
}

func (c *counting) Read(ctx context.Context, f File) ([]byte, error) {
	c.reads.Add(1)
	return c.Snapshot.Read(ctx, f)
}

// Profiles that nobody listed fail only for loss, settings decide above that, and
// estimates never fail.
func TestSeverities(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	auto := []string{"profiles = auto"}
	rule := Check{ID: "BUF-003", Severity: Failure, Profiles: on(memory.OpenClawMemory)}
	loss := Check{ID: "BUF-005", Severity: Failure, Profiles: on(memory.OpenClawMemory), Loss: true}
	tokens := Check{ID: "L1-004", Severity: Warning, Tokens: true}
	base := Check{ID: "GIT-005", Severity: Failure}
	for _, c := range []struct {
		name          string
		config, local []string
		check         Check
		own           Severity
		want          Severity
	}{
		{"listed", nil, nil, rule, 0, Failure},
		{"auto", auto, nil, rule, 0, Warning},
		{"auto, loss", auto, nil, loss, 0, Failure},
		{"auto, base", auto, nil, base, 0, Failure},
		{"auto, and asked for here", auto, []string{"claw.health.severity.BUF-003=F"}, rule, 0, Failure},
		{"auto, and asked for in the workspace", append([]string{"health.severity.BUF-003 = F"}, auto...), nil, rule, 0, Failure},
		{"lowered here", nil, []string{"claw.health.severity.GIT-005=I"}, base, 0, Info},
		{"lowered in the workspace", []string{"health.severity.GIT-005 = I"}, nil, base, 0, Failure},
		{"of the finding", nil, nil, rule, Warning, Warning},
		{"of the finding, auto", auto, nil, rule, Info, Info},
		{"tokens raised", nil, []string{"claw.health.severity.L1-004=F"}, tokens, 0, Warning},
	} {
		ws := l.workspace(c.config, c.local)
		if got := newGrading(ws).of(c.check, Finding{Severity: c.own}); got != c.want {
			t.Errorf("%s: %c, want %c", c.name, got, c.want)
		}
	}
}

func TestWhichRun(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	fam := linesFamily(
		Check{ID: "L1-001", Severity: Failure}, Check{ID: "HOT-001", Severity: Failure, Profiles: on(memory.OpenClawMemory)},
		Check{ID: "EVO-001", Severity: Failure, Profiles: on(memory.SelfImproving, memory.Skills)},
		Check{ID: "GIT-001", Severity: Failure, Absent: func(*Run) string { return "no reason" }},
	)
	ran := func(config, local []string, only ...string) string {
		rep := examineWith(t, l.workspace(config, local), tree{"memory/a.md": "x\n"}, Options{Only: only}, fam)
		var out []string
		for _, f := range rep.Findings {
			out = append(out, f.ID)
		}
		for _, s := range rep.Skipped {
			out = append(out, "skip "+s.Check.ID+": "+s.Why)
		}
		return strings.Join(out, ", ")
	}
	for _, c := range []struct {
		got, want string
	}{
		{ran(nil, nil), "L1-001, HOT-001, EVO-001, skip GIT-001: no reason"},
		{ran([]string{"profiles = skills"}, nil), "L1-001, skip GIT-001: no reason"},
		{ran([]string{"profiles = skills"}, nil, "HOT-001"), "skip HOT-001: the profile openclaw_memory is off"},
		{ran([]string{"profiles = skills"}, nil, "EVO-001"), "skip EVO-001: the profile self_improving is off"},
		{ran(nil, []string{"claw.health.disable=HOT-001 EVO-001"}), "L1-001, skip HOT-001: claw.health.disable says so, skip EVO-001: claw.health.disable says so, skip GIT-001: no reason"},
		{ran([]string{"health.disable = HOT-001"}, nil, "HOT-001"), "HOT-001"},
		{ran(nil, nil, "L1-001"), "L1-001"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

// What the adoption commit held is exempt from checks that begin there.
func TestSinceAdoption(t *testing.T) {
	t.Parallel()
	ws := newLab(t).workspace(nil, nil)
	opt := Options{}
	r := newRun(ws, newMem(ws, tree{"memory/a.md": "- old\n- new\n"}, nil, nil), &fakeGit{adopted: tree{"memory/a.md": "x\n-  old\n"}}, opt)
	rep, err := examine(t.Context(), r, []Family{linesFamily(Check{ID: "PRF-012", Severity: Failure, Since: true}), linesFamily(Check{ID: "L1-001", Severity: Failure})}, opt)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range rep.Findings {
		got = append(got, f.ID+" "+brief(f))
	}
	want := []string{"L1-001 FAIL memory/a.md:1", "L1-001 FAIL memory/a.md:2", "PRF-012 FAIL memory/a.md:2"}
	if !slices.Equal(got, want) || rep.Fails != 3 || rep.Totals["PRF-012"]["memory/a.md"] != 1 {
		t.Errorf("%q, %d failures, %v", got, rep.Fails, rep.Totals)
	}
}

// The work tree is what git says it is.
func TestWorkSnapshot(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t, gittest.Files(map[string]string{
		"a/.claw/config": configText([]string{"paths = notes/"}), "a/AGENTS.md": "x\n", "a/memory/kept.md": "x\n", "a/memory/gone.md": "x\n", "a/memory/tmp~/in.md": "x\n",
		"a/memory/staged-gone.md": "x\n", "a/src/a.go": "x\n", "a/notes/n.md": "x\n", "memory/other.md": "x\n", "a/.gitignore": "ignored.md\n",
		"a/memory/node_modules/x.md": "x\n",
	}))
	repo.Remove("a/memory/gone.md")
	repo.Git("rm", "-q", "--cached", "a/memory/staged-gone.md")
	repo.Write("a/memory/new/new.md", "y\n")
	repo.Write("a/memory/ignored.md", "y\n")
	repo.Write("a/memory/x.tmp", "y\n")
	repo.Write("a/memory/added.md", "y\n")
	repo.Git("add", "a/memory/added.md")
	repo.Symlink("kept.md", "a/memory/link.md")
	repo.Symlink("../src", "a/memory/folder")
	ws, err := memory.At(t.Context(), repo.Open(), repo.Path("a"))
	if err != nil {
		t.Fatal(err)
	}
	st, err := newGit(ws, nil).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snap, err := workOf(t.Context(), ws, st)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := snap.Files(t.Context())
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprintf("%s %s %v", f.Mode, f.Path, f.Tracked))
		if f.Kind != ws.Kind(f.Path) {
			t.Errorf("%s has kind %d", f.Path, f.Kind)
		}
	}
	want := []string{
		"100644 .claw/config true", "100644 AGENTS.md true", "100644 memory/added.md true", "120000 memory/folder false", "100644 memory/kept.md true",
		"120000 memory/link.md false", "100644 memory/new/new.md false", "100644 memory/staged-gone.md false", "100644 memory/tmp~/in.md true", "100644 notes/n.md true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for rel, want := range map[string]bool{"memory/kept.md": true, "memory/ignored.md": true, "memory/gone.md": false, "memory/new": false, "memory/folder/a.go": false, "../memory/other.md": false, "src/a.go": true} {
		if _, ok, err := snap.Lookup(t.Context(), rel); ok != want || err != nil {
			t.Errorf("Lookup %s: %v, %v", rel, ok, err)
		}
	}
}

// A commit and the index are read from objects alone.
func TestObjectSnapshot(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	ws, err := memory.Find(t.Context(), repo.Open())
	if err != nil {
		t.Fatal(err)
	}
	head, err := ws.Repo.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	repo.Remove("memory")
	snap, err := At(t.Context(), ws, head.Commit)
	if err != nil {
		t.Fatal(err)
	}
	files, err := snap.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		text, err := snap.Read(t.Context(), f)
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", f.Path, err)
		}
		got = append(got, f.Path)
	}
	if want := []string{"AGENTS.md", "MEMORY.md", "memory/2026-02-28.md", "memory/2026-03-01.md"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, ok, _ := snap.Lookup(t.Context(), path.Dir("memory/x")); ok {
		t.Error("a folder is a file")
	}
}

// History is that of one workspace, since its adoption.
func TestGitFacts(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t, gittest.Files(map[string]string{"a/AGENTS.md": "x\n", "AGENTS.md": "x\n"}))
	commit := func(path, text, message string) string {
		repo.Write(path, text)
		repo.Git("add", "-A")
		repo.Git("commit", "-q", "-m", message)
		return repo.Head()
	}
	commit("a/AGENTS.md", "before\n", "before")
	commit("b/.claw/config", "[claw]\n", "another\n\nClaw-Event: workspace.adopt\nClaw-Workspace: b")
	adopted := commit("a/.claw/config", configText(nil), "adopt\n\nClaw-Event: workspace.adopt\nClaw-Workspace: a")
	plain := commit("a/AGENTS.md", "plain\n", "plain")
	commit("AGENTS.md", "beside\n", "beside")
	rotate := commit("a/memory/2026-02-28.md", "- x\n", "rotate\n\nClaw-Event: buffer.rotate\nClaw-Workspace: a")
	commit("a/memory/2026-02-28.md", "- x\n- y\n", "note\n\nClaw-Event: writeback\nClaw-Workspace: a")
	repo.Git("notes", "--ref=refs/notes/claw", "add", "-m", "said", plain)

	ws, err := memory.At(t.Context(), repo.Open(), repo.Path("a"))
	if err != nil {
		t.Fatal(err)
	}
	g := newGit(ws, nil)
	brief := func(list []gitops.Commit, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range list {
			out = append(out, fmt.Sprint(c.Subject, c.Paths))
		}
		return strings.Join(out, " ")
	}
	ctx := t.Context()
	if c, ok, err := g.Adoption(ctx); err != nil || !ok || c.ID.String() != adopted {
		t.Errorf("adoption: %v, %v, %v", c.ID, ok, err)
	}
	if got := brief(g.Others(ctx)); got != "beside[] plain[AGENTS.md]" {
		t.Errorf("others: %s", got)
	}
	if got := brief(g.Since(ctx)); got != "note[memory/2026-02-28.md] rotate[memory/2026-02-28.md] plain[AGENTS.md]" {
		t.Errorf("since: %s", got)
	}
	if got := brief(g.Since(ctx, "AGENTS.md")); got != "plain[AGENTS.md]" {
		t.Errorf("since, of one path: %s", got)
	}
	if c, ok, err := g.Newest(ctx, "buffer.rotate"); err != nil || !ok || c.ID.String() != rotate || !slices.Equal(c.Paths, []string{"memory/2026-02-28.md"}) {
		t.Errorf("newest: %v, %v, %v", c, ok, err)
	}
	if text, ok, err := g.AtAdoption(ctx, "AGENTS.md"); err != nil || !ok || string(text) != "before\n" {
		t.Errorf("at adoption: %q, %v, %v", text, ok, err)
	}
	if text, ok, err := g.Head(ctx, "memory/2026-02-28.md"); err != nil || !ok || string(text) != "- x\n- y\n" {
		t.Errorf("in HEAD: %q, %v, %v", text, ok, err)
	}
	id, err := gitops.ParseID(plain)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok, err := g.Note(ctx, id); err != nil || !ok || string(text) != "said\n" {
		t.Errorf("note: %q, %v, %v", text, ok, err)
	}
	if when, ok, err := g.LineDate(ctx, "memory/2026-02-28.md", 1); err != nil || !ok || when.IsZero() {
		t.Errorf("line: %v, %v, %v", when, ok, err)
	}
	last, err := g.LastCommits(ctx, []string{"memory/2026-02-28.md", "none.md"})
	if err != nil || len(last) != 1 || last["memory/2026-02-28.md"].Author.IsZero() {
		t.Errorf("last commits: %v, %v", last, err)
	}
	tracked, err := g.Tracked(ctx)
	if want := []string{".claw/config", "AGENTS.md", "memory/2026-02-28.md"}; err != nil || !slices.Equal(tracked, want) {
		t.Errorf("tracked: %q, %v", tracked, err)
	}
}
