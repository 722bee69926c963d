package gitops

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the checksum of the format
	"encoding/binary"
	"errors"
	"fmt"
)

// errIndexShape: the index has a form that only git reads and writes.
var errIndexShape = errors.New("the index has a form that is left to git")

// errIndexBroken: the file is not an index, or was damaged.
var errIndexBroken = errors.New("the index is damaged; run 'git fsck'")

// Layout of the index (gitformat-index(5)): a header of signature, version and
// number of entries; the entries, each of stat data, mode, id, 16 bits of flags,
// perhaps 16 more, the path and one to eight NULs; extensions; a checksum.
const (
	indexHeader   = 12
	indexSum      = sha1.Size
	entryMTimeAt  = 8
	entryModeAt   = 24
	entrySizeAt   = 36
	entryIDAt     = 40
	entryFlagsAt  = entryIDAt + sha1.Size
	entryPathAt   = entryFlagsAt + 2
	extensionHead = 8

	flagAssumeValid = 0x8000
	flagExtended    = 0x4000
	flagStage       = 0x3000
	flagName        = 0x0fff
	// Of the second 16 bits.
	flagSkipWorktree = 0x4000
	flagIntentToAdd  = 0x2000
)

// indexEntry is one entry where it stands in the file.
type indexEntry struct {
	raw   []byte // all of it, padding included
	path  []byte
	flags uint16
	more  uint16
}

func (e *indexEntry) mode() Mode         { return Mode(binary.BigEndian.Uint32(e.raw[entryModeAt:])) }
func (e *indexEntry) idBytes() []byte    { return e.raw[entryIDAt:entryFlagsAt] }
func (e *indexEntry) id() ID             { return idFromBytes(e.idBytes()) }
func (e *indexEntry) stage() int         { return int(e.flags&flagStage) >> 12 }
func (e *indexEntry) skipWorktree() bool { return e.more&flagSkipWorktree != 0 }
func (e *indexEntry) intentToAdd() bool  { return e.more&flagIntentToAdd != 0 }
func (e *indexEntry) assumeValid() bool  { return e.flags&flagAssumeValid != 0 }

// stat is the stat data of the entry.
func (e *indexEntry) stat() fileStat {
	be := binary.BigEndian
	return fileStat{
		ctime: be.Uint32(e.raw), ctimeNS: be.Uint32(e.raw[4:]),
		mtime: be.Uint32(e.raw[8:]), mtimeNS: be.Uint32(e.raw[12:]),
		dev: be.Uint32(e.raw[16:]), ino: be.Uint32(e.raw[20:]),
		uid: be.Uint32(e.raw[28:]), gid: be.Uint32(e.raw[32:]), size: be.Uint32(e.raw[entrySizeAt:]),
	}
}

// indexFile is an index whose entries are read one after the other, without a
// copy of any:
//
//	for x.next() { … x.entry … }
//	err := x.end()
type indexFile struct {
	b       []byte // all of the file
	version uint32
	count   uint32

	entry indexEntry
	at    int // offset of entry
	after int // and of what follows it
	seen  uint32
	last  []byte // path before
	err   error

	tree []byte // TREE extension, nil when there is none
	reuc []byte // REUC with its head
}

// openIndex reads the header of an index. No bytes are an index without entries.
func openIndex(b []byte) (*indexFile, error) {
	if len(b) == 0 {
		return &indexFile{version: 2}, nil
	}
	if len(b) < indexHeader+indexSum || string(b[:4]) != "DIRC" {
		return nil, errIndexBroken
	}
	x := &indexFile{b: b, version: binary.BigEndian.Uint32(b[4:]), count: binary.BigEndian.Uint32(b[8:]), after: indexHeader}
	if x.version != 2 && x.version != 3 {
		return nil, fmt.Errorf("%w: version %d", errIndexShape, x.version)
	}
	return x, nil
}

// body is the file without its checksum.
func (x *indexFile) body() []byte { return x.b[:max(len(x.b)-indexSum, 0)] }

// unsummed reports whether git left the checksum out (index.skipHash).
func (x *indexFile) unsummed() bool {
	return len(x.b) > 0 && [indexSum]byte(x.b[len(x.b)-indexSum:]) == [indexSum]byte{}
}

// verify compares the checksum. Whoever writes an index anew has to: the new
// checksum would cover up what was damaged.
func (x *indexFile) verify() error {
	if len(x.b) == 0 || x.unsummed() {
		return nil
	}
	if sha1.Sum(x.body()) != [indexSum]byte(x.b[len(x.b)-indexSum:]) {
		return fmt.Errorf("%w: its checksum is wrong", errIndexBroken)
	}
	return nil
}

// next goes to the next entry. It is false at the end and where the file is not
// as it should be; end tells which.
func (x *indexFile) next() bool {
	if x.err != nil || x.seen == x.count {
		return false
	}
	x.at = x.after
	x.last = x.entry.path
	lastStage := x.entry.stage()
	n, err := readIndexEntry(x.body()[x.at:], x.version, &x.entry)
	if err != nil {
		x.err = err
		return false
	}
	if x.seen > 0 {
		c := bytes.Compare(x.last, x.entry.path)
		if c > 0 || c == 0 && (lastStage == 0 || lastStage >= x.entry.stage()) {
			x.err = fmt.Errorf("%w: '%.80s' is out of order", errIndexBroken, x.entry.path)
			return false
		}
	}
	x.after += n
	x.seen++
	return true
}

// readIndexEntry reads the entry at the beginning of b and returns its length.
func readIndexEntry(b []byte, version uint32, e *indexEntry) (int, error) {
	if len(b) < entryPathAt {
		return 0, errIndexBroken
	}
	e.flags, e.more = binary.BigEndian.Uint16(b[entryFlagsAt:]), 0
	head := entryPathAt
	if e.flags&flagExtended != 0 {
		if version < 3 || len(b) < head+2 {
			return 0, errIndexBroken
		}
		e.more = binary.BigEndian.Uint16(b[head:])
		if e.more == 0 || e.more&^(flagSkipWorktree|flagIntentToAdd) != 0 {
			return 0, fmt.Errorf("%w: unknown flags", errIndexShape)
		}
		head += 2
	}
	length := int(e.flags & flagName)
	if length == flagName { // or longer
		if length = bytes.IndexByte(b[head:], 0); length < flagName {
			return 0, errIndexBroken
		}
	}
	end := (head + length + 8) &^ 7
	if length == 0 || len(b) < end || b[head+length] != 0 || b[head] == '/' || b[head+length-1] == '/' {
		// An empty path is that of half a split index; one that ends in a slash is a
		// directory of a sparse one.
		return 0, fmt.Errorf("%w: an entry is of no file", errIndexShape)
	}
	e.raw, e.path = b[:end], b[head:head+length]
	if !hasEntry(e.mode()) {
		return 0, fmt.Errorf("%w: mode %s", errIndexShape, e.mode())
	}
	if [sha1.Size]byte(e.idBytes()) == [sha1.Size]byte{} || bytes.IndexByte(e.path, 0) >= 0 {
		return 0, errIndexBroken
	}
	return end, nil
}

// hasEntry reports whether what has this mode can be in an index.
func hasEntry(m Mode) bool { return m.IsFile() || m == ModeSymlink || m == ModeGitlink }

// end reads the extensions, after the last entry. Those that change what the
// entries mean, or that git has to keep up with changes of them, make the index
// git's: a split or sparse index, a file system monitor, an untracked cache.
func (x *indexFile) end() error {
	if x.err != nil || len(x.b) == 0 {
		return x.err
	}
	for b := x.body()[x.after:]; len(b) > 0; {
		if len(b) < extensionHead {
			return errIndexBroken
		}
		name, size := string(b[:4]), uint64(binary.BigEndian.Uint32(b[4:]))
		if uint64(len(b)-extensionHead) < size {
			return errIndexBroken
		}
		all := b[:extensionHead+size]
		b = b[len(all):]
		switch {
		case name == "TREE":
			x.tree = all[extensionHead:]
		case name == "REUC":
			x.reuc = all
		case name == "FSMN", name == "UNTR", name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("%w: extension '%.4q'", errIndexShape, name)
		}
	}
	return nil
}
