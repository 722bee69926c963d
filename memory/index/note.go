package index

import (
	"encoding/binary"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/chunk"
	"github.com/git-claw/git-claw/memory/lexical"
)

// Note is what the index keeps of a file besides its words.
type Note struct {
	Path   string
	Blob   gitops.ID
	Day    string // of its name, "" none
	Dump   bool   // a session dump
	Pieces []Piece
}

// Piece is a chunk: lines From to To, bytes Start to End of the note.
type Piece struct {
	From, To, Start, End int
	Hash                 [16]byte
	Day                  string // of a heading, "" none
}

// Attributes of files, for lexical.Query.
const (
	AttrPrivate = "private" // see memory.Workspace.Private
	AttrPrefs   = "prefs"
	AttrDump    = "dump"
)

// AttrTier is the attribute of a tier.
func AttrTier(t memory.Tier) string { return "tier:" + string(t) }

// indexed cuts a note and says what is indexed of it.
func indexed(ws *memory.Workspace, opt chunk.Options, rel string, blob gitops.ID, content []byte) lexical.File {
	opt.Entries = !strings.Contains(rel, "/") && (strings.EqualFold(rel, "MEMORY.md") || rel == "USER.md")
	cut := chunk.Split(content, opt)
	n := Note{Path: rel, Blob: blob, Day: memory.DayOf(rel), Dump: cut.Dump}
	f := lexical.File{Key: rel, Name: nameWords(rel), Attrs: []string{AttrTier(ws.TierOf(rel))}}
	if n.Day != "" {
		f.Days = []string{n.Day}
	}
	if ws.Preferences(rel) {
		f.Attrs = append(f.Attrs, AttrPrefs)
	}
	if ws.Private(rel) {
		f.Attrs = append(f.Attrs, AttrPrivate)
	}
	if cut.Dump {
		f.Attrs = append(f.Attrs, AttrDump)
	}
	for _, c := range cut.Chunks {
		n.Pieces = append(n.Pieces, Piece{c.From, c.To, c.Start, c.End, c.Hash, c.Date})
		lc := lexical.Chunk{Text: c.Text, Heading: strings.Join(c.Heading, "\n")}
		if embeds(ws) {
			lc.Hash = c.Hash
		}
		if c.Date != "" && c.Date != n.Day {
			lc.Days = []string{c.Date}
		}
		f.Chunks = append(f.Chunks, lc)
	}
	f.Stored = n.encode()
	return f
}

// embeds reports whether chunks have vectors, by which they are found as well.
func embeds(ws *memory.Workspace) bool { return ws.Settings.String("embedder") != "none" }

// nameWords are the words of a path that tell notes apart.
func nameWords(rel string) string {
	rel = strings.TrimSuffix(strings.TrimSuffix(rel, ".md"), ".markdown")
	return strings.TrimPrefix(rel, "memory/")
}

func (n *Note) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(n.Path)))
	b = append(b, n.Path...)
	b = appendID(b, n.Blob)
	b = appendDay(b, n.Day)
	if n.Dump {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(n.Pieces)))
	line, at := 0, 0
	for _, p := range n.Pieces {
		b = binary.AppendVarint(b, int64(p.From-line))
		b = binary.AppendUvarint(b, uint64(p.To-p.From))
		b = binary.AppendVarint(b, int64(p.Start-at))
		b = binary.AppendUvarint(b, uint64(p.End-p.Start))
		b = append(b, p.Hash[:]...)
		b = appendDay(b, p.Day)
		line, at = p.From, p.Start
	}
	return b
}

func appendID(b []byte, id gitops.ID) []byte {
	raw := id.Bytes()
	return append(append(b, byte(len(raw))), raw...)
}

func appendDay(b []byte, day string) []byte {
	return append(append(b, byte(len(day))), day...)
}

// decoder reads what encode wrote. The first fault sticks.
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

func (d *decoder) id() gitops.ID {
	n := d.take(1)
	if d.bad {
		return gitops.ID{}
	}
	raw := d.take(int(n[0]))
	if len(raw) != 0 && len(raw) != 20 && len(raw) != 32 {
		d.bad = true
	}
	return gitops.IDFromString(raw)
}

func (d *decoder) day() string {
	n := d.take(1)
	if d.bad {
		return ""
	}
	return d.take(int(n[0]))
}

// DecodeNote reads what is stored of a file.
func DecodeNote(stored []byte) (Note, error) {
	d := decoder{data: string(stored)}
	var n Note
	n.Path = d.take(int(min(d.uvarint(), 1<<20)))
	n.Blob = d.id()
	n.Day = d.day()
	n.Dump = d.take(1) == "\x01"
	count := d.uvarint()
	if count > uint64(len(stored)) {
		d.bad = true
	}
	line, at := 0, 0
	for i := uint64(0); i < count && !d.bad; i++ {
		var p Piece
		p.From = line + int(d.varint())
		p.To = p.From + int(d.uvarint())
		p.Start = at + int(d.varint())
		p.End = p.Start + int(d.uvarint())
		copy(p.Hash[:], d.take(16))
		p.Day = d.day()
		line, at = p.From, p.Start
		n.Pieces = append(n.Pieces, p)
	}
	if d.bad {
		return Note{}, &DamagedError{n.Path, "what is stored of a note"}
	}
	return n, nil
}
