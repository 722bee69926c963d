package lexical

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/RoaringBitmap/roaring"
	segment "github.com/blugelabs/bluge_segment_api"
	"github.com/blugelabs/ice"
)

// Part is a segment and the files of it that count no more. Not for concurrent
// use while files are dropped.
type Part struct {
	Segment *Segment
	Live    Totals // without what is dropped
	dropped *roaring.Bitmap
}

// NewPart returns a part of which nothing is dropped.
func NewPart(s *Segment, t Totals) *Part { return &Part{Segment: s, Live: t} }

// RestorePart returns a part with the drops that MarshalDrops gave.
func RestorePart(s *Segment, live Totals, drops []byte) (p *Part, err error) {
	defer guard(&err)
	p = &Part{Segment: s, Live: live}
	if len(drops) == 0 {
		return p, nil
	}
	p.dropped = roaring.New()
	if err := p.dropped.UnmarshalBinary(drops); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if !p.dropped.IsEmpty() && int(p.dropped.Maximum()) >= s.docs {
		return nil, fmt.Errorf("%w: drops outside", ErrCorrupt)
	}
	return p, nil
}

// MarshalDrops gives the dropped documents as bytes; nil when there are none.
func (p *Part) MarshalDrops() ([]byte, error) {
	if p.dropped == nil || p.dropped.IsEmpty() {
		return nil, nil
	}
	p.dropped.RunOptimize()
	return p.dropped.ToBytes()
}

// Dropped counts the documents, files and chunks, that are dropped.
func (p *Part) Dropped() int {
	if p.dropped == nil {
		return 0
	}
	return int(p.dropped.GetCardinality())
}

// Docs counts all documents of the segment.
func (p *Part) Docs() int { return p.Segment.docs }

// Drop takes a file out. It reports whether it was there.
func (p *Part) Drop(key string) (was bool, err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	doc, found, err := p.Segment.find(key)
	if err != nil || !found || p.dropped != nil && p.dropped.Contains(doc) {
		return false, err
	}
	t, _, err := p.Segment.stored(doc)
	if err != nil {
		return false, err
	}
	if p.dropped == nil {
		p.dropped = roaring.New()
	}
	p.dropped.AddRange(uint64(doc), uint64(p.Segment.span(doc)))
	p.Live.add(t, -1)
	return true, nil
}

// Each calls visit for every file that is not dropped, until it returns false.
func (p *Part) Each(visit func(stored []byte) bool) (err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, doc := range p.Segment.files {
		if p.dropped != nil && p.dropped.Contains(doc) {
			continue
		}
		_, stored, err := p.Segment.stored(doc)
		if err != nil {
			return err
		}
		if !visit(stored) {
			return nil
		}
	}
	return nil
}

// Merge writes the parts as one segment, without what is dropped, and returns its
// totals.
func Merge(parts []*Part, w io.Writer) (t Totals, err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	segments := make([]segment.Segment, len(parts))
	drops := make([]*roaring.Bitmap, len(parts))
	for i, p := range parts {
		if !p.Segment.whole() { // ice does not guard itself against damage, see format
			return Totals{}, fmt.Errorf("merge segments: %w: wrong checksum", ErrCorrupt)
		}
		segments[i], drops[i] = p.Segment.seg, p.dropped
		t.add(p.Live, 1)
	}
	out := &keepError{w: w}
	if _, err := ice.Merge(segments, drops, mergeBuffer).WriteTo(out, nil); err != nil {
		if out.err != nil {
			return Totals{}, fmt.Errorf("merge segments: %w", out.err)
		}
		return Totals{}, fmt.Errorf("merge segments: %w: %w", ErrCorrupt, err)
	}
	return t, nil
}

// keepError tells the errors of a writer, a full disk, from those of what is read.
type keepError struct {
	w   io.Writer
	err error
}

func (k *keepError) Write(b []byte) (n int, err error) {
	n, err = k.w.Write(b)
	if err != nil {
		k.err = err
	}
	return n, err
}

// mergeBuffer is how much ice gathers before it writes, in bytes.
const mergeBuffer = 1 << 20

// Holding finds the chunks with a text by its hash; scores are 0.
func (v View) Holding(hash [16]byte) (hits []Hit, err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for i, p := range v.Parts {
		docs, err := p.Segment.bitmap(fieldHash, string(hash[:]))
		if err != nil {
			return nil, err
		}
		for it := docs.Iterator(); it.HasNext(); {
			doc := it.Next()
			if p.dropped != nil && p.dropped.Contains(doc) {
				continue
			}
			n, _ := slices.BinarySearch(p.Segment.files, doc+1)
			if n == 0 {
				return nil, fmt.Errorf("%w: chunk without a file", ErrCorrupt)
			}
			file := p.Segment.files[n-1]
			hits = append(hits, Hit{Part: i, File: file, Chunk: int(doc-file) - 1})
		}
	}
	return hits, nil
}
