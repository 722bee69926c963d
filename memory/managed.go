package memory

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Kind says what a path is in a workspace.
type Kind uint8

// The kinds of path.
const (
	KindUnmanaged Kind = iota
	KindL1             // a rule file of the root, MEMORY.md excepted
	KindBootstrap      // BOOTSTRAP.md
	KindMemory         // MEMORY.md
	KindDaily          // a daily file, YYYY-MM-DD.md below memory/
	KindNote           // any other file below memory/
	KindLesson         // .learnings/
	KindPrefs          // learned preferences
	KindReference      // reference/
	KindSkill          // a skill root
	KindClaw           // .claw/
	KindOther          // managed because claw.paths says so
)

// neverManaged are folders that are never managed, walked or indexed (SPEC
// WS-32).
var neverManaged = []string{"node_modules", ".venv", "venv", "dist", "vendor", ".git", ".openclaw", ".clawhub", ".dreams"}

// managedRoots lists what SPEC WS-31 manages: files by name, folders ending in a
// slash.
func (w *Workspace) managedRoots() []string {
	roots := w.Host.l1()
	roots = append(roots, ".claw/", ".learnings/", "memory/", "reference/", w.siRoot)
	roots = append(roots, w.Host.SkillRoots...)
	for _, value := range w.Settings.All("paths") {
		for _, p := range w.pathsOf(value) {
			if q := w.safePath("paths", p); q != "" {
				roots = append(roots, q)
			}
		}
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	// A folder inside another one adds nothing.
	return slices.DeleteFunc(roots, func(r string) bool {
		return slices.ContainsFunc(roots, func(o string) bool { return o != r && strings.HasSuffix(o, "/") && strings.HasPrefix(r, o) })
	})
}

// pathsOf reads one value of a list of paths. Lists are separated by spaces, but
// folders have spaces in their names too: what exists as a whole is one path.
func (w *Workspace) pathsOf(value string) []string {
	if there, err := w.Exists(value); err == nil && there {
		return []string{value}
	}
	return strings.Fields(value)
}

// safePath checks a path from a setting: below the root, links resolved. What is
// not is ignored with a warning. A folder that exists ends in a slash.
func (w *Workspace) safePath(setting, p string) string {
	clean := path.Clean(filepath.ToSlash(p))
	bad := func(why string) string {
		w.Settings.warn("claw.%s: '%s' is ignored: %s", setting, p, why)
		return ""
	}
	switch {
	case p == "" || path.IsAbs(clean) || filepath.IsAbs(p):
		return bad("it is not relative to the workspace")
	case clean == "..", strings.HasPrefix(clean, "../"):
		return bad("it leaves the workspace")
	case clean == ".":
		return bad("name folders one by one")
	case strings.ContainsRune(p, 0):
		return bad("it holds a NUL byte")
	case w.NeverManaged(clean + "/"):
		return bad("it is never managed")
	}
	cur := w.Root
	dir := strings.HasSuffix(p, "/")
	for part := range strings.SplitSeq(clean, "/") {
		cur = filepath.Join(cur, part)
		fi, err := os.Lstat(cur)
		if err != nil {
			break // not there yet
		}
		if fi.Mode()&os.ModeSymlink != 0 {
			return bad("it leads through a symbolic link")
		}
		dir = fi.IsDir()
	}
	if dir {
		clean += "/"
	}
	return clean
}

func (w *Workspace) safeFolder(setting, p, def string) string {
	q := w.safePath(setting, strings.TrimSuffix(p, "/")+"/")
	if q == "" {
		return def
	}
	return strings.TrimSuffix(q, "/") + "/"
}

// Managed reports whether git claw commits, checks and merges a path below the
// root. What git ignores is for git to tell.
func (w *Workspace) Managed(rel string) bool {
	return !w.NeverManaged(rel) && !isTemporary(rel) && w.rootOf(rel) != ""
}

// rootOf returns the managed root that a path lies in, or "".
func (w *Workspace) rootOf(rel string) string {
	for _, r := range w.managed {
		if r == rel || strings.HasSuffix(r, "/") && (strings.HasPrefix(rel, r) || rel == r[:len(r)-1]) {
			return r
		}
	}
	if w.flat && !strings.Contains(rel, "/") && strings.HasSuffix(rel, ".md") {
		return rel
	}
	return ""
}

// NeverManaged reports whether a path lies in a folder that is never managed. A
// folder is asked for with a slash at its end.
func (w *Workspace) NeverManaged(rel string) bool { return neverManagedFolder(rel) }

func neverManagedFolder(rel string) bool {
	dir := rel[:strings.LastIndexByte(rel, '/')+1]
	for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if slices.Contains(neverManaged, part) {
			return true
		}
	}
	return false
}

// isTemporary recognises what is there only while somebody writes: `*.tmp` and
// `*.tmp.*[0-9]`, which are never read as memory, and the swap, lock, backup and
// auto-save files of editors.
func isTemporary(rel string) bool {
	base := path.Base(rel)
	last := base[len(base)-1]
	switch {
	case strings.HasSuffix(base, ".tmp"), strings.Contains(base, ".tmp.") && last >= '0' && last <= '9':
		return true
	case last == '~', strings.HasPrefix(base, ".#"), base[0] == '#' && last == '#' && len(base) > 1, base == "4913":
		return true // Emacs, nano, Kate, and the file by which Vim tries a folder
	}
	return base[0] == '.' && isSwap(path.Ext(base))
}

// isSwap recognises Vim's `.swp`, `.swo`, … `.swa`.
func isSwap(ext string) bool {
	return len(ext) == 4 && strings.HasPrefix(ext, ".sw") && ext[3] >= 'a' && ext[3] <= 'p'
}

// NeverRestore reports whether a path is state of the host, which is never
// committed and never restored from history (SPEC GN-12).
func (w *Workspace) NeverRestore(rel string) bool { return hostState(rel) }

// hostState compares without case: on some file systems `.OpenClaw` is
// `.openclaw`.
func hostState(rel string) bool {
	rel = strings.ToLower(rel)
	base := path.Base(rel)
	switch {
	case base == "openclaw-workspace-state.json", base == ".attested", strings.Contains("/"+rel+"/", "/.openclaw/"):
		return true
	}
	for _, tail := range []string{"", "-wal", "-shm", "-journal"} {
		if strings.HasSuffix(base, ".sqlite"+tail) || strings.HasSuffix(base, ".sqlite3"+tail) || tail != "" && strings.HasSuffix(base, ".db"+tail) {
			return true
		}
	}
	return false
}

// Kind says what a path below the root is.
func (w *Workspace) Kind(rel string) Kind {
	root := w.rootOf(rel)
	if root == "" || w.NeverManaged(rel) || isTemporary(rel) {
		return KindUnmanaged
	}
	switch {
	case rel == "MEMORY.md":
		return KindMemory
	case rel == "BOOTSTRAP.md":
		return KindBootstrap
	case !strings.Contains(rel, "/") && slices.Contains(w.Host.l1(), rel):
		return KindL1
	case strings.HasPrefix(rel, ".claw/"):
		return KindClaw
	case slices.ContainsFunc(w.Host.SkillRoots, func(s string) bool { return strings.HasPrefix(rel, s) }):
		return KindSkill
	case strings.HasPrefix(rel, ".learnings/"):
		return KindLesson
	case strings.HasPrefix(rel, w.siRoot):
		return KindPrefs
	case strings.HasPrefix(rel, "reference/"):
		return KindReference
	case strings.HasPrefix(rel, "memory/"), root == rel && w.flat:
		if day, ok := strings.CutSuffix(path.Base(rel), ".md"); ok && isDay(day) {
			return KindDaily
		}
		return KindNote
	}
	return KindOther
}

// isDay recognises a calendar day, YYYY-MM-DD.
func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// SkillDir returns the folder of the skill that a path belongs to: the first
// folder below its skill root.
func (w *Workspace) SkillDir(rel string) string {
	for _, r := range w.Host.SkillRoots {
		if rest, ok := strings.CutPrefix(rel, r); ok {
			name, _, _ := strings.Cut(rest, "/")
			return r + name
		}
	}
	return path.Dir(rel)
}

// ManagedRoots lists what is managed below the root: files by name, folders ending
// in a slash. They need not exist. In an auto-memory folder the Markdown files of
// the root itself are managed besides.
func (w *Workspace) ManagedRoots() []string { return slices.Clone(w.managed) }

// ManagedPaths lists the managed roots as literal paths from the repository's
// top level, for git.
func (w *Workspace) ManagedPaths() []string {
	if w.flat {
		if w.Prefix == "" {
			return []string{"."}
		}
		return w.PrefixPaths()
	}
	out := make([]string, len(w.managed))
	for i, r := range w.managed {
		out[i] = w.Prefix + strings.TrimSuffix(r, "/")
	}
	return out
}

// ManagedBelow lists the managed roots that lie below a folder, from the
// repository's top level; none when the folder itself is managed.
func (w *Workspace) ManagedBelow(rel string) []string {
	var out []string
	for _, r := range w.managed {
		if strings.HasPrefix(r, rel+"/") && r != rel+"/" {
			out = append(out, w.Prefix+strings.TrimSuffix(r, "/"))
		}
	}
	return out
}

// PrefixPaths limits git to the workspace's folder; nil for all of the
// repository.
func (w *Workspace) PrefixPaths() []string {
	if w.Prefix == "" {
		return nil
	}
	return []string{strings.TrimSuffix(w.Prefix, "/")}
}

// WhyUnmanaged says why a path is not managed, or "".
func (w *Workspace) WhyUnmanaged(rel string) string {
	switch {
	case w.NeverManaged(rel), slices.Contains(neverManaged, rel):
		return "files in such a folder never are"
	case isTemporary(rel):
		return "it is a temporary file"
	case w.rootOf(rel) == "":
		return "it lies outside the managed files and folders"
	}
	return ""
}

// HowToManage gives the command that would make a path managed, if there is one.
func (w *Workspace) HowToManage(rel string) []string {
	if w.NeverManaged(rel) || isTemporary(rel) || w.rootOf(rel) != "" {
		return nil
	}
	folder, _, deeper := strings.Cut(rel, "/")
	if deeper {
		folder += "/"
	}
	return []string{w.IncludeCommand(folder)}
}

// IncludeCommand is the command that adds a folder or file to the managed paths.
func (w *Workspace) IncludeCommand(rel string) string {
	return w.addCommand("claw.paths", rel)
}

// SearchCommand is the command that adds a folder or file to what search looks at.
func (w *Workspace) SearchCommand(rel string) string {
	return w.addCommand("claw.recall.paths", rel)
}

func (w *Workspace) addCommand(setting, rel string) string {
	return fmt.Sprintf("git config -f %s --add %s %s", quote(filepath.Join(w.Root, ".claw", "config")), setting, quote(rel))
}

func quote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+,:@%", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Exists reports whether a path below the root is there, links not followed.
func (w *Workspace) Exists(rel string) (bool, error) {
	_, err := os.Lstat(filepath.Join(w.Root, filepath.FromSlash(rel)))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// FileModes reports whether the file system's executable bit means something
// (core.fileMode).
func (w *Workspace) FileModes() bool { return w.Settings.git.Bool("core.filemode", true) }

// FoldName maps the spellings of a name that some file systems take for one to
// one string.
func FoldName(name string) string { return cases.Fold().String(norm.NFC.String(name)) }
