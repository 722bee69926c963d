package index

import (
	"encoding/binary"
	"errors"
	"fmt"
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

// stat is what tells that a file has not been touched.
type stat struct {
	Size, Mtime, Ctime int64 // bytes, nanoseconds
	Ino                uint64
}

const tableMagic = "clawtbl1"

func appendID(b []byte, id gitops.ID) []byte {
	raw := id.Bytes()
	return append(append(b, byte(len(raw))), raw...)
}

// encodeTable writes entries, which are in order of their paths.
func encodeTable(entries []Entry) []byte {
	b := make([]byte, 0, len(tableMagic)+len(entries)*160)
	b = append(b, tableMagic...)
	b = binary.AppendUvarint(b, uint64(len(entries)))
	for i := range entries {
		e := &entries[i]
		b = binary.AppendUvarint(b, uint64(len(e.Path)))
		b = append(b, e.Path...)
		b = appendID(b, e.Want)
		for _, id := range []gitops.ID{e.Blob, e.Head} {
			if id == e.Want {
				b = append(b, 0xff) // the usual case
			} else {
				b = appendID(b, id)
			}
		}
		b = appendID(b, e.Commit)
		b = binary.AppendVarint(b, e.When)
		b = binary.AppendVarint(b, e.Stat.Size)
		b = binary.AppendVarint(b, e.Stat.Mtime)
		b = binary.AppendVarint(b, e.Stat.Ctime)
		b = binary.AppendUvarint(b, e.Stat.Ino)
	}
	return b
}

var errTable = errors.New("damaged table")

// decoder reads what encodeTable wrote. The first fault sticks.
type decoder struct {
	data string
	bad  bool
}

func (d *decoder) take(n int) string {
	if n < 0 || n > len(d.data) {
		d.bad, n = true, 0
	}
	s := d.data[:n]
	d.data = d.data[n:]
	return s
}

func (d *decoder) uvarint() uint64 {
	var v uint64
	for i := 0; i < len(d.data) && i < 10; i++ {
		c := d.data[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.data = d.data[i+1:]
			return v
		}
	}
	d.bad = true
	return 0
}

func (d *decoder) varint() int64 {
	u := d.uvarint()
	v := int64(u >> 1)
	if u&1 != 0 {
		v = ^v
	}
	return v
}

func (d *decoder) id(same gitops.ID) gitops.ID {
	n := d.take(1)
	if d.bad || n[0] == 0xff {
		return same
	}
	raw := d.take(int(n[0]))
	if len(raw) != 0 && len(raw) != 20 && len(raw) != 32 {
		d.bad = true
	}
	return gitops.IDFromString(raw)
}

func decodeTable(data []byte) ([]Entry, error) {
	d := decoder{data: string(data)}
	if d.take(len(tableMagic)) != tableMagic {
		return nil, errTable
	}
	n := d.uvarint()
	if n > uint64(len(data)) {
		return nil, errTable
	}
	entries := make([]Entry, 0, n)
	for range n {
		var e Entry
		e.Path = d.take(int(min(d.uvarint(), 1<<20)))
		e.Want = d.id(gitops.ID{})
		e.Blob, e.Head = d.id(e.Want), d.id(e.Want)
		e.Commit = d.id(gitops.ID{})
		e.When = d.varint()
		e.Stat = stat{Size: d.varint(), Mtime: d.varint(), Ctime: d.varint(), Ino: d.uvarint()}
		if d.bad {
			return nil, errTable
		}
		if len(entries) > 0 && entries[len(entries)-1].Path >= e.Path {
			return nil, fmt.Errorf("%w: out of order", errTable)
		}
		entries = append(entries, e)
	}
	return entries, nil
}
