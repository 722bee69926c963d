package gitops

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// indexEntry is one row of git's index (gitformat-index(5)).
type indexEntry struct {
	path   string
	mode   Mode
	stage  uint8
	skip   bool // skip-worktree
	intent bool // intent-to-add: the id is that of the empty blob, and says nothing
	other  bool // for a scan: in the index, but not looked at
	id     ID
	stat   cachedStat
}

// cachedStat is a file as git saw it, cut to 32 bits as git does.
type cachedStat struct {
	ctime, ctimeNS, mtime, mtimeNS uint32
	ino, size                      uint32
}

var (
	errIndexBroken = errors.New("the index is truncated or damaged")
	// errIndexForeign: something in the index changes the meaning of its entries
	// and is not read here; git is asked.
	errIndexForeign = errors.New("the index has a form that only git reads")
)

// Layout of an entry: stat data and mode, the id, 16 bits of flags, perhaps 16
// more, the path.
const (
	indexHeader   = 12
	indexStatSize = 40

	flagExtended  = 0x4000
	flagStage     = 0x3000
	stageShift    = 12
	flagNameMask  = 0x0fff
	flagSkip      = 0x4000 // of the second 16 bits
	flagIntent    = 0x2000
	extensionHead = 8

	maxPresize = 1 << 15
)

// parseIndex returns the entries for which want is true, and directories of a
// sparse index whatever want says. want is asked with bytes that hold only
// during the call. The checksum at the end is not verified: git does not do so
// either when it reads, and the file is only ever replaced as a whole.
func parseIndex(b []byte, idSize int, want func(path []byte) bool) ([]indexEntry, error) {
	if len(b) < indexHeader+idSize || string(b[:4]) != "DIRC" {
		return nil, errIndexBroken
	}
	p := indexParser{version: binary.BigEndian.Uint32(b[4:]), idSize: idSize, want: want}
	if p.version < 2 || p.version > 4 {
		return nil, fmt.Errorf("%w: version %d", errIndexForeign, p.version)
	}
	count := binary.BigEndian.Uint32(b[8:])
	body := b[:len(b)-idSize]
	// An entry takes at least so many bytes, whatever the header claims.
	if uint64(count) > uint64(len(body)/(indexStatSize+idSize+3)) {
		return nil, errIndexBroken
	}
	// Mostly all are wanted; of a huge index few.
	p.out = make([]indexEntry, 0, min(count, maxPresize))
	at := indexHeader
	for range count {
		n, err := p.entry(body[at:])
		if err != nil {
			return nil, err
		}
		at += n
	}
	if err := checkExtensions(body[at:]); err != nil || !p.nameless {
		return p.out, err
	}
	return nil, errIndexBroken
}

// checkExtensions passes over what follows the entries. Git gives a name in
// capitals to what a reader may leave alone.
func checkExtensions(b []byte) error {
	for len(b) > 0 {
		if len(b) < extensionHead {
			return errIndexBroken
		}
		name, size := string(b[:4]), uint64(binary.BigEndian.Uint32(b[4:]))
		if uint64(len(b)-extensionHead) < size {
			return errIndexBroken
		}
		if (name[0] < 'A' || name[0] > 'Z') && name != "sdir" {
			return fmt.Errorf("%w: extension '%s'", errIndexForeign, name)
		}
		b = b[extensionHead+size:]
	}
	return nil
}

type indexParser struct {
	version uint32
	idSize  int
	want    func([]byte) bool
	name    []byte // version 4: the last path
	out     []indexEntry
	// nameless: there is an entry without a path. Half of a split index has some,
	// which the extensions tell.
	nameless bool
}

// entry reads the entry at the beginning of b and returns its length.
func (p *indexParser) entry(b []byte) (int, error) {
	head := indexStatSize + p.idSize + 2
	if len(b) < head {
		return 0, errIndexBroken
	}
	flags, more := binary.BigEndian.Uint16(b[head-2:]), uint16(0)
	if flags&flagExtended != 0 {
		if p.version < 3 || len(b) < head+2 {
			return 0, errIndexBroken
		}
		more = binary.BigEndian.Uint16(b[head:])
		if more&^(flagSkip|flagIntent) != 0 {
			return 0, errIndexForeign
		}
		head += 2
	}
	path, end, err := p.path(b, head, int(flags&flagNameMask))
	if err != nil {
		return 0, err
	}
	if len(path) == 0 {
		p.nameless = true
		return end, nil
	}
	mode := Mode(binary.BigEndian.Uint32(b[24:]))
	if mode != ModeTree && !p.want(path) {
		return end, nil
	}
	p.out = append(p.out, indexEntry{
		path: string(path), mode: mode.canonical(), stage: uint8(flags & flagStage >> stageShift),
		skip: more&flagSkip != 0, intent: more&flagIntent != 0,
		id: idFromBytes(b[indexStatSize : indexStatSize+p.idSize]),
		stat: cachedStat{
			ctime: binary.BigEndian.Uint32(b), ctimeNS: binary.BigEndian.Uint32(b[4:]),
			mtime: binary.BigEndian.Uint32(b[8:]), mtimeNS: binary.BigEndian.Uint32(b[12:]),
			ino: binary.BigEndian.Uint32(b[20:]), size: binary.BigEndian.Uint32(b[36:]),
		},
	})
	return end, nil
}

// path reads the path that begins at head, and returns where the entry ends.
// Version 4 says how many bytes of the path before are to be cut off; the others
// pad the entry with NULs to a multiple of eight bytes.
func (p *indexParser) path(b []byte, head, length int) (path []byte, end int, err error) {
	if p.version == 4 {
		cut, n := indexVarint(b[head:])
		if n == 0 || cut > uint64(len(p.name)) {
			return nil, 0, errIndexBroken
		}
		head += n
		nul := bytes.IndexByte(b[head:], 0)
		if nul < 0 {
			return nil, 0, errIndexBroken
		}
		p.name = append(p.name[:len(p.name)-int(cut)], b[head:head+nul]...)
		path, end = p.name, head+nul+1
	} else {
		if length == flagNameMask { // or longer
			if length = bytes.IndexByte(b[head:], 0); length < 0 {
				return nil, 0, errIndexBroken
			}
		}
		end = (head + length + 8) &^ 7
		if len(b) < end || b[head+length] != 0 {
			return nil, 0, errIndexBroken
		}
		path = b[head : head+length]
	}
	if len(path) > 0 && path[0] == '/' || bytes.IndexByte(path, 0) >= 0 {
		return nil, 0, errIndexBroken
	}
	return path, end, nil
}

// indexVarint reads git's variable-width number: seven bits a byte, the highest
// first, and each continuation adds one so that no number has two forms. It
// returns the bytes read, 0 for a broken one.
func indexVarint(b []byte) (v uint64, n int) {
	for i, c := range b {
		if i > 0 {
			v++
		}
		if i == 8 {
			break
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// inPathOrder sorts what git printed; its own order is by bytes, then stage.
func inPathOrder(list []indexEntry) {
	slices.SortStableFunc(list, func(a, b indexEntry) int {
		switch {
		case a.path < b.path:
			return -1
		case a.path > b.path:
			return 1
		}
		return int(a.stage) - int(b.stage)
	})
}
