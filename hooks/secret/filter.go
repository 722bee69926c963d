package secret

// filter finds the words of all rules in one pass. Every place of a line is
// looked up by its last three bytes, letters of either case; only where these
// end a word is the word itself compared. Building it costs a few microseconds,
// unlike an automaton over the same words, and a step of a scan one look-up in
// four kilobytes.
type filter struct {
	class   [256]uint8 // five bits for a byte
	bits    [1 << 15 / 64]uint64
	heads   [1 << 10]uint16 // of lists of entries, 1 + index; see list
	entries []entry
}

// entry is one word of a rule.
type entry struct {
	word string // "" where the classes of its bytes are all that counts
	key  uint16
	next uint16 // 1 + index
	rule uint16
}

const (
	classDigit = 27
	keyBits    = 1<<15 - 1
)

func (f *filter) init(rules []rule) {
	f.classes()
	n := 0
	for i := range rules {
		n += 1 + len(rules[i].words)/5
	}
	f.entries = make([]entry, 0, n)
	for i := range rules {
		words := rules[i].words
		for words != "" {
			var w string
			w, words = cutWord(words)
			f.add(w, uint16(i))
		}
	}
}

// cutWord takes the first of words that are apart by '|'.
func cutWord(words string) (first, rest string) {
	for i := range len(words) {
		if words[i] == '|' {
			return words[:i], words[i+1:]
		}
	}
	return words, ""
}

// classes gives letters of either case one class each and all digits one. Bytes
// beyond ASCII spread over all classes: they are the words of other languages.
func (f *filter) classes() {
	for b := range 256 {
		c := byte(b)
		switch {
		case letter(c):
			f.class[b] = fold(c) - 'a' + 1
		case digit(c):
			f.class[b] = classDigit
		case c == '_':
			f.class[b] = 28
		case c == '-':
			f.class[b] = 29
		case c == '.':
			f.class[b] = 30
		case c >= 0x80:
			f.class[b] = c & 31
		case c == ' ':
			f.class[b] = 31
		}
	}
}

// add indexes a word of at least three bytes. A word of digits alone, or of a
// letter and digits, stands for all of that form.
func (f *filter) add(word string, rule uint16) {
	var key uint16
	for i := len(word) - 3; i < len(word); i++ {
		key = key<<5 | uint16(f.class[word[i]])
	}
	key &= keyBits
	e := entry{word: word, key: key, next: f.heads[list(key)], rule: rule}
	if len(word) == 3 && digit(word[1]) && digit(word[2]) {
		e.word = ""
	}
	f.entries = append(f.entries, e)
	f.heads[list(key)] = uint16(len(f.entries))
	f.bits[key>>6] |= 1 << (key & 63)
}

// list spreads keys over the lists: words share their last two bytes, keys seldom
// all bits.
func list(key uint16) uint16 { return key * 40503 >> 6 }

// ends reports whether text ends with the word, ASCII letters in either case.
func (e *entry) ends(text []byte) bool {
	n := len(text) - len(e.word)
	if n < 0 {
		return false
	}
	for i := range len(e.word) {
		if a, b := text[n+i], e.word[i]; a != b && fold(a) != fold(b) {
			return false
		}
	}
	return true
}
