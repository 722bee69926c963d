package lexical

import (
	"strings"
)

// Words that say which language a text is in: frequent, and of no other of these
// languages. Words that two of them share are left out.
var functionWords = [languages]string{
	english:    "the of and to is was that for with are this from have not which were been their they will would",
	german:     "der und das ist nicht ein eine mit von zu den dem auf für wird auch sich nach bei wir ich noch wurde sind aus oder aber wenn nur",
	french:     "les est dans pour pas sur au avec sont nous vous mais cette été ont aux leur je il elle ne ce qui plus",
	spanish:    "el los las una por con para como pero sus fue está muy hay desde cuando sobre también ya del hasta este y lo",
	portuguese: "não uma com os as dos das foi ao são está mais também na pela pelo ser tem à às até isso em um o",
	italian:    "il di che è per sono della nel gli con anche alla più dei delle questo stato una non si da",
}

// languageOf maps a function word to its language, plus one.
type languageOf map[string]language

func newLanguageOf() languageOf {
	m, shared := languageOf{}, map[string]bool{}
	for lang, list := range functionWords {
		for w := range strings.FieldsSeq(list) {
			if m[w] != 0 {
				shared[w] = true
			}
			m[w] = language(lang) + 1
		}
	}
	for w := range shared {
		delete(m, w)
	}
	return m
}

// vote counts function words.
type vote [languages]int

// winner returns the language that a text is in by its votes. A few words decide
// nothing: then it is the fallback.
func (v *vote) winner(fallback language) language {
	best, second := fallback, 0
	for lang, n := range v {
		switch {
		case n > v[best] || v[best] == 0 && n > 0:
			if best != language(lang) {
				second = v[best]
			}
			best = language(lang)
		case language(lang) != best && n > second:
			second = n
		}
	}
	if v[best] < 3 || v[best] < 2*second {
		return fallback
	}
	return best
}
