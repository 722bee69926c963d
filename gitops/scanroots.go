package gitops

import "strings"

// rootSet is a part of the work tree: folders with all that is below them, and
// single files.
type rootSet struct {
	dirs  []string // each ends in a slash, or is "" for everything
	files map[string]bool
}

// newRootSet takes roots as [ScanOptions] has them.
func newRootSet(roots []string) (rootSet, error) {
	s := rootSet{files: map[string]bool{}}
	for _, p := range roots {
		if p == "" {
			s.dirs = append(s.dirs, "")
			continue
		}
		name, isDir := strings.CutSuffix(p, "/")
		if err := CheckPath(name); err != nil {
			return rootSet{}, err
		}
		if isDir {
			s.dirs = append(s.dirs, p)
		} else {
			s.files[p] = true
		}
	}
	return s, nil
}

// covers reports whether all below a folder (ending in a slash, "" for the top)
// belongs to the set.
func (s rootSet) covers(dir string) bool {
	for _, d := range s.dirs {
		if strings.HasPrefix(dir, d) {
			return true
		}
	}
	return false
}

// touches reports whether something below a folder may belong to the set.
func (s rootSet) touches(dir string) bool {
	if s.covers(dir) {
		return true
	}
	for _, d := range s.dirs {
		if strings.HasPrefix(d, dir) {
			return true
		}
	}
	for f := range s.files {
		if strings.HasPrefix(f, dir) {
			return true
		}
	}
	return false
}

// isRoot reports whether a folder was asked for by its name.
func (s rootSet) isRoot(dir string) bool {
	for _, d := range s.dirs {
		if d == dir {
			return true
		}
	}
	return false
}

// matcher answers for paths in index order; neighbours mostly share a folder, so
// the answer for the last one is kept.
type matcher struct {
	roots   rootSet
	dir     []byte
	covered bool
	started bool
}

func (m *matcher) match(path []byte) bool {
	n := len(path)
	for n > 0 && path[n-1] != '/' {
		n--
	}
	if dir := path[:n]; !m.started || string(dir) != string(m.dir) {
		m.started, m.dir = true, append(m.dir[:0], dir...)
		m.covered = m.roots.covers(string(dir))
	}
	return m.covered || m.roots.files[string(path)]
}
