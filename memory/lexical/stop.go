package lexical

import "strings"

// English words that say nothing alone. Other languages have none here: they are
// frequent, and what is frequent weighs little by itself.
const englishStop = `a about above after again all am an and any are arent as at be because been before being below
between both but by can cant cannot could couldnt did didnt do does doesnt doing dont down during each few for from
further had has hasnt have havent having he her here hers herself him himself his how i id if im in into is isnt it
its itself ive just me more most my myself no nor not now of off on once only or other our ours ourselves out over own
s same she should shouldnt so some such t than that thats the their theirs them themselves then there these they this those
through to too under until up very was wasnt we were werent what when where which while who whom why will with wont
would wouldnt you your youre yours yourself yourselves`

func newStopWords() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(englishStop) {
		m[w] = true
	}
	return m
}
