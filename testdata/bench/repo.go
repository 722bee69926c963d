package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

const (
	// historyCommits come after the first one, so that log and blame have
	// something to walk.
	historyCommits = 200
	// notesPerDir is about what a folder of topics or of one quarter's daily
	// notes holds.
	notesPerDir = 100
	// firstCommit is the committer time of the history, 2026-01-05 08:00 UTC.
	firstCommit = 1767600000
)

// notePath is the path of note n, inside the managed paths of a workspace.
func notePath(n int) string {
	return fmt.Sprintf("memory/topic-%03d/note-%05d.md", n/notesPerDir, n)
}

// noteText is about 1 kB of Markdown that differs from note to note.
func noteText(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Note %d\n\n", n)
	for i := range 10 {
		fmt.Fprintf(&b, "- entry %d of note %d: the kiln held %d degrees for %d minutes, 记录第 %d 次\n",
			i, n, 900+(n*7+i*13)%400, 10+(n+i)%50, n+i)
	}
	return b.Bytes()
}

// rootFiles make the folder a workspace as init finds one.
var rootFiles = map[string]string{
	"AGENTS.md":   "# AGENTS\n\n- Write down what you learn.\n",
	"SOUL.md":     "# SOUL\n\nCalm and short.\n",
	"IDENTITY.md": "# IDENTITY\n\nName: Bench\n",
	"USER.md":     "# USER\n\n- likes numbers\n",
	"MEMORY.md":   "# MEMORY\n\n- the bench is running\n",
}

// A corpus is the notes of a repository.
type corpus struct {
	files int
	text  func(n int) []byte // of note n, ends in a newline
	large bool               // too much to be packed well for a measurement
}

// buildRepo makes a repository of notes with a history in dir. The history comes
// from one fast-import: thousands of `git commit` would take longer than the
// measurement.
func buildRepo(ctx context.Context, box *sandbox.Box, dir string, notes corpus) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := box.Git(ctx, dir, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	var in bytes.Buffer
	commit := func(n int, message string) {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Mika <mika@example.org> %d +0000\ndata %d\n%s\n",
			firstCommit+n*3600, len(message), message)
	}
	put := func(path string, text []byte) {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	}
	commit(0, "start\n")
	for _, name := range []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md"} {
		put(name, []byte(rootFiles[name]))
	}
	for n := range notes.files {
		put(notePath(n), notes.text(n))
	}
	text := notes.text(0)
	for i := 1; i <= historyCommits; i++ {
		// Half of the history is git claw's, as in a workspace adopted a while ago.
		message := fmt.Sprintf("backup %d\n", i)
		if i%2 == 0 {
			message = fmt.Sprintf("claw(memory): update note %d\n\nClaw-Event: writeback\nClaw-Id: 20260105-%08x\n"+
				"Claw-Actor: agent\nClaw-Session: s-%d\n", i, i, i/10)
		}
		commit(i, message)
		if i%4 == 0 {
			text = fmt.Appendf(text, "- line of commit %d\n", i)
			put(notePath(0), text)
			continue
		}
		n := 1 + (i*37)%(notes.files-1)
		put(notePath(n), fmt.Appendf(notes.text(n), "- changed by commit %d\n", i))
	}
	if _, err := box.GitStdin(ctx, dir, in.String(), "fast-import", "--quiet", "--force"); err != nil {
		return err
	}
	if _, err := box.Git(ctx, dir, "reset", "-q", "--hard", "main"); err != nil {
		return err
	}
	// As a repository that has been in use is: packed, index and all written
	// more than a second ago.
	gc := []string{"gc", "-q"}
	if notes.large {
		gc = append([]string{"-c", "pack.window=0"}, gc...)
	}
	_, err := box.Git(ctx, dir, gc...)
	return err
}

// copyRepo copies a repository, times of files aside; the index is made to
// fit the copy.
func copyRepo(ctx context.Context, box *sandbox.Box, from, to string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	})
	if err != nil {
		return err
	}
	_, err = box.Git(ctx, to, "status", "--porcelain")
	return err
}

// fileSize is the size of a file in bytes.
func fileSize(dir, path string) (int64, error) {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// appendLine changes a note the way an agent does.
func appendLine(dir, path, line string) error {
	file, err := os.OpenFile(filepath.Join(dir, filepath.FromSlash(path)), os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(line); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
