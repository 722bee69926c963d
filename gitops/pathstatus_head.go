package gitops

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's ids
	"strings"
)

// compareHead compares the entries with a commit's tree. Where TREE says that the
// index has a directory as HEAD has it, nothing in it is looked at.
func (l *pathLook) compareHead(commit ID) error {
	tree, err := l.r.objects.TreeOf(l.ctx, commit)
	if err != nil {
		return err
	}
	if l.scope.all {
		return l.compareDir("", tree)
	}
	for _, p := range l.scope.paths {
		h, _, err := l.r.objects.Lookup(l.ctx, tree, p)
		if err != nil {
			return err
		}
		if err := l.compareName(p, h); err != nil {
			return err
		}
	}
	return nil
}

// compareName compares a path that HEAD has as h (zero: not at all).
func (l *pathLook) compareName(path string, h TreeEntry) error {
	i, known := l.search(path)
	var dir ID
	switch {
	case h.Mode == ModeGitlink:
		return errUncertain
	case h.Mode == ModeTree:
		dir = h.ID
	case h.IsZero():
	case !known:
		l.removed = append(l.removed, StatusEntry{Path: path, Index: 'D', Work: '.', HeadMode: h.Mode, HeadID: h.ID})
	case h.Mode.IsFile() != l.entries[i].mode.IsFile():
		return errUncertain
	default:
		l.head[i] = lookSide{mode: h.Mode, id: [sha1.Size]byte(h.ID.Bytes())}
	}
	if dir.IsZero() {
		return nil // what HEAD does not have is absent in head
	}
	return l.compareDir(path, dir)
}

// compareDir compares a directory of HEAD.
func (l *pathLook) compareDir(dir string, tree ID) error {
	if !tree.IsZero() && l.treeOf(dir) == tree {
		for i, to := l.under(dir); i < to; i++ {
			l.head[i] = lookSide{mode: l.entries[i].mode, id: l.entries[i].id}
		}
		return nil
	}
	list, err := l.r.objects.Tree(l.ctx, tree)
	if err != nil {
		return err
	}
	for _, h := range list {
		if err := l.compareName(joinPath(dir, h.Name), h); err != nil {
			return err
		}
	}
	return nil
}

// treeOf is the tree that a directory of the index is, as far as TREE tells.
func (l *pathLook) treeOf(dir string) ID {
	n, rest, ok := cutCacheNode(l.index.tree)
	if !ok || len(rest) > 0 || len(n.name) > 0 {
		return ID{}
	}
	for dir != "" {
		var name string
		name, dir, _ = strings.Cut(dir, "/")
		if n, ok = n.sub(name); !ok {
			return ID{}
		}
	}
	return idFromBytes(n.id)
}

// sub finds a node below n.
func (n *cacheNode) sub(name string) (cacheNode, bool) {
	for b := n.body; len(b) > 0; {
		sub, rest, _ := cutCacheNode(b)
		if bytes.Equal(sub.name, []byte(name)) {
			return sub, true
		}
		b = rest
	}
	return cacheNode{}, false
}
