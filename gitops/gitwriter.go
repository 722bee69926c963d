package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// gitWriter writes through the git binary. The order of its operations is that
// of the lock protocol: the queue of our own writers, objects, index.lock, HEAD
// read again under it, the prepared index, the ref by compare-and-swap, work
// tree, index. A kill at any point is mended by the next command (journal.go).
type gitWriter struct {
	repo *Repo
	opt  WriterOptions
}

// maxTries bounds how often a lost race for the ref is tried again.
const maxTries = 50

func (w *gitWriter) Name() string { return "git" }

func (w *gitWriter) UpdateRefs(ctx context.Context, ups []RefUpdate, reason string) error {
	if w.repo.InHook {
		return ErrInHook
	}
	q, err := w.repo.queue(ctx, w.opt.LockTimeout)
	if err != nil {
		return err
	}
	defer func() { _ = q.Close() }()
	return w.repo.updateRefs(ctx, ups, reason, q)
}

func (w *gitWriter) Commit(ctx context.Context, tx Tx) (Result, error) {
	r := w.repo
	if err := w.refuse(tx); err != nil {
		return Result{}, err
	}
	q, err := r.queue(ctx, w.opt.LockTimeout)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = q.Close() }()
	if _, err := r.recover(ctx); err != nil {
		return Result{}, err
	}
	c := &commitRun{gitWriter: w, ctx: ctx, tx: tx, queue: q}
	if err := c.setUp(); err != nil {
		return Result{}, err
	}
	var res Result
	for range maxTries {
		var again bool
		res, again, err = c.try()
		if !again {
			break
		}
	}
	if res.Commit.IsZero() {
		return res, err
	}
	c.after()
	return res, err
}

// refuse names what must not be written at all.
func (w *gitWriter) refuse(tx Tx) error {
	r := w.repo
	switch {
	case r.Bare:
		return ErrBare
	case r.InHook:
		return ErrInHook
	}
	for _, c := range tx.Changes {
		if err := CheckPath(c.Path); err != nil {
			return err
		}
	}
	if p := r.Progress(); p != nil {
		return p
	}
	return nil
}

// commitRun is one transaction on its way.
type commitRun struct {
	*gitWriter
	ctx   context.Context
	tx    Tx
	queue *os.File

	fold    bool // the file system does not tell case apart
	sign    bool
	hooks   []string // foreign hooks to run
	filter  bool     // some path may need conversion by git
	message string
	locked  bool
}

func (c *commitRun) setUp() error {
	cfg, err := c.repo.Config(c.ctx)
	if err != nil {
		return err
	}
	c.message = c.tx.Message
	c.fold = cfg.Bool("core.ignorecase", false)
	c.sign = cfg.Bool("commit.gpgsign", false)
	if c.opt.RunHooks != RunHooksNever {
		if c.hooks, err = c.foreignHooks(cfg); err != nil {
			return err
		}
	}
	c.filter = c.mayConvert(cfg)
	if cfg.Bool("core.sparsecheckout", false) {
		return c.refuseSparse()
	}
	return nil
}

// try makes the commit once; again is true when HEAD or the index moved and the
// caller should start over.
func (c *commitRun) try() (res Result, again bool, err error) {
	r := c.repo
	head, err := r.Head(c.ctx)
	if err != nil {
		return res, false, err
	}
	base, err := r.objects.TreeOf(c.ctx, head.Commit)
	if err != nil {
		return res, false, fmt.Errorf("read HEAD: %w", err)
	}
	if err := c.checkHead(head, base); err != nil {
		return res, false, err
	}
	entries, objs, err := c.blobs(base)
	if err != nil {
		return res, false, err
	}
	tree, trees, err := r.buildTree(c.ctx, base, entries, c.fold)
	if err != nil {
		return res, false, err
	}
	if tree == base || base.IsZero() && len(trees) == 1 && len(trees[0].data) == 0 {
		return res, false, ErrNothing
	}
	if err := r.writeObjects(c.ctx, append(objs, trees...), c.queue); err != nil {
		return res, false, err
	}
	if len(c.hooks) > 0 {
		if tree, entries, err = c.beforeHooks(head, base, tree, entries); err != nil {
			return res, false, err
		}
	}
	commit, err := c.commitTree(tree, head.Commit)
	if err != nil {
		return res, false, err
	}
	res = Result{Commit: commit, Tree: tree, Ref: head.Ref}
	again, err = c.publish(head, commit, entries)
	if again || err != nil && !isLeftAlone(err) {
		return Result{}, again, err
	}
	return res, false, err
}

func isLeftAlone(err error) bool {
	var e *WorkTreeChangedError
	return errors.As(err, &e)
}

// checkHead compares what the caller saw in HEAD with what is there, for the
// paths of the transaction only: commits of others to other paths do not matter.
func (c *commitRun) checkHead(head Head, tree ID) error {
	if head.Commit == c.tx.Head {
		return nil
	}
	for _, ch := range c.tx.Changes {
		e, _, err := c.repo.objects.Lookup(c.ctx, tree, ch.Path)
		if err != nil {
			return err
		}
		if e.ID != ch.HeadID {
			return &MovedError{Subject: ch.Path}
		}
	}
	return nil
}

// blobs turns the changes into tree entries and the blobs to be written. Content
// that git converts on the way in goes through `git hash-object --path`.
func (c *commitRun) blobs(base ID) ([]entryChange, []object, error) {
	convert, err := c.converted()
	if err != nil {
		return nil, nil, err
	}
	var objs []object
	entries := make([]entryChange, 0, len(c.tx.Changes))
	for _, ch := range c.tx.Changes {
		if ch.Delete {
			entries = append(entries, entryChange{path: ch.Path})
			continue
		}
		mode := ch.Mode
		if mode == ModeAbsent {
			mode = ModeFile
			old, ok, err := c.repo.objects.Lookup(c.ctx, base, ch.Path)
			if err != nil {
				return nil, nil, err
			}
			if ok && old.Mode.IsFile() {
				mode = old.Mode
			}
		}
		id := c.repo.BlobID(ch.Content)
		if convert[ch.Path] && mode != ModeSymlink {
			if id, err = c.hashThroughGit(ch); err != nil {
				return nil, nil, err
			}
		} else {
			objs = append(objs, object{kind: kindBlob, id: id, data: ch.Content})
		}
		entries = append(entries, entryChange{path: ch.Path, entry: TreeEntry{Mode: mode, ID: id}})
	}
	return entries, objs, nil
}

func (c *commitRun) hashThroughGit(ch Change) (ID, error) {
	out, err := c.repo.run(c.ctx, Cmd{
		Args:  []string{"hash-object", "-w", "--stdin", "--path=" + ch.Path},
		Stdin: strings.NewReader(string(ch.Content)), keep: c.queue,
	})
	if err != nil {
		return ID{}, fmt.Errorf("write '%s': %w", ch.Path, err)
	}
	return ParseID(strings.TrimSuffix(string(out), "\n"))
}

func (c *commitRun) commitTree(tree, parent ID) (ID, error) {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-F", "-"}
	if !parent.IsZero() {
		args = append(args, "-p", parent.String())
	}
	if c.sign {
		args = append(args, "-S")
	}
	out, err := c.repo.run(c.ctx, Cmd{
		Args: append(args, tree.String()), Stdin: strings.NewReader(c.message), Env: c.dates(), keep: c.queue,
	})
	var ge *GitError
	if errors.As(err, &ge) && !c.sign && (strings.Contains(ge.Stderr, "empty ident") || strings.Contains(ge.Stderr, "tell me who you are") ||
		strings.Contains(ge.Stderr, "auto-detect") || strings.Contains(ge.Stderr, "was given and auto-detection is disabled")) {
		return ID{}, &IdentError{Detail: strings.TrimSpace(ge.Stderr)}
	}
	if err != nil {
		return ID{}, fmt.Errorf("make commit: %w", err)
	}
	return ParseID(strings.TrimSuffix(string(out), "\n"))
}

// dates gives git our clock, unless the user has set git's own variables.
func (c *commitRun) dates() []string {
	env := c.repo.Git.env
	now := env.Now()
	stamp := fmt.Sprintf("@%d %s", now.Unix(), now.Format("-0700"))
	var out []string
	for _, name := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		if env.Getenv(name) == "" {
			out = append(out, name+"="+stamp)
		}
	}
	return out
}

// publish takes index.lock, makes sure that nothing moved, and makes the commit
// visible: ref, work tree, index.
func (c *commitRun) publish(head Head, commit ID, entries []entryChange) (again bool, err error) {
	r := c.repo
	j, err := r.newJournal()
	if err != nil {
		return false, err
	}
	release, err := r.lockIndex(c.ctx, c.opt.LockTimeout, j)
	if err != nil {
		j.done()
		return false, err
	}
	// The rest takes milliseconds and must not be cut short half-way.
	c.ctx = context.WithoutCancel(c.ctx)
	stage := filepath.Join(r.ClawDir(), fmt.Sprintf("stage.%016x", r.rand64()))
	defer func() {
		_ = os.Remove(stage)
		release()
		j.done()
	}()
	now, err := r.Head(c.ctx)
	if err != nil {
		return false, err
	}
	if now != head {
		return true, nil
	}
	if p := r.Progress(); p != nil {
		return false, p
	}
	if err := c.prepareIndex(stage, entries); err != nil {
		return false, err
	}
	if err := c.checkPlaces(); err != nil {
		return false, err
	}
	j.rec.Index, j.rec.Old, j.rec.New, j.rec.Places = stage, head.Commit.String(), commit.String(), c.placeRecords()
	if err := j.write(); err != nil {
		return false, err
	}
	reason := c.tx.Reflog
	if reason == "" {
		subject, _ := splitMessage(c.message)
		reason = "commit: " + subject
	}
	up := []RefUpdate{{Name: "HEAD", Old: head.Commit, New: commit}}
	if err := r.updateRefs(c.ctx, up, reason, c.queue); err != nil {
		// git may have been interrupted after it moved the ref.
		if h, herr := r.Head(c.ctx); herr != nil || h.Commit != commit {
			var moved *MovedError
			return errors.As(err, &moved), err
		}
	}
	return false, c.finish(stage)
}

// finish puts files into the work tree and the prepared index into place.
func (c *commitRun) finish(stage string) error {
	left, err := c.place(stage)
	if err != nil {
		return err
	}
	if err := os.Rename(stage, c.repo.indexPath()); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if left != "" {
		return &WorkTreeChangedError{Path: left}
	}
	return nil
}
