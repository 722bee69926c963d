package gitops

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the checksum of the format
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// indexPatch is what a commit does to one path of the index.
type indexPatch struct {
	path   string
	delete bool
	mode   Mode // of the commit's entry
	id     ID
	// stat is that of the work-tree file when it holds exactly this content; zero:
	// none known, git will look.
	stat fileStat
	// keep: something else is staged at this path than HEAD had. It stays.
	keep bool
}

// treeMove is a directory in HEAD, before and after the commit; the zero ID where
// it does not exist.
type treeMove struct{ old, new ID }

// indexOptions are what a patch depends on beside the index.
type indexOptions struct {
	// skipHash is index.skipHash. The checksum is left out only where git left it
	// out as well: versions that do not know the setting want one.
	skipHash bool
	// racy is asked about entries behind whose stat data an edit may hide; true
	// smudges the entry. nil: all of them.
	racy func(e *indexEntry) bool

	// verify compares the checksum of the old index; nil: all of it is read for that.
	verify func() error
	// wrote is told where the entry of a patch stands in the new index; may be nil.
	wrote func(path string, at int)
	// unsealed leaves the checksum to sealIndex.
	unsealed bool

	noSmudge bool // only to show that the tests see the difference
}

// patchIndex returns the index old (empty: none) with the patches applied, byte by
// byte as git would write it, but for stat data and optional extensions: entries
// replaced, inserted and removed; those in the way of a file or a directory too,
// when the transaction removes something there. oldStat is the stat data of the
// file old was read from: entries as new as that file are smudged, see
// indexOptions, because the new file is newer and would vouch for them.
//
// TREE follows along the paths where it says that the index has of a directory
// what HEAD had. moves are the directories of HEAD that the commit changes, ""
// for the top, else without a slash at the end, and patches name every path that
// it changes; a directory that moves does not tell is marked as not known. REUC is
// kept, other optional extensions are dropped.
//
// Errors: errIndexShape (it is git's to write), errIndexBroken, *ProgressError
// for unmerged paths, *SparseError, *ClashError, *EscapeError. It takes one buffer of the
// index's size.
func patchIndex(old []byte, oldStat fileStat, patches []indexPatch, moves map[string]treeMove, opt indexOptions) ([]byte, error) {
	x, err := openIndex(old)
	if err != nil {
		return nil, err
	}
	p := &patcher{x: x, opt: opt, since: oldStat.mtime, tree: cacheTreePatch{moves: moves}}
	if err := p.plan(patches); err != nil {
		return nil, err
	}
	verify := opt.verify
	if verify == nil {
		verify = x.verify
	}
	verified := make(chan error, 1)
	go func() { verified <- verify() }()
	out, err := p.run()
	if err := <-verified; err != nil {
		return nil, err // whatever else was found comes from the damage
	}
	return out, err
}

// patcher goes through an index once and writes the new one. All of its lists are
// in the order of paths and each is gone through once as well.
type patcher struct {
	x       *indexFile
	opt     indexOptions
	patches []indexPatch
	below   prefixes // the paths that are set: nothing may be below them
	above   []string // directories of the paths that are set: no file may be there
	replace bool     // the transaction removes what is in the way
	since   uint32   // entries with this mtime, or a later one, are racy
	tree    cacheTreePatch

	out      []byte
	copied   int // how far x was taken over
	count    uint32
	extended uint32
	unmerged []string
}

// run makes the new index.
func (p *patcher) run() ([]byte, error) {
	x := p.x
	p.tree.findFresh()
	p.out = make([]byte, indexHeader, p.room())
	for x.next() {
		if err := p.take(); err != nil {
			return nil, err
		}
	}
	if err := x.end(); err != nil {
		return nil, err
	}
	if len(p.unmerged) > 0 {
		return nil, unmergedError(p.unmerged...)
	}
	p.flush(x.after)
	p.before(nil)
	p.header()
	p.out = append(p.tree.append(p.out, x.tree), x.reuc...)
	return p.sum(), nil
}

// plan sorts the patches and refuses those that cannot be applied together.
func (p *patcher) plan(patches []indexPatch) error {
	p.patches = slices.Clone(patches)
	slices.SortFunc(p.patches, func(a, b indexPatch) int { return strings.Compare(a.path, b.path) })
	set := map[string]bool{}
	changes := make([]entryChange, 0, len(patches))
	for i, q := range p.patches {
		if err := CheckPath(q.path); err != nil {
			return err
		}
		c := entryChange{path: q.path}
		switch {
		case i > 0 && p.patches[i-1].path == q.path:
			return fmt.Errorf("'%s' is changed twice in one transaction", q.path)
		case q.delete:
		case len(q.id.Bytes()) != sha1.Size || !hasEntry(q.mode):
			return fmt.Errorf("%w: mode %s and id %s of '%s'", errIndexShape, q.mode, q.id, q.path)
		default:
			c.entry = TreeEntry{Mode: q.mode, ID: q.id}
			if !q.keep {
				set[q.path] = true
				p.below = append(p.below, q.path+"/")
			}
		}
		changes = append(changes, c)
	}
	dirs := map[string]bool{}
	for q := range set {
		for dir := parentDir(q); dir != "" && !dirs[dir]; dir = parentDir(dir) {
			if set[dir] {
				return &ClashError{Path: q, Other: dir}
			}
			dirs[dir] = true
			p.above = append(p.above, dir)
		}
	}
	slices.Sort(p.below)
	slices.Sort(p.above)
	p.replace = replaces(changes)
	return nil
}

// parentDir is the directory of a path, "" for the top.
func parentDir(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 0)] }

// prefixes are directories, each with a slash at the end and none below another,
// in the order of paths.
type prefixes []string

// find returns the directory that holds path. The paths asked for must come in
// their order.
func (ps *prefixes) find(path []byte) (string, bool) {
	for ; len(*ps) > 0; *ps = (*ps)[1:] {
		if d := (*ps)[0]; d > string(path) {
			return "", false
		} else if bytes.HasPrefix(path, []byte(d)) {
			return d, true
		}
	}
	return "", false
}

// room is how large the new index can become.
func (p *patcher) room() int {
	n := max(len(p.x.b), indexHeader) + indexSum
	for i := range p.patches {
		// The entry, and its directories in TREE.
		n += entryPathAt + 8 + 2*len(p.patches[i].path) + 48*(2+strings.Count(p.patches[i].path, "/"))
	}
	return n
}

// take decides about the entry that x is at.
func (p *patcher) take() error {
	e := &p.x.entry
	if n := len(p.unmerged); e.stage() != 0 && (n == 0 || p.unmerged[n-1] != string(e.path)) {
		p.unmerged = append(p.unmerged, string(e.path))
	}
	p.before(e.path)
	if len(p.patches) > 0 && p.patches[0].path == string(e.path) {
		q := &p.patches[0]
		p.patches = p.patches[1:]
		if e.skipWorktree() {
			return &SparseError{Path: q.path}
		}
		if !q.keep {
			p.change(q)
			return nil
		}
	}
	by, blocked := p.blocked(e.path)
	switch {
	case !blocked:
		p.keep()
	case !p.replace:
		return &ClashError{Path: by, Other: string(e.path)}
	case e.skipWorktree():
		return &SparseError{Path: string(e.path)}
	default:
		p.drop(changeStrange)
	}
	return nil
}

// blocked reports whether an entry cannot stay beside a path that is set, and
// which one.
func (p *patcher) blocked(path []byte) (by string, yes bool) {
	if by, yes = p.below.find(path); yes {
		return strings.TrimSuffix(by, "/"), true
	}
	for len(p.above) > 0 && p.above[0] < string(path) {
		p.above = p.above[1:]
	}
	if len(p.above) > 0 && p.above[0] == string(path) {
		return p.above[0] + "/", true
	}
	return "", false
}

// before inserts what comes before path (nil: all that is left).
func (p *patcher) before(path []byte) {
	for len(p.patches) > 0 && (path == nil || p.patches[0].path < string(path)) {
		q := &p.patches[0]
		p.patches = p.patches[1:]
		switch {
		case q.keep:
			p.tree.note(q.path, changeKept)
		case !q.delete:
			p.flush(p.x.at)
			p.insert(q)
			p.tree.note(q.path, changeAdded)
		}
	}
}

// change does what a patch says about the entry of its path.
func (p *patcher) change(q *indexPatch) {
	e := &p.x.entry
	if q.delete {
		p.drop(changeRemoved)
		return
	}
	p.flush(p.x.at)
	p.copied = p.x.after
	p.insert(q)
	if e.mode() == q.mode && e.id() == q.id && !e.intentToAdd() {
		p.tree.note(q.path, changeSame)
	} else {
		p.tree.note(q.path, changeSet)
	}
}

// drop leaves the entry out.
func (p *patcher) drop(kind changeKind) {
	p.flush(p.x.at)
	p.copied = p.x.after
	p.tree.note(string(p.x.entry.path), kind)
}

// keep leaves the entry as it is, smudged if need be.
func (p *patcher) keep() {
	e := &p.x.entry
	p.count++
	if e.flags&flagExtended != 0 {
		p.extended++
	}
	p.tree.stays(e.path)
	if p.racy(e) {
		p.flush(p.x.after)
		binary.BigEndian.PutUint32(p.out[len(p.out)-len(e.raw)+entrySizeAt:], 0)
	}
}

// racy reports whether an entry has to be smudged: with a newer index git would
// believe its stat data. git compares seconds, unless it was built to do
// otherwise, so an entry of the index's second counts whatever its nanoseconds.
func (p *patcher) racy(e *indexEntry) bool {
	be := binary.BigEndian
	switch {
	case p.since == 0 || p.opt.noSmudge || be.Uint32(e.raw[entryMTimeAt:]) < p.since:
		return false
	case be.Uint32(e.raw[entrySizeAt:]) == 0 || e.mode() == ModeGitlink:
		return false
	}
	return p.opt.racy == nil || p.opt.racy(e)
}

// flush takes over the bytes of the old index up to end.
func (p *patcher) flush(end int) {
	from := max(p.copied, indexHeader)
	if end > from {
		p.out = append(p.out, p.x.b[from:end]...)
	}
	p.copied = max(p.copied, end)
}

// insert writes an entry.
func (p *patcher) insert(q *indexPatch) {
	start := len(p.out)
	if p.opt.wrote != nil {
		p.opt.wrote(q.path, start)
	}
	p.out = q.stat.append(p.out, q.mode)
	p.out = append(p.out, q.id.Bytes()...)
	p.out = binary.BigEndian.AppendUint16(p.out, uint16(min(len(q.path), flagName)))
	p.out = append(p.out, q.path...)
	const padding = "\x00\x00\x00\x00\x00\x00\x00\x00"
	p.out = append(p.out, padding[(len(p.out)-start)%8:]...)
	p.count++
}

// header says what the index turned out to be. git falls back to version 2 when
// no entry needs 3.
func (p *patcher) header() {
	version := uint32(2)
	if p.extended > 0 {
		version = 3
	}
	copy(p.out, "DIRC")
	binary.BigEndian.PutUint32(p.out[4:], version)
	binary.BigEndian.PutUint32(p.out[8:], p.count)
}

// sum ends the index.
func (p *patcher) sum() []byte {
	b := append(p.out, make([]byte, indexSum)...)
	if !p.opt.unsealed && !p.unsummed() {
		sealIndex(b)
	}
	return b
}

// unsummed reports whether the new index has no checksum.
func (p *patcher) unsummed() bool { return p.opt.skipHash && p.x.unsummed() }

// sealIndex puts the checksum at the end of an index.
func sealIndex(b []byte) {
	s := sha1.Sum(b[:len(b)-indexSum])
	copy(b[len(b)-indexSum:], s[:])
}
