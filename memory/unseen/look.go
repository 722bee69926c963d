package unseen

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sight is what a reader does not see of a line.
type Sight struct {
	Runes []rune // characters that hide something, each once, in their order
	Count int    // of them in all
	At    int    // byte of the first
	// Reorders: the line is shown in another order than it stands.
	Reorders bool
	// Grave: it does not come about by itself. Somebody wanted to hide something, or
	// a word is not the one that it seems to be.
	Grave bool
	// Text is what was written in characters that only stand for others.
	Text string
}

// Names lists the characters as U+202E.
func (s *Sight) Names() string {
	const most = 4
	var names []string
	for i, r := range s.Runes {
		if i == most {
			return strings.Join(names, ", ") + " and others"
		}
		names = append(names, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(names, ", ")
}

// Suspect reports whether a text may hold such characters, by its bytes. It is
// quick, and most texts hold none.
func Suspect(text []byte) bool {
	for i, b := range text {
		if b < 0xC2 {
			if b == esc || b == backspace || b == bell || b == del || b == '\r' && i+1 < len(text) && text[i+1] != '\n' && text[i+1] != '\r' {
				return true
			}
			continue
		}
		if i+1 >= len(text) {
			return false
		}
		if suspectPair(b, text[i+1]) && (b != 0xE2 || i+2 >= len(text) || suspectMark(text[i+1], text[i+2])) {
			return true
		}
	}
	return false
}

// Control characters that a terminal obeys.
const (
	bell      = 0x07
	backspace = 0x08
	esc       = 0x1B
	del       = 0x7F
	csi       = 0x9B // in one character what ESC [ is in two
)

func suspectPair(a, b byte) bool {
	switch a {
	case 0xC2:
		return b == 0xAD || b < 0xA0
	case 0xCD:
		return b == 0x8F
	case 0xD8:
		return b == 0x9C
	case 0xE1:
		return b == 0x85 || b == 0x9E || b == 0xA0
	case 0xE2:
		return b == 0x80 || b == 0x81
	case 0xE3:
		return b == 0x85
	case 0xEF:
		return b == 0xB8 || b == 0xBB || b == 0xBE || b == 0xBF
	case 0xF0:
		return b == 0x9D
	case 0xF3:
		return true
	}
	return false
}

// suspectMark tells general punctuation that hides from dashes and quotation marks.
func suspectMark(b, c byte) bool {
	return b == 0x80 && (c >= 0x8B && c <= 0x8F || c >= 0xA8 && c <= 0xAE) || b == 0x81 && c >= 0xA0
}

// Look finds what a reader does not see of a line. Colours of a terminal and what is
// an ordinary part of a script or of an emoji are not counted.
func Look(line []byte) Sight {
	if !Suspect(line) {
		return Sight{}
	}
	l := looker{line: string(line)}
	l.rightToLeft = strings.ContainsFunc(l.line, rightToLeft)
	l.returns = strings.Count(strings.TrimRight(l.line, "\r"), "\r")
	for i := 0; i < len(l.line); {
		r, size := utf8.DecodeRuneInString(l.line[i:])
		rest := l.line[i+size:]
		switch {
		case r == esc:
			l.escape(i)
			l.chain = 0
		case r == bell || r == backspace || r == del || r == '\r':
			l.control(i, r, rest)
		case r >= 0x80 && r != utf8.RuneError && hidden(r):
			l.rune(i, r, rest)
		default:
			l.shown = l.shown || i >= l.sequence && r > ' '
			l.chain = 0
			l.flag = r == blackFlag && flagEnd(rest)
		}
		l.before, l.prev = l.prev, r
		i += size
	}
	if len(l.open) > 0 { // the order of what stands behind it changes too
		l.order(l.openAt, l.open[0])
	}
	l.sight.Text = strings.TrimSpace(l.text.String())
	return l.sight
}

type looker struct {
	line         string
	rightToLeft  bool // some of it is written so
	returns      int  // carriage returns within it
	shown        bool // something to see stood before
	sequence     int  // byte behind the last control sequence
	before, prev rune
	chain        int    // hidden characters in a row
	flag         bool   // within the flag of a region
	open         []rune // embeddings that did not end yet
	openAt       int
	text         strings.Builder
	sight        Sight
}

func (l *looker) add(at int, r rune, grave bool) {
	if l.sight.Count == 0 {
		l.sight.At = at
	}
	l.sight.Count++
	l.sight.Grave = l.sight.Grave || grave
	if !slices.Contains(l.sight.Runes, r) {
		l.sight.Runes = append(l.sight.Runes, r)
	}
}

func (l *looker) order(at int, r rune) {
	l.add(at, r, true)
	l.sight.Reorders = true
}

// escape looks at a control sequence: one that conceals hides what follows, one of
// the system sets titles and links, one that erases or moves takes away what stood
// before it. The others are what programs print.
func (l *looker) escape(at int) {
	rest := l.line[at+1:]
	switch {
	case strings.HasPrefix(rest, "c"): // the whole screen
		l.add(at, esc, true)
	case strings.HasPrefix(rest, "]"):
		l.add(at, esc, true)
	case strings.HasPrefix(rest, "["):
		end := strings.IndexFunc(rest[1:], func(r rune) bool { return r >= 0x40 })
		if end < 0 {
			return
		}
		l.sequence = at + 3 + end
		if strings.IndexByte("ABDFGHJKPXdfu", rest[1+end]) >= 0 && l.shown {
			l.add(at, esc, true)
			return
		}
		if rest[1+end] != 'm' {
			return
		}
		if slices.Contains(strings.Split(rest[1:1+end], ";"), "8") && !strings.Contains(rest[1:1+end], "8;5;") && !strings.Contains(rest[1:1+end], "8;2;") {
			l.add(at, esc, true)
		}
	}
}

// control judges what is one character and moves or sounds. Bold letters of manuals,
// each typed over itself, and the many states of one line that programs print are
// ordinary.
func (l *looker) control(at int, r rune, rest string) {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == '\r' && strings.Trim(rest, "\r") == "": // a line that ends so
	case r == '\r':
		l.add(at, r, l.returns < 3)
	case r == backspace && (l.prev == next || l.prev == '_' || next == '_'):
	case r == backspace:
		l.add(at, r, true)
	default:
		l.chain++
		l.add(at, r, l.chain >= 3 || letter(l.prev) && letter(next))
	}
}

const (
	blackFlag = '\U0001F3F4'
	cancelTag = '\U000E007F'
)

// flagEnd reports whether the tags that follow a black flag name a region, as those
// of Scotland do.
func flagEnd(rest string) bool {
	n := 0
	for _, r := range rest {
		switch {
		case r == cancelTag:
			return n > 0
		case n == 6 || !(r >= 0xE0030 && r <= 0xE0039 || r >= 0xE0061 && r <= 0xE007A):
			return false
		}
		n++
	}
	return false
}

// rune judges one hidden character.
func (l *looker) rune(at int, r rune, rest string) {
	if l.flag && r >= 0xE0020 && r <= cancelTag {
		l.flag = r != cancelTag
		return
	}
	l.flag = false
	l.chain++
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case joins(l.before, l.prev, r, rest), l.ofScript(r, next):
		return
	case r == csi: // its parameters follow
		l.add(at, r, next >= '0' && next <= '9' || next >= 'A' && next <= 'Z' || next == '?')
	case r == 0x202D || r == 0x202E: // overrides
		l.order(at, r)
	case r >= 0x202A && r <= 0x202C || r >= 0x2066 && r <= 0x2069:
		l.embed(at, r)
	case r >= 0xE0020 && r < cancelTag: // tags
		l.text.WriteByte(byte(r - 0xE0000))
		l.add(at, r, true)
	case unicode.Is(unicode.Variation_Selector, r):
		l.selector(at, r)
	case mild(r):
		l.add(at, r, l.chain >= 3 || r != softHyphen && letter(l.prev) && letter(next))
	default:
		l.add(at, r, true)
	}
}

const softHyphen = 0xAD

// mild reports whether a character gets into a text by itself, when it is copied
// from elsewhere.
func mild(r rune) bool {
	switch r {
	case softHyphen, zwnj, zwj, 0x34F, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF:
		return true
	}
	return r >= 0x2060 && r <= 0x2064 || r > del && r < 0xA0 // of a text that was decoded twice
}

// letter reports whether r is one of a script that parts words by spaces and has no
// use for a hidden character within one.
func letter(r rune) bool {
	return unicode.IsDigit(r) || unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}

// ofScript reports whether a character does in the script around it what it is for.
func (l *looker) ofScript(r, next rune) bool {
	near := func(tables ...*unicode.RangeTable) bool {
		return unicode.In(l.prev, tables...) || unicode.In(next, tables...)
	}
	switch {
	case r == zwj || r == zwnj:
		return joining(l.prev) || joining(next)
	case r == 0x200B || r == 0x2060:
		return near(unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	case r == 0x61C || r == 0x200E || r == 0x200F:
		return l.rightToLeft
	case r >= 0x180B && r <= 0x180F:
		return near(unicode.Mongolian)
	case r == 0x115F || r == 0x1160: // fillers of old Korean
		return l.prev >= 0x1100 && l.prev <= 0x11FF || next >= 0x1100 && next <= 0x11FF
	case r == 0x17B4 || r == 0x17B5:
		return near(unicode.Khmer)
	}
	return false
}

// embed keeps the balance of embeddings and isolates: what they hold is shown apart,
// and its order changes only where it is told to run from right to left without any
// letters that do.
func (l *looker) embed(at int, r rune) {
	switch r {
	case 0x202C, 0x2069: // ends
		if len(l.open) == 0 {
			l.add(at, r, false)
			return
		}
		l.open = l.open[:len(l.open)-1]
		return
	case 0x202B, 0x2067: // from right to left
		if !l.rightToLeft {
			l.order(at, r)
		}
	}
	if len(l.open) == 0 {
		l.openAt = at
	}
	l.open = append(l.open, r)
}

// selector judges a character that chooses how the one before it is drawn. Alone it
// is without effect; a row of them, or one that no character knows, holds bytes.
func (l *looker) selector(at int, r rune) {
	supplement := r >= 0xE0100
	switch {
	case l.chain == 1 && (!supplement || unicode.Is(unicode.Han, l.prev)):
		return
	case !supplement && (l.chain == 2 && hidden(l.prev) || r == l.prev):
		return // too many of them, as where an emoji was taken out
	}
	b := byte(r - 0xFE00)
	if supplement {
		b = byte(r - 0xE0100 + 16)
	}
	if b >= 0x20 && b < 0x7F {
		l.text.WriteByte(b)
	}
	l.add(at, r, true)
}

// rightToLeft reports whether r belongs to a script that is written so.
func rightToLeft(r rune) bool {
	return r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam) && unicode.IsLetter(r)
}
