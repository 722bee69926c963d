package gitops

import (
	"context"
	"os"
	"path/filepath"
)

// recoverOthers finishes what writers began that died in other worktrees of the
// repository. Objects and refs are shared: after a power cut they may have left torn
// objects that the next who writes the same would take for whole ones. The queue lock,
// which all worktrees share, is held. What fails in another worktree is told to who
// works there; objects come first in any case.
func (r *Repo) recoverOthers(ctx context.Context) {
	for _, o := range r.leftByOthers(ctx) {
		_, err := o.recover(ctx)
		if err != nil && r.Git.env.Log != nil {
			r.Git.env.Log.Debug("recovery in another worktree", "ok", false)
		}
		_ = o.Close()
	}
}

// leftByOthers are the other worktrees in which a journal has to be looked at.
func (r *Repo) leftByOthers(ctx context.Context) (out []*Repo) {
	for _, dir := range r.otherGitDirs() {
		if o := r.sibling(ctx, dir); o != nil && o.hasJournal() {
			out = append(out, o)
		}
	}
	return out
}

// otherGitDirs are the git dirs of the other worktrees (gitrepository-layout(5)).
func (r *Repo) otherGitDirs() []string {
	var out []string
	if r.GitDir != r.CommonDir {
		out = append(out, r.CommonDir)
	}
	list, err := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	if err != nil {
		return out // there are none
	}
	for _, d := range list {
		if dir := filepath.Join(r.CommonDir, "worktrees", d.Name()); d.IsDir() && !sameFolder(dir, r.GitDir) {
			out = append(out, dir)
		}
	}
	return out
}

func sameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// sibling is the repository as another worktree sees it; nil where nobody wrote there
// through us. Its files may be on a disk that is not there at the moment.
func (r *Repo) sibling(ctx context.Context, gitDir string) *Repo {
	if _, err := os.Lstat(filepath.Join(gitDir, "claw")); err != nil {
		return nil
	}
	cfg, err := r.Config(ctx)
	if err != nil {
		return nil
	}
	o := &Repo{
		Git: r.Git, GitDir: gitDir, CommonDir: r.CommonDir, ObjectFormat: r.ObjectFormat, RefFormat: r.RefFormat,
		TopLevel: filepath.Dir(r.CommonDir), config: cfg, boot: r.boot, noRecovery: r.noRecovery, Unite: r.Unite,
	}
	if gitDir != r.CommonDir {
		dotGit, ok := readRefFile(filepath.Join(gitDir, "gitdir"))
		if !ok {
			return nil
		}
		if !filepath.IsAbs(dotGit) { // worktree.useRelativePaths
			dotGit = filepath.Join(gitDir, dotGit)
		}
		o.TopLevel = filepath.Dir(dotGit)
	} else if filepath.Base(r.CommonDir) != ".git" || cfg.Bool("extensions.worktreeconfig", false) {
		return nil // its files may be anywhere
	}
	o.objects = &Objects{repo: o}
	o.where = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + o.TopLevel}
	return o
}
