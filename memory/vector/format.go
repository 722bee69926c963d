package vector

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

const (
	magic       = "clawvec\n"
	version     = 1
	headerFixed = 32 // before the embedder id
	hashSize    = 16
	metaSize    = 8

	// MaxDim is the largest number of components of a vector.
	MaxDim      = 1 << 14
	maxEmbedder = 1 << 10
	maxCount    = 1 << 26
)

// header is the parsed start of a file.
type header struct {
	dim, count int
	embedder   string
	indexSum   uint32
}

// layout gives where the sections of a file start, and its size, in bytes.
type layout struct{ hashes, bits, meta, comps, size int64 }

func (h header) words() int { return (h.dim + 63) / 64 }

func (h header) layout() layout {
	var l layout
	n := int64(h.count)
	l.hashes = int64(headerFixed+len(h.embedder)+63) / 64 * 64
	l.bits = l.hashes + n*hashSize
	l.meta = l.bits + n*int64(h.words())*8
	l.comps = l.meta + n*metaSize
	l.size = l.comps + n*int64(h.dim)
	return l
}

// encode writes the header with its sum. indexSum covers hashes, bits and meta.
func (h header) encode() []byte {
	b := make([]byte, h.layout().hashes)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], uint32(h.dim))
	binary.LittleEndian.PutUint32(b[16:], uint32(h.count))
	binary.LittleEndian.PutUint32(b[20:], uint32(len(h.embedder)))
	binary.LittleEndian.PutUint32(b[24:], h.indexSum)
	copy(b[headerFixed:], h.embedder)
	binary.LittleEndian.PutUint32(b[28:], headerSum(b))
	return b
}

// headerSum leaves out the four bytes that hold it.
func headerSum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:28], castagnoli), castagnoli, b[headerFixed:])
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// parseHeader reads the header of a file of len(b) bytes. The error is
// errForeign or tells what is wrong, for a CorruptError.
func parseHeader(b []byte) (header, error) {
	var h header
	if len(b) < headerFixed || string(b[:8]) != magic {
		return h, fmt.Errorf("no header")
	}
	if binary.LittleEndian.Uint32(b[8:]) != version {
		return h, errForeign
	}
	dim, count, idLen := binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])
	if dim == 0 || dim > MaxDim || count == 0 || count > maxCount || idLen > maxEmbedder {
		return h, fmt.Errorf("impossible numbers in its header")
	}
	h.dim, h.count = int(dim), int(count)
	if int64(headerFixed)+int64(idLen) > int64(len(b)) {
		return h, fmt.Errorf("it is cut off in its header")
	}
	h.embedder = string(b[headerFixed : headerFixed+int(idLen)])
	h.indexSum = binary.LittleEndian.Uint32(b[24:])
	l := h.layout()
	if l.size != int64(len(b)) {
		return h, fmt.Errorf("%d bytes, expected %d", len(b), l.size)
	}
	if headerSum(b[:l.hashes]) != binary.LittleEndian.Uint32(b[28:]) {
		return h, fmt.Errorf("wrong sum of its header")
	}
	return h, nil
}

// table is the content of one file: mapped, or in memory before it is written.
type table struct {
	header
	hashes, bits, meta, comps []byte
}

// cut makes a table of a whole file whose header was parsed.
func cut(h header, b []byte) table {
	l := h.layout()
	return table{
		header: h, hashes: b[l.hashes:l.bits], bits: b[l.bits:l.meta],
		meta: b[l.meta:l.comps], comps: b[l.comps:l.size],
	}
}

// indexCRC is the sum of everything that is read for every vector.
func (t *table) indexCRC() uint32 {
	sum := crc32.Update(0, castagnoli, t.hashes)
	sum = crc32.Update(sum, castagnoli, t.bits)
	return crc32.Update(sum, castagnoli, t.meta)
}

func (t *table) hashOf(i int) []byte { return t.hashes[i*hashSize : (i+1)*hashSize] }

func (t *table) hash(i int) [hashSize]byte { return [hashSize]byte(t.hashOf(i)) }

func (t *table) bitsOf(i int) []byte {
	w := t.words() * 8
	return t.bits[i*w : (i+1)*w]
}

func (t *table) metaOf(i int) []byte { return t.meta[i*metaSize : (i+1)*metaSize] }

func (t *table) compsOf(i int) []byte { return t.comps[i*t.dim : (i+1)*t.dim] }

func (t *table) scale(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(t.metaOf(i)))
}

// ok reports whether vector i is what was written.
func (t *table) ok(i int) bool {
	scale := float64(t.scale(i))
	return scale > 0 && !math.IsInf(scale, 1) && t.rowSum(i) == binary.LittleEndian.Uint32(t.metaOf(i)[4:])
}

func (t *table) rowSum(i int) uint32 {
	sum := crc32.Update(0, castagnoli, t.hashOf(i))
	sum = crc32.Update(sum, castagnoli, t.metaOf(i)[:4])
	return crc32.Update(sum, castagnoli, t.compsOf(i))
}

// find returns the position of a hash, or -1.
func (t *table) find(hash [hashSize]byte) int {
	lo, hi := 0, t.count
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bytes.Compare(t.hashOf(mid), hash[:]) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < t.count && t.hash(lo) == hash {
		return lo
	}
	return -1
}

// build makes a table of entries that were checked, sorted, each hash once.
func build(embedder string, dim int, entries []Entry) table {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int { return bytes.Compare(a.Hash[:], b.Hash[:]) })
	entries = slices.CompactFunc(entries, func(a, b Entry) bool { return a.Hash == b.Hash })
	t := table{header: header{dim: dim, count: len(entries), embedder: embedder}}
	t.hashes = make([]byte, len(entries)*hashSize)
	t.bits = make([]byte, len(entries)*t.words()*8)
	t.meta = make([]byte, len(entries)*metaSize)
	t.comps = make([]byte, len(entries)*dim)
	for i, e := range entries {
		copy(t.hashOf(i), e.Hash[:])
		scale := quantise(e.Vec, t.compsOf(i))
		binary.LittleEndian.PutUint32(t.metaOf(i), math.Float32bits(scale))
		binary.LittleEndian.PutUint32(t.metaOf(i)[4:], t.rowSum(i))
		b := t.bitsOf(i)
		for j, x := range e.Vec {
			if x >= 0 {
				b[j/8] |= 1 << (j % 8)
			}
		}
	}
	return t
}

// quantise writes the direction of v as int8 into out and returns the scale that
// gives out length 1: a cosine computed from out is exact for out, and only the
// rounding of the components is lost (about 0.001 for 384 components).
func quantise(v []float32, out []byte) (scale float32) {
	step := 127 / float64(maxAbs(v))
	sum := 0
	for i, x := range v {
		c := int(math.Round(float64(x) * step))
		out[i] = byte(int8(c))
		sum += c * c
	}
	return float32(1 / math.Sqrt(float64(sum)))
}

func maxAbs(v []float32) float32 {
	var m float32
	for _, x := range v {
		m = max(m, x, -x)
	}
	return m
}

// check tells what is wrong with a vector; nil: nothing.
func check(v []float32, dim int) error {
	if len(v) != dim {
		return ErrDim
	}
	for _, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return ErrNotFinite
		}
	}
	if maxAbs(v) == 0 {
		return ErrZero
	}
	return nil
}
