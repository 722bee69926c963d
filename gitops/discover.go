package gitops

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// discoveryVariables change where git looks; with one of them set, git is asked.
var discoveryVariables = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_NAMESPACE",
}

// discover finds the plain case without a process of its own: a work tree with
// `.git` at its top, or a linked worktree. What git itself says in its
// configuration must agree; it says nothing where it distrusts the owner. In
// every other case ok is false and git is asked. A test holds both to the same
// answers.
func discover(ctx context.Context, g *Git, dir string) (r *Repo, ok bool) {
	if runtime.GOOS != "linux" {
		return nil, false
	}
	for _, v := range discoveryVariables {
		if g.env.Getenv(v) != "" {
			return nil, false
		}
	}
	if dir == "" {
		dir = g.env.Dir
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(real) {
		return nil, false
	}
	top, gitDir := findTop(real)
	if top == "" {
		return nil, false
	}
	common := gitDir
	if s, ok := readRefFile(filepath.Join(gitDir, "commondir")); ok {
		if !filepath.IsAbs(s) {
			s = filepath.Join(gitDir, s)
		}
		if common, err = filepath.EvalSymlinks(s); err != nil {
			return nil, false
		}
	}
	r = &Repo{Git: g, TopLevel: top, GitDir: gitDir, CommonDir: common, ObjectFormat: "sha1", RefFormat: "files"}
	r.InHook = g.env.Getenv(SavingVariable) != ""
	if rel, err := filepath.Rel(top, real); err == nil && rel != "." {
		r.Prefix = filepath.ToSlash(rel) + "/"
	}
	r.objects = &Objects{repo: r}
	if g.ahead {
		r.readAhead()
	}
	return r, r.confirm(ctx)
}

// confirm reads the configuration and checks that nothing in it moves the
// repository elsewhere.
func (r *Repo) confirm(ctx context.Context) bool {
	c, err := r.Config(ctx)
	if err != nil {
		return false
	}
	// Absent also where git passes the repository over for its owner.
	if v, ok := c.Get("core.repositoryformatversion"); !ok || v != "0" && v != "1" {
		return false
	}
	if _, ok := c.Get("core.worktree"); ok || c.Bool("core.bare", false) {
		return false
	}
	if v, ok := c.Get("extensions.objectformat"); ok {
		r.ObjectFormat = v
	}
	if v, ok := c.Get("extensions.refstorage"); ok && v != "files" {
		if v != "reftable" {
			return false
		}
		r.RefFormat = v
	}
	return r.ObjectFormat == "sha1" || r.ObjectFormat == "sha256"
}

// findTop walks up to the directory that holds `.git`. Everything unusual gives
// "": git knows more about it.
func findTop(dir string) (top, gitDir string) {
	if strings.Contains(dir+"/", "/.git/") {
		return "", ""
	}
	start, err := os.Lstat(dir)
	if err != nil {
		return "", ""
	}
	dev, _, _ := fileKey(start)
	for {
		fi, err := os.Lstat(dir)
		if err != nil {
			return "", ""
		}
		// git does not cross file systems, and a directory with a HEAD could be a
		// bare repository.
		if d, _, _ := fileKey(fi); d != dev {
			return "", ""
		}
		if gd, found := gitDirIn(dir); found {
			if gd == "" {
				return "", ""
			}
			return dir, gd
		}
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			return "", ""
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

// gitDirIn returns the git directory that `.git` in dir is or names. found is
// true and the path empty when there is something that git must judge.
func gitDirIn(dir string) (gitDir string, found bool) {
	p := filepath.Join(dir, ".git")
	fi, err := os.Lstat(p)
	switch {
	case os.IsNotExist(err):
		return "", false
	case err != nil:
		return "", true
	case fi.Mode().IsRegular():
		s, _ := readRefFile(p)
		s, ok := strings.CutPrefix(s, "gitdir: ")
		if !ok {
			return "", true
		}
		if !filepath.IsAbs(s) {
			s = filepath.Join(dir, s)
		}
		if p, err = filepath.EvalSymlinks(s); err != nil {
			return "", true
		}
		if _, err := os.Lstat(filepath.Join(p, "commondir")); err != nil {
			return "", true // a submodule, or a repository moved by --separate-git-dir
		}
	case !fi.IsDir():
		return "", true
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(p, name)); err != nil && (name == "HEAD" || fi.IsDir()) {
			return "", true
		}
	}
	return p, true
}
