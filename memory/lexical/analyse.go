package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AnalyserVersion changes whenever the same text gives other terms than before:
// an index made by another one is built anew.
const AnalyserVersion = "2"

// A wordKind says how a word is turned into a term.
type wordKind uint8

const (
	plain    wordKind = iota // letters only: stop words are left out, the rest is stemmed
	number                   // holds a digit: taken as it is
	compound                 // several words with joiners, as a whole
	gram                     // one or two characters of an unspaced script
)

// A word is one word of a text, lower case.
type word struct {
	text string
	kind wordKind
	loud bool // in capitals: IT and US are no stop words
}

// Analyser turns text into terms, the same way for notes and for queries:
//
//   - NFKC, lower case, accents folded;
//   - compounds (user_session_token, internal/httpx/retry.go, v0.2.2, JIRA-4312,
//     camelCase) as a whole, as the parts between `/ : # @`, and as single words;
//   - words of letters stemmed in the language of the text, English stop words left
//     out;
//   - runs of Han, Kana, Hangul, Thai and other unspaced scripts as overlapping
//     bigrams and their last character, so that any substring is found.
//
// Not for concurrent use.
type Analyser struct {
	stem  *stemmer
	stop  map[string]bool
	langs languageOf
	words []word // of the text at hand
}

// NewAnalyser returns an analyser.
func NewAnalyser() *Analyser {
	return &Analyser{stem: newStemmer(), stop: newStopWords(), langs: newLanguageOf()}
}

// Terms is what a text is indexed as.
type Terms struct {
	Terms    []string // in order, repeated as they are in the text
	Length   int      // in words; wholes of compounds do not count
	language language
}

// analyse returns the terms of a text; its language where the text shows it, else
// the fallback.
func (a *Analyser) analyse(text string, fallback language) Terms {
	a.split(normalise(text))
	var v vote
	for _, w := range a.words {
		if l := a.langs[w.text]; l != 0 {
			v[l-1]++
		}
	}
	t := Terms{Terms: make([]string, 0, len(a.words)), language: v.winner(fallback)}
	for _, w := range a.words {
		term := a.term(w, t.language)
		if term == "" {
			continue
		}
		t.Terms = append(t.Terms, term)
		if w.kind != compound {
			t.Length++
		}
	}
	return t
}

// Terms returns the terms of a text by themselves, as they are in an index of it.
func (a *Analyser) Terms(text string) []string { return a.analyse(text, english).Terms }

// term returns the term of a word, "" for a stop word.
func (a *Analyser) term(w word, lang language) string {
	switch w.kind {
	case plain:
		if !w.loud && a.stop[w.text] {
			return ""
		}
		if cyrillic(w.text) {
			lang = russian
		}
		return clip(a.stem.stem(w.text, lang))
	case gram:
		return w.text
	}
	return clip(fold(w.text))
}

func cyrillic(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x400 && r < 0x530
}

// split cuts normalised text into words.
func (a *Analyser) split(text string) {
	a.words = a.words[:0]
	for at := 0; ; {
		r, ok := nextRun(text, at)
		if !ok {
			return
		}
		at = r.to
		switch s := text[r.from:r.to]; {
		case r.wide:
			a.grams(s)
		case allDigits(s):
			var long string
			if long, at = thousands(text, r); long != "" {
				s = long
			}
			a.add(s, number, false)
		case lowerASCII(s): // most words: nothing to take apart
			a.add(s, plain, false)
		default:
			a.compound(s)
		}
	}
}

func (a *Analyser) add(text string, kind wordKind, loud bool) {
	if len(text) > 4*maxWord {
		text = text[:4*maxWord] // what follows is cut off anyway; a broken character at the end goes with it
	}
	a.words = append(a.words, word{text, kind, loud})
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func lowerASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// thousands reads 12,500 as one number. It returns "" when r is none of these, and
// where to go on.
func thousands(text string, r run) (string, int) {
	end := r.to
	if r.to-r.from > 3 {
		return "", end
	}
	for len(text) >= end+4 && text[end] == ',' && allDigits(text[end+1:end+4]) {
		if len(text) > end+4 && asciiDigit(text[end+4]) {
			break
		}
		end += 4
	}
	if end == r.to {
		return "", end
	}
	return strings.ReplaceAll(text[r.from:end], ",", ""), end
}

func asciiDigit(c byte) bool { return c >= '0' && c <= '9' }

// grams adds the bigrams of a run and its last character.
func (a *Analyser) grams(s string) {
	prev, n := "", 0
	for _, r := range s {
		if classOf(r) != wide && !unicode.IsMark(r) {
			continue
		}
		cur := string(r)
		if prev != "" {
			a.add(prev+cur, gram, false)
		}
		prev = cur
		n++
	}
	if n > 0 {
		a.add(prev, gram, false)
	}
}

// compound adds the words of one run of letters, digits and joiners; more than
// one also as a whole, and each stretch between `/ : # @ \` that is itself more
// than one word.
func (a *Analyser) compound(s string) {
	s = visible(s)
	before := len(a.words)
	outer := 0 // words before the stretch at hand
	stretches := 0
	for from := 0; from <= len(s); {
		to := from + strings.IndexAny(s[from:], `/:#@\`)
		if to < from {
			to = len(s)
		}
		if to > from {
			stretches++
			outer = len(a.words)
			a.stretch(s[from:to])
			if to-from < len(s) && len(a.words)-outer > 1 && joined(s[from:to]) {
				a.add(strings.ToLower(s[from:to]), compound, false)
			}
		}
		from = to + 1
	}
	if len(a.words)-before > 1 && joined(s) || stretches > 1 || endsOdd(s) {
		if place := withoutLine(s); len(place) < len(s) && strings.ContainsAny(place, `/:#@\`) {
			a.add(strings.ToLower(place), compound, false)
		}
		a.add(strings.ToLower(s), compound, false)
	}
}

// withoutLine takes line and column off retry.go:12:5, so that retry.go is found
// as a whole.
func withoutLine(s string) string {
	for {
		i := strings.LastIndexByte(s, ':')
		if i <= 0 || !allDigits(s[i+1:]) || asciiDigit(s[i-1]) && allDigits(s[:i]) {
			return s
		}
		s = s[:i]
	}
}

// endsOdd recognises c++ and c#.
func endsOdd(s string) bool { return strings.HasSuffix(s, "++") || strings.HasSuffix(s, "#") }

// joined reports whether something stands between the words.
func joined(s string) bool { return strings.ContainsAny(s, `-_./:#@\‐‑`) }

// visible takes out characters that are not seen.
func visible(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if classOf(r) == invisible {
			return -1
		}
		if r == '‐' || r == '‑' {
			return '-'
		}
		return r
	}, s)
}

// stretch adds the words between `- _ .`, of camelCase each and the whole.
func (a *Analyser) stretch(s string) {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < utf8.RuneSelf && asciiClass[r] == joiner || r == '+' }) {
		for _, p := range apostrophes(part) {
			a.camel(p)
		}
	}
}

// apostrophes splits l'eau and O'Neill, takes 's off, and joins don't.
func apostrophes(s string) []string {
	var out []string
	for {
		i := strings.IndexFunc(s, isQuote)
		if i < 0 {
			return append(out, s)
		}
		left := s[:i]
		_, size := utf8.DecodeRuneInString(s[i:])
		right := s[i+size:]
		switch {
		case right == "s" || right == "S" || right == "":
			return append(out, left)
		case utf8.RuneCountInString(left) > 2:
			return append(out, left+strings.Map(func(r rune) rune {
				if isQuote(r) {
					return -1
				}
				return r
			}, right))
		}
		out, s = append(out, left), right
	}
}

func isQuote(r rune) bool { return classOf(r) == quote }

// camel adds a word, and the words that capitals cut it into.
func (a *Analyser) camel(s string) {
	from, parts := 0, 0
	var prev, before rune
	at := 0
	for i, r := range s {
		upper := unicode.IsUpper(r)
		switch {
		case i == 0:
		case upper && !unicode.IsUpper(prev): // getUser
			a.single(s[from:i])
			from, parts = i, parts+1
		case !upper && unicode.IsLower(r) && unicode.IsUpper(prev) && unicode.IsUpper(before) && at > from: // HTTPServer
			a.single(s[from:at])
			from, parts = at, parts+1
		}
		before, prev, at = prev, r, i
	}
	if parts > 0 {
		a.single(s[from:])
	}
	a.single(s)
}

func (a *Analyser) single(s string) {
	if s == "" {
		return
	}
	kind, capitals := plain, true
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			kind = number
		}
		capitals = capitals && unicode.IsUpper(r)
	}
	a.add(strings.ToLower(s), kind, capitals && len(s) > 1)
}
