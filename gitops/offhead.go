package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Build is a commit to be made beside HEAD: no ref, index or file moves.
type Build struct {
	// Base is the commit whose files the changes apply to; zero for none.
	Base    ID
	Parents []ID
	// Changes name paths and content as git stores it: nothing is converted. Place,
	// HeadID and IndexID are not looked at.
	Changes []Change
	// Tree, where it is not zero, is the tree of the commit; Base and Changes do not
	// count then.
	Tree    ID
	Message string
	// Unsigned: it is not signed whatever commit.gpgSign says, as git does with notes.
	Unsigned bool
}

// Build writes a commit and what it needs into the object store. Whoever wants it
// kept gives it a ref with UpdateRefs. ErrNothing: the tree is that of Base, which is
// allowed where there are no changes at all.
func (w *gitWriter) Build(ctx context.Context, b Build) (Result, error) {
	return w.build(ctx, b, (*commitRun).writeThroughGit)
}

// Build writes the objects in process, in the common shape of repository.
func (w *fastWriter) Build(ctx context.Context, b Build) (Result, error) {
	return w.build(ctx, b, func(c *commitRun, objs []object) error {
		if c.repo.leftToGit(c.cfg) != "" {
			return c.writeThroughGit(objs)
		}
		return c.writeLoose(objs)
	})
}

func (c *commitRun) writeThroughGit(objs []object) error {
	return c.repo.writeObjects(c.ctx, objs, c.flags...)
}

// writeLoose writes objects that are in no journal: they are on the disk before anything
// names them.
func (c *commitRun) writeLoose(objs []object) error {
	return c.gitWriter.writeLoose(c.ctx, c.cfg, objs)
}

// syncedOneByOne is up to how many objects each is waited for. More are waited for
// together, with all else that the file system has to write.
const syncedOneByOne = 8

func (w *gitWriter) writeLoose(ctx context.Context, cfg *Config, objs []object) error {
	level, chosen := compression(cfg)
	loose, err := deflate(objs, level, chosen)
	if err != nil {
		return err
	}
	sync, _, _ := coreFsync(cfg)
	s := looseStore{repo: w.repo, disk: w.disk(), perm: w.repo.sharedBits(ctx), sync: sync || w.opt.Durability != DurabilityNone}
	if s.sync && len(loose) > syncedOneByOne {
		return s.writeAll(loose)
	}
	temps, err := s.stage(loose)
	return s.place(temps, err)
}

func (w *gitWriter) build(ctx context.Context, b Build, write func(c *commitRun, objs []object) error) (Result, error) {
	if w.repo.InHook {
		return Result{}, ErrInHook
	}
	for _, c := range b.Changes {
		if err := CheckPath(c.Path); err != nil {
			return Result{}, err
		}
	}
	q, err := w.repo.queue(ctx, w.opt.LockTimeout)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = q.Close() }()
	c := &commitRun{gitWriter: w, ctx: ctx, tx: Tx{Changes: b.Changes, Message: b.Message}, queue: q}
	if err := c.setUpBuild(); err != nil {
		return Result{}, err
	}
	c.sign = c.sign && !b.Unsigned
	tree, objs, err := c.builtTree(b)
	if err != nil {
		return Result{}, err
	}
	commit, _, known := c.commitObject(tree, b.Parents)
	if known {
		objs = append(objs, commit)
	}
	if err := write(c, objs); err != nil {
		return Result{}, err
	}
	c.at("built")
	if !known {
		if commit.id, err = c.commitTree(tree, b.Parents); err != nil {
			return Result{}, err
		}
	}
	return Result{Commit: commit.id, Tree: tree}, nil
}

// builtTree is the tree of a Build, with the objects to be written for it.
func (c *commitRun) builtTree(b Build) (ID, []object, error) {
	if !b.Tree.IsZero() {
		return b.Tree, nil, nil
	}
	base, err := c.repo.objects.TreeOf(c.ctx, b.Base)
	if err != nil {
		return ID{}, nil, fmt.Errorf("read '%s': %w", b.Base, err)
	}
	entries, objs, err := c.blobs(base)
	if err != nil {
		return ID{}, nil, err
	}
	tree, err := c.repo.buildTree(c.ctx, base, entries, c.fold)
	if err != nil {
		return ID{}, nil, err
	}
	if tree.id == base && len(b.Changes) > 0 {
		return ID{}, nil, ErrNothing
	}
	return tree.id, append(objs, tree.objs...), nil
}

// setUpBuild is setUp without what concerns a checkout: hooks of a commit do not run
// for a commit that is on no branch, and sparse paths are as good as others.
func (c *commitRun) setUpBuild() error {
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
	return nil
}

// ReachableRefs lists the refs below prefixes whose commit is in the history of rev.
func (r *Repo) ReachableRefs(ctx context.Context, rev string, prefixes ...string) ([]Ref, error) {
	args := append([]string{"for-each-ref", "--merged=" + rev, "--format=%(objectname) %(refname)"}, prefixes...)
	return r.listRefs(ctx, args)
}

// MergeBase is the best common ancestor of two commits, the zero ID where they have
// none.
func (r *Repo) MergeBase(ctx context.Context, a, b ID) (ID, error) {
	out, err := r.run(ctx, Cmd{Args: []string{"merge-base", a.String(), b.String()}})
	var ge *GitError
	if errors.As(err, &ge) && ge.Code == 1 {
		return ID{}, nil
	}
	if err != nil {
		return ID{}, fmt.Errorf("find merge base: %w", err)
	}
	return ParseID(strings.TrimSuffix(string(out), "\n"))
}

// SignedBy returns the fingerprints of the key that signed a commit, and of its
// primary key; none when it is not signed by a key that git trusts.
func (r *Repo) SignedBy(ctx context.Context, commit ID) ([]string, error) {
	out, err := r.run(ctx, Cmd{Args: []string{"log", "-1", "--no-show-signature", "--format=%G?%n%GF%n%GP", "--end-of-options", commit.String()}})
	if err != nil {
		return nil, fmt.Errorf("check signature: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if s := lines[0]; s != "G" && s != "U" {
		return nil, nil
	}
	return lines[1:], nil
}
