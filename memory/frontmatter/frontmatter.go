package frontmatter

import (
	"bytes"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Block is the frontmatter of a text.
type Block struct {
	Src      []byte
	From, To int // offsets of the block with its two `---` lines; equal when there is none
	Line     int // of the first `---`, from 1
	// Err says why the block is not valid YAML; then the fields are read line by line.
	Err    error
	Fields []Field
}

// Field is a key at the top of a block.
type Field struct {
	Key  string
	Line int // from 1
	// Text is a scalar as a text: a quoted one decoded, a number or a date as it is written, null as "".
	// Of a list or a map it is the source.
	Text string
	// Value is a map[string]any, a []any, a bool, nil for null, or a string. Numbers are strings, as
	// written.
	Value any

	from, to, end int // offsets of the value on the line of the key, and of the next field
}

// Parse reads the frontmatter of a text. No input is an error; a text without frontmatter has no
// fields.
func Parse(src []byte) *Block {
	b := &Block{Src: src}
	b.From, b.To = doc.Front(src)
	b.Line = 1 + bytes.Count(src[:b.From], []byte("\n"))
	if !b.Present() {
		return b
	}
	from, to := b.inner()
	var values map[string]node
	values, b.Err = parseYAML(src[from:to])
	for _, f := range b.scan(from, to) {
		if b.Err != nil {
			f.loose(src)
		} else {
			n, ok := values[f.Key]
			if !ok || n.line != f.Line-b.Line {
				continue // a line of a text over several lines that only looks like a key
			}
			f.strict(src, n)
		}
		b.Fields = append(b.Fields, f)
	}
	return b
}

// Present reports whether the text has frontmatter.
func (b *Block) Present() bool { return b.To > b.From }

// Body returns what stands behind the block.
func (b *Block) Body() []byte { return b.Src[b.To:] }

// Field returns the first field of a key, nil when there is none.
func (b *Block) Field(key string) *Field {
	for i := range b.Fields {
		if b.Fields[i].Key == key {
			return &b.Fields[i]
		}
	}
	return nil
}

// Text returns the text of a field, "" when there is none.
func (b *Block) Text(key string) string {
	if f := b.Field(key); f != nil {
		return f.Text
	}
	return ""
}

// inner returns the offsets of what stands between the two `---` lines.
func (b *Block) inner() (from, to int) {
	block := b.Src[b.From:b.To]
	last := bytes.LastIndexByte(bytes.TrimRight(block, "\r\n"), '\n') + 1
	return b.From + bytes.IndexByte(block, '\n') + 1, b.From + last
}

// scan finds the lines that begin with a key. Lines that do not belong to the key before them.
func (b *Block) scan(from, to int) []Field {
	var fields []Field
	line := b.Line
	for at := from; at < to; {
		line++
		next := to
		if n := bytes.IndexByte(b.Src[at:to], '\n'); n >= 0 {
			next = at + n + 1
		}
		text := bytes.TrimRight(b.Src[at:next], " \t\r\n")
		if key, value := keyOf(text); value >= 0 {
			fields = append(fields, Field{Key: key, Line: line, from: at + value, to: at + len(text)})
		}
		if n := len(fields); n > 0 {
			fields[n-1].end = next
		}
		at = next
	}
	return fields
}

// keyOf returns the key that a line begins with and the offset of its value, -1 when there is none.
func keyOf(line []byte) (key string, value int) {
	if len(line) == 0 || bytes.IndexByte([]byte(" \t#-?"), line[0]) >= 0 {
		return "", -1
	}
	colon := 0
	if q := line[0]; q == '"' || q == '\'' {
		n := bytes.IndexByte(line[1:], q)
		if n < 0 {
			return "", -1
		}
		key, colon = string(line[1:1+n]), n+2
	} else {
		colon = bytes.IndexByte(line, ':')
		if colon < 0 {
			return "", -1
		}
		key = strings.TrimRight(string(line[:colon]), " \t")
	}
	rest := line[colon:]
	switch {
	case key == "" || len(rest) == 0 || rest[0] != ':':
		return "", -1
	case len(rest) == 1:
		return key, len(line)
	case rest[1] != ' ' && rest[1] != '\t':
		return "", -1
	}
	return key, len(line) - len(bytes.TrimLeft(rest[1:], " \t"))
}

// strict takes what YAML says of a field.
func (f *Field) strict(src []byte, n node) {
	f.Value, f.Text = n.value, n.text
	if !n.scalar {
		f.Text = string(bytes.TrimSpace(src[f.from:f.end]))
	}
	f.to = f.from + valueEnd(src[f.from:f.to])
}

// valueEnd returns where a value on its line ends and white space and a comment begin.
func valueEnd(rest []byte) int {
	if len(rest) == 0 {
		return 0
	}
	at := 0
	switch q := rest[0]; q {
	case '#':
		return 0
	case '"', '\'':
		for at = 1; at < len(rest) && rest[at] != q; at++ {
			if q == '"' && rest[at] == '\\' {
				at++
			}
		}
		at = min(at, len(rest))
	}
	for _, mark := range []string{" #", "\t#"} {
		if n := bytes.Index(rest[at:], []byte(mark)); n >= 0 {
			rest = rest[:at+n]
		}
	}
	return len(bytes.TrimRight(rest, " \t"))
}

// loose reads a field of a block that is no YAML: the rest of the line, and of a key without one the
// lines below it.
func (f *Field) loose(src []byte) {
	text := string(src[f.from:f.to])
	if below := strings.TrimSpace(string(src[f.to:f.end])); below != "" && (text == "" || strings.Trim(text, "|>+-") == "") {
		var lines []string
		for l := range strings.Lines(below) {
			lines = append(lines, strings.TrimSpace(l))
		}
		text = strings.Join(lines, "\n")
	}
	if text != "" && strings.Contains("{['\"", text[:1]) {
		// One line of JSON or a quoted text is good although the block is not.
		if values, err := parseYAML([]byte("v: " + text)); err == nil {
			f.Value, f.Text = values["v"].value, text
			if n := values["v"]; n.scalar {
				f.Text = n.text
			}
			return
		}
	}
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text = text[1 : n-1]
	}
	if text == "~" || text == "null" {
		text = ""
	}
	f.Text = text
	switch text {
	case "":
	case "true", "false":
		f.Value = text == "true"
	default:
		f.Value = text
	}
}
