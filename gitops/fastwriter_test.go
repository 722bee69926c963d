//go:build unix

package gitops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// Where the fast writer is meant to work it does: the contract suite would pass
// through git as well.
func TestFastWriterIsUsed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts []gittest.Option
		fast bool
	}{
		"plain": {nil, true}, "linked worktree": {[]gittest.Option{gittest.LinkedWorktree()}, true},
		"split index": {[]gittest.Option{gittest.SplitIndex()}, false}, "reftable": {[]gittest.Option{gittest.Reftable()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, tt.opts...)
			repo := r.Open()
			defer func() { _ = repo.Close() }()
			if !gitops.LocalDisk(r.Dir) {
				t.Skip("the disk is not known to be local")
			}
			var ops []string
			w := repo.Writer(gitops.Seam{Trace: func(op gitops.DiskOp) { ops = append(ops, op.Kind) }}.With(gitops.WriterOptions{}))
			r.Append("MEMORY.md", "- a line\n")
			if _, err := gittest.Save(context.Background(), repo, w, "save\n", "MEMORY.md"); err != nil {
				t.Fatal(err)
			}
			if used := slices.Contains(ops, "rename"); used != tt.fast {
				t.Errorf("the fast writer was used: %v, its operations %q", used, ops)
			}
			what, why, err := repo.WriterReason(context.Background(), gitops.WriterOptions{}, "MEMORY.md")
			if err != nil || (what == "fast") != tt.fast || (why == "") != tt.fast {
				t.Errorf("doctor would say %q because of %q, %v", what, why, err)
			}
			r.CheckClean()
		})
	}
}

// The log stays small whatever a commit holds, and doctor names a HEAD that is git's.
func TestLargeCommitIsNotInTheLog(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	defer func() { _ = repo.Close() }()
	if !gitops.LocalDisk(r.Dir) {
		t.Skip("the disk is not known to be local")
	}
	noise := make([]byte, 3<<20)
	rnd := rand.New(gittest.Rand(t.Name()))
	for i := range noise {
		noise[i] = byte(rnd.Uint64())
	}
	for i := range 3 {
		r.Write(fmt.Sprintf("notes/large%d.bin", i), string(noise[i:]))
	}
	w := repo.Writer(gitops.WriterOptions{})
	if _, err := gittest.Save(context.Background(), repo, w, "save\n", "notes"); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(r.GitPath("claw/redo")); err != nil || fi.Size() > 10<<10 {
		t.Errorf("the log: %v, %v", fi.Size(), err)
	}
	r.CheckClean()
	r.Git("checkout", "-q", "--detach")
	if name, why, err := repo.WriterReason(context.Background(), gitops.WriterOptions{}); name != "git" || why != "HEAD is on no branch" || err != nil {
		t.Errorf("detached: %s because %q, %v", name, why, err)
	}
	r.Git("checkout", "-q", "--orphan", "new")
	if name, why, err := repo.WriterReason(context.Background(), gitops.WriterOptions{}); name != "git" || why == "" || err != nil {
		t.Errorf("unborn: %s because %q, %v", name, why, err)
	}
}
