//go:build unix

package gitops_test

import (
	"context"
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
