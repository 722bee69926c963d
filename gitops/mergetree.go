package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrMergeText says that a file can only be merged as text, by git.
var ErrMergeText = errors.New("only a merge as text is possible")

// ErrMergeLines is ErrMergeText for a file that git was kept from merging, because
// attributes give it to the merge driver: it is merged line by line.
var ErrMergeLines = fmt.Errorf("%w, line by line", ErrMergeText)

// FileMerge is a file in three versions. Base is zero where both sides added it, a side
// is zero where it deleted it.
type FileMerge struct {
	Path               string
	Base, Ours, Theirs TreeEntry
	// Clash: the side that has the file is the only one; the other one has a folder of its
	// name.
	Clash bool
}

// MergeContent merges a file that both sides changed. ErrMergeText and ErrMergeLines leave
// it to git.
type MergeContent func(ctx context.Context, f FileMerge) ([]byte, error)

// TreeMerge is what MergeTrees made of two commits.
type TreeMerge struct {
	Tree ID
	// Conflicts are the paths that nobody merged, with what each side has. In Tree they
	// are as git leaves them.
	Conflicts []FileMerge
	// ByGit: there was something that only git follows, such as a renamed file.
	ByGit bool
	// Told is what merge drivers that git started wrote into the file of MergeToldEnv.
	Told []byte
}

// MergeToldEnv names the file into which a merge driver writes what its result does not say.
const MergeToldEnv = "GIT_CLAW_MERGE_TOLD"

// MergeTrees merges the trees of two commits, whose best common ancestors are bases, and
// writes what is new into the object store. What only one side changed is taken without
// being read, equal directories are passed over, and a file that both changed goes to
// content. Renames and all that git alone knows go to `git merge-tree`, and what git
// cannot merge comes back to content.
func (w *gitWriter) MergeTrees(ctx context.Context, bases []ID, ours, theirs ID, content MergeContent) (*TreeMerge, error) {
	return w.mergeTrees(bases, &treeMerger{gitWriter: w, ctx: ctx, ours: ours, theirs: theirs, content: content})
}

// MergeTrees writes what is new in process, in the common shape of repository.
func (w *fastWriter) MergeTrees(ctx context.Context, bases []ID, ours, theirs ID, content MergeContent) (*TreeMerge, error) {
	return w.mergeTrees(bases, &treeMerger{gitWriter: w.gitWriter, ctx: ctx, ours: ours, theirs: theirs, content: content, fast: true})
}

func (w *gitWriter) mergeTrees(bases []ID, m *treeMerger) (*TreeMerge, error) {
	m.known = map[FileMerge]merged{}
	ctx, ours := m.ctx, m.ours
	var err error
	if m.cfg, err = w.repo.Config(ctx); err != nil {
		return nil, err
	}
	if m.tree, err = w.repo.objects.TreeOf(ctx, ours); err != nil {
		return nil, fmt.Errorf("read what is merged: %w", err)
	}
	if len(bases) == 1 {
		err = m.inProcess(bases[0])
		if err == nil {
			return m.finish(m.tree, m.changes)
		}
		if !errors.Is(err, errLeftToGit) {
			return nil, err
		}
	}
	return m.byGit(len(bases) == 1)
}

// treeMerger is one merge on its way.
type treeMerger struct {
	*gitWriter
	ctx          context.Context
	cfg          *Config
	ours, theirs ID
	tree         ID // of ours
	content      MergeContent
	fast         bool // objects are written in process

	changes   []entryChange
	objs      []object
	conflicts []FileMerge
	isByGit   bool
	told      []byte
	known     map[FileMerge]merged
}

// merged is the answer to a file, kept for the case that git is asked after all.
type merged struct {
	data []byte
	err  error
}

// inProcess works out how the tree of ours changes, or leaves the merge to git.
func (m *treeMerger) inProcess(base ID) error {
	mine, err := m.repo.DiffTrees(m.ctx, base, m.ours)
	if err != nil {
		return fmt.Errorf("read what is merged: %w", err)
	}
	their, err := m.repo.DiffTrees(m.ctx, base, m.theirs)
	if err != nil {
		return fmt.Errorf("read what is merged: %w", err)
	}
	if clash(mine, their) || clash(their, mine) {
		return errLeftToGit
	}
	byPath := make(map[string]TreeChange, len(mine))
	deleted := deletes(their)
	for _, c := range mine {
		byPath[c.Path] = c
		deleted = deleted || c.New.IsZero()
	}
	var both []FileMerge
	for _, c := range their {
		o, ok := byPath[c.Path]
		if !ok {
			m.changes = append(m.changes, entryChange{path: c.Path, entry: c.New})
			continue
		}
		if o.New.Mode == c.New.Mode && o.New.ID == c.New.ID {
			continue
		}
		f := FileMerge{Path: c.Path, Base: c.Old, Ours: o.New, Theirs: c.New}
		// A file that was added on both sides may be one that both renamed.
		if !f.plain() || f.Base.IsZero() && deleted {
			return errLeftToGit
		}
		both = append(both, f)
	}
	for _, f := range both {
		if err := m.file(f); err != nil {
			return err
		}
	}
	return nil
}

func deletes(changes []TreeChange) bool {
	return slices.ContainsFunc(changes, func(c TreeChange) bool { return c.New.IsZero() })
}

// clash reports whether one side has a file where the other has, or makes, a directory.
func clash(files, others []TreeChange) bool {
	at := make(map[string]bool, len(files))
	for _, c := range files {
		if !c.New.IsZero() {
			at[c.Path] = true
		}
	}
	for _, c := range others {
		if c.New.IsZero() {
			continue
		}
		for p := c.Path; ; {
			i := strings.LastIndexByte(p, '/')
			if i < 0 {
				break
			}
			if p = p[:i]; at[p] {
				return true
			}
		}
	}
	return false
}

// plain reports whether the versions are regular files whose modes can be told.
func (f FileMerge) plain() bool {
	if !f.Ours.Mode.IsFile() || !f.Theirs.Mode.IsFile() || !f.Base.IsZero() && !f.Base.Mode.IsFile() {
		return false
	}
	return f.Ours.Mode == f.Theirs.Mode || !f.Base.IsZero()
}

// mode is that of a plain file: the one that a side chose.
func (f FileMerge) mode() Mode {
	if f.Ours.Mode == f.Base.Mode {
		return f.Theirs.Mode
	}
	return f.Ours.Mode
}

// file merges one that both sides changed.
func (m *treeMerger) file(f FileMerge) error {
	e := TreeEntry{Mode: f.mode()}
	switch {
	case f.Ours.ID == f.Theirs.ID || f.Theirs.ID == f.Base.ID:
		e.ID = f.Ours.ID
	case f.Ours.ID == f.Base.ID:
		e.ID = f.Theirs.ID
	default:
		data, err := m.ask(f)
		switch {
		case m.isByGit && errors.Is(err, ErrMergeLines):
			if e.ID, err = m.lines(f); err != nil {
				return err
			}
		case errors.Is(err, ErrMergeText):
			return errLeftToGit
		case err != nil:
			return err
		default:
			e.ID = m.blob(data)
		}
	}
	m.changes = append(m.changes, entryChange{path: f.Path, entry: e})
	return nil
}

func (m *treeMerger) ask(f FileMerge) ([]byte, error) {
	if a, ok := m.known[f]; ok {
		return a.data, a.err
	}
	data, err := m.content(m.ctx, f)
	m.known[f] = merged{data, err}
	return data, err
}

func (m *treeMerger) blob(data []byte) ID {
	id := m.repo.BlobID(data)
	m.objs = append(m.objs, object{kind: kindBlob, id: id, data: data})
	return id
}

// finish builds the tree and writes what is new.
func (m *treeMerger) finish(base ID, changes []entryChange) (*TreeMerge, error) {
	fold := foldRule{ignoreCase: m.cfg.Bool("core.ignorecase", false), compose: m.cfg.Bool("core.precomposeunicode", false)}
	tree, err := m.repo.buildTree(m.ctx, base, changes, fold)
	if err != nil {
		return nil, err
	}
	q, err := m.repo.queue(m.ctx, m.opt.LockTimeout)
	if err != nil {
		return nil, err
	}
	defer func() { _ = q.Close() }()
	if err := m.write(append(m.objs, tree.objs...)); err != nil {
		return nil, err
	}
	return &TreeMerge{Tree: tree.id, Conflicts: m.conflicts, ByGit: m.isByGit, Told: m.told}, nil
}

func (m *treeMerger) write(objs []object) error {
	if m.fast && m.repo.leftToGit(m.cfg) == "" {
		return m.writeLoose(m.ctx, m.cfg, objs)
	}
	return m.repo.writeObjects(m.ctx, objs, syncFlags(m.cfg, m.opt.Durability)...)
}

// ChangeTree makes a tree from another one: content as git stores it, nothing is
// converted. Place, HeadID and IndexID are not looked at.
func (w *gitWriter) ChangeTree(ctx context.Context, tree ID, changes []Change) (ID, error) {
	return w.changeTree(tree, changes, &treeMerger{gitWriter: w, ctx: ctx})
}

// ChangeTree writes what is new in process, in the common shape of repository.
func (w *fastWriter) ChangeTree(ctx context.Context, tree ID, changes []Change) (ID, error) {
	return w.changeTree(tree, changes, &treeMerger{gitWriter: w.gitWriter, ctx: ctx, fast: true})
}

func (w *gitWriter) changeTree(tree ID, changes []Change, m *treeMerger) (ID, error) {
	ctx := m.ctx
	var err error
	if m.cfg, err = w.repo.Config(ctx); err != nil {
		return ID{}, err
	}
	for _, c := range changes {
		if err := CheckPath(c.Path); err != nil {
			return ID{}, err
		}
		if c.Delete {
			m.changes = append(m.changes, entryChange{path: c.Path})
			continue
		}
		mode := c.Mode
		if mode == ModeAbsent {
			mode = ModeFile
			if old, ok, err := w.repo.objects.Lookup(ctx, tree, c.Path); err == nil && ok && old.Mode.IsFile() {
				mode = old.Mode
			}
		}
		m.changes = append(m.changes, entryChange{path: c.Path, entry: TreeEntry{Mode: mode, ID: m.blob(c.Content)}})
	}
	t, err := m.finish(tree, m.changes)
	if err != nil {
		return ID{}, err
	}
	return t.Tree, nil
}
