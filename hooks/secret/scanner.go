package secret

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"sync"
)

// Finding is one credential: where it is and what it is, never its value.
type Finding struct {
	Line    int    // first line, from 1
	EndLine int    // last line; equal to Line for all but key blocks
	Kind    string // Rule.ID, or one of the kinds of key blocks
}

// Kinds of findings that come from blocks of lines and not from a [Rule].
const (
	KindPrivateKey    = "private-key"
	KindPGPPrivateKey = "pgp-private-key"
	KindPuTTYKey      = "putty-private-key"
)

// Allow is what a line says to be passed over.
const Allow = "claw:allow"

// Scanner holds a rule table. It is safe for use by several goroutines, and
// cheap to make: keywords are indexed at the first scan, patterns compile when
// a keyword of theirs is first seen.
type Scanner struct {
	rules []rule
	runs  []int // rules without keywords, tried where a word is long

	index   sync.Once
	words   *automaton
	minRun  int
	runByte [256]bool
	kinds   [256]byteKind
}

type rule struct {
	Rule

	once    sync.Once
	pattern *regexp.Regexp
}

// New returns a scanner with the built-in table.
func New() *Scanner { return NewWith(Rules()) }

// NewWith returns a scanner with a table of its own. A pattern that does not
// compile panics when it is first needed; a test compiles all built-in ones.
func NewWith(rules []Rule) *Scanner {
	s := &Scanner{rules: make([]rule, len(rules))}
	for i, r := range rules {
		s.rules[i].Rule = r
		if r.Run > 0 {
			s.runs = append(s.runs, i)
		}
	}
	return s
}

// Scan returns the findings of a text, ordered by line and kind, one for each
// kind on a line.
func (s *Scanner) Scan(text []byte) []Finding { return s.ScanAdded(text, nil) }

// ScanAdded is Scan limited to findings that touch a line for which added
// (lines count from 1) is true. The whole text is read, because a line of a key
// block is only known by its surroundings. A nil added means every line.
func (s *Scanner) ScanAdded(text []byte, added func(line int) bool) []Finding {
	s.index.Do(s.prepare)
	sc := s.pass(text, added, false)
	sc.found = append(sc.found, sc.block.close()...)
	if sc.dropped {
		// What was left out may stand inside a key, or between a word and a key.
		for _, f := range s.pass(text, added, true).found {
			if f.Line == f.EndLine {
				sc.found = append(sc.found, f)
			}
		}
	}
	if added != nil {
		sc.found = slices.DeleteFunc(sc.found, func(f Finding) bool {
			for n := f.Line; n <= f.EndLine; n++ {
				if added(n) {
					return false
				}
			}
			return true
		})
	}
	slices.SortFunc(sc.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.EndLine, b.EndLine), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(sc.found)
}

// pass reads a text once. Invisible things are left out, or with apart each is read
// as a space.
func (s *Scanner) pass(text []byte, added func(line int) bool, apart bool) *scan {
	sc := &scan{s: s, added: added, line: 1, spans: make([]span, len(s.rules)), apart: apart}
	sc.begin()
	sc.text(text)
	sc.endLine()
	return sc
}

// prepare builds what a scan needs besides patterns.
func (s *Scanner) prepare() {
	groups := make([][]string, len(s.rules), len(s.rules)+2)
	for i := range s.rules {
		groups[i] = s.rules[i].Keywords
	}
	// Two groups after the rules: the mark that passes a line, and what a line
	// that begins or ends a key block holds.
	groups = append(groups, []string{Allow}, []string{"private key", "putty-user-key-file"})
	s.words = newAutomaton(groups)
	for _, r := range s.runs {
		if s.minRun == 0 || s.rules[r].Run < s.minRun {
			s.minRun = s.rules[r].Run
		}
	}
	s.kinds = byteKinds()
	for b := range 256 {
		c := byte(b)
		s.runByte[b] = alnum(c) || c == '_' || c == '-' || c == '.'
	}
}

// guard is what may stand before a token: no letter or digit, except where it
// ends an escape sequence of JSON or of a URL.
const guard = `(?:^|[^0-9A-Za-z]|\\[nrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})`

// guarded reports whether guard matches before text[at:].
func guarded(text []byte, at int) bool {
	if at <= 0 || !alnum(text[at-1]) {
		return true
	}
	switch c := text[at-1]; {
	case at >= 2 && text[at-2] == '\\':
		return c == 'n' || c == 'r' || c == 't'
	case at >= 3 && text[at-3] == '%', at >= 6 && text[at-6] == '\\' && text[at-5] == 'u':
		return true // the pattern looks at the digits
	}
	return false
}

// compiled returns the rule's pattern.
func (r *rule) compiled() *regexp.Regexp {
	r.once.Do(func() {
		p := guard + `(?:` + r.Pattern + `)`
		if r.Exact {
			p += `(?:[^0-9A-Za-z]|$)`
		}
		r.pattern = regexp.MustCompile(p)
	})
	return r.pattern
}

// in reports whether text holds a secret of this kind. Time is linear in text:
// the search goes on behind a match that is only a placeholder.
func (r *rule) in(text []byte) bool {
	if !bytes.Contains(text, []byte(r.Needs)) {
		return false
	}
	re := r.compiled()
	for len(text) > 0 {
		m := re.FindSubmatchIndex(text)
		if m == nil {
			return false
		}
		groups := make([][]byte, len(m)/2)
		for i := range groups {
			if m[2*i] >= 0 {
				groups[i] = text[m[2*i]:m[2*i+1]]
			}
		}
		if r.accepts(groups) {
			return true
		}
		next := m[1]
		if r.Exact && next > m[0]+1 && next < len(text) {
			next-- // the separator may begin the next match
		}
		text = text[max(next, 1):]
	}
	return false
}

func (r *rule) accepts(groups [][]byte) bool {
	if r.Accept != nil {
		return r.Accept(groups)
	}
	return !placeholder(groups[len(groups)-1])
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
