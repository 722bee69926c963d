package gitops_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// BenchmarkScan looks for edits in a clean work tree of folders with 50 files
// each. The budget is 12 ms for 20,000 files and 1 ms for 1,000.
func BenchmarkScan(b *testing.B) {
	for _, files := range []int{1_000, 20_000} {
		r := gittest.New(b, gittest.Unborn())
		for i := range files {
			name := fmt.Sprintf("memory/d%03d/note-%05d.md", i/50, i)
			if i%50 == 0 {
				r.Write(name, "")
			}
			if err := os.WriteFile(r.Path(name), fmt.Appendf(nil, "note %d\n", i), 0o666); err != nil {
				b.Fatal(err)
			}
		}
		r.Git("add", "-A")
		r.Git("update-index", "-q", "--refresh")
		repo, opt := r.Open(), gitops.ScanOptions{Roots: []string{"memory/"}}
		scan := func(b *testing.B) *gitops.WorkScan {
			s, err := repo.ScanWork(context.Background(), opt)
			if err != nil || len(sureOf(s.Changed))+len(s.Extra)+len(s.Missing) > 0 {
				b.Fatal(s, err)
			}
			return s
		}
		b.Run(fmt.Sprintf("files=%d/listed", files), func(b *testing.B) {
			for b.Loop() {
				scan(b)
			}
		})
		opt.Dirs = maps.Clone(scan(b).Dirs)
		b.Run(fmt.Sprintf("files=%d/known", files), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				scan(b)
			}
		})
		b.Run(fmt.Sprintf("files=%d/tracked", files), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range repo.Tracked(context.Background(), opt.Roots, nil) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != files {
					b.Fatal(n)
				}
			}
		})
		b.Run(fmt.Sprintf("files=%d/git-status", files), func(b *testing.B) {
			for b.Loop() {
				if _, err := repo.Status(context.Background(), gitops.StatusOptions{Untracked: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
