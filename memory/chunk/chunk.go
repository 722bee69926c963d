package chunk

import (
	"bytes"
	"crypto/sha256"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// defaultTokens is the size of a chunk where the caller names none.
const defaultTokens = 400

// Options say how a file is cut.
type Options struct {
	Tokens  int  // size of a chunk by the token estimate; 0 means 400
	Overlap int  // how much of a chunk the next one repeats, at most half of Tokens; 0 means nothing
	Entries bool // one chunk for each top-level entry: MEMORY.md, USER.md
}

// Chunk is a piece of a file.
type Chunk struct {
	From, To   int // lines, from 1, inclusive
	Start, End int // byte range in the file; whole lines, except where one long line was split
	// Heading holds the titles of the headings in force at the first line, outermost first; a heading
	// that is the first line counts. Behind a frontmatter the first line of the body decides. Chunks
	// share it: it must not be changed.
	Heading []string
	Date    string // YYYY-MM-DD, the day that the nearest of these headings names, or ""
	// Text is what is searched: content[Start:End] as valid UTF-8 with LF line ends, without control
	// characters, annotations of hosts, white space at its end and, in a session dump, blocks that
	// stood before. What is left out leaves its line ends, so that line n of Text is line From+n.
	Text string
	Hash [16]byte // first half of sha256(Text)
}

// File is a file cut into chunks.
type File struct {
	Chunks []Chunk // in the order of Start; the texts are distinct
	Title  string  // the first heading that is not empty, or ""
	Dump   bool    // a session dump: its first heading is `# Session: …` (RC-24)
}

// Split cuts a file. No input is an error. A text that stands in a file more than once is one chunk,
// at its first place, and a piece without any letter, digit or sign is none.
//
// Text of the chunks may share memory; content is not kept.
func Split(content []byte, opt Options) File {
	s := newSource(content)
	spans := s.cut(opt)
	f := File{Title: s.outline.title(), Dump: s.dump, Chunks: make([]Chunk, 0, len(spans))}
	seen := make(map[[16]byte]struct{}, len(spans))
	for _, sp := range spans {
		c := Chunk{From: sp.from, To: sp.to, Start: sp.start, End: sp.end}
		if c.Text, c.Hash = s.text(sp); !hasWord(c.Text) {
			continue
		}
		if _, again := seen[c.Hash]; again {
			continue
		}
		seen[c.Hash] = struct{}{}
		c.Heading, c.Date = s.outline.at(max(sp.start, s.body), sp.end)
		f.Chunks = append(f.Chunks, c)
	}
	return f
}

// span is a run of lines, or of pieces of one.
type span struct {
	from, to   int
	start, end int
}

// source is a file with all that is known of it as a whole.
type source struct {
	content []byte
	doc     *doc.Doc
	outline *outline
	body    int   // offset of the first entry that is not a frontmatter
	dump    bool  // a session dump
	out     []gap // what no chunk's text holds, in order and apart
	ascii   bool
	whole   string // content, where nothing in it has to be replaced
}

func newSource(content []byte) *source {
	s := &source{content: content, doc: doc.Parse(content), ascii: doc.IsASCII(content)}
	s.body = s.doc.Lead
	if e := s.doc.Entries; len(e) > 0 && e[0].Kind == doc.Frontmatter {
		s.body = e[0].Next
	}
	s.outline = newOutline(s.doc)
	s.dump = s.outline.isDump()
	s.out = annotations(content)
	if s.dump {
		s.out = merge(s.out, repeats(content))
	}
	if isPlain(content) {
		s.whole = string(content)
	}
	return s
}

// text returns what is searched of a span, and its hash.
func (s *source) text(sp span) (string, [16]byte) {
	cut := touching(s.out, sp.start, sp.end)
	raw := s.content[sp.start:sp.end]
	if len(cut) == 0 && (len(s.whole) > 0 || isPlain(raw)) {
		raw = bytes.TrimRight(raw, white)
		if len(s.whole) > 0 {
			return s.whole[sp.start : sp.start+len(raw)], half(raw)
		}
		return string(raw), half(raw)
	}
	raw = bytes.TrimRight(clean(s.content, sp.start, sp.end, cut), white)
	return string(raw), half(raw)
}

func half(text []byte) [16]byte {
	sum := sha256.Sum256(text)
	return [16]byte(sum[:16])
}

// isDump reports whether the first heading is that of a session dump.
func (o *outline) isDump() bool {
	return len(o.heads) > 0 && o.heads[0].level == 1 && strings.HasPrefix(o.name(0), "Session:")
}
