package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// knownExtensions are extensions of the repository format (gitrepository-layout(5))
// that change nothing about objects, refs and index as files.
var knownExtensions = map[string]bool{
	"extensions.objectformat": true, "extensions.worktreeconfig": true, "extensions.partialclone": true, "extensions.noop": true,
	"extensions.preciousobjects": true, "extensions.refstorage": true,
}

// leftToGit says why commits in this repository are made through git, "" where they
// need not be. It starts no process.
func (r *Repo) leftToGit(cfg *Config) string {
	switch {
	case runtime.GOOS != "linux" && runtime.GOOS != "darwin":
		return "this system has no locks and renames the fast writer can rely on"
	case r.ObjectFormat != "sha1":
		return "its objects are " + r.ObjectFormat
	case r.RefFormat != "files":
		return "its refs are a " + r.RefFormat
	case cfg.Bool("core.sparsecheckout", false):
		return "its checkout is sparse"
	case cfg.Bool("core.fsmonitor", false) || isProgram(cfg, "core.fsmonitor"):
		return "a file system monitor watches its index (core.fsmonitor)"
	case cfg.Bool("core.ignorestat", false):
		return "git is told not to look at files (core.ignoreStat)"
	case cfg.Bool("core.splitindex", false):
		return "its index is split (core.splitIndex)"
	}
	for _, n := range cfg.Names() {
		if strings.HasPrefix(n, "extensions.") && !knownExtensions[n] {
			return fmt.Sprintf("it uses '%s'", n)
		}
	}
	for _, v := range []string{"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_INDEX_FILE", "GIT_INDEX_VERSION"} {
		if r.Git.env.Getenv(v) != "" {
			return "the environment sets " + v
		}
	}
	for _, dir := range []string{r.GitDir, r.CommonDir, filepath.Join(r.CommonDir, "objects"), r.TopLevel} {
		if !LocalDisk(dir) {
			return fmt.Sprintf("'%s' is not known to be on a local disk", dir)
		}
	}
	if !oneDevice(r.GitDir, r.CommonDir, filepath.Join(r.CommonDir, "objects"), filepath.Join(r.CommonDir, "refs")) {
		return "its git directory spans several disks"
	}
	return ""
}

func isProgram(cfg *Config, name string) bool {
	v, ok := cfg.Get(name)
	_, err := ParseBool(v)
	return ok && err != nil
}

func oneDevice(dirs ...string) bool {
	var first uint64
	for i, dir := range dirs {
		fi, err := os.Stat(dir)
		if err != nil {
			return false
		}
		dev, _, ok := fileKey(fi)
		if !ok || i > 0 && dev != first {
			return false
		}
		first = dev
	}
	return true
}

// gitHooks run for whoever writes refs or the index; only git runs them.
var gitHooks = []string{"reference-transaction", "post-index-change"}

// leftToGit says why this transaction is made through git, "" where it need not be.
func (c *commitRun) leftToGit() (string, error) {
	if why := c.repo.leftToGit(c.cfg); why != "" {
		return why, nil
	}
	switch {
	case c.sign || c.tx.Sign:
		return "commits are signed (commit.gpgSign)", nil
	case len(c.hooks) > 0:
		return fmt.Sprintf("a '%s' hook is installed", c.hooks[0]), nil
	case c.tx.Vet != nil:
		return "the commit is looked at before it counts", nil
	case c.filter:
		return "attributes or core.autocrlf may change content on its way into git", nil
	}
	return c.repo.hookOfGit(c.ctx, c.cfg, gitHooks...)
}

// hookOfGit names one of these hooks that is installed, "" for none.
func (r *Repo) hookOfGit(ctx context.Context, cfg *Config, names ...string) (string, error) {
	dir, err := r.HooksDir(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && !fi.IsDir() {
			return fmt.Sprintf("a '%s' hook is installed", name), nil
		}
	}
	for _, n := range cfg.Names() {
		if strings.HasPrefix(n, "hook.") {
			return fmt.Sprintf("hooks are configured ('%s')", n), nil
		}
	}
	return "", nil
}

// WriterReason says which writer commits go through here, "fast" or "git", and why
// it is not the fast one. Paths stand for what would be committed.
func (r *Repo) WriterReason(ctx context.Context, opt WriterOptions, paths ...string) (name, why string, err error) {
	c := &commitRun{gitWriter: &gitWriter{repo: r, opt: opt}, ctx: ctx}
	for _, p := range paths {
		c.tx.Changes = append(c.tx.Changes, Change{Path: p})
	}
	if err := c.setUp(); err != nil {
		return "", "", err
	}
	if why, err = c.leftToGit(); err != nil {
		return "", "", err
	}
	if why == "" {
		why = r.headLeftToGit()
	}
	if why == "" {
		why = r.indexLeftToGit()
	}
	if why != "" {
		return "git", why, nil
	}
	return "fast", "", nil
}

// headLeftToGit says why HEAD is git's to move.
func (r *Repo) headLeftToGit() string {
	switch h, ok := r.headFromFiles(); {
	case !ok:
		return "its branch has no commit yet, or HEAD is not a file that names one"
	case h.Ref == "":
		return "HEAD is on no branch"
	}
	return ""
}

// indexLeftToGit says why the index is git's to write.
func (r *Repo) indexLeftToGit() string {
	b, err := os.ReadFile(r.indexPath())
	if err != nil {
		return ""
	}
	x, err := openIndex(b)
	if err == nil {
		for x.next() {
		}
		err = x.end()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
