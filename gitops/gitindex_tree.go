package gitops

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// The TREE extension (gitformat-index(5), "Cache tree") names the tree objects of
// the directories of an index, so that git need not look at each entry to compare
// it with HEAD or to commit. A node is a name and NUL, the number of entries below
// (-1: not known) and of nodes below in decimal, the tree's id unless it is not
// known, and these nodes, the shorter names first. What it says must be true:
// with a wrong id git would commit another tree than the index.

// cacheNode is one node where it stands in the extension.
type cacheNode struct {
	name  []byte
	count int    // of entries, -1: not known
	subs  int    // of nodes below
	id    []byte // nil when count is -1
	body  []byte // the nodes below
}

// readCacheNode reads the node at the beginning of b without those below it.
func readCacheNode(b []byte) (n cacheNode, rest []byte, ok bool) {
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return n, nil, false
	}
	n.name, b = b[:end], b[end+1:]
	if unknown := []byte("-1 "); bytes.HasPrefix(b, unknown) {
		n.count, b = -1, b[len(unknown):]
	} else if n.count, b, ok = cutNumber(b, ' '); !ok {
		return n, nil, false
	}
	if n.subs, b, ok = cutNumber(b, '\n'); !ok {
		return n, nil, false
	}
	if n.count >= 0 {
		if len(b) < indexSum {
			return n, nil, false
		}
		n.id, b = b[:indexSum], b[indexSum:]
	}
	return n, b, true
}

// cutNumber reads a decimal number and the byte that ends it.
func cutNumber(b []byte, end byte) (n int, rest []byte, ok bool) {
	const digits = 9 // the number of entries has 32 bits; so many do not overflow
	for i, c := range b[:min(len(b), digits+1)] {
		switch {
		case c == end:
			return n, b[i+1:], i > 0
		case c < '0' || c > '9':
			return 0, nil, false
		}
		n = 10*n + int(c-'0')
	}
	return 0, nil, false
}

// cutCacheNode reads the node at the beginning of b with all below it. It does not
// recur: nobody knows how deep a damaged file is.
func cutCacheNode(b []byte) (n cacheNode, rest []byte, ok bool) {
	n, rest, ok = readCacheNode(b)
	body := rest
	for left := n.subs; ok && left > 0; left-- {
		var sub cacheNode
		sub, rest, ok = readCacheNode(rest)
		left += sub.subs
		ok = ok && len(sub.name) > 0 && left-1 <= len(rest)
	}
	if !ok {
		return n, nil, false
	}
	n.body = body[:len(body)-len(rest)]
	return n, rest, true
}

// compareNodes is the order of nodes.
func compareNodes(a string, b []byte) int {
	switch {
	case len(a) != len(b):
		return cmp.Compare(len(a), len(b))
	case a == string(b):
		return 0
	case a < string(b):
		return -1
	}
	return 1
}

// changeKind is what became of an entry of the index.
type changeKind int

const (
	changeSame    changeKind = iota // set to what it was
	changeKept                      // left as it was, though HEAD changes
	changeSet                       // was there and is another one
	changeAdded                     // was not there
	changeRemoved                   //
	changeStrange                   // removed by no patch of its path
)

// indexChange is an entry that a patch was about.
type indexChange struct {
	path string
	kind changeKind
}

// cacheTreePatch makes TREE follow the changes of an index.
type cacheTreePatch struct {
	moves   map[string]treeMove
	fresh   map[string]bool // directories of the commit of which HEAD and the rest of the index have nothing
	tops    prefixes        // the uppermost of fresh
	changes []indexChange   // in the order of paths
}

func (t *cacheTreePatch) note(path string, kind changeKind) {
	t.changes = append(t.changes, indexChange{path, kind})
}

// findFresh finds the directories that HEAD does not have.
func (t *cacheTreePatch) findFresh() {
	t.fresh = map[string]bool{}
	for dir, m := range t.moves {
		if m.old.IsZero() && !m.new.IsZero() {
			t.fresh[dir] = true
		}
	}
	for dir := range t.fresh {
		switch {
		case dir == "":
			t.tops = append(t.tops, "")
		case !t.fresh[parentDir(dir)]:
			t.tops = append(t.tops, dir+"/")
		}
	}
	slices.Sort(t.tops)
}

// stays takes notice of an entry that stays in the index.
func (t *cacheTreePatch) stays(path []byte) {
	if len(t.tops) == 0 {
		return
	}
	if _, ok := t.tops.find(path); !ok {
		return
	}
	for dir := path; len(dir) > 0; {
		dir = dir[:max(bytes.LastIndexByte(dir, '/'), 0)]
		if t.fresh[string(dir)] {
			delete(t.fresh, string(dir))
		}
	}
}

// append writes the extension, if there is anything to say. Damage costs no more
// than what it could have told.
func (t *cacheTreePatch) append(out, old []byte) []byte {
	root, rest, ok := cutCacheNode(old)
	if !ok || len(rest) > 0 || len(root.name) > 0 {
		root = cacheNode{count: -1}
	}
	slices.SortStableFunc(t.changes, func(a, b indexChange) int { return strings.Compare(a.path, b.path) })
	n := t.plan("", root, t.changes)
	if !ok && n.id == nil {
		return out
	}
	start := len(out)
	out = append(out, "TREE\x00\x00\x00\x00"...)
	out = n.append(out)
	binary.BigEndian.PutUint32(out[start+4:], uint32(len(out)-start-extensionHead))
	return out
}

// newCacheNode is a node to be written: one that changes, or several beside each
// other that do not.
type newCacheNode struct {
	name  string
	count int
	id    []byte
	below int // nodes below
	subs  []newCacheNode
	raw   []byte
}

func (n *newCacheNode) append(out []byte) []byte {
	if n.raw != nil {
		return append(out, n.raw...)
	}
	out = append(append(out, n.name...), 0)
	out = append(strconv.AppendInt(out, int64(n.count), 10), ' ')
	out = append(strconv.AppendInt(out, int64(n.below), 10), '\n')
	out = append(out, n.id...)
	for i := range n.subs {
		out = n.subs[i].append(out)
	}
	return out
}

// add takes over nodes; neighbours that do not change become one.
func (n *newCacheNode) add(sub newCacheNode) {
	n.below++
	if i := len(n.subs) - 1; i >= 0 && follows(n.subs[i].raw, sub.raw) {
		n.subs[i].raw = n.subs[i].raw[:len(n.subs[i].raw)+len(sub.raw)]
		return
	}
	n.subs = append(n.subs, sub)
}

// follows reports whether b stands behind a in the bytes that both were cut from.
func follows(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && cap(a) > len(a) && &a[:len(a)+1][len(a)] == &b[0]
}

// plan says what becomes of a directory. old is its node; that of a directory
// without one has the count -1. changes are those below it.
func (t *cacheTreePatch) plan(dir string, old cacheNode, changes []indexChange) newCacheNode {
	n := newCacheNode{name: string(old.name)}
	n.count, n.id = t.state(dir, old, changes)
	files, dirs := splitChanges(dir, changes)
	for b := old.body; len(b) > 0; {
		sub, rest, _ := cutCacheNode(b)
		for len(dirs) > 0 && compareNodes(dirs[0].name, sub.name) < 0 {
			t.planNew(&n, dir, dirs[0])
			dirs = dirs[1:]
		}
		switch known := len(dirs) > 0 && compareNodes(dirs[0].name, sub.name) == 0; {
		case files[string(sub.name)]: // a file took its place
		case known:
			if c := t.plan(joinPath(dir, dirs[0].name), sub, dirs[0].changes); c.count != 0 {
				n.add(c)
			}
		default:
			n.add(newCacheNode{raw: b[:len(b)-len(rest)]})
		}
		if len(dirs) > 0 && compareNodes(dirs[0].name, sub.name) == 0 {
			dirs = dirs[1:]
		}
		b = rest
	}
	for _, d := range dirs {
		t.planNew(&n, dir, d)
	}
	return n
}

// planNew adds a directory to n of which TREE did not know, if it is known now.
func (t *cacheTreePatch) planNew(n *newCacheNode, dir string, d dirChanges) {
	if c := t.plan(joinPath(dir, d.name), cacheNode{name: []byte(d.name), count: -1}, d.changes); c.count > 0 {
		n.add(c)
	}
}

func joinPath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// dirChanges are the changes below one directory.
type dirChanges struct {
	name    string
	changes []indexChange
}

// splitChanges groups changes below dir by the names in it: files that are there
// now, and directories, in the order of nodes.
func splitChanges(dir string, changes []indexChange) (files map[string]bool, dirs []dirChanges) {
	skip := len(dir)
	if dir != "" {
		skip++
	}
	for len(changes) > 0 {
		name, _, deeper := strings.Cut(changes[0].path[skip:], "/")
		n := 1
		if !deeper {
			if k := changes[0].kind; k == changeSame || k == changeSet || k == changeAdded {
				if files == nil {
					files = map[string]bool{}
				}
				files[name] = true
			}
			changes = changes[1:]
			continue
		}
		for n < len(changes) && strings.HasPrefix(changes[n].path[skip:], name+"/") {
			n++
		}
		dirs = append(dirs, dirChanges{name, changes[:n]})
		changes = changes[n:]
	}
	slices.SortFunc(dirs, func(a, b dirChanges) int { return compareNodes(a.name, []byte(b.name)) })
	return files, dirs
}

// state says how many entries a directory has now and which tree they are.
func (t *cacheTreePatch) state(dir string, old cacheNode, changes []indexChange) (count int, id []byte) {
	delta, set, moved, strange := 0, 0, false, false
	for _, c := range changes {
		switch c.kind {
		case changeAdded:
			delta++
			set++
		case changeSame, changeSet:
			set++
		case changeRemoved:
			delta--
		}
		moved = moved || c.kind != changeSame && c.kind != changeKept
		strange = strange || c.kind == changeStrange || c.kind == changeKept
	}
	m := t.moves[dir]
	switch {
	case old.count >= 0 && !moved:
		return old.count, old.id
	case strange:
		return -1, nil
	case old.count >= 0 && bytes.Equal(old.id, m.old.Bytes()):
		// The index had what HEAD had, and the same happened to both.
		count = old.count + delta
	case t.fresh[dir]:
		count = set // neither had anything
	default:
		return -1, nil
	}
	if count < 0 || dir == "" && m.new.IsZero() || dir != "" && (count == 0) != m.new.IsZero() {
		return -1, nil // what we were told does not agree
	}
	return count, m.new.Bytes()
}
