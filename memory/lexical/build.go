package lexical

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	segment "github.com/blugelabs/bluge_segment_api"
	"github.com/blugelabs/ice"
)

// Builder makes segments. Not for concurrent use; several builders may work side
// by side.
type Builder struct {
	analyser *Analyser
	docs     []segment.Document
	totals   Totals
	counts   map[string]int
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{analyser: NewAnalyser(), counts: map[string]int{}}
}

// Totals counts what was added since the last Build.
func (b *Builder) Totals() Totals { return b.totals }

// Add indexes a file. The language of a chunk is that of its own words, and that
// of the whole file where the chunk is too short to tell.
func (b *Builder) Add(f File) {
	at := len(b.docs)
	b.docs = append(b.docs, nil)
	lang := b.fileLanguage(f)
	total := Totals{Files: 1, Chunks: len(f.Chunks)}
	var spoken [languages]bool // what search looks for stems of
	spoken[lang] = true
	for _, c := range f.Chunks {
		text := b.analyser.analyse(c.Text, lang)
		heading := b.analyser.analyse(c.Heading, text.language)
		spoken[text.language], spoken[heading.language] = true, true
		total.Length += len(text.Terms)
		d := document{
			b.field(fieldText, text.Terms),
			b.field(fieldHeading, heading.Terms),
			b.field(fieldDay, dayTerms(c.Days)),
		}
		if c.Hash != ([16]byte{}) {
			d = append(d, field{name: fieldHash, terms: []count{{term: bytes.Clone(c.Hash[:]), n: 1}}})
		}
		b.docs = append(b.docs, d)
	}
	stored := binary.AppendUvarint(nil, uint64(total.Chunks))
	stored = binary.AppendUvarint(stored, uint64(total.Length))
	name := b.analyser.analyse(f.Name, lang)
	spoken[name.language] = true
	attrs := append([]string{isFile}, f.Attrs...)
	for l := range languages {
		if spoken[l] && l != english {
			attrs = append(attrs, languageAttr(l))
		}
	}
	b.docs[at] = document{
		field{name: fieldKey, terms: []count{{term: []byte(f.Key), n: 1}}},
		b.attrs(attrs, total.Length),
		b.field(fieldName, name.Terms),
		b.field(fieldDay, dayTerms(f.Days)),
		field{name: fieldStored, value: append(stored, f.Stored...)},
	}
	b.totals.add(total, 1)
}

func languageAttr(l language) string { return "lang:" + codes[l] }

// languageSample is how much of a file tells its language.
const languageSample = 1 << 10

func (b *Builder) fileLanguage(f File) language {
	var v vote
	left := languageSample
	for _, c := range f.Chunks {
		text := c.Text
		if len(text) > left {
			text = text[:left]
		}
		left -= len(text)
		b.analyser.split(normalise(text))
		for _, w := range b.analyser.words {
			if l := b.analyser.langs[w.text]; l != 0 {
				v[l-1]++
			}
		}
		if left <= 0 {
			break
		}
	}
	return v.winner(english)
}

// Build returns what was added as a segment, and empties the builder.
func (b *Builder) Build() (s *Segment, t Totals, err error) {
	defer guard(&err)
	seg, _, err := ice.New(b.docs, lengthAsNorm)
	if err != nil {
		return nil, Totals{}, fmt.Errorf("build segment: %w", err)
	}
	t = b.totals
	clear(b.docs)
	b.docs, b.totals = b.docs[:0], Totals{}
	var out bytes.Buffer
	out.Grow(seg.Size() + footerSize)
	if _, err := seg.WriteTo(&out, nil); err != nil {
		return nil, Totals{}, fmt.Errorf("build segment: %w", err)
	}
	s, err = Open(out.Bytes())
	return s, t, err
}

// lengthAsNorm keeps the length of a field itself where bluge keeps a number
// derived from it: the bits of the "float" are the length, which also makes them
// one or two bytes in the file instead of five. They are never computed with as a
// float. Zero would mean another encoding to ice.
//
// Only files need it exact. That of other fields is kept to one byte, up to 31
// exactly and in steps of about a twelfth from there on.
func lengthAsNorm(name string, length int) float32 {
	length = max(length, 1)
	if name != fieldAttr {
		length = toStep(length)
	}
	return math.Float32frombits(uint32(length))
}

// toStep turns a length into a number up to 127, and lengthOfStep turns it back.
func toStep(length int) int {
	if length < 32 {
		return length
	}
	return min(32+int(math.Round(12*math.Log2(float64(length)/32))), maxStep)
}

const maxStep = 127

func lengthOfStep(step uint32) float64 {
	if step < 32 {
		return float64(step)
	}
	return math.Round(32 * math.Exp2(float64(step-32)/12))
}

// document, field and count are what ice takes. They are built for it alone, so
// that indexing makes no token objects.
type document []field

func (d document) Analyze() {}

func (d document) EachField(visit segment.VisitField) {
	for i := range d {
		if len(d[i].terms) > 0 || d[i].value != nil {
			visit(&d[i])
		}
	}
}

type field struct {
	name   string
	terms  []count
	value  []byte
	length int
}

type count struct {
	term []byte // ice asks for it twice
	n    int
}

func (f *field) Name() string         { return f.name }
func (f *field) Length() int          { return f.length }
func (f *field) Value() []byte        { return f.value }
func (f *field) Index() bool          { return len(f.terms) > 0 }
func (f *field) Store() bool          { return f.value != nil }
func (f *field) IndexDocValues() bool { return false }

func (f *field) EachTerm(visit segment.VisitTerm) {
	for i := range f.terms {
		visit(&f.terms[i])
	}
}

func (c *count) Term() []byte                       { return c.term }
func (c *count) Frequency() int                     { return c.n }
func (c *count) EachLocation(segment.VisitLocation) {}

// attrs makes the field of attributes, whose length is that of the file.
func (b *Builder) attrs(list []string, length int) field {
	f := b.field(fieldAttr, list)
	f.length = length
	return f
}

// field counts terms, in the order in which they first come.
func (b *Builder) field(name string, terms []string) field {
	f := field{name: name, length: len(terms)}
	if len(terms) == 0 {
		return f
	}
	clear(b.counts)
	f.terms = make([]count, 0, len(terms))
	for _, t := range terms {
		if i, ok := b.counts[t]; ok {
			f.terms[i].n++
			continue
		}
		b.counts[t] = len(f.terms)
		f.terms = append(f.terms, count{[]byte(t), 1})
	}
	return f
}
