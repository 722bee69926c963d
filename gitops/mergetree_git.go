package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// mergeRules have git merge in the same way on every machine, whatever its owner set.
// Where one side renamed a directory, a new file of the other side stays where it was
// put.
var mergeRules = []string{"-c", "merge.renames=true", "-c", "merge.directoryRenames=false", "-c", "merge.renormalize=false"}

// failingDriver has git hand over the files that the merge driver would merge, instead of
// starting it for each of them. It must not be used within the merge of several bases,
// where the result of a failed driver goes on as if it were one.
var failingDriver = []string{"-c", "merge.claw.driver=false"}

// conflicted is a path that git did not merge, by the stage of each version: base, ours
// and theirs.
type conflicted struct {
	path   string
	stages [4]TreeEntry // the first is not used
}

func (c conflicted) has(stages ...int) bool {
	n := 0
	for _, e := range c.stages[1:] {
		if !e.IsZero() {
			n++
		}
	}
	for _, s := range stages {
		if c.stages[s].IsZero() {
			return false
		}
	}
	return n == len(stages)
}

// byGit merges with `git merge-tree`, and gives what is left to content. single: there is
// one base.
func (m *treeMerger) byGit(single bool) (*TreeMerge, error) {
	m.changes, m.objs, m.isByGit = nil, nil, true
	var rules []string
	if single {
		rules = failingDriver
	}
	tree, list, err := m.mergeTree(rules)
	if err != nil {
		return nil, err
	}
	if single && !simple(list) {
		// A rename within a conflict has its content merged on the way, where nobody else
		// can do it.
		if tree, list, err = m.mergeTree(nil); err != nil {
			return nil, err
		}
	}
	for _, c := range list {
		if err := m.stages(c); err != nil {
			return nil, err
		}
	}
	return m.finish(tree, m.changes)
}

// simple reports whether each path has a merge, or a deletion, of its own.
func simple(list []conflicted) bool {
	for _, c := range list {
		if !c.has(1, 2, 3) && !c.has(1, 2) && !c.has(1, 3) {
			return false
		}
	}
	return true
}

// mergeTree runs git, see git-merge-tree(1).
func (m *treeMerger) mergeTree(rules []string) (ID, []conflicted, error) {
	args := append(withFlags(syncFlags(m.cfg, m.opt.Durability), mergeRules...), rules...)
	args = append(args, "merge-tree", "--write-tree", "-z", "--no-messages", "--allow-unrelated-histories", m.ours.String(), m.theirs.String())
	cmd := Cmd{Args: args}
	if len(rules) == 0 { // drivers run
		var read func() []byte
		cmd.Env, read = toldFile()
		defer func() { m.told = read() }()
	}
	out, err := m.repo.run(m.ctx, cmd)
	var ge *GitError
	if err != nil && (!errors.As(err, &ge) || ge.Code != 1) {
		return ID{}, nil, fmt.Errorf("merge: %w", err)
	}
	first, rest, _ := bytes.Cut(out, []byte{0})
	tree, err := ParseID(string(first))
	if err != nil {
		return ID{}, nil, fmt.Errorf("merge: %w", err)
	}
	list, err := parseStages(string(rest))
	if err != nil {
		return ID{}, nil, fmt.Errorf("merge: %w", err)
	}
	return tree, list, nil
}

// toldFile makes the file of MergeToldEnv. Where it cannot be made nothing is told.
func toldFile() (env []string, read func() []byte) {
	f, err := os.CreateTemp("", "git-claw-merge-*")
	if err != nil {
		return nil, func() []byte { return nil }
	}
	return []string{MergeToldEnv + "=" + f.Name()}, func() []byte {
		told, _ := io.ReadAll(f)
		_ = f.Close()
		_ = os.Remove(f.Name())
		return told
	}
}

// parseStages reads records `<mode> <id> <stage>TAB<path>`, each ended by NUL.
func parseStages(text string) ([]conflicted, error) {
	var list []conflicted
	for rec := range strings.SplitSeq(text, "\x00") {
		head, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 3 || len(f[2]) != 1 || f[2] < "1" || f[2] > "3" {
			continue
		}
		id, err := ParseID(f[1])
		if err != nil {
			return nil, err
		}
		if n := len(list); n == 0 || list[n-1].path != path {
			list = append(list, conflicted{path: path})
		}
		list[len(list)-1].stages[f[2][0]-'0'] = TreeEntry{Mode: parseMode(f[0]), ID: id}
	}
	return list, nil
}

// stages settles a path that git did not merge.
func (m *treeMerger) stages(c conflicted) error {
	f := FileMerge{Path: c.path, Base: c.stages[1], Ours: c.stages[2], Theirs: c.stages[3]}
	switch {
	case c.has(1): // renamed on both sides, to different names
		m.changes = append(m.changes, entryChange{path: c.path})
		return nil
	case c.has(2) && f.Ours.Mode.IsFile(), c.has(3) && f.Theirs.Mode.IsFile():
		return m.renamedTwice(f)
	case f.plain():
		err := m.file(f)
		if !errors.Is(err, errLeftToGit) {
			return err
		}
	}
	return m.unmerged(f)
}

// unmerged keeps what nobody merged, by the name that a side has for it: a file whose name
// is that of a folder of the other side is put aside by git, as `<name>~<commit>`.
func (m *treeMerger) unmerged(f FileMerge) error {
	at := strings.LastIndexByte(f.Path, '~')
	if at > 0 && (f.Ours.IsZero() != f.Theirs.IsZero()) {
		commit := m.ours
		if f.Ours.IsZero() {
			commit = m.theirs
		}
		tree, err := m.repo.objects.TreeOf(m.ctx, commit)
		if err != nil {
			return err
		}
		_, has, err := m.repo.objects.Lookup(m.ctx, tree, f.Path)
		if err != nil {
			return err
		}
		e, ok, err := m.repo.objects.Lookup(m.ctx, tree, f.Path[:at])
		if err != nil {
			return err
		}
		if !has && ok && (e.ID == f.Ours.ID || e.ID == f.Theirs.ID) {
			f.Path, f.Clash = f.Path[:at], true
		}
	}
	m.conflicts = append(m.conflicts, f)
	return nil
}

// renamedTwice keeps one of two names that the sides gave to a file, with what that side
// wrote: the other name holds what the other side did.
func (m *treeMerger) renamedTwice(f FileMerge) error {
	commit := m.ours
	if f.Ours.IsZero() {
		commit = m.theirs
	}
	tree, err := m.repo.objects.TreeOf(m.ctx, commit)
	if err != nil {
		return err
	}
	e, ok, err := m.repo.objects.Lookup(m.ctx, tree, f.Path)
	if err != nil {
		return err
	}
	if !ok { // git put it aside, because a directory has its name
		return m.unmerged(f)
	}
	m.changes = append(m.changes, entryChange{path: f.Path, entry: TreeEntry{Mode: e.Mode, ID: e.ID}})
	return nil
}

// mergeDir begins the name of a folder in which a merge is under way, beside which others
// may write; see sweep.
const mergeDir = "merge."

// lines merges a file of any size line by line, and leaves it to git where that has
// conflicts.
func (m *treeMerger) lines(f FileMerge) (ID, error) {
	if err := m.repo.makeClawDir(m.ctx, m.repo.ClawDir()); err != nil {
		return ID{}, err
	}
	dir, err := os.MkdirTemp(m.repo.ClawDir(), mergeDir)
	if err != nil {
		return ID{}, fmt.Errorf("merge '%s': %w", f.Path, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	names := []string{filepath.Join(dir, "ours"), filepath.Join(dir, "base"), filepath.Join(dir, "theirs")}
	for i, e := range []TreeEntry{f.Ours, f.Base, f.Theirs} {
		if err := m.version(names[i], e); err != nil {
			return ID{}, err
		}
	}
	_, err = m.repo.run(m.ctx, Cmd{Args: append([]string{"merge-file", "-q", "--"}, names...)})
	var ge *GitError
	if errors.As(err, &ge) { // conflicts, or it is binary
		return ID{}, errLeftToGit
	}
	if err != nil {
		return ID{}, err
	}
	out, err := m.repo.run(m.ctx, Cmd{Args: withFlags(syncFlags(m.cfg, m.opt.Durability), "hash-object", "-w", "--no-filters", "--", names[0])})
	if err != nil {
		return ID{}, fmt.Errorf("merge '%s': %w", f.Path, err)
	}
	return ParseID(strings.TrimSuffix(string(out), "\n"))
}

// version puts a version of a file, which may be absent, under a name.
func (m *treeMerger) version(name string, e TreeEntry) error {
	w, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	if !e.IsZero() {
		err = m.repo.WriteBlob(m.ctx, e.ID, w)
	}
	return errors.Join(err, w.Close())
}
