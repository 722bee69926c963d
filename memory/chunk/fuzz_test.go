package chunk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/testdata/shapes"
)

func FuzzSplit(f *testing.F) {
	f.Add([]byte("# Session: x\n\nuser: a\n"), 400, 80, false)
	f.Add([]byte("---\na: b\n---\n# A\n- x <!-- claw:x -->\n  - y\n"), 3, 1, true)
	f.Add([]byte("\ufeff\xff記\r\n```\n# 2026-03-04"), 1, 0, true)
	f.Fuzz(func(t *testing.T, content []byte, tokens, overlap int, entries bool) {
		check(t, content, Options{Tokens: tokens, Overlap: overlap, Entries: entries})
	})
}

// TestShapes cuts every file of the workspaces that real ones were seen to be like.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"core over budget", "long MEMORY.md", "CJK memory", "heartbeat log", "broken frontmatter", "odd skills", "learnings", "hashtags", "contradiction",
		"bytes", "autocrlf", "committed conflict markers", "auto-memory", "secrets", "hostile clone", "ten files for a day", "notes elsewhere",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			shapes.Named(t, name).Make(t, repo.Dir)
			files := 0
			err := filepath.WalkDir(repo.Dir, func(path string, d os.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".md") {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				files++
				check(t, text, byLine)
				check(t, text, byEntry)
				return nil
			})
			if err != nil || files == 0 {
				t.Fatalf("%d files, %v", files, err)
			}
		})
	}
}
