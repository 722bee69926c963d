package lexical

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is what is looked for.
type Query struct {
	Words   []Word
	Days    []Day
	With    []string // a file must have one of these attributes; none: any file
	Without []string // a file must have none of these
	Weights Weights
	Limit   int // most hits returned
}

// Day is a date in a query: a term of the days of files and chunks, as the
// functions below make it.
type Day struct{ term string }

// OnDay is a calendar day, YYYY-MM-DD.
func OnDay(day string) Day { return Day{day} }

// InMonth is a month of a year, YYYY-MM.
func InMonth(month string) Day { return Day{month} }

// EachYearOn is a day of any year, MM-DD.
func EachYearOn(day string) Day { return Day{"--" + day} }

// EachYearIn is a month of any year, MM.
func EachYearIn(month string) Day { return Day{"--" + month} }

// Complete reports whether it is one day, of one year or of each.
func (d Day) Complete() bool {
	return len(d.term) == len("--03-04") && d.term[0] == '-' || len(d.term) == len("2026-03-04")
}

// Weights of the parts of a score.
type Weights struct {
	B       float64 // normalisation by length in chunks, 0 to 1
	FileB   float64 // the same for whole files
	Parent  float64 // what a chunk gains of the score of its file
	Heading float64
	Name    float64 // words of the file's path
	Day     float64
}

// DefaultWeights were chosen on the project's own evaluation (`make eval`) and on
// LoCoMo's conversations as notes.
func DefaultWeights() Weights {
	return Weights{B: 0.75, FileB: 0.75, Parent: 0.3, Heading: 0.3, Name: 0.6, Day: 1}
}

// Word is one word of a query: a word between spaces, a compound, a run of an
// unspaced script, or what stands in quotes.
type Word struct {
	Text   string // as typed
	Exact  bool   // quoted, or with a digit or one of - _ . / : # @ inside (SPEC RC-21)
	Quoted bool
	groups []group
	whole  int // the group that alone says the chunk holds the word, or -1: all of them
}

// group is one term of a word and its other forms: the stems in other languages.
type group struct {
	forms  []string
	langs  []languageSet // in which of them a form is the stem; nil: any
	prefix bool          // every term that begins with the form
}

// languageSet has a bit for each language.
type languageSet uint8

func (s languageSet) has(l language) bool { return s>>l&1 != 0 }

// The bounds of a query. Absurd ones are cut, not refused.
const (
	maxQueryWords = 128
	maxQueryBytes = 64 << 10
	maxQueryTerms = 512 // of one word
)

// ParseWords cuts the text of a query into words. What stands in double quotes
// is one word. Words that say nothing (English stop words) are left out, in quotes
// too: no index has them. So the result may be empty.
func (a *Analyser) ParseWords(text string) []Word {
	if len(text) > maxQueryBytes {
		text = strings.ToValidUTF8(text[:maxQueryBytes], "")
	}
	text = normalise(text)
	var q quotes
	var words []Word
	seen := map[string]int{}
	add := func(w Word, ok bool) {
		key := strings.ToLower(w.Text)
		i, was := seen[key]
		switch {
		case !ok:
		case was && w.Quoted:
			words[i] = w // asked for exactly, once is enough
		case !was && len(words) < maxQueryWords:
			seen[key] = len(words)
			words = append(words, w)
		}
	}
	for text != "" {
		before, quoted, after, found := q.part(text)
		for at := 0; ; {
			r, ok := nextRun(before, at)
			if !ok {
				break
			}
			at = r.to
			if n, end := thousandsRun(before, r); n {
				r.to, at = end, end
			}
			add(a.word(before[r.from:r.to], r.wide))
		}
		if !found {
			break
		}
		add(a.quotedWord(quoted))
		text = after
	}
	return words
}

func thousandsRun(text string, r run) (bool, int) {
	if r.wide || !allDigits(text[r.from:r.to]) {
		return false, r.to
	}
	long, end := thousands(text, r)
	return long != "", end
}

// closers are the quotes that end what each opening one begins. Some stand on
// either side, by country.
var closers = map[rune]string{
	'"': "\"”“", '“': "”\"", '„': "“”\"", '”': "”\"", '‟': "”\"", '«': "»", '»': "«", '「': "」", '『': "』",
}

// quotes reads a text part by part.
type quotes struct {
	open string // kinds that nothing closes any more
}

// part finds the first part of text, which is what followed the part before, in
// double quotes of any kind.
func (q *quotes) part(text string) (before, quoted, after string, found bool) {
	for i, r := range text {
		ends := closers[r]
		if ends == "" || strings.ContainsRune(q.open, r) {
			continue
		}
		from := i + utf8.RuneLen(r)
		j := strings.IndexAny(text[from:], ends)
		if j < 0 {
			q.open += string(r)
			continue
		}
		end := from + j
		_, closing := utf8.DecodeRuneInString(text[end:])
		return text[:i], text[from:end], text[end+closing:], true
	}
	return text, "", "", false
}

// Unquoted returns what stands in quotes where that is all of a text, else the text.
func Unquoted(text string) string {
	before, quoted, after, found := new(quotes).part(text)
	if found && strings.TrimSpace(before+after) == "" && strings.TrimSpace(quoted) != "" {
		return quoted
	}
	return text
}

// word makes a word of a run.
func (a *Analyser) word(s string, wide bool) (Word, bool) {
	a.split(s)
	a.bound()
	w := Word{Text: s, whole: -1, Exact: !wide && exactForm(s)}
	if wide {
		grams := slices.Clone(a.words)
		if len(grams) > 1 {
			grams = grams[:len(grams)-1] // the last character alone says nothing
		}
		for _, g := range grams {
			w.groups = append(w.groups, group{forms: []string{g.text}, prefix: len(grams) == 1 && utf8.RuneCountInString(g.text) == 1})
		}
		return w, len(w.groups) > 0
	}
	for i, part := range a.words {
		g := a.group(part)
		if len(g.forms) == 0 {
			continue
		}
		if i == len(a.words)-1 {
			w.whole = len(w.groups)
		}
		w.groups = append(w.groups, g)
	}
	return w, len(w.groups) > 0
}

// bound cuts an absurd word. The last of its words may stand for all of it.
func (a *Analyser) bound() {
	if n := len(a.words); n > maxQueryTerms {
		a.words[maxQueryTerms-1] = a.words[n-1]
		a.words = a.words[:maxQueryTerms]
	}
}

// quotedWord makes a word of what stands in quotes. A chunk holds it when it holds
// all its words; that they stand side by side is for the caller to see.
func (a *Analyser) quotedWord(s string) (Word, bool) {
	a.split(s)
	a.bound()
	w := Word{Text: strings.TrimSpace(s), Exact: true, Quoted: true, whole: -1}
	pair := false // the word before was a bigram: of its last character alone nothing need be said
	for _, part := range a.words {
		one := part.kind == gram && utf8.RuneCountInString(part.text) == 1
		if g := a.group(part); len(g.forms) > 0 && !(one && pair) {
			g.prefix = one
			w.groups = append(w.groups, g)
		}
		pair = part.kind == gram && !one
	}
	return w, len(w.groups) > 0
}

// group gives a word in the forms it has in each language.
func (a *Analyser) group(part word) group {
	if part.kind != plain || cyrillic(part.text) {
		if t := a.term(part, russian); t != "" {
			return group{forms: []string{t}}
		}
		return group{}
	}
	if a.term(part, english) == "" {
		return group{}
	}
	var g group
	for lang := range russian {
		t := a.term(part, lang)
		i := slices.Index(g.forms, t)
		if i < 0 {
			i = len(g.forms)
			g.forms, g.langs = append(g.forms, t), append(g.langs, 0)
		}
		g.langs[i] |= 1 << lang
	}
	return g
}

// exactForm tells words that are identifiers, numbers or paths.
func exactForm(s string) bool {
	for i, r := range s {
		switch k := classOf(r); {
		case k == digit:
			return true
		case k == joiner && i > 0:
			return true
		}
	}
	return endsOdd(s)
}
