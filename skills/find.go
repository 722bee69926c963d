package skills

import (
	"slices"
	"strings"
)

// fileNames are what a skill's file may be called; the first that is there counts.
var fileNames = []string{"SKILL.md", "SKILL.MD", "skill.md", "skills.md"}

// maxDepth is how many folders below its root a skill may lie (SPEC SK-02).
const maxDepth = 6

// Location is where a skill lies in a workspace.
type Location struct {
	Root string // ending in a slash
	Dir  string // the skill's folder, without a slash at its end
	Path string // of its file
}

// Find lists the skills among the files of a workspace: of each root in its order, by path. A root is
// itself a skill, or the folders in it are; inside a skill no other one is looked for, nor in folders
// that begin with a dot and in node_modules.
func Find(files, roots []string) []Location {
	var out []Location
	for _, root := range roots {
		best := map[string]int{} // folder to the place of its file's name in fileNames
		for _, path := range files {
			rel, ok := strings.CutPrefix(path, root)
			if !ok {
				continue
			}
			dir, base := "", rel
			if i := strings.LastIndexByte(rel, '/'); i >= 0 {
				dir, base = rel[:i], rel[i+1:]
			}
			if n := slices.Index(fileNames, base); n >= 0 && enters(dir) {
				if old, ok := best[dir]; !ok || n < old {
					best[dir] = n
				}
			}
		}
		dirs := make([]string, 0, len(best))
		for dir := range best {
			if !inside(dir, best) {
				dirs = append(dirs, dir)
			}
		}
		slices.Sort(dirs)
		for _, dir := range dirs {
			l := Location{Root: root, Dir: strings.TrimSuffix(root+dir, "/")}
			l.Path = l.Dir + "/" + fileNames[best[dir]]
			out = append(out, l)
		}
	}
	return out
}

// enters reports whether a host walks down to a folder below a root.
func enters(dir string) bool {
	if dir == "" {
		return true
	}
	depth := 0
	for part := range strings.SplitSeq(dir, "/") {
		depth++
		if depth > maxDepth || strings.HasPrefix(part, ".") || part == "node_modules" {
			return false
		}
	}
	return true
}

// inside reports whether a folder lies in that of another skill.
func inside(dir string, skills map[string]int) bool {
	for dir != "" {
		dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
		if _, ok := skills[dir]; ok {
			return true
		}
	}
	return false
}
