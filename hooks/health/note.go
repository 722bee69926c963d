package health

import (
	"bytes"

	"github.com/git-claw/git-claw/memory/doc"
)

// Note is a file that was read. What is derived from its text is computed once,
// for all families; one goroutine at a time has a note.
type Note struct {
	File
	Text []byte // not to be changed, nor kept

	parsed *doc.Doc
	lines  [][]byte
	fenced []bool
	tokens int // and one, 0 while it was not asked for
}

// NewNote makes a note of a text.
func NewNote(f File, text []byte) *Note { return &Note{File: f, Text: text} }

// Doc is the text as entries.
func (n *Note) Doc() *doc.Doc {
	if n.parsed == nil {
		n.parsed = doc.Parse(n.Text)
	}
	return n.parsed
}

// Lines are the lines of SPEC 0.2: without their terminators, a carriage return
// before them included, and without a byte order mark.
func (n *Note) Lines() [][]byte {
	if n.lines == nil {
		n.lines = Lines(n.Text)
	}
	return n.lines
}

// Line returns a line by its number, from 1; nil where there is none.
func (n *Note) Line(number int) []byte {
	if l := n.Lines(); number >= 1 && number <= len(l) {
		return l[number-1]
	}
	return nil
}

// Fenced reports whether a line, from 1, is part of a code fence.
func (n *Note) Fenced(number int) bool {
	if n.fenced == nil {
		var f doc.Fences
		n.fenced = make([]bool, len(n.Lines()))
		for i, l := range n.Lines() {
			n.fenced[i] = f.Next(l)
		}
	}
	return number >= 1 && number <= len(n.fenced) && n.fenced[number-1]
}

// Tokens estimates the tokens of the text.
func (n *Note) Tokens() int {
	if n.tokens == 0 {
		n.tokens = doc.Tokens(n.Text) + 1
	}
	return n.tokens - 1
}

// Chars counts characters as hosts do: UTF-16 code units of the text without the
// white space at its end (SPEC 0.2).
func (n *Note) Chars() int { return doc.Chars(n.Text) }

// bom is the byte order mark in UTF-8.
var bom = []byte("\xef\xbb\xbf")

// Lines cuts a text into its lines, see Note.Lines.
func Lines(text []byte) [][]byte {
	text = bytes.TrimPrefix(text, bom)
	out := make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		out = append(out, bytes.TrimSuffix(line, []byte{'\r'}))
		text = rest
	}
	return out
}
