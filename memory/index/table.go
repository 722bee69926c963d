package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// Entry is what is known of one searched file.
type Entry struct {
	Path   string    // below the root of the workspace
	Blob   gitops.ID // content that is indexed; zero: none yet
	Want   gitops.ID // content that should be; differs from Blob while an update is under way
	Head   gitops.ID // content in HEAD; zero: not committed
	Commit gitops.ID // last commit that changed it; zero: not committed, or not known
	When   int64     // author date of Commit, seconds since 1970
	Stat   stat      // of the file in the work tree; zero where there is none
}

// Unsaved reports whether HEAD has other content than the work tree.
func (e *Entry) Unsaved() bool { return e.Want != e.Head }

// Date is the author date of the last commit, the zero time if none.
func (e *Entry) Date() time.Time {
	if e.When == 0 {
		return time.Time{}
	}
	return time.Unix(e.When, 0).UTC()
}

// nothing: neither in HEAD nor in the work tree nor indexed.
func (e *Entry) nothing() bool { return e.Want.IsZero() && e.Blob.IsZero() && e.Head.IsZero() }

// stat is what tells that a file has not been touched.
type stat struct {
	Size, Mtime, Ctime int64 // bytes, nanoseconds
	Ino                uint64
}

// folder is a folder that was walked. While its stat data stay what they are, no
// name in it came, went or became something else.
type folder struct {
	path string // below the root, "" or ending in a slash
	stat stat   // zero: its names have to be read
}

// table is what is known of all searched files, as it lies on disk: records of one
// size in order of folder and name, read where they are, because most searches look
// at nothing of them but their stat data.
//
//	magic, bytes of an id, number of folders, records, rest (u32 each)
//	folders: length of the path, path, stat, number of records
//	records: start of the name in names (u32), flags, want, commit, when, stat
//	rest:    number of a record (u32), blob, head, where they are not want
//	names:   each ended by a zero byte
type table struct {
	folders []tableFolder
	id      int // bytes
	n       int
	records []byte
	rest    []byte
	names   []byte
}

type tableFolder struct {
	folder
	first, n int  // its records
	walked   bool // else only HEAD has it
}

const (
	tableMagic = "clawtbl3"
	tableHead  = len(tableMagic) + 4*4
	statSize   = 4 * 8

	recordFlags = 4
	recordWant  = 5

	flagRest   = 1 // blob or head stand in rest
	flagWalked = 2 // in the flags of a folder
)

func (t *table) recordSize() int { return recordWant + 2*t.id + 8 + statSize }
func (t *table) restSize() int   { return 4 + 2*t.id }

func (t *table) record(i int) []byte { return t.records[i*t.recordSize() : (i+1)*t.recordSize()] }

func (t *table) nameStart(i int) int {
	if i == t.n {
		return len(t.names)
	}
	return int(binary.LittleEndian.Uint32(t.records[i*t.recordSize():]))
}

// name is the last part of a record's path.
func (t *table) name(i int) []byte { return t.names[t.nameStart(i) : t.nameStart(i+1)-1] }

// nameZ is the name with the zero byte after it.
func (t *table) nameZ(i int) []byte { return t.names[t.nameStart(i):t.nameStart(i+1)] }

func (t *table) stat(i int) stat {
	r := t.record(i)
	return statAt(r[len(r)-statSize:])
}

func (t *table) idAt(b []byte) gitops.ID {
	var zero [32]byte
	if bytes.Equal(b[:t.id], zero[:t.id]) {
		return gitops.ID{}
	}
	return gitops.IDFromString(string(b[:t.id]))
}

// entry decodes a record.
func (t *table) entry(i int) *Entry {
	r := t.record(i)
	f := t.folders[t.folderOf(i)]
	e := &Entry{Path: f.path + string(t.name(i)), Want: t.idAt(r[recordWant:]), Stat: t.stat(i)}
	e.Blob, e.Head = e.Want, e.Want
	at := recordWant + t.id
	e.Commit = t.idAt(r[at:])
	e.When = int64(binary.LittleEndian.Uint64(r[at+t.id:]))
	if r[recordFlags]&flagRest != 0 {
		size := t.restSize()
		k := sort.Search(len(t.rest)/size, func(k int) bool { return t.restRecord(k) >= i })
		if k*size < len(t.rest) && t.restRecord(k) == i {
			b := t.rest[k*size+4:]
			e.Blob, e.Head = t.idAt(b), t.idAt(b[t.id:])
		}
	}
	return e
}

func (t *table) restRecord(k int) int {
	return int(binary.LittleEndian.Uint32(t.rest[k*t.restSize():]))
}

// folderOf is the folder of a record.
func (t *table) folderOf(i int) int {
	k, _ := slices.BinarySearchFunc(t.folders, i, func(f tableFolder, i int) int { return cmp.Compare(f.first+f.n, i+1) })
	return k
}

func (t *table) findFolder(path string) (int, bool) {
	return slices.BinarySearchFunc(t.folders, path, func(f tableFolder, p string) int { return cmp.Compare(f.path, p) })
}

// place is where a path is, or would be, among the records.
func (t *table) place(path string) (int, bool) {
	slash := strings.LastIndexByte(path, '/') + 1
	k, ok := t.findFolder(path[:slash])
	switch {
	case ok:
		return t.inFolder(&t.folders[k], path[slash:])
	case k < len(t.folders):
		return t.folders[k].first, false
	}
	return t.n, false
}

func (t *table) inFolder(f *tableFolder, name string) (int, bool) {
	i := f.first + sort.Search(f.n, func(i int) bool { return string(t.name(f.first+i)) >= name })
	return i, i < f.first+f.n && string(t.name(i)) == name
}

func statAt(b []byte) stat {
	le := binary.LittleEndian
	return stat{Size: int64(le.Uint64(b)), Mtime: int64(le.Uint64(b[8:])), Ctime: int64(le.Uint64(b[16:])), Ino: le.Uint64(b[24:])}
}

func appendStat(b []byte, s stat) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(s.Size))
	b = le.AppendUint64(b, uint64(s.Mtime))
	b = le.AppendUint64(b, uint64(s.Ctime))
	return le.AppendUint64(b, s.Ino)
}

var errTable = errors.New("damaged table")

// readTable checks the bytes of a table so far that nothing reads beyond them and
// everything is in order.
func readTable(data []byte) (*table, error) {
	if len(data) < tableHead || string(data[:len(tableMagic)]) != tableMagic {
		return nil, errTable
	}
	u32 := func(i int) int { return int(binary.LittleEndian.Uint32(data[len(tableMagic)+4*i:])) }
	t := &table{id: u32(0), n: u32(2)}
	folders, rest, left := u32(1), u32(3), data[tableHead:]
	if t.id != 20 && t.id != 32 || max(folders, t.n, rest) > len(data) {
		return nil, errTable
	}
	left, err := t.readFolders(left, folders)
	if err != nil {
		return nil, err
	}
	records, rests := t.n*t.recordSize(), rest*t.restSize()
	if records+rests > len(left) {
		return nil, errTable
	}
	t.records, t.rest, t.names = left[:records], left[records:records+rests], left[records+rests:]
	return t, t.check()
}

func (t *table) readFolders(left []byte, n int) ([]byte, error) {
	t.folders = make([]tableFolder, 0, n)
	first := 0
	for range n {
		if len(left) < 4 {
			return nil, errTable
		}
		size := int(binary.LittleEndian.Uint32(left))
		if size > len(left) || len(left) < 4+size+statSize+5 {
			return nil, errTable
		}
		f := tableFolder{folder: folder{path: string(left[4 : 4+size])}, first: first}
		left = left[4+size:]
		f.stat = statAt(left)
		f.walked = left[statSize]&flagWalked != 0
		f.n = int(binary.LittleEndian.Uint32(left[statSize+1:]))
		left = left[statSize+5:]
		if first += f.n; first > t.n || len(t.folders) > 0 && t.folders[len(t.folders)-1].path >= f.path {
			return nil, errTable
		}
		t.folders = append(t.folders, f)
	}
	if first != t.n {
		return nil, errTable
	}
	return left, nil
}

func (t *table) check() error {
	at := 0
	for i := range t.n + 1 {
		start := t.nameStart(i)
		if i == 0 && start != 0 || i > 0 && (start <= at || start > len(t.names) || t.names[start-1] != 0) {
			return errTable
		}
		at = start
	}
	for _, f := range t.folders {
		for i := f.first + 1; i < f.first+f.n; i++ {
			if bytes.Compare(t.name(i-1), t.name(i)) >= 0 {
				return fmt.Errorf("%w: out of order", errTable)
			}
		}
	}
	return nil
}

// tableBuilder writes a table.
type tableBuilder struct {
	id                             int
	folders, records, rest, names  []byte
	nFolders, nRecords, nRest, inF int
}

// begin starts a folder.
func (b *tableBuilder) begin(f folder, walked bool) {
	b.end()
	b.folders = binary.LittleEndian.AppendUint32(b.folders, uint32(len(f.path)))
	b.folders = append(b.folders, f.path...)
	b.folders = appendStat(b.folders, f.stat)
	flags := byte(0)
	if walked {
		flags = flagWalked
	}
	b.folders = append(b.folders, flags, 0, 0, 0, 0)
	b.nFolders, b.inF = b.nFolders+1, 0
}

func (b *tableBuilder) end() {
	if b.nFolders > 0 {
		binary.LittleEndian.PutUint32(b.folders[len(b.folders)-4:], uint32(b.inF))
	}
}

func (b *tableBuilder) appendID(to []byte, id gitops.ID) []byte {
	var zero [32]byte
	if id.IsZero() {
		return append(to, zero[:b.id]...)
	}
	return append(to, id.Bytes()...)
}

// copy takes over a record of another table.
func (b *tableBuilder) copy(t *table, i int) {
	r := t.record(i)
	b.start(t.nameZ(i))
	b.records = append(b.records, r[recordFlags:]...)
	if r[recordFlags]&flagRest != 0 {
		e := t.entry(i)
		b.addRest(e)
	}
	b.nRecords, b.inF = b.nRecords+1, b.inF+1
}

func (b *tableBuilder) start(nameZ []byte) {
	b.records = binary.LittleEndian.AppendUint32(b.records, uint32(len(b.names)))
	b.names = append(b.names, nameZ...)
}

func (b *tableBuilder) addRest(e *Entry) {
	b.rest = binary.LittleEndian.AppendUint32(b.rest, uint32(b.nRecords))
	b.rest = b.appendID(b.appendID(b.rest, e.Blob), e.Head)
	b.nRest++
}

func (b *tableBuilder) add(e *Entry) {
	b.start(append([]byte(e.Path[strings.LastIndexByte(e.Path, '/')+1:]), 0))
	flags := byte(0)
	if e.Blob != e.Want || e.Head != e.Want {
		flags = flagRest
		b.addRest(e)
	}
	b.records = append(b.records, flags)
	b.records = b.appendID(b.appendID(b.records, e.Want), e.Commit)
	b.records = binary.LittleEndian.AppendUint64(b.records, uint64(e.When))
	b.records = appendStat(b.records, e.Stat)
	b.nRecords, b.inF = b.nRecords+1, b.inF+1
}

func (b *tableBuilder) bytes() []byte {
	b.end()
	out := make([]byte, 0, tableHead+len(b.folders)+len(b.records)+len(b.rest)+len(b.names))
	out = append(out, tableMagic...)
	for _, n := range []int{b.id, b.nFolders, b.nRecords, b.nRest} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	for _, part := range [][]byte{b.folders, b.records, b.rest, b.names} {
		out = append(out, part...)
	}
	return out
}
