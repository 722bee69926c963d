package gitops_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// BenchmarkSave measures what `git claw save` does to a repository, from opening
// it to the commit, against `git add` and `git commit` in turn, and reports the
// ratio of the medians. The budget is 1.6.
func BenchmarkSave(b *testing.B) {
	for _, files := range []int{1_000, 10_000, 50_000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			// What git commit does unless it is told otherwise.
			r := gittest.New(b, gittest.Unborn(), gittest.Config("maintenance.auto", "true"), gittest.Config("gc.auto", "6700"))
			for i := range files {
				name := fmt.Sprintf("d%03d/f%05d.md", i/100, i)
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
			r.Git("update-index", "-q", "--refresh")
			var plain, claw []time.Duration
			const name = "d000/f00000.md"
			for i := 0; b.Loop(); i++ {
				r.Write(name, fmt.Sprintf("git %d\n", i))
				start := time.Now()
				r.Git("add", name)
				r.Git("commit", "-q", "-m", "x")
				plain = append(plain, time.Since(start))
				r.Write(name, fmt.Sprintf("claw %d\n", i))
				start = time.Now()
				saveOnce(b, r)
				claw = append(claw, time.Since(start))
			}
			slices.Sort(plain)
			slices.Sort(claw)
			p, c := plain[len(plain)/2], claw[len(claw)/2]
			b.ReportMetric(float64(p.Microseconds())/1000, "git-ms")
			b.ReportMetric(float64(c.Microseconds())/1000, "claw-ms")
			b.ReportMetric(float64(c)/float64(p), "ratio")
		})
	}
}

func saveOnce(b *testing.B, r *gittest.Repo) {
	b.Helper()
	ctx := context.Background()
	repo, err := gitops.Open(ctx, gitops.NewGit(r.Env()), r.Dir)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	if _, err := gittest.Save(ctx, repo, gitWriter(repo, gitops.WriterOptions{}), "x\n", "d000", "d001"); err != nil {
		b.Fatal(err)
	}
}
