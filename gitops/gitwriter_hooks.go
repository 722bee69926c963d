package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SavingVariable is set for hooks that run because git claw commits, so that
// our own hook does not check again what was checked in process, and a git claw
// that a hook starts knows that it must not write: it would wait for us. After
// the commit, in post-commit, it is not set.
const SavingVariable = "GIT_CLAW_SAVING"

// commitHooks are the hooks of `git commit` that plumbing does not run by
// itself; reference-transaction and post-index-change run on their own.
var commitHooks = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}

// foreignHooks lists the hooks of `git commit` that are installed here and not
// ours.
func (c *commitRun) foreignHooks(cfg *Config) ([]string, error) {
	dir, err := c.repo.HooksDir(c.ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range commitHooks {
		p := filepath.Join(dir, name)
		fi, err := os.Stat(p)
		if err != nil || fi.IsDir() || os.PathSeparator == '/' && fi.Mode()&0o111 == 0 {
			continue
		}
		if c.opt.OwnHook != nil && fi.Size() < 64<<10 {
			if b, err := ReadSmall(p, 64<<10); err == nil && c.opt.OwnHook(b) {
				continue
			}
		}
		out = append(out, name)
	}
	// Newer git knows hooks that configuration names.
	for _, n := range cfg.Names() {
		if rest, ok := strings.CutPrefix(n, "hook."); ok && strings.HasSuffix(rest, ".event") {
			for _, ev := range cfg.All(n) {
				if slices.Contains(commitHooks, ev) && !slices.Contains(out, ev) {
					out = append(out, ev)
				}
			}
		}
	}
	return out, nil
}

// beforeHooks runs pre-commit, prepare-commit-msg and commit-msg the way `git
// commit --only` does: on an index of its own that holds HEAD and this commit's
// paths. What pre-commit changes there becomes part of the commit.
func (c *commitRun) beforeHooks(base, tree ID, entries []entryChange) (ID, []entryChange, error) {
	index := filepath.Join(c.repo.ClawDir(), fmt.Sprintf("stage.%016x.hooks", c.repo.rand64()))
	if err := c.repo.makeClawDir(c.ctx, c.repo.ClawDir()); err != nil {
		return tree, entries, err
	}
	defer func() { _ = os.Remove(index) }()
	if slices.Contains(c.hooks, "pre-commit") {
		var err error
		if tree, err = c.preCommit(index, tree); err != nil {
			return tree, entries, err
		}
		made := entries
		if entries, err = c.entriesBetween(base, tree); err != nil {
			return tree, entries, err
		}
		if err := c.vet(made, entries); err != nil {
			return tree, entries, err
		}
	}
	return tree, entries, c.messageHooks(index)
}

// preCommit runs the hook on an index that holds tree, and returns the tree that
// the index holds afterwards.
func (c *commitRun) preCommit(index string, tree ID) (ID, error) {
	// Made from the present index, so that the files need not be read again.
	if err := copyIndex(c.repo.indexPath(), index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tree, fmt.Errorf("prepare index for hooks: %w", err)
	}
	if _, err := c.repo.run(c.ctx, Cmd{Args: []string{"read-tree", "--reset", tree.String()}, Env: indexEnv(index)}); err != nil {
		return tree, fmt.Errorf("prepare index for hooks: %w", err)
	}
	_ = c.repo.refreshIndex(c.ctx, index)
	if err := c.runHook("pre-commit", index); err != nil {
		return tree, err
	}
	out, err := c.repo.run(c.ctx, Cmd{Args: []string{"write-tree"}, Env: indexEnv(index)})
	if err != nil {
		return tree, fmt.Errorf("read index of hooks: %w", err)
	}
	return ParseID(strings.TrimSpace(string(out)))
}

func (c *commitRun) entriesBetween(base, tree ID) ([]entryChange, error) {
	diff, err := c.repo.DiffTrees(c.ctx, base, tree)
	if err != nil {
		return nil, err
	}
	out := make([]entryChange, len(diff))
	for i, d := range diff {
		out[i] = entryChange{path: d.Path, entry: d.New}
		c.bases[d.Path] = d.Old
	}
	return out, nil
}

// vet looks at what a hook added: a formatter that adds the whole file again adds
// what was held back, too.
func (c *commitRun) vet(made, entries []entryChange) error {
	if c.opt.Vet == nil {
		return nil
	}
	ours := map[string]ID{}
	for _, e := range made {
		ours[e.path] = e.entry.ID
	}
	for _, e := range entries {
		if !e.entry.Mode.IsFile() || ours[e.path] == e.entry.ID {
			continue
		}
		content, err := c.repo.objects.Blob(c.ctx, e.entry.ID)
		if err != nil {
			return err
		}
		var old []byte
		if b := c.bases[e.path]; b.Mode.IsFile() {
			if old, err = c.repo.objects.Blob(c.ctx, b.ID); err != nil {
				return err
			}
		}
		if err := c.opt.Vet(e.path, old, content); err != nil {
			return err
		}
	}
	return nil
}

// messageHooks lets the hooks edit the message in the file git itself uses.
func (c *commitRun) messageHooks(index string) error {
	prepare, check := slices.Contains(c.hooks, "prepare-commit-msg"), slices.Contains(c.hooks, "commit-msg")
	if !prepare && !check {
		return nil
	}
	file := filepath.Join(c.repo.GitDir, "COMMIT_EDITMSG")
	_ = os.Remove(file) // it may be another user's, who shares the repository
	if err := os.WriteFile(file, []byte(c.tx.Message), 0o666); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	c.repo.share(c.ctx, file)
	if prepare {
		if err := c.runHook("prepare-commit-msg", index, file, "message"); err != nil {
			return err
		}
	}
	if check {
		if err := c.runHook("commit-msg", index, file); err != nil {
			return err
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	if strings.TrimSpace(string(b)) == "" {
		return &HookError{Name: "commit-msg", Output: "the message is empty"}
	}
	c.message = string(b)
	return nil
}

// runHook runs one hook through git, which knows all places hooks live in. The
// queue lock is not inherited: a hook may leave a daemon behind.
func (c *commitRun) runHook(name, index string, args ...string) error {
	env := []string{"GIT_EDITOR=:", "GIT_LITERAL_PATHSPECS=0", "LC_ALL=" + c.repo.Git.locale}
	if index != "" {
		env = append(env, indexEnv(index)...)
	}
	cmd := Cmd{Args: append([]string{"hook", "run", "--ignore-missing", name, "--"}, args...), Env: env}
	_, err := c.repo.run(c.ctx, cmd)
	var ge *GitError
	if errors.As(err, &ge) {
		return &HookError{Name: name, Output: ge.Stderr}
	}
	return err
}

// after does what follows a commit: post-commit, and now and then a garbage
// collection that git decides on. Neither can undo the commit.
func (c *commitRun) after() {
	if slices.Contains(c.hooks, "post-commit") {
		_ = c.queue.Close() // the hook may commit through us
		_ = c.runHook("post-commit", "")
	}
	if c.repo.rand64()%gcEvery == 0 {
		c.repo.autoGC()
	}
}
