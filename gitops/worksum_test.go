package gitops_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestPlaceBlob: a file that is not held comes into the work tree, and when its writer
// dies behind the commit the next command puts it there.
func TestPlaceBlob(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, point := range []string{"", "moved", "placed"} {
		t.Run("dies at "+point, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			large := strings.Repeat("0123456789abcdef", 100_000)
			from := r.Head()
			r.Write("film.bin", large)
			r.Git("add", "film.bin")
			r.Git("commit", "-qm", "film")
			to := r.Head()
			r.Git("reset", "-q", "--hard", from)
			repo := r.Open()
			diff, err := repo.DiffTrees(ctx, mustID(t, from), mustID(t, to))
			if err != nil || len(diff) != 1 {
				t.Fatal(diff, err)
			}
			opt := gitops.WriterOptions{}
			if point != "" {
				opt = gitops.Seam{At: func(p string) {
					if p == point {
						// Nothing that is deferred may tidy up.
						_ = os.Rename(r.GitPath("claw"), r.GitPath("dead"))
						_ = os.Rename(r.GitPath("index.lock"), r.GitPath("dead.lock"))
						runtime.Goexit()
					}
				}}.With(opt)
			}
			dead := make(chan error, 1)
			go func() {
				defer close(dead)
				_, err := repo.Writer(opt).Advance(ctx, gitops.Advance{From: mustID(t, from), To: mustID(t, to), Reflog: "sync", Changes: []gitops.AdvanceChange{{
					Path: "film.bin", New: diff[0].New, Place: &gitops.Place{Blob: diff[0].New.ID},
				}}})
				dead <- err
			}()
			if err := <-dead; err != nil {
				t.Fatal(err)
			}
			if point != "" {
				must(t, os.RemoveAll(r.GitPath("claw")))
				must(t, os.Rename(r.GitPath("dead"), r.GitPath("claw")))
				must(t, os.Rename(r.GitPath("dead.lock"), r.GitPath("index.lock")))
				if _, err := r.Open().Recover(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if gittest.ReadFile(t, r.Path("film.bin")) != large {
				t.Error("the file is not there")
			}
			r.CheckClean()
			sum, err := repo.SumWork("film.bin")
			if err != nil || sum.ID != diff[0].New.ID || sum.Mode != gitops.ModeFile {
				t.Errorf("%+v %v", sum, err)
			}
		})
	}
}
