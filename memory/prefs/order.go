package prefs

import (
	"strings"
	"unicode"

	"github.com/git-claw/git-claw/memory/doc"
)

// orders are the words by which somebody wants a thing to hold from now on (SPEC
// SI-21, GN-08): always, never, remember. A word that means something else in another
// language, such as the German "nie", which is the Polish "not", is left out: then it
// takes three times.
var orders = phrases(
	"always", "never", "remember", "from now on",
	"immer", "niemals", "nie wieder", "nie mehr", "merk dir", "merke dir", "merken sie sich", "ab jetzt", "ab sofort",
	"toujours", "jamais", "souviens-toi", "souvenez-vous", "retiens", "retenez", "désormais",
	"siempre", "nunca", "jamás", "recuerda", "recuerde", "acuérdate",
	"lembre-se", "lembra-te", "lembre",
	"sempre", "mai più", "ricorda", "ricordati", "ricordatevi",
	"altijd", "nooit", "onthoud", "voortaan",
	"zawsze", "nigdy", "zapamiętaj", "pamiętaj",
	"vždy", "nikdy", "zapamatuj si", "pamatuj si", "zapamätaj si",
	"всегда", "никогда", "запомни", "запомните", "завжди", "ніколи", "запам'ятай",
	"alltid", "altid", "aldrig", "aldri", "kom ihåg",
	"aina", "ei koskaan", "älä koskaan", "muista",
	"mindig", "soha", "jegyezd meg",
	"întotdeauna", "niciodată", "ține minte",
	"her zaman", "daima", "asla", "unutma", "hatırla",
	"πάντα", "ποτέ", "να θυμάσαι",
	"דائما", "תמיד", "לעולם לא", "תזכור", "זכור",
	"دائما", "دائمًا", "أبدا", "أبدًا", "تذكر", "تذكّر", "همیشه", "هرگز",
	"selalu", "jangan pernah", "ingatlah",
	"luôn luôn", "không bao giờ", "hãy nhớ",
	"हमेशा", "कभी नहीं", "याद रखो", "याद रखना",
)

// unparted are orders in scripts that do not part words by spaces.
var unparted = []string{
	"总是", "永远", "始终", "一律", "从不", "绝不", "决不", "记住", "以后都", "總是", "永遠", "始終", "從不", "絕不", "記住",
	"いつも", "常に", "必ず", "決して", "絶対に", "覚えておいて", "覚えて",
	"항상", "언제나", "절대", "결코", "기억해",
	"เสมอ", "ห้าม", "จำไว้",
}

// noOrders hold a word of orders and order nothing.
var noOrders = phrases("never mind", "nevermind", "as always", "wie immer", "comme toujours", "come sempre", "como siempre", "como sempre", "zoals altijd")

// phrases parts lists into words.
func phrases(list ...string) [][]string {
	out := make([][]string, len(list))
	for i, p := range list {
		out[i] = wordsOf(p)
	}
	return out
}

// wordsOf are the words of a text in lower case. An apostrophe within a word belongs to
// it.
func wordsOf(s string) []string {
	return strings.FieldsFunc(doc.Normalise(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '\''
	})
}

// IsOrder reports whether a quote orders that something always or never be done, or be
// remembered.
func IsOrder(quote string) bool {
	text := doc.Normalise(quote)
	for _, p := range unparted {
		if strings.Contains(text, p) {
			return true
		}
	}
	words := wordsOf(quote)
	for i := 0; i < len(words); i++ {
		if n := startsWith(words[i:], noOrders); n > 0 {
			i += n - 1
			continue
		}
		if startsWith(words[i:], orders) > 0 {
			return true
		}
	}
	return false
}

// startsWith returns how many words the first fitting phrase has, 0 when none fits.
func startsWith(words []string, list [][]string) int {
next:
	for _, p := range list {
		if len(p) > len(words) {
			continue
		}
		for i := range p {
			if p[i] != words[i] {
				continue next
			}
		}
		return len(p)
	}
	return 0
}
