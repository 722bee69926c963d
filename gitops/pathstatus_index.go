package gitops

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's ids
	"slices"
	"strings"
)

// maxLook is how many files are compared here. With more, git is quicker: it has
// several threads for it.
const maxLook = 5_000

// readIndex finds the entries in scope.
func (l *pathLook) readIndex() (IndexStamp, error) {
	loaded, err := l.r.loadIndex()
	if err != nil {
		return IndexStamp{}, errUncertain
	}
	stamp := loaded.stamp
	l.rules = newStatRules(l.cfg, loaded.stat)
	if l.index, err = openIndex(loaded.b); err != nil {
		return stamp, errUncertain
	}
	x := l.index
	for x.next() {
		if err := l.take(&x.entry); err != nil {
			return stamp, err
		}
	}
	if x.end() != nil {
		return stamp, errUncertain
	}
	return stamp, nil
}

var (
	attributesFile = []byte(".gitattributes")
	ignoreFile     = []byte(".gitignore")
)

// take looks at one entry of the index.
func (l *pathLook) take(e *indexEntry) error {
	switch {
	case bytes.HasSuffix(e.path, attributesFile):
		l.attributes = append(l.attributes, string(e.path))
	case e.skipWorktree() && bytes.HasSuffix(e.path, ignoreFile):
		return errUncertain // git reads its rules from the index
	}
	mode := e.mode()
	if mode == ModeGitlink && l.scope.isBelow(e.path) {
		return errUncertain
	}
	if !l.scope.match(e.path) {
		return nil
	}
	switch {
	case e.stage() != 0, e.skipWorktree(), e.intentToAdd(), mode != mode.canonical(), mode == ModeGitlink, len(l.entries) == maxLook:
		return errUncertain
	}
	l.entries = append(l.entries, lookEntry{
		path: string(e.path), mode: mode, id: [sha1.Size]byte(e.idBytes()), stat: e.stat(), valid: e.assumeValid(),
	})
	return nil
}

// search finds the place of a path among the entries in scope; known tells whether
// the index has it.
func (l *pathLook) search(path string) (i int, known bool) {
	return slices.BinarySearchFunc(l.entries, path, func(e lookEntry, p string) int { return strings.Compare(e.path, p) })
}

// under are the entries below a directory, "" for the top.
func (l *pathLook) under(dir string) (from, to int) {
	if dir == "" {
		return 0, len(l.entries)
	}
	from, _ = l.search(dir + "/")
	to, _ = l.search(dir + "0") // which follows the slash
	return from, to
}

// statRules is how git compares stat data here.
type statRules struct {
	mode  bool // core.fileMode
	ctime bool // core.trustctime
	all   bool // core.checkStat is not minimal
	since uint32
	empty [sha1.Size]byte // the id of no content
}

func newStatRules(cfg *Config, index fileStat) statRules {
	check, _ := cfg.Get("core.checkstat")
	return statRules{
		mode: cfg.Bool("core.filemode", true), ctime: cfg.Bool("core.trustctime", true),
		all: !strings.EqualFold(check, "minimal"), since: index.mtime,
		empty: sha1.Sum([]byte("blob 0\x00")),
	}
}

// same reports whether a file is the one that the entry was made of, as far as stat
// data can tell. Nanoseconds count where both have some, which git does not do
// unless it was built to: a difference only costs a look at the content.
func (c statRules) same(e *lookEntry, s fileStat) bool {
	d := &e.stat
	switch {
	case d.mtime != s.mtime || d.size != s.size, d.size == 0 && e.id != c.empty:
		return false
	case c.since != 0 && d.mtime >= c.since:
		return false // racily clean
	case !c.all:
		return true
	case d.ino != s.ino || d.uid != s.uid || d.gid != s.gid || fine(d.mtimeNS, s.mtimeNS):
		return false
	}
	return !c.ctime || d.ctime == s.ctime && !fine(d.ctimeNS, s.ctimeNS)
}

// fine reports whether nanoseconds differ; zero stands for none.
func fine(a, b uint32) bool { return a != b && a != 0 && b != 0 }
