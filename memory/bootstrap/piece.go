package bootstrap

import (
	"bytes"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Piece is a part of what a session sees of a file: bytes From to To of it, or a
// Text that the host writes in the place of others.
type Piece struct {
	From, To int
	Text     string
}

// Range is a part of a file that no session sees. Lines count from 1, both ends
// belong to it and may be lost in part; ToByte is the first byte behind it.
type Range struct {
	From, To         int
	FromByte, ToByte int
}

func (p Piece) units(text []byte) int { return doc.Units(p.bytes(text)) }

func (p Piece) bytes(text []byte) []byte {
	if p.Text != "" {
		return []byte(p.Text)
	}
	return text[p.From:p.To]
}

// Render is what a session sees of text.
func Render(text []byte, pieces []Piece) []byte {
	var b bytes.Buffer
	for _, p := range pieces {
		b.Write(p.bytes(text))
	}
	return b.Bytes()
}

func unitsOf(text []byte, pieces []Piece) int {
	n := 0
	for _, p := range pieces {
		n += p.units(text)
	}
	return n
}

// length counts the UTF-16 code units of a text of the host's.
func length(s string) int { return doc.Units([]byte(s)) }

// joined puts a separator between pieces; empty ones are left out.
func joined(sep string, pieces ...Piece) []Piece {
	var out []Piece
	for _, p := range pieces {
		if p.Text == "" && p.From == p.To {
			continue
		}
		if len(out) > 0 && sep != "" {
			out = append(out, Piece{Text: sep})
		}
		out = append(out, p)
	}
	return out
}

// head is the part of text that holds its first units, never half a character.
func head(text []byte, units int) Piece { return Piece{From: 0, To: doc.ByteAt(text, units, false)} }

// tail is the part of text that holds its last units; all is their number in text.
func tail(text []byte, units, all int) Piece {
	return Piece{From: doc.ByteAt(text, max(all-units, 0), true), To: len(text)}
}

// clamp cuts what is rendered to a number of units; what is cut ends with mark.
func clamp(text []byte, pieces []Piece, most int, mark string) []Piece {
	if unitsOf(text, pieces) <= most {
		return pieces
	}
	left := most - length(mark)
	if left < 0 {
		left, mark = most, ""
	}
	var out []Piece
	for _, p := range pieces {
		n := p.units(text)
		if n <= left {
			out, left = append(out, p), left-n
			continue
		}
		end := doc.ByteAt(p.bytes(text), left, false)
		if end > 0 && p.Text != "" {
			out = append(out, Piece{Text: p.Text[:end]})
		} else if end > 0 {
			out = append(out, Piece{From: p.From, To: p.From + end})
		}
		break
	}
	if mark != "" {
		out = append(out, Piece{Text: mark})
	}
	return out
}

// lost lists what of text no piece shows. White space at its end is no loss.
func lost(text []byte, pieces []Piece) []Range {
	end := len(doc.TrimEnd(text))
	var out []Range
	at, line, counted := 0, 1, 0
	lines := func(to int) int { // the line that byte to-1 stands in
		line += bytes.Count(text[counted:to], []byte{'\n'})
		counted = to
		return line
	}
	gap := func(to int) {
		if to > at {
			r := Range{FromByte: at, ToByte: to}
			r.From = lines(at)
			r.To = lines(to - 1)
			out = append(out, r)
		}
	}
	for _, p := range pieces {
		if p.Text != "" {
			continue
		}
		gap(min(p.From, end))
		at = max(at, p.To)
	}
	gap(end)
	return out
}

// lineEnd is the byte behind the n-th line.
func lineEnd(text []byte, n int) int {
	at := 0
	for range n {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// lineStrings are the lines of text without their ends.
func lineStrings(text []byte) []string {
	return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}
