package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// SkippedFile is a file that an import leaves out. Path is relative to the
// imported folder.
type SkippedFile struct{ Path, Reason string }

// ImportError: a folder cannot be imported. Nothing was copied.
type ImportError struct {
	Dir     string
	Problem string
	Advice  []string
}

func (e *ImportError) Error() string { return fmt.Sprintf("cannot import '%s': %s", e.Dir, e.Problem) }

// ExitCode is git's for "fatal".
func (e *ImportError) ExitCode() int { return 128 }

// Hints tells what to do instead.
func (e *ImportError) Hints() []string { return e.Advice }

// maxImportBytes bounds one import; its files are held in memory and committed
// at once.
const maxImportBytes = 256 << 20

// imports plans the copies of an import (SPEC WS-36): a self-improving store
// into its folder, anything else into memory/. The source is only read. Links
// are not followed, and what is never managed or ignored by default stays out.
func (p *planner) imports() error {
	if p.req.Import == "" {
		return nil
	}
	im := &importer{planner: p, dir: filepath.Clean(p.req.Import), max: 4 << 20, names: make(map[string]string), folded: make(map[string]map[string]string)}
	if p.req.Workspace != nil {
		im.max = p.req.Workspace.MaxFileBytes()
	}
	if err := im.choose(); err != nil {
		return err
	}
	for _, f := range p.plan.Files {
		im.names[FoldName(f.Path)] = f.Path
	}
	return filepath.WalkDir(im.dir, im.visit)
}

type importer struct {
	*planner
	dir    string // the source, links resolved
	target string // folder below the root, ending in a slash
	max    int64
	total  int64
	names  map[string]string            // planned paths by folded name
	folded map[string]map[string]string // names in a folder of the workspace, by folded name
}

func (im *importer) fail(problem string, advice ...string) error {
	return &ImportError{Dir: im.req.Import, Problem: problem, Advice: advice}
}

// choose checks the source and decides where its files go.
func (im *importer) choose() error {
	real, err := filepath.EvalSymlinks(im.dir)
	if err != nil {
		return im.fail("there is no such folder")
	}
	im.dir = real
	fi, err := os.Stat(real)
	if err != nil || !fi.IsDir() {
		return im.fail("it is not a folder")
	}
	root := im.tree.root
	if r, err := filepath.EvalSymlinks(root); err == nil {
		root = r
	}
	if within(root, real) || within(real, root) {
		return im.fail("it and the workspace lie in each other")
	}
	src := tree{real}
	switch {
	case src.isStore():
		im.target = im.siRoot
	case src.isFile("SOUL.md") || src.isFile("AGENTS.md") || src.isFile("CLAUDE.md"):
		return im.fail("it is a whole workspace, not a memory folder",
			fmt.Sprintf("run 'git claw init' in it to adopt it where it is, or import its folder '%s'", filepath.Join(im.req.Import, "memory")))
	default:
		im.target = "memory/"
	}
	return nil
}

// isStore recognises a self-improving store (SPEC SI-01).
func (t tree) isStore() bool {
	if t.isFile("memory/memory.md") {
		return true
	}
	if !t.isFile("memory.md") {
		return false
	}
	return t.isFile("corrections.md") || t.isFile("index.md") || t.isFile("reflections.log") || t.isFile("heartbeat-state.md") ||
		t.isDir("projects") || t.isDir("domains") || t.isDir("pending") || t.isDir("archive")
}

// within reports whether a path is a folder or lies below it.
func within(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (im *importer) visit(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return fmt.Errorf("import '%s': %w", name, err)
	}
	rel, err := filepath.Rel(im.dir, name)
	if err != nil {
		return fmt.Errorf("import '%s': %w", name, err)
	}
	if rel == "." {
		return nil
	}
	rel = filepath.ToSlash(rel)
	if d.IsDir() {
		if why := im.refusesFolder(name, rel); why != "" {
			im.skip(rel+"/", why)
			return fs.SkipDir
		}
		return nil
	}
	content, why, err := im.read(name, rel, d)
	if err != nil || why != "" {
		im.skip(rel, why)
		return err
	}
	return im.place(rel, content)
}

func (im *importer) skip(rel, why string) {
	if why != "" {
		im.plan.Skipped = append(im.plan.Skipped, SkippedFile{Path: rel, Reason: why})
	}
}

func (im *importer) refusesFolder(name, rel string) string {
	switch {
	case neverManagedFolder(rel + "/"):
		return "files in such a folder are never managed"
	case tree{name}.exists(".git"):
		return "it is a repository of its own"
	}
	return ""
}

// read returns the content of a file, or why it stays out.
func (im *importer) read(name, rel string, d fs.DirEntry) (content []byte, why string, err error) {
	fi, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "it vanished", nil
	case err != nil:
		return nil, "", fmt.Errorf("import '%s': %w", name, err)
	case fi.Mode()&fs.ModeSymlink != 0:
		return nil, "it is a symbolic link", nil
	case !fi.Mode().IsRegular() || !d.Type().IsRegular():
		return nil, "it is not a regular file", nil
	case fi.Size() > im.max:
		return nil, "it is larger than claw.maxFileBytes", nil
	case strings.EqualFold(d.Name(), ".git"):
		return nil, "it is git's", nil
	case hostState(rel):
		return nil, "it is state of the host", nil
	case isTemporary(rel):
		return nil, "it is a temporary file", nil
	case matchesIgnore(rel), im.ignoredFile(im.target + rel):
		return nil, "it is ignored by default", nil
	}
	if im.total += fi.Size(); im.total > maxImportBytes {
		return nil, "", im.fail(fmt.Sprintf("it holds more than %d MB", maxImportBytes>>20))
	}
	content, err = os.ReadFile(name)
	if err != nil {
		return nil, "", fmt.Errorf("import '%s': %w", name, err)
	}
	return content, "", nil
}

func (im *importer) ignoredFile(rel string) bool {
	for _, f := range ignoreFiles(im.siRoot, false) {
		if f == rel {
			return true
		}
	}
	return false
}

// place plans a copy. A file that is there with the same content is left alone; a
// name that is taken, also by another spelling that some file systems take for
// the same, is refused: nothing here decides which text is the right one.
func (im *importer) place(rel string, content []byte) error {
	to := im.target + rel
	if other, ok := im.names[FoldName(to)]; ok {
		return im.fail(fmt.Sprintf("'%s' and '%s' would be one file", to, other))
	}
	im.names[FoldName(to)] = to
	old, existed, err := im.old(to)
	switch {
	case err != nil:
		return err
	case existed && bytes.Equal(old, content):
		return nil
	case existed:
		return im.fail(fmt.Sprintf("'%s' is there already, with another text", to), "rename one of the two and run the command again")
	}
	if taken := im.otherSpelling(to); taken != "" {
		return im.fail(fmt.Sprintf("'%s' is there already as '%s'", to, taken))
	}
	im.plan.Files = append(im.plan.Files, PlannedFile{Path: to, New: content, Imported: true, Why: "imported from '" + im.req.Import + "'"})
	return nil
}

// otherSpelling finds what some file systems would take for the same path.
func (im *importer) otherSpelling(rel string) string {
	dir := ""
	for part := range strings.SplitSeq(rel, "/") {
		names, ok := im.folded[dir]
		if !ok {
			names = make(map[string]string)
			entries, err := os.ReadDir(im.tree.path(dir))
			if err != nil {
				return "" // not there: nothing below it either
			}
			for _, e := range entries {
				names[FoldName(e.Name())] = e.Name()
			}
			im.folded[dir] = names
		}
		switch name := names[FoldName(part)]; name {
		case part:
		case "":
			return ""
		default:
			return path.Join(dir, name)
		}
		dir = path.Join(dir, part)
	}
	return ""
}

// exists reports whether anything has this name, links not followed.
func (t tree) exists(rel string) bool {
	_, err := os.Lstat(t.path(rel))
	return err == nil
}
