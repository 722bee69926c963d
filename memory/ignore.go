package memory

import (
	"path"
	"strings"
)

// ignorePatterns are ignored in every workspace (SPEC WS-08): host state,
// databases and what usually holds credentials. None of them matches `*.md`:
// notes are never ignored unasked, buffer files and heartbeat-state.md excepted,
// which ignoreFiles names by full path.
var ignorePatterns = []string{
	".DS_Store", ".env", "*.key", "*.pem",
	"secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.env", "secrets.txt",
	"*.sqlite", "*.sqlite3", "*.sqlite-wal", "*.sqlite-shm", "*.sqlite-journal",
	"*.tmp", "*.tmp.*[0-9]",
	".openclaw/", "openclaw-workspace-state.json",
}

// BufferPath is the working buffer (SPEC OM-20), and the beginning of the names
// of its lock, of a buffer being rotated and of one whose rotation failed.
const BufferPath = "memory/working-buffer.md"

var bufferSuffixes = []string{"", ".lock", ".rotating", ".pending"}

// ignoreFiles lists the single files that are ignored, below the root. With
// trackBuffer the buffer itself is not (claw.buffer.track is branch).
func ignoreFiles(siRoot string, trackBuffer bool) []string {
	var out []string
	for _, s := range bufferSuffixes {
		if s != "" || !trackBuffer {
			out = append(out, BufferPath+s)
		}
	}
	return append(out, siRoot+"heartbeat-state.md")
}

// teamFiles is what `init --team` ignores (SPEC RC-17).
func teamFiles(siRoot string) []string {
	return []string{"memory/", ".learnings/", siRoot, "USER.md", "MEMORY.md"}
}

// IgnoredByUs reports whether the lines that `init` writes into .gitignore match
// a path below the root.
func (w *Workspace) IgnoredByUs(rel string) bool {
	for _, f := range ignoreFiles(w.siRoot, w.Settings.String("buffer.track") == "branch") {
		if f == rel {
			return true
		}
	}
	return matchesIgnore(rel)
}

// matchesIgnore reports whether one of ignorePatterns matches a path.
func matchesIgnore(rel string) bool {
	parts := strings.Split(strings.TrimSuffix(rel, "/"), "/")
	for i, part := range parts {
		folder := i < len(parts)-1 || strings.HasSuffix(rel, "/")
		for _, p := range ignorePatterns {
			name, folderOnly := strings.CutSuffix(p, "/")
			// A pattern of git and one of path.Match mean the same within one name.
			if ok, err := path.Match(name, part); err == nil && ok && (folder || !folderOnly) {
				return true
			}
		}
	}
	return false
}

// ignoreLines returns the lines of the block in .gitignore.
func ignoreLines(siRoot string, trackBuffer, team bool) []string {
	lines := append([]string(nil), ignorePatterns...)
	files := ignoreFiles(siRoot, trackBuffer)
	if team {
		files = append(files, teamFiles(siRoot)...)
	}
	for _, f := range files {
		lines = append(lines, "/"+escapePattern(f))
	}
	return lines
}

// mergedSuffixes are the kinds of file for which the merge driver has a rule
// (SPEC GN-04); for all others git's own merge is right.
var mergedSuffixes = []string{"*.md", "*.json", "*.jsonl"}

// MergeAttributes returns a file of attributes with the lines that give the
// workspace's memory to the merge driver: its own .gitattributes, or, from the top
// of the repository, one for all of it. What else stands there stays.
func (w *Workspace) MergeAttributes(old []byte, fromTop bool) []byte {
	prefix := ""
	if fromTop {
		prefix = w.Prefix
	}
	return withBlock(old, attributeLines(w.Host, prefix, w.siRoot, w.flat))
}

// attributeLines returns the lines of the block in .gitattributes, or in another
// file of attributes from which the workspace lies in a folder. They set
// nothing but the merge driver: an attribute that changes the bytes of a file on
// their way into the repository would switch the fast write path off.
// In a flat workspace, whose notes lie in the root itself, they name these too.
func attributeLines(h Host, folder, siRoot string, flat bool) []string {
	var lines []string
	add := func(pattern string) {
		lines = append(lines, attributePattern("/"+escapePattern(folder)+pattern[1:])+" merge=claw")
	}
	for _, name := range h.l1() {
		add("/" + name)
	}
	if flat {
		add("/*.md")
	}
	for _, dir := range []string{"memory/", ".learnings/", "reference/", siRoot} {
		for _, s := range mergedSuffixes {
			add("/" + escapePattern(dir) + "**/" + s)
		}
	}
	for _, dir := range h.SkillRoots {
		add("/" + escapePattern(dir) + "**/*.md")
	}
	add("/" + escapePattern(siRoot) + "reflections.log")
	add("/.claw/tags.txt")
	add("/.claw/tombstones")
	return lines
}

// escapePattern makes a path a pattern that matches just it.
func escapePattern(p string) string {
	var b strings.Builder
	for _, c := range []byte(p) {
		if strings.IndexByte(`\*?[`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// attributePattern quotes a pattern with white space or quotes in it, which
// .gitattributes reads in the syntax of C.
func attributePattern(p string) string {
	if !strings.ContainsAny(p, " \t\"") {
		return p
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`).Replace(p) + `"`
}
