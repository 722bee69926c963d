package agent

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/merge"
)

// driverKind tells how to merge a path, which is relative to the top of the repository. git asks for
// every single file, so that nothing here may start a program: the workspace is found by its tracked
// settings in the work tree, and where there is none, as in a bare repository, by the names of its
// folders.
func driverKind(top, file string) merge.Kind {
	rel, siRoot := file, ""
	for prefix := path.Dir(file); ; prefix = path.Dir(prefix) {
		if root, ok := trackedRoot(filepath.Join(top, filepath.FromSlash(prefix))); ok {
			siRoot = root
			if prefix != "." {
				rel = strings.TrimPrefix(file, prefix+"/")
			}
			break
		}
		if prefix == "." || prefix == "/" {
			break
		}
	}
	if siRoot != "" {
		return kindIn(rel, siRoot)
	}
	for {
		_, rest, deeper := strings.Cut(rel, "/")
		if !deeper {
			return kindIn(file, "self-improving/")
		}
		if kind := merge.KindOf(rel, "self-improving/"); kind != merge.Text {
			return kind
		}
		rel = rest
	}
}

// secondKind is the rule for a file that is merged as text, where that leaves conflicts: the Markdown
// of a skill by entry, so that one step that two machines changed waits for a choice, and does not keep
// all memory apart. Text comes first there, for in a procedure it matters what stands next to what.
func secondKind(file string) merge.Kind {
	if strings.HasSuffix(file, ".md") {
		return merge.Markdown
	}
	return merge.Text
}

// entryKind is the kind by which the entries of a file are merged, first or last.
func entryKind(top, file string) merge.Kind {
	if kind := driverKind(top, file); kind != merge.Text {
		return kind
	}
	return secondKind(file)
}

// kindIn is merge.KindOf; a file outside the folders that it knows was given to the driver by an
// attribute of the user's own, and is merged by its name. Skills are merged by git; see secondKind.
func kindIn(rel, siRoot string) merge.Kind {
	kind := merge.KindOf(rel, siRoot)
	if kind == merge.Text && path.Base(rel) != "SKILL.md" && !strings.HasPrefix(rel, "skills/") && !strings.Contains("/"+rel, "/skills/") {
		return merge.KindByName(rel)
	}
	return kind
}

// trackedRoot returns the folder of learned preferences, with a slash at its end, of the workspace whose
// root a directory is.
func trackedRoot(dir string) (siRoot string, ok bool) {
	b, err := gitops.ReadSmall(filepath.Join(dir, ".claw", "config"), smallestLimit)
	if err != nil {
		return "", false
	}
	siRoot = "self-improving"
	if c, err := gitops.ParseConfig(b); err == nil {
		if v, ok := c.Get("claw.si.root"); ok && v != "" && !path.IsAbs(v) {
			siRoot = path.Clean(v)
		}
	}
	if siRoot == "." || strings.HasPrefix(siRoot, "..") {
		siRoot = "self-improving"
	}
	if fi, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(siRoot), "memory", "memory.md")); err == nil && fi.Mode().IsRegular() {
		siRoot += "/memory"
	}
	return siRoot + "/", true
}
