package lexical

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"

	"github.com/RoaringBitmap/roaring"
	segment "github.com/blugelabs/bluge_segment_api"
	"github.com/blugelabs/ice"
)

// ErrCorrupt: a segment is not what was written.
var ErrCorrupt = errors.New("damaged segment")

// Version changes whenever the fields of a segment do.
const Version = 3

// The fields of the documents in a segment.
const (
	fieldKey     = "_id" // file: its key
	fieldAttr    = "a"   // file: attributes, and isFile
	fieldName    = "p"   // file: words of its path
	fieldDay     = "d"   // file and chunk: days, months, years
	fieldStored  = "s"   // file: stored, not searched
	fieldText    = "t"   // chunk: words
	fieldHeading = "h"   // chunk: words of the headings above it
	fieldHash    = "c"   // chunk: hash of its text
)

// isFile is the attribute that every file document has.
const isFile = "*"

// File is what is indexed of one file.
type File struct {
	Key    string   // unique in a View
	Name   string   // text whose words name the file: its path
	Days   []string // calendar days it is about, YYYY-MM-DD
	Attrs  []string // what Query.With and Query.Without ask for
	Stored []byte   // returned with hits
	Chunks []Chunk
}

// Chunk is a piece of a file.
type Chunk struct {
	Text    string
	Heading string
	Days    []string
	Hash    [16]byte
}

// Totals are the counts that scores are computed with.
type Totals struct {
	Files  int `json:"files"`
	Chunks int `json:"chunks"`
	Length int `json:"length"` // words of all chunks
}

func (t *Totals) add(o Totals, sign int) {
	t.Files += sign * o.Files
	t.Chunks += sign * o.Chunks
	t.Length += sign * o.Length
}

// Segment is an immutable part of an index. Safe for concurrent reading.
type Segment struct {
	seg     segment.Segment
	files   []uint32 // document numbers of files, ascending
	lengths []uint32 // of these files, in words
	docs    int
}

// guard turns a panic of the library on damaged data into ErrCorrupt.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrCorrupt, r)
	}
}

// Open reads a segment from its bytes, which may be memory mapped and must stay
// as they are while the Segment is in use.
func Open(data []byte) (s *Segment, err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	seg, err := ice.Load(segment.NewDataBytes(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	// Each document has eight bytes in a table, so a number that is too large for
	// that is a damaged one; memory would be reserved for all of them.
	if seg.Count() > uint64(len(data)/8) {
		return nil, fmt.Errorf("%w: %d documents in %d bytes", ErrCorrupt, seg.Count(), len(data))
	}
	return newSegment(seg)
}

func newSegment(seg segment.Segment) (*Segment, error) {
	s := &Segment{seg: seg, docs: int(seg.Count())}
	// ice opens dictionaries when they are asked for, and keeps a lock when that
	// fails: the next to ask would wait for ever. So all are opened here.
	for _, f := range seg.Fields() {
		if _, err := seg.Dictionary(f); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	if err := s.readFiles(); err != nil {
		return nil, err
	}
	if s.docs > 0 && (len(s.files) == 0 || s.files[0] != 0 || int(s.files[len(s.files)-1]) >= s.docs) {
		return nil, fmt.Errorf("%w: chunks without a file", ErrCorrupt)
	}
	return s, nil
}

// readFiles lists the files; their lengths stand where other fields have theirs.
func (s *Segment) readFiles() error {
	dict, err := s.seg.Dictionary(fieldAttr)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	list, err := dict.PostingsList([]byte(isFile), nil, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	it, err := list.Iterator(true, true, false, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	n := min(int(list.Count()), s.docs)
	s.files, s.lengths = make([]uint32, 0, n), make([]uint32, 0, n)
	for {
		next, err := it.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		if next == nil {
			return nil
		}
		s.files = append(s.files, uint32(next.Number()))
		s.lengths = append(s.lengths, math.Float32bits(float32(next.Norm())))
	}
}

// Write writes the segment; what Open reads.
func (s *Segment) Write(w io.Writer) (err error) {
	defer guard(&err)
	_, err = s.seg.WriteTo(w, nil)
	return err
}

// bitmap returns the documents that hold a term.
func (s *Segment) bitmap(field, term string) (*roaring.Bitmap, error) {
	if !slices.Contains(s.seg.Fields(), field) {
		return roaring.New(), nil // nothing has the field; ice would follow a nil pointer
	}
	bm, err := s.seg.DocsMatchingTerms([]segment.Term{termOf{field, term}})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return bm, nil
}

type termOf struct{ field, term string }

func (t termOf) Field() string { return t.field }
func (t termOf) Term() []byte  { return []byte(t.term) }

// find returns the document number of a file by its key.
func (s *Segment) find(key string) (uint32, bool, error) {
	bm, err := s.bitmap(fieldKey, key)
	if err != nil || bm.IsEmpty() {
		return 0, false, err
	}
	return bm.Minimum(), true, nil
}

// span returns the documents of the file that starts at number start: [start, end).
func (s *Segment) span(start uint32) (end uint32) {
	i, _ := slices.BinarySearch(s.files, start+1)
	if i < len(s.files) {
		return s.files[i]
	}
	return uint32(s.docs)
}

// stored reads what is stored of a file: its totals and the caller's bytes.
func (s *Segment) stored(doc uint32) (Totals, []byte, error) {
	var value []byte
	err := s.seg.VisitStoredFields(uint64(doc), func(field string, v []byte) bool {
		if field == fieldStored {
			value = slices.Clone(v)
		}
		return value == nil
	})
	if err != nil {
		return Totals{}, nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	chunks, n := binary.Uvarint(value)
	if n <= 0 {
		return Totals{}, nil, fmt.Errorf("%w: file without stored data", ErrCorrupt)
	}
	length, m := binary.Uvarint(value[n:])
	if m <= 0 || chunks > math.MaxInt32 || length > math.MaxInt32 {
		return Totals{}, nil, fmt.Errorf("%w: file without stored data", ErrCorrupt)
	}
	return Totals{Files: 1, Chunks: int(chunks), Length: int(length)}, value[n+m:], nil
}
