package gittest

import (
	"os"
	"path/filepath"
	"strings"
)

// Option shapes a repository that New makes.
type Option func(*spec)

type spec struct {
	dir              string
	prefix           string
	files            map[string]string
	config           [][2]string
	bare, unborn     bool
	sha256, reftable bool
	newGit           bool
	sparse           bool
	after            []func(*Repo)
}

func then(f func(*Repo)) Option { return func(s *spec) { s.after = append(s.after, f) } }

// Unborn leaves the branch without a commit.
func Unborn() Option { return func(s *spec) { s.unborn = true } }

// Bare makes a repository without a work tree, and without a commit.
func Bare() Option { return func(s *spec) { s.bare = true } }

// In names the folder of the work tree; it may hold any character.
func In(dir string) Option { return func(s *spec) { s.dir = dir } }

// Files are committed first, instead of the usual ones.
func Files(files map[string]string) Option { return func(s *spec) { s.files = files } }

// Config sets a value in the repository's own configuration.
func Config(name, value string) Option {
	return func(s *spec) { s.config = append(s.config, [2]string{name, value}) }
}

// Hook installs a shell script as a hook.
func Hook(name, script string) Option { return then(func(r *Repo) { r.Hook(name, script) }) }

// Attributes commits a .gitattributes.
func Attributes(text string) Option {
	return then(func(r *Repo) {
		r.t.Helper()
		r.Write(".gitattributes", text)
		r.Git("add", ".gitattributes")
		r.Git("commit", "-q", "-m", "attributes")
	})
}

// UseNewGit runs the newer git, see NewGit.
func UseNewGit() Option { return func(s *spec) { s.newGit = true } }

// SHA256 makes object ids of 32 bytes.
func SHA256() Option { return func(s *spec) { s.sha256 = true } }

// Reftable keeps refs in tables; it needs the newer git.
func Reftable() Option {
	return func(s *spec) { s.reftable, s.newGit = true, true }
}

// IndexV4 writes the index with compressed paths.
func IndexV4() Option {
	return then(func(r *Repo) {
		r.t.Helper()
		r.Git("config", "index.version", "4")
		r.Git("update-index", "--index-version", "4")
	})
}

// SplitIndex keeps most of the index in a shared file.
func SplitIndex() Option {
	return then(func(r *Repo) {
		r.t.Helper()
		r.Git("config", "core.splitIndex", "true")
		r.Git("update-index", "--split-index")
	})
}

// Sparse checks out only some directories.
func Sparse(dirs ...string) Option {
	return func(s *spec) {
		s.sparse = true
		s.after = append(s.after, func(r *Repo) {
			r.t.Helper()
			r.Git(append([]string{"sparse-checkout", "set", "--cone", "--no-sparse-index"}, dirs...)...)
		})
	}
}

// SparseIndex is Sparse with an index that leaves out whole directories.
func SparseIndex(dirs ...string) Option {
	return func(s *spec) {
		s.sparse = true
		s.after = append(s.after, func(r *Repo) {
			r.t.Helper()
			r.Git(append([]string{"sparse-checkout", "set", "--cone", "--sparse-index"}, dirs...)...)
		})
	}
}

// FSMonitor adds the fsmonitor extension to the index, by a hook that says that
// everything may have changed.
func FSMonitor() Option {
	return then(func(r *Repo) {
		r.t.Helper()
		hook := filepath.Join(r.Base, "fsmonitor")
		Executable(r.t, hook, "#!/bin/sh\nprintf 'token\\0/\\0'\n")
		r.Git("config", "core.fsmonitor", hook)
		r.Git("config", "core.fsmonitorHookVersion", "2")
		r.Git("update-index", "--fsmonitor")
		r.Git("status")
	})
}

// UntrackedCache adds the untracked-cache extension to the index.
func UntrackedCache() Option {
	return then(func(r *Repo) {
		r.t.Helper()
		r.Git("config", "core.untrackedCache", "true")
		r.Git("update-index", "--force-untracked-cache")
		r.Git("status")
	})
}

// LinkedWorktree makes the repository and works in a second work tree of it, on
// the branch linked.
func LinkedWorktree() Option {
	return then(func(r *Repo) {
		r.t.Helper()
		dir := filepath.Join(r.Base, "linked")
		r.Git("worktree", "add", "-q", "-b", "linked", dir)
		r.Dir = dir
	})
}

// Subfolder opens the repository from a folder below its top.
func Subfolder(prefix string) Option {
	return func(s *spec) {
		s.prefix = prefix
		s.after = append(s.after, func(r *Repo) { must(r.t, os.MkdirAll(r.Path(prefix), 0o777)) })
	}
}

// Alternates borrows all objects of the first commit from another repository.
func Alternates() Option { return cloned("clone", "-q", "--shared") }

// Shallow has no history before the first commit it sees.
func Shallow() Option { return cloned("clone", "-q", "--depth=1") }

// PartialClone has no blobs but those that were checked out.
func PartialClone() Option { return cloned("clone", "-q", "--filter=blob:none") }

// Packed has all objects and refs packed.
func Packed() Option { return then(func(r *Repo) { r.t.Helper(); r.Git("gc", "-q") }) }

func cloned(args ...string) Option {
	return then(func(r *Repo) {
		r.t.Helper()
		r.Write("AGENTS.md", r.Read("AGENTS.md")+"- be brief\n")
		r.Git("commit", "-q", "-a", "-m", "second")
		r.Git("config", "uploadpack.allowFilter", "true")
		source := r.Dir
		if args[len(args)-1] != "--shared" {
			source = "file://" + filepath.ToSlash(source)
		}
		dir := filepath.Join(r.Base, "clone")
		r.Git(append(append([]string{}, args...), source, dir)...)
		r.Dir = dir
		for _, kv := range r.spec.config {
			r.Git("config", kv[0], kv[1])
		}
	})
}

// Shape is a kind of repository that every writer serves.
type Shape struct {
	Name    string
	Options []Option
}

// Shapes lists them.
func Shapes() []Shape {
	return []Shape{
		{"plain", nil},
		{"packed", []Option{Packed()}},
		{"sha256", []Option{SHA256()}},
		{"reftable", []Option{Reftable()}},
		{"reftable and sha256", []Option{Reftable(), SHA256()}},
		{"newer git", []Option{UseNewGit()}},
		{"index v4", []Option{IndexV4()}},
		{"split index", []Option{SplitIndex()}},
		{"sparse checkout", []Option{Sparse("memory", "notes", "bin")}},
		{"sparse index", []Option{SparseIndex("memory", "notes", "bin")}},
		{"fsmonitor", []Option{FSMonitor()}},
		{"untracked cache", []Option{UntrackedCache()}},
		{"linked worktree", []Option{LinkedWorktree()}},
		{"subfolder", []Option{Subfolder("memory")}},
		{"alternates", []Option{Alternates()}},
		{"partial clone", []Option{PartialClone()}},
		{"shallow", []Option{Shallow()}},
		{"autocrlf", []Option{Config("core.autocrlf", "input")}},
		{"shared", []Option{Config("core.sharedRepository", "group")}},
		{"folder with odd characters", []Option{In("a [b] ~ 'c'\"d\n晨露")}},
		{"hooks path", []Option{hooksPath()}},
		{"skipHash", []Option{UseNewGit(), Config("index.skipHash", "true")}},
	}
}

// hooksPath has core.hooksPath inside the work tree, as task runners set it.
func hooksPath() Option {
	return then(func(r *Repo) {
		r.t.Helper()
		r.Git("config", "core.hooksPath", ".githooks")
		r.Hook("pre-commit", "echo ran >>"+shellQuote(filepath.Join(r.Base, "hook-log"))+"\n")
		r.Git("add", ".githooks")
		r.Git("commit", "-q", "--no-verify", "-m", "hooks")
	})
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
