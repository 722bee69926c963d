package memory

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// tree looks at a workspace's files without following symbolic links.
type tree struct{ root string }

func (t tree) path(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

func (t tree) isFile(rel string) bool {
	fi, err := os.Lstat(t.path(rel))
	return err == nil && fi.Mode().IsRegular()
}

func (t tree) isDir(rel string) bool {
	fi, err := os.Lstat(t.path(rel))
	return err == nil && fi.IsDir()
}

// head reads at most n bytes of a regular file; nil when there is none.
func (t tree) head(rel string, n int64) []byte {
	if !t.isFile(rel) {
		return nil
	}
	f, err := os.Open(t.path(rel))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, n))
	if err != nil {
		return nil
	}
	return b
}

// names lists a folder's entries with a suffix; nothing when it is no folder.
func (t tree) names(rel, suffix string) []string {
	if !t.isDir(rel) {
		return nil
	}
	entries, err := os.ReadDir(t.path(rel))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
			out = append(out, e.Name())
		}
	}
	return out
}

var markdownLink = regexp.MustCompile(`\]\(([^()\s#]+\.md)\)`)

// isLinkIndex reports whether a file is an index: at least two links to
// Markdown files that lie beside it, and most of its list items are such links.
func (t tree) isLinkIndex(rel string) bool {
	text := t.head(rel, 64<<10)
	items, links := 0, 0
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		if !bytes.HasPrefix(line, []byte("- ")) && !bytes.HasPrefix(line, []byte("* ")) {
			continue
		}
		items++
		if m := markdownLink.FindSubmatch(line); m != nil && !bytes.ContainsAny(m[1], "/:") && t.isFile(string(m[1])) {
			links++
		}
	}
	return links >= 2 && 2*links > items
}

// isFlat reports whether a folder is an auto-memory folder of Claude Code: its notes
// lie in the root itself, and MEMORY.md is an index of them.
func (t tree) isFlat(h Host) bool {
	return h.Name == ClaudeCode && !t.isFile("CLAUDE.md") && t.isLinkIndex("MEMORY.md")
}
