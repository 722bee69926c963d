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

// BenchmarkSave measures a write-back of one file in an open repository against
// `git add` and `git commit` in turn, and reports the ratio of the medians, for each
// writer and what it waits for.
func BenchmarkSave(b *testing.B) {
	kinds := []struct {
		name string
		opt  gitops.WriterOptions
	}{
		{"git", gitops.Seam{GitOnly: true}.With(gitops.WriterOptions{})},
		{"none", gitops.WriterOptions{Durability: gitops.DurabilityNone}},
		{"journal", gitops.WriterOptions{Durability: gitops.DurabilityJournal}},
		{"full", gitops.WriterOptions{Durability: gitops.DurabilityFull}},
	}
	for _, files := range []int{1_000, 10_000, 50_000} {
		r := benchRepo(b, files)
		for _, k := range kinds {
			b.Run(fmt.Sprintf("files=%d/%s", files, k.name), func(b *testing.B) { benchSave(b, r, k.opt) })
		}
	}
}

func benchRepo(b *testing.B, files int) *gittest.Repo {
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
	return r
}

func benchSave(b *testing.B, r *gittest.Repo, opt gitops.WriterOptions) {
	var plain, claw []time.Duration
	const name = "d000/f00000.md"
	ctx := context.Background()
	repo, err := gitops.Open(ctx, gitops.NewGit(r.Env()), r.Dir)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	w := repo.Writer(opt)
	for i := 0; b.Loop(); i++ {
		r.Write(name, fmt.Sprintf("git %d\n", i))
		start := time.Now()
		r.Git("add", name)
		r.Git("commit", "-q", "-m", "x")
		plain = append(plain, time.Since(start))
		old := repo.BlobID([]byte(fmt.Sprintf("git %d\n", i)))
		text := fmt.Sprintf("claw %d\n", i)
		r.Write(name, text)
		start = time.Now()
		_, err := w.Commit(ctx, gitops.Tx{Message: "x\n", Changes: []gitops.Change{{Path: name, Content: []byte(text), HeadID: old, IndexID: old}}})
		if err != nil {
			b.Fatal(err)
		}
		claw = append(claw, time.Since(start))
	}
	slices.Sort(plain)
	slices.Sort(claw)
	p, c := plain[len(plain)/2], claw[len(claw)/2]
	b.ReportMetric(float64(p.Microseconds())/1000, "git-ms")
	b.ReportMetric(float64(c.Microseconds())/1000, "claw-ms")
	b.ReportMetric(float64(c)/float64(p), "ratio")
}
