package gitops_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// BenchmarkPathStatus looks at one file, and at all, with git and without.
func BenchmarkPathStatus(b *testing.B) {
	ctx := context.Background()
	for _, files := range []int{1_000, 10_000, 50_000} {
		r := gittest.New(b, gittest.Unborn())
		for i := range files {
			name := fmt.Sprintf("memory/d%03d/f%05d.md", i/100, i)
			if i%100 == 0 {
				r.Write(name, "")
			}
			if err := os.WriteFile(r.Path(name), fmt.Appendf(nil, "file %d\n", i), 0o666); err != nil {
				b.Fatal(err)
			}
		}
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "start")
		time.Sleep(1100 * time.Millisecond) // or every entry is racily clean
		r.Append("memory/d000/f00001.md", "x\n")
		r.Git("update-index", "-q", "--refresh", "--force-write-index")
		for name, paths := range map[string][]string{"one": {"memory/d000/f00001.md"}, "all": {"memory"}} {
			for how, look := range map[string]func(*gitops.Repo, context.Context, gitops.StatusOptions) (*gitops.Status, error){
				"git": (*gitops.Repo).Status, "own": (*gitops.Repo).PathStatus,
			} {
				b.Run(fmt.Sprintf("files=%d/%s/%s", files, name, how), func(b *testing.B) {
					repo := r.Open()
					if _, err := repo.Config(ctx); err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						st, err := look(repo, ctx, gitops.StatusOptions{Paths: paths, Untracked: true})
						if err != nil || len(st.Entries) != 1 {
							b.Fatal(st, err)
						}
					}
				})
			}
		}
	}
}
