//go:build unix

package gitops_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// A week of an agent that writes down much: 10,000 write-backs, with the garbage
// collections that git decides on beside them. What they leave is sound, keeps every
// line, and git packs it into little. In short without CLAW_TEST_BIG.
func TestWeekOfUse(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	saves, most := 200, int64(3<<20)
	if os.Getenv(bigVariable) != "" {
		saves, most = 10_000, 20<<20
	}
	r := gittest.New(t, gittest.Config("gc.auto", "2000"), gittest.Config("maintenance.auto", "true"))
	repo := r.Open()
	defer func() { _ = repo.Close() }()
	ctx, rnd := context.Background(), rand.New(gittest.Rand(t.Name()))
	w := repo.Writer(gitops.WriterOptions{})
	start := time.Now()
	for i := range saves {
		name := weekFile(rnd, i, saves)
		if _, err := os.Lstat(r.Path(name)); err != nil {
			r.Write(name, "# "+name+"\n\n")
		}
		r.Append(name, fmt.Sprintf("- %05d %s\n", i, someWords(rnd)))
		if _, err := gittest.Save(ctx, repo, w, fmt.Sprintf("save %d\n\nClaw-Id: 20260301-%08x\n", i, rnd.Uint32()), name); err != nil {
			t.Fatalf("save %d: %v", i, err)
		}
		if i%20 == 19 { // in a week a collection has the time that it takes
			waitForGC(t, r)
		}
	}
	t.Logf("%d saves took %v each", saves, time.Since(start)/time.Duration(saves))
	waitForGC(t, r)
	t.Logf("with what git gc --auto did .git has %.1f MB in files: %s", megabytes(t, r), strings.ReplaceAll(r.Git("count-objects", "-v"), "\n", ", "))
	if _, err := os.Lstat(r.GitPath("gc.log")); err == nil {
		t.Errorf("git gc complains: %s", gittest.ReadFile(t, r.GitPath("gc.log")))
	}
	r.CheckClean()
	if n := r.Git("rev-list", "--count", "HEAD"); n != fmt.Sprint(saves+1) {
		t.Errorf("%s commits", n)
	}
	lines := strings.Count(r.Git("grep", "-h", "^- [0-9][0-9][0-9][0-9][0-9] ", "HEAD"), "\n") + 1
	if lines != saves {
		t.Errorf("%d lines of %d are in HEAD", lines, saves)
	}
	r.Git("gc", "-q")
	size := megabytes(t, r)
	t.Logf("after git gc it has %.1f MB", size)
	if size > float64(most)/1e6 {
		t.Errorf(".git has %.1f MB after git gc", size)
	}
	r.CheckClean()
}

// weekFile says where a line goes: mostly into the day's note.
func weekFile(rnd *rand.Rand, i, saves int) string {
	switch n := rnd.IntN(20); {
	case n < 12:
		return fmt.Sprintf("memory/2026-03-%02d.md", 2+7*i/saves)
	case n < 16:
		return fmt.Sprintf("memory/topics/topic-%02d.md", rnd.IntN(50))
	case n < 18:
		return "MEMORY.md"
	case n < 19:
		return ".learnings/LEARNINGS.md"
	}
	return fmt.Sprintf("memory/new/%03d/n%05d.md", i/100, i)
}

func someWords(rnd *rand.Rand) string {
	const words = "kiln glaze clay wheel oven heat slow quick plan note list call mail send read write user team host rule week month day night tea"
	list := strings.Fields(words)
	var b strings.Builder
	for range 6 + rnd.IntN(10) {
		fmt.Fprintf(&b, "%s%d ", list[rnd.IntN(len(list))], rnd.IntN(100))
	}
	return strings.TrimSpace(b.String())
}

// waitForGC waits for a collection that runs in the background.
func waitForGC(t *testing.T, r *gittest.Repo) {
	t.Helper()
	for range 1200 {
		_, gc := os.Lstat(filepath.Join(r.Dir, ".git", "gc.pid"))
		_, maintenance := os.Lstat(filepath.Join(r.Dir, ".git", "objects", "maintenance.lock"))
		if gc != nil && maintenance != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("git gc does not end")
}

// megabytes is the size of all files of the git dir.
func megabytes(t *testing.T, r *gittest.Repo) float64 {
	t.Helper()
	var sum int64
	err := filepath.WalkDir(r.GitPath("."), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a gc removes files meanwhile
		}
		if fi, err := d.Info(); err == nil {
			sum += fi.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return float64(sum) / 1e6
}
