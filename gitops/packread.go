package gitops

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// packReader reads single objects out of packs (gitformat-pack(5)). go-git loads the
// whole index of a pack before it reads from it, and lists all of the object store,
// which costs more than the save that wants one blob. Whatever is unusual, or is not
// what its id says, is left to go-git and to git.
type packReader struct {
	packs  []*packFile
	listed time.Time // the folder's time when it was read
	spent  int
}

// packFile is one pack and its index, open.
type packFile struct{ idx, pack *os.File }

const (
	// quickReads is how many objects are read this way. With more, go-git is quicker: it
	// keeps what it loaded, and the bases of deltas.
	quickReads = 128
	// maxPacks is how many packs are looked through.
	maxPacks = 64

	packHeader   = 12
	idxHeader    = 8
	idxFan       = 256 * 4
	packOfsDelta = 6
	packRefDelta = 7
	// maxChain is how deep a delta may stand on others; git makes 50 at most unless it
	// is told otherwise.
	maxChain = 512
)

// read returns an object. ok is false where it is in no pack that can be read here, or
// is larger than limit (0: there is none) or takes pieces that are.
func (p *packReader) read(r *Repo, id ID, kind string, limit int64) (b []byte, ok bool) {
	if runtime.GOOS == "windows" { // an open file cannot be removed by a gc
		return nil, false
	}
	if p.spent >= quickReads {
		p.close() // a gc may have removed what is open
		return nil, false
	}
	p.spent++
	if limit <= 0 || limit > maxLoose {
		limit = maxLoose
	}
	for range 2 {
		for _, f := range p.packs {
			at, found := f.find(id)
			if !found {
				continue
			}
			k, b, ok := f.object(at, limit)
			return b, ok && kindNames[k] == kind && r.hashObject(k, b) == id
		}
		if !p.list(filepath.Join(r.CommonDir, "objects", "pack")) {
			break
		}
	}
	return nil, false
}

// list opens the packs; false where it did so already and nothing is new.
func (p *packReader) list(dir string) bool {
	fi, err := os.Stat(dir)
	if err != nil || fi.ModTime().Equal(p.listed) {
		return false
	}
	p.close()
	p.listed = fi.ModTime()
	names, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, n := range names {
		name, ok := strings.CutSuffix(n.Name(), ".idx")
		if !ok || !strings.HasPrefix(name, "pack-") {
			continue
		}
		if len(p.packs) == maxPacks {
			p.close()
			return false
		}
		if f := openPack(filepath.Join(dir, name)); f != nil {
			p.packs = append(p.packs, f)
		}
	}
	return true
}

func (p *packReader) close() {
	for _, f := range p.packs {
		f.close()
	}
	p.packs = nil
}

// openPack opens a pack whose index has version 2; nil where it is another one.
func openPack(name string) *packFile {
	f := &packFile{}
	var err error
	if f.idx, err = os.Open(name + ".idx"); err != nil {
		return nil
	}
	var head [idxHeader]byte
	if _, err = f.idx.ReadAt(head[:], 0); err == nil && string(head[:]) == "\xfftOc\x00\x00\x00\x02" {
		if f.pack, err = os.Open(name + ".pack"); err == nil {
			return f
		}
	}
	f.close()
	return nil
}

func (f *packFile) close() {
	for _, file := range []*os.File{f.idx, f.pack} {
		if file != nil {
			_ = file.Close()
		}
	}
}

// fan is how many objects have a first byte up to b; -1 stands before the first.
func (f *packFile) fan(b int) (int64, bool) {
	if b < 0 {
		return 0, true
	}
	var n [4]byte
	_, err := f.idx.ReadAt(n[:], idxHeader+int64(b)*4)
	return int64(binary.BigEndian.Uint32(n[:])), err == nil
}

// find is the place of an object in the pack.
func (f *packFile) find(id ID) (at int64, ok bool) {
	raw := id.Bytes()
	size := int64(len(raw))
	from, ok1 := f.fan(int(raw[0]) - 1)
	to, ok2 := f.fan(int(raw[0]))
	count, ok3 := f.fan(255)
	if !ok1 || !ok2 || !ok3 || from > to || to > count {
		return 0, false
	}
	var name [32]byte
	for lo, hi := from, to; lo < hi; {
		mid := (lo + hi) / 2
		if _, err := f.idx.ReadAt(name[:size], idxHeader+idxFan+mid*size); err != nil {
			return 0, false
		}
		switch bytes.Compare(name[:size], raw) {
		case -1:
			lo = mid + 1
		case 1:
			hi = mid
		default:
			var b [4]byte
			// Names, checksums, then offsets.
			_, err := f.idx.ReadAt(b[:], idxHeader+idxFan+count*(size+4)+mid*4)
			off := binary.BigEndian.Uint32(b[:])
			return int64(off), err == nil && off < 1<<31 // beyond, it is in another table
		}
	}
	return 0, false
}

// object reads what stands at an offset, by way of what it is a delta of.
func (f *packFile) object(at, most int64) (kind byte, b []byte, ok bool) {
	var deltas [][]byte
	for range maxChain {
		kind, data, base, ok := f.entry(at, most)
		if !ok {
			return 0, nil, false
		}
		if base != 0 {
			deltas = append(deltas, data)
			at = base
			continue
		}
		for i := len(deltas) - 1; i >= 0; i-- {
			if data, ok = applyDelta(data, deltas[i]); !ok {
				return 0, nil, false
			}
		}
		return kind, data, true
	}
	return 0, nil, false
}

// entry reads one entry; base is the place of what it is a delta of, else 0.
func (f *packFile) entry(at, most int64) (kind byte, data []byte, base int64, ok bool) {
	var head [64]byte
	n, err := f.pack.ReadAt(head[:], at)
	if at < packHeader || err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, 0, false
	}
	h := head[:n]
	kind, size, h, ok := entryHeader(h)
	if !ok {
		return 0, nil, 0, false
	}
	switch kind {
	case kindCommit, kindTree, kindBlob:
	case packOfsDelta:
		back, rest, ok := deltaOffset(h)
		if !ok || back <= 0 || back >= at {
			return 0, nil, 0, false
		}
		base, h = at-back, rest
	case packRefDelta:
		const size = 20
		if len(h) < size {
			return 0, nil, 0, false
		}
		if base, ok = f.find(idFromBytes(h[:size])); !ok {
			return 0, nil, 0, false
		}
		h = h[size:]
	default:
		return 0, nil, 0, false
	}
	data, ok = f.inflate(at+int64(n-len(h)), size, most)
	return kind, data, base, ok
}

// entryHeader reads kind and size: four bits of it, then seven in each byte.
func entryHeader(h []byte) (kind byte, size int64, rest []byte, ok bool) {
	if len(h) == 0 {
		return 0, 0, nil, false
	}
	c := h[0]
	kind, size = c>>4&7, int64(c&15)
	i := 1
	for shift := 4; c&0x80 != 0; shift += 7 {
		if i == len(h) || shift > 32 {
			return 0, 0, nil, false
		}
		c = h[i]
		size |= int64(c&0x7f) << shift
		i++
	}
	return kind, size, h[i:], true
}

// deltaOffset reads how far before a delta its base stands.
func deltaOffset(h []byte) (back int64, rest []byte, ok bool) {
	for i, c := range h[:min(len(h), 9)] {
		back = back<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return back, h[i+1:], true
		}
		back++
	}
	return 0, nil, false
}

// inflate reads size bytes of content that are compressed from an offset on.
func (f *packFile) inflate(at, size, most int64) ([]byte, bool) {
	if size > most {
		return nil, false
	}
	src := &sectionBytes{f: f.pack, at: at, chunk: int(min(size+64, 32<<10))}
	z, _ := inflaters.Get().(io.ReadCloser)
	var err error
	if z == nil {
		z, err = zlib.NewReader(src)
	} else {
		err = z.(zlib.Resetter).Reset(src, nil)
	}
	if err != nil {
		return nil, false
	}
	defer inflaters.Put(z)
	b := make([]byte, size)
	if _, err := io.ReadFull(z, b); err != nil {
		return nil, false
	}
	var one [1]byte
	n, err := z.Read(one[:]) // its checksum is looked at here
	return b, n == 0 && errors.Is(err, io.EOF)
}

// sectionBytes reads a file from an offset on. It is an io.ByteReader, so that zlib
// puts no buffer before it.
type sectionBytes struct {
	f     *os.File
	at    int64
	chunk int
	buf   []byte
}

func (s *sectionBytes) fill() error {
	if len(s.buf) > 0 {
		return nil
	}
	b := make([]byte, s.chunk)
	n, err := s.f.ReadAt(b, s.at)
	if n == 0 && err != nil {
		return err
	}
	s.buf, s.at = b[:n], s.at+int64(n)
	return nil
}

func (s *sectionBytes) Read(p []byte) (int, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	n := copy(p, s.buf)
	s.buf = s.buf[n:]
	return n, nil
}

func (s *sectionBytes) ReadByte() (byte, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	c := s.buf[0]
	s.buf = s.buf[1:]
	return c, nil
}

// applyDelta makes an object of its base: the sizes of both, then pieces to be copied
// from the base and pieces that are new.
func applyDelta(base, d []byte) ([]byte, bool) {
	from, d, ok := deltaSize(d)
	if !ok || from != len(base) {
		return nil, false
	}
	to, d, ok := deltaSize(d)
	if !ok {
		return nil, false
	}
	out := make([]byte, 0, to)
	for len(d) > 0 {
		op := d[0]
		d = d[1:]
		var piece []byte
		if op&0x80 == 0 {
			if op == 0 || int(op) > len(d) {
				return nil, false
			}
			piece, d = d[:op], d[op:]
		} else if piece, d, ok = deltaCopy(base, op, d); !ok {
			return nil, false
		}
		if len(out)+len(piece) > to {
			return nil, false
		}
		out = append(out, piece...)
	}
	return out, len(out) == to
}

// deltaCopy is a piece of the base: bits of op say which bytes of offset and length
// follow.
func deltaCopy(base []byte, op byte, d []byte) (piece, rest []byte, ok bool) {
	var v [7]int
	for i := range v {
		if op>>i&1 == 0 {
			continue
		}
		if len(d) == 0 {
			return nil, nil, false
		}
		v[i], d = int(d[0]), d[1:]
	}
	off := v[0] | v[1]<<8 | v[2]<<16 | v[3]<<24
	n := v[4] | v[5]<<8 | v[6]<<16
	if n == 0 {
		n = 0x10000
	}
	if off > len(base) || n > len(base)-off {
		return nil, nil, false
	}
	return base[off : off+n], d, true
}

// deltaSize reads a size, seven bits in each byte.
func deltaSize(d []byte) (n int, rest []byte, ok bool) {
	for i, c := range d[:min(len(d), 5)] {
		n |= int(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			return n, d[i+1:], n <= maxLoose
		}
	}
	return 0, nil, false
}
