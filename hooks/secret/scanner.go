package secret

import (
	"cmp"
	"slices"
	"sync"
)

// Finding is one credential: where it is and what it is, never its value.
type Finding struct {
	Line    int    // first line, from 1
	EndLine int    // last line; equal to Line for all but key blocks
	Kind    string // what it is; one of the kinds below or of a provider's keys
}

// Kinds of findings that no provider's shape stands for.
const (
	KindPrivateKey    = "private-key"
	KindPGPPrivateKey = "pgp-private-key"
	KindPuTTYKey      = "putty-private-key"
	KindPassword      = "password"          // after a label, or beside the name of a user
	KindLabelled      = "labelled-key"      // a random value after a label such as token or API key
	KindURL           = "url-credentials"   // scheme://user:password@host
	KindBasicAuth     = "basic-auth"        // user and password of a command line
	KindManifest      = "kubernetes-secret" // data of a manifest of kind Secret
	KindCard          = "payment-card"      // Luhn's digit is right
	KindIBAN          = "iban"              // the check digits are right
	KindService       = "service-key"       // a random value after the name of a service
)

// Allow is what a line says to be passed over.
const Allow = "claw:allow"

// Scanner holds the table of shapes. It is safe for use by several goroutines,
// and cheap to make: words are indexed at the first scan.
type Scanner struct {
	index  sync.Once
	rules  []rule
	filter filter
	chars  [256]chars
	kinds  [256]byteKind
}

// New returns a scanner.
func New() *Scanner { return &Scanner{} }

// Scan returns the findings of a text, ordered by line and kind, one for each
// kind on a line.
func (s *Scanner) Scan(text []byte) []Finding { return s.ScanAdded(text, nil) }

// ScanAdded is Scan limited to findings that touch a line for which added
// (lines count from 1) is true. The whole text is read, because a line of a key
// block, or a value below a label, is only known by its surroundings. A nil
// added means every line.
func (s *Scanner) ScanAdded(text []byte, added func(line int) bool) []Finding {
	s.index.Do(s.prepare)
	sc := s.pass(text, false)
	sc.found = append(sc.found, sc.block.close()...)
	if sc.dropped {
		// What was left out may stand inside a key, or between a word and a key.
		for _, f := range s.pass(text, true).found {
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
func (s *Scanner) pass(text []byte, apart bool) *scan {
	sc := &scan{s: s, done: make([]int, len(s.rules)), apart: apart}
	sc.read(text)
	return sc
}

// prepare builds what a scan needs.
func (s *Scanner) prepare() {
	s.rules = rules()
	s.filter.init(s.rules)
	s.chars = charTable()
	s.kinds = byteKinds()
}
