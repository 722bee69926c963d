package lexical

import (
	"github.com/blugelabs/bluge/analysis"
	"github.com/blugelabs/bluge/analysis/lang/de"
	"github.com/blugelabs/bluge/analysis/lang/es"
	"github.com/blugelabs/bluge/analysis/lang/fr"
	"github.com/blugelabs/bluge/analysis/lang/it"
	"github.com/blugelabs/bluge/analysis/lang/pt"
	"github.com/blugelabs/bluge/analysis/lang/ru"
	"github.com/blugelabs/bluge/analysis/token"
)

// language is what a text is stemmed as.
type language uint8

// English is what text is taken for when nothing says otherwise. Russian stands
// for all of Cyrillic and is told by the script alone.
const (
	english language = iota
	german
	french
	spanish
	portuguese
	italian
	russian
	languages
)

// codes name the languages in attributes of files.
var codes = [languages]string{"en", "de", "fr", "es", "pt", "it", "ru"}

type filter interface {
	Filter(analysis.TokenStream) analysis.TokenStream
}

// newFilters returns bluge's stemmers. Light ones, where it has them: they take
// off endings and leave the word recognisable, so that two words rarely meet in
// one stem.
func newFilters() [languages]filter {
	return [languages]filter{
		english:    token.NewPorterStemmer(),
		german:     de.LightStemmerFilter(),
		french:     fr.LightStemmerFilter(),
		spanish:    es.LightStemmerFilter(),
		portuguese: pt.LightStemmerFilter(),
		italian:    it.LightStemmerFilter(),
		russian:    ru.StemmerFilter(),
	}
}

// stemmer stems words and remembers them: a text repeats its words. Not for
// concurrent use.
type stemmer struct {
	filters [languages]filter
	seen    [languages]map[string]string
	one     analysis.Token
	stream  analysis.TokenStream
}

func newStemmer() *stemmer {
	s := &stemmer{filters: newFilters()}
	for i := range s.seen {
		s.seen[i] = map[string]string{}
	}
	s.stream = analysis.TokenStream{&s.one}
	return s
}

// maxStems bounds what a stemmer remembers of one language.
const maxStems = 1 << 17

// stem returns the folded stem of a lower-case word made of letters.
//
// English and Russian words are folded before: their stemmers do not know accents
// and ё, so that resume and résumé, or елка and ёлка, would end differently. The
// others look at accents.
func (s *stemmer) stem(word string, lang language) string {
	if out, ok := s.seen[lang][word]; ok {
		return out
	}
	if len(s.seen[lang]) >= maxStems {
		clear(s.seen[lang])
	}
	text := word
	if lang == english || lang == russian {
		text = fold(word)
	}
	s.one.Term, s.one.KeyWord = []byte(text), false
	out := fold(string(s.filters[lang].Filter(s.stream)[0].Term))
	if out == "" {
		out = fold(word)
	}
	s.seen[lang][word] = out
	return out
}
