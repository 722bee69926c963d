package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
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
	return w.updateRefs(ctx, ups, reason, func(*Config) error { return errLeftToGit })
}

// updateRefs moves refs by another way, or through git where that leaves it to git.
func (w *gitWriter) updateRefs(ctx context.Context, ups []RefUpdate, reason string, other func(*Config) error) error {
	if w.repo.InHook {
		return ErrInHook
	}
	q, err := w.repo.queue(ctx, w.opt.LockTimeout)
	if err != nil {
		return err
	}
	defer func() { _ = q.Close() }()
	if err := w.recoverFirst(ctx); err != nil {
		return err
	}
	cfg, err := w.repo.Config(ctx)
	if err != nil {
		return err
	}
	if err := other(cfg); !errors.Is(err, errLeftToGit) {
		return err
	}
	o := refOptions{timeout: w.opt.LockTimeout, hold: q, flags: syncFlags(cfg, w.opt.Durability)}
	return w.repo.updateRefs(ctx, ups, reason, o)
}

// recoverFirst finishes what dead writers left before refs are moved, that of refs by all
// means: one that was decided and waits for a lock comes before the next.
func (w *gitWriter) recoverFirst(ctx context.Context) error {
	r := w.repo
	if r.noRecovery || r.Bare {
		return nil
	}
	if err := r.recoverRefs(ctx); err != nil {
		return err
	}
	if _, err := r.recover(ctx); err != nil {
		return err
	}
	r.recoverOthers(ctx)
	return nil
}

func (w *gitWriter) Commit(ctx context.Context, tx Tx) (Result, error) {
	return w.commit(ctx, tx, func(*commitRun) attempt { return nil })
}

// attempt makes the commit once; again is true when HEAD or the index moved and the
// caller should start over.
type attempt func() (res Result, again bool, err error)

// commit makes a commit through git, or by a way that choose knows for it, until
// that meets something that is left to git.
func (w *gitWriter) commit(ctx context.Context, tx Tx, choose func(*commitRun) attempt) (Result, error) {
	r := w.repo
	if err := w.refuse(tx); err != nil {
		return Result{}, err
	}
	q, err := r.queue(ctx, w.opt.LockTimeout)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = q.Close() }()
	if !r.noRecovery {
		if _, err := r.recover(ctx); err != nil {
			return Result{}, err
		}
		r.recoverOthers(ctx)
	}
	c := &commitRun{gitWriter: w, ctx: ctx, tx: tx, queue: q}
	if err := c.setUp(); err != nil {
		return Result{}, err
	}
	try := choose(c)
	if try == nil {
		try = c.try
	}
	for range maxTries {
		res, again, err := try()
		if errors.Is(err, errLeftToGit) || errors.Is(err, errIndexShape) {
			try, again = c.try, true
		}
		if again {
			continue
		}
		if !res.Commit.IsZero() {
			c.after()
		}
		return res, err
	}
	return Result{}, &MovedError{Subject: "HEAD"}
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
	seen := make(map[string]bool, len(tx.Changes))
	for _, c := range tx.Changes {
		if err := CheckPath(c.Path); err != nil {
			return err
		}
		if seen[c.Path] {
			return fmt.Errorf("'%s' is changed twice in one transaction", c.Path)
		}
		seen[c.Path] = true
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

	cfg      *Config
	fold     foldRule
	symlinks bool // it has symbolic links
	fileMode bool // and an executable bit
	sign     bool
	hooks    []string // foreign hooks to run
	filter   bool     // some path may need conversion by git
	flags    []string // of a git that writes, see syncFlags
	message  string
	bases    map[string]TreeEntry // what HEAD has at the paths of the changes
	writing  chan error           // the result of writeAside, nil when it was taken
}

// syncFlags make a git that writes wait for the disk, beside what core.fsync names
// (git-config(1)): what it writes is in no journal from which it could be written
// again.
func syncFlags(cfg *Config, d Durability) []string {
	if d == DurabilityNone {
		return nil
	}
	v, _ := cfg.Get("core.fsync")
	if v != "" {
		v += ","
	}
	// Not batch: it gathers objects in a folder that a git gc beside it takes for one
	// that was left behind, and removes with all that is in it.
	return []string{"-c", "core.fsync=" + v + "loose-object,reference,index", "-c", "core.fsyncMethod=fsync"}
}

// withFlags puts options of git itself before a command.
func withFlags(flags []string, args ...string) []string {
	return append(flags[:len(flags):len(flags)], args...)
}

// at is where the tests stop or kill the writer.
func (c *commitRun) at(point string) {
	if c.opt.test != nil && c.opt.test.at != nil {
		c.opt.test.at(point)
	}
}

func (c *commitRun) setUp() error {
	cfg, err := c.repo.Config(c.ctx)
	if err != nil {
		return err
	}
	c.cfg, c.message = cfg, c.tx.Message
	c.fold = foldRule{ignoreCase: cfg.Bool("core.ignorecase", false), compose: cfg.Bool("core.precomposeunicode", false)}
	c.symlinks = cfg.Bool("core.symlinks", true)
	c.fileMode = cfg.Bool("core.filemode", true)
	c.sign = cfg.Bool("commit.gpgsign", false)
	c.flags = syncFlags(cfg, c.opt.Durability)
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

// plan is a commit that is worked out and not written yet.
type plan struct {
	head    Head
	base    ID // HEAD's tree
	entries []entryChange
	objs    []object
	tree    builtTree
	commit  object
	known   bool // commit is: nothing of it is left to git
	// signature is the committer with the time, as in the commit.
	signature string
}

// plan works out what HEAD, the transaction and the configuration make.
func (c *commitRun) plan() (p plan, err error) {
	r := c.repo
	if p.head, err = r.Head(c.ctx); err != nil {
		return p, err
	}
	if p.base, err = r.objects.TreeOf(c.ctx, p.head.Commit); err != nil {
		return p, fmt.Errorf("read HEAD: %w", err)
	}
	if err := c.checkHead(p.head, p.base); err != nil {
		return p, err
	}
	if p.entries, p.objs, err = c.blobs(p.base); err != nil {
		return p, err
	}
	if p.tree, err = r.buildTree(c.ctx, p.base, p.entries, c.fold); err != nil {
		return p, err
	}
	if t := p.tree; len(c.tx.Merges) == 0 && t.id == p.base || p.base.IsZero() && len(t.objs) == 1 && len(t.objs[0].data) == 0 {
		return p, ErrNothing
	}
	p.objs = append(p.objs, p.tree.objs...)
	p.commit, p.signature, p.known = c.commitObject(p.tree.id, c.parents(p.head))
	return p, nil
}

// try is an attempt through git.
func (c *commitRun) try() (res Result, again bool, err error) {
	p, err := c.plan()
	if err != nil {
		return res, false, err
	}
	tree, entries, commit := p.tree.id, p.entries, p.commit
	if p.known {
		// The objects are written while the index is prepared; the ref waits
		// for them.
		c.writeAside(append(p.objs, commit))
		defer func() { _ = c.written() }()
		if c.hasAttributes() {
			if err := c.written(); err != nil {
				return res, false, err
			}
		}
	} else {
		if err := c.repo.writeObjects(c.ctx, p.objs, c.flags...); err != nil {
			return res, false, err
		}
		if len(c.hooks) > 0 {
			if tree, entries, err = c.beforeHooks(p.base, tree, entries); err != nil {
				return res, false, err
			}
			if tree == p.base && len(c.tx.Merges) == 0 {
				return res, false, ErrNothing
			}
		}
		if commit.id, err = c.commitTree(tree, c.parents(p.head)); err != nil {
			return res, false, err
		}
	}
	if c.tx.Vet != nil {
		if err := c.vetCommit(commit.id); err != nil {
			return res, false, err
		}
	}
	c.at("committed")
	ref, done, again, err := c.publish(p.head, commit.id, entries)
	if !done {
		return res, again, err
	}
	return Result{Commit: commit.id, Tree: tree, Ref: ref}, false, err
}

// parents are those of the commit: HEAD, and what is merged.
func (c *commitRun) parents(head Head) []ID {
	if head.Commit.IsZero() {
		return c.tx.Merges
	}
	return append([]ID{head.Commit}, c.tx.Merges...)
}

// vetCommit shows the commit to the caller before anything points to it.
func (c *commitRun) vetCommit(commit ID) error {
	if err := c.written(); err != nil {
		return err
	}
	return c.tx.Vet(c.ctx, commit)
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
	c.bases = map[string]TreeEntry{}
	var objs []object
	entries := make([]entryChange, 0, len(c.tx.Changes))
	for _, ch := range c.tx.Changes {
		if ch.Mode == ModeAbsent || ch.Place != nil {
			if c.bases[ch.Path], _, err = c.repo.objects.Lookup(c.ctx, base, ch.Path); err != nil {
				return nil, nil, err
			}
		}
		if ch.Delete {
			entries = append(entries, entryChange{path: ch.Path})
			continue
		}
		mode := ch.Mode
		if mode == ModeAbsent {
			mode = ModeFile
			if old := c.bases[ch.Path].Mode; old.IsFile() || old == ModeSymlink && !c.symlinks {
				mode = old
			}
		}
		id := c.repo.BlobID(ch.Content)
		if mode != ModeSymlink && convert[ch.Path].applies(ch.Content) {
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
		Args:  withFlags(c.flags, "hash-object", "-w", "--stdin", "--path="+ch.Path),
		Stdin: bytes.NewReader(ch.Content),
	})
	if err != nil {
		return ID{}, fmt.Errorf("write '%s': %w", ch.Path, err)
	}
	return ParseID(strings.TrimSuffix(string(out), "\n"))
}
