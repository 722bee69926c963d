//go:build unix

package gitops_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// lossRefs are the refs that may be there after a cut: as acknowledged last, or as the
// transaction under way makes them.
type lossRefs struct{ may []string }

func (l *lossRefs) do(op gitops.DiskOp) {
	if op.Path == "begin" {
		l.may = append(l.may, string(op.Data))
	} else {
		l.may = l.may[len(l.may)-1:]
	}
}

func (l *lossRefs) allow(refs string) bool { return slices.Contains(l.may, strings.TrimSpace(refs)) }

// anyLock finds a lock in a git dir.
func anyLock(dir string) (lock string) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
		if strings.HasSuffix(path, ".lock") {
			lock = path
		}
		return nil
	})
	return lock
}

// tracedRefs proposes, moves, packs and closes, each in one transaction of several refs
// and with a verdict, and saves between.
func tracedRefs(t *testing.T, r *gittest.Repo, opt gitops.WriterOptions, seam gitops.Seam, rounds int) []gitops.DiskOp {
	t.Helper()
	ctx := context.Background()
	repo := r.Open()
	defer func() { _ = repo.Close() }()
	var ops []gitops.DiskOp
	seam.Trace = func(op gitops.DiskOp) {
		op.Data = slices.Clone(op.Data)
		ops = append(ops, op)
	}
	w := repo.Writer(seam.With(opt))
	state := map[string]gitops.ID{}
	do := func(ups ...gitops.RefUpdate) {
		for _, u := range ups {
			state[u.Name] = u.New
			if u.New.IsZero() {
				delete(state, u.Name)
			}
		}
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(state)) {
			lines = append(lines, name+" "+state[name].String())
		}
		ops = append(ops, gitops.DiskOp{Kind: "refs", Path: "begin", Data: []byte(strings.Join(lines, "\n"))})
		if err := w.UpdateRefs(ctx, ups, "move"); err != nil {
			t.Fatal(err)
		}
		ops = append(ops, gitops.DiskOp{Kind: "refs", Path: "ack"})
	}
	build := func(n int, parents ...gitops.ID) gitops.ID {
		res, err := w.Build(ctx, gitops.Build{
			Base: parents[0], Parents: parents, Message: fmt.Sprintf("build %d\n", n),
			Changes: []gitops.Change{{Path: "SOUL.md", Content: fmt.Appendf(nil, "- rule %d\n", n)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Commit
	}
	for i := range rounds {
		file := fmt.Sprintf("memory/n%d.md", i)
		r.Write(file, "- line\n")
		res, err := gittest.Save(ctx, repo, w, "save\n", file)
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, gitops.DiskOp{Kind: "ack", Path: res.Commit.String()})
		id := fmt.Sprintf("p%d", i)
		branch, open := "refs/heads/claw/l1/"+id, "refs/claw/open/"+id
		tip := build(i, res.Commit)
		do(gitops.RefUpdate{Name: branch, New: tip}, gitops.RefUpdate{Name: open, New: tip})
		again := build(100+i, res.Commit)
		do(gitops.RefUpdate{Name: branch, Old: tip, New: again}, gitops.RefUpdate{Name: open, Old: tip, New: again})
		note := gitops.RefUpdate{Name: refNotes, Old: state[refNotes], New: again}
		do(note, gitops.RefUpdate{Name: branch, Old: again}, gitops.RefUpdate{Name: open, Old: again}, gitops.RefUpdate{Name: "refs/claw/closed/" + id, New: again})
	}
	return ops
}

func TestPowerLossRefs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	cuts := 80
	if os.Getenv(bigVariable) != "" {
		cuts = 800
	}
	for _, d := range []gitops.Durability{gitops.DurabilityJournal, gitops.DurabilityFull} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			l := newLossRunOf(t, func(r *gittest.Repo) []gitops.DiskOp {
				return tracedRefs(t, r, gitops.WriterOptions{Durability: d}, gitops.Seam{}, 3)
			})
			l.cut(t, cuts, rand.New(gittest.Rand(t.Name())))
		})
	}
}

// The harness must notice when nothing is waited for, and when there is no intent.
func TestPowerLossRefsWithoutProtection(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	for name, tt := range map[string]struct {
		opt  gitops.WriterOptions
		seam gitops.Seam
	}{
		"no sync":   {gitops.WriterOptions{Durability: gitops.DurabilityNone}, gitops.Seam{}},
		"no intent": {gitops.WriterOptions{}, gitops.Seam{NoIntent: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLossRunOf(t, func(r *gittest.Repo) []gitops.DiskOp { return tracedRefs(t, r, tt.opt, tt.seam, 3) })
			said := gittest.Probe(t, func(t testing.TB) { l.cut(t, 200, rand.New(gittest.Rand(name))) })
			if len(said) == 0 {
				t.Error("a writer without this protection survives all power cuts")
			}
			t.Logf("noticed: %.300q", said)
		})
	}
}
