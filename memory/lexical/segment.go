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
	Hash    [16]byte // what View.Holding finds it by; zero: nothing
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
	*format
	seg     segment.Segment // for merging and what is stored
	files   []uint32        // document numbers of files, ascending
	lengths []uint32        // of these files, in words
	fileOf  []uint32        // of each document its file, as index in files
	docs    int             // hides format.docs
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
	f, err := readFormat(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	seg, err := ice.Load(segment.NewDataBytes(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	s = &Segment{format: f, seg: seg, docs: int(f.docs)}
	if err := s.readFiles(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if s.docs > 0 && (len(s.files) == 0 || s.files[0] != 0) {
		return nil, fmt.Errorf("%w: chunks without a file", ErrCorrupt)
	}
	s.fileOf = make([]uint32, s.docs)
	for i, start := range s.files {
		end := s.docs
		if i+1 < len(s.files) {
			end = int(s.files[i+1])
		}
		for d := int(start); d < end; d++ {
			s.fileOf[d] = uint32(i)
		}
	}
	return s, nil
}

// readFiles lists the files; their lengths stand where other fields have theirs.
func (s *Segment) readFiles() error {
	list, err := s.postings(fieldAttr, isFile)
	if err != nil || list == nil {
		return err
	}
	n := list.count(s.format)
	s.files, s.lengths = make([]uint32, 0, n), make([]uint32, 0, n)
	return list.each(func(doc, _, norm uint32) {
		s.files = append(s.files, doc)
		s.lengths = append(s.lengths, norm)
	})
}

// Write writes the segment; what Open reads.
func (s *Segment) Write(w io.Writer) error {
	_, err := w.Write(s.data)
	return err
}

// bitmap returns the documents that hold a term.
func (s *Segment) bitmap(field, term string) (*roaring.Bitmap, error) {
	list, err := s.postings(field, term)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case list == nil:
		return roaring.New(), nil
	case list.docs == nil:
		return roaring.BitmapOf(list.one), nil
	}
	return list.docs, nil
}

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
	if err := s.checkStored(doc); err != nil {
		return Totals{}, nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
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
