package lexical

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/RoaringBitmap/roaring"
	"github.com/blevesearch/vellum"
)

// ice's segments are written and merged by ice and read here. ice believes what it
// reads: a length of which a bit is flipped is an allocation that nothing can
// recover from. And its iterator, made for positions and skipping, takes several
// times as long a posting.
//
// A segment of version 1 is (numbers big-endian, v: varint):
//
//	stored:   for each document v meta length, v data length, meta, data (snappy)
//	          at storedAt: for each document uint64 where that is
//	fields:   at fieldsAt: for each field uint64 where its v dictionary, v name
//	          length, name stand; to the footer
//	values:   at valuesAt: for each field two v, all MaxUint64: we have none
//	dict:     v length, vellum FST of terms to what postings reads
//	footer:   uint64 documents, storedAt, fieldsAt, valuesAt; uint32 list mode,
//	          version, CRC of all before it
type format struct {
	data     []byte
	body     []byte // of data, without the footer
	docs     uint64
	storedAt uint64
	dicts    map[string]*vellum.FST
}

const (
	footerSize = 4*8 + 3*4
	listMode   = 1025 // the only one that ice writes
	maxFields  = 64
)

var errFormat = errors.New("numbers that do not fit")

// readFormat checks the frame of a segment and opens its dictionaries.
func readFormat(data []byte) (*format, error) {
	if len(data) < footerSize {
		return nil, errFormat
	}
	body, foot := data[:len(data)-footerSize], data[len(data)-footerSize:]
	word := func(i int) uint64 { return binary.BigEndian.Uint64(foot[8*i:]) }
	f := &format{data: data, body: body, docs: word(0), storedAt: word(1), dicts: map[string]*vellum.FST{}}
	fieldsAt, valuesAt := word(2), word(3)
	size := uint64(len(body))
	if f.docs > size/8 || f.storedAt > size || f.docs*8 > size-f.storedAt || fieldsAt > size || (size-fieldsAt)%8 != 0 || (size-fieldsAt)/8 > maxFields {
		return nil, errFormat
	}
	if binary.BigEndian.Uint32(foot[32:]) != listMode {
		return nil, errFormat
	}
	for at := fieldsAt; at < size; at += 8 {
		if err := f.readField(binary.BigEndian.Uint64(body[at:])); err != nil {
			return nil, err
		}
	}
	if f.docs > 0 {
		r := reader{body, valuesAt}
		for range 2 * (size - fieldsAt) / 8 {
			if v, ok := r.varint(); !ok || v != math.MaxUint64 {
				return nil, errFormat
			}
		}
	}
	return f, nil
}

func (f *format) readField(at uint64) error {
	r := reader{f.body, at}
	dictAt, ok := r.varint()
	name, ok2 := r.bytes()
	if !ok || !ok2 {
		return errFormat
	}
	if dictAt == 0 {
		return nil
	}
	r.at = dictAt
	fst, ok := r.bytes()
	if !ok {
		return errFormat
	}
	dict, err := vellum.Load(fst)
	if err != nil {
		return err
	}
	f.dicts[string(name)] = dict
	return nil
}

// whole reports whether all bytes are as they were written. It reads them all.
func (f *format) whole() bool {
	end := len(f.data) - 4
	return crc32.ChecksumIEEE(f.data[:end]) == binary.BigEndian.Uint32(f.data[end:])
}

// postings is a term's documents, in ascending order, and for each its frequency
// and length.
type postings struct {
	docs *roaring.Bitmap // nil: there is only one
	one  uint32
	norm uint32 // of the only one, whose frequency is 1
	tf   reader
}

// The top bits of a dictionary's value say that it is the posting itself.
const (
	kindBits = 3 << 62
	kindOne  = 2 << 62
	low31    = 1<<31 - 1
)

// postings finds a term; nil when nothing has it.
func (f *format) postings(field, term string) (*postings, error) {
	dict := f.dicts[field]
	if dict == nil {
		return nil, nil
	}
	value, found, err := dict.Get([]byte(term))
	if err != nil || !found {
		return nil, err
	}
	return f.postingsAt(value)
}

func (f *format) postingsAt(value uint64) (*postings, error) {
	if value&kindBits == kindOne {
		p := &postings{one: uint32(value & low31), norm: uint32(value >> 31 & low31)}
		if uint64(p.one) >= f.docs {
			return nil, errFormat
		}
		return p, nil
	}
	r := reader{f.body, value}
	tfAt, ok := r.varint()
	_, ok2 := r.varint() // places in the text: none
	bitmap, ok3 := r.bytes()
	if !ok || !ok2 || !ok3 || tfAt == 0 {
		return nil, errFormat
	}
	p := &postings{docs: roaring.New(), tf: reader{f.body, tfAt}}
	if _, err := p.docs.FromBuffer(bitmap); err != nil {
		return nil, err
	}
	if p.docs.IsEmpty() || uint64(p.docs.Maximum()) >= f.docs {
		return nil, errFormat
	}
	// Where each block ends is for skipping; they follow each other.
	blocks, ok := p.tf.varint()
	for ; ok && blocks > 0; blocks-- {
		_, ok = p.tf.varint()
	}
	if !ok {
		return nil, errFormat
	}
	return p, nil
}

// count returns how many documents there are, as far as that is to be believed.
func (p *postings) count(f *format) int {
	if p.docs == nil {
		return 1
	}
	return int(min(p.docs.GetCardinality(), f.docs))
}

// each calls visit for every document.
func (p *postings) each(visit func(doc, tf, norm uint32)) error {
	if p.docs == nil {
		visit(p.one, 1, p.norm)
		return nil
	}
	var buf [256]uint32
	next := uint32(0)
	for it := p.docs.ManyIterator(); ; {
		n := it.NextMany(buf[:])
		if n == 0 {
			return nil
		}
		for _, doc := range buf[:n] {
			tf, ok := p.tf.varint()
			norm, ok2 := p.tf.varint()
			if !ok || !ok2 || tf > math.MaxUint32 || norm > math.MaxUint32 || doc < next {
				return errFormat
			}
			next = doc + 1
			visit(doc, uint32(tf>>1), uint32(norm)) // bit 0: has places
		}
	}
}

// checkStored reports whether what is stored of a document can be decoded without
// reserving more than it can hold.
func (f *format) checkStored(doc uint32) error {
	if uint64(doc) >= f.docs {
		return errFormat
	}
	r := reader{f.body, binary.BigEndian.Uint64(f.body[f.storedAt+8*uint64(doc):])}
	meta, ok := r.varint()
	data, ok2 := r.varint()
	left := uint64(len(f.body)) - r.at
	if !ok || !ok2 || meta > left || data > left-meta {
		return errFormat
	}
	r.at += meta
	const most = 32 // times that snappy makes smaller at best, and some
	if plain, ok := r.varint(); !ok || plain > most*data {
		return fmt.Errorf("%w: %d bytes stored as %d", errFormat, plain, data)
	}
	return nil
}

// reader reads numbers within bounds.
type reader struct {
	data []byte
	at   uint64
}

func (r *reader) varint() (uint64, bool) {
	if r.at >= uint64(len(r.data)) {
		return 0, false
	}
	if c := r.data[r.at]; c < 0x80 {
		r.at++
		return uint64(c), true
	}
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		return 0, false
	}
	r.at += uint64(n)
	return v, true
}

// bytes reads a length and as many bytes.
func (r *reader) bytes() ([]byte, bool) {
	n, ok := r.varint()
	if !ok || n > uint64(len(r.data))-r.at {
		return nil, false
	}
	b := r.data[r.at : r.at+n : r.at+n]
	r.at += n
	return b, true
}
