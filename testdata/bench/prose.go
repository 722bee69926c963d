package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Two laws of Zipf, as in text of people: a kernel of words that everything is
// said with, and a long tail of names and terms. With these numbers 100,000 words
// are about 10,000 different ones, two million 50,000.
const (
	kernel     = 6000
	kernelS    = 1.05
	tailShare  = .06
	tailS      = 1.25
	vocabulary = 1 << 18
	// repeated is how often a note says again what it said before.
	repeated = .2
)

// stopWords are the most frequent words of the prose, most frequent first.
var stopWords = strings.Fields(`the of and to in a is that for it was on with as be at by this had not are but
	from or have an they which one you were all her she there would their we him been has when who will no more if out so`)

var cjkWords = strings.Fields(`記録 会議 設定 备份 服务器 用户 偏好 计划 数据 测试 発表 予定 温度 窯 项目 需要 今天 明天 已经 完成
	배포 회의 일정 데이터 확인`)

var syllables = strings.Fields(`ba be bi bo ca ce co da de di do du fa fe fi fo ga ge go ha he hi ho ja ka ke ki la le li lo lu
	ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa we wi ya zo`)

var endings = strings.Fields(`n r s t l nd st rt ck ng m ing ted ness tion ly ment able er est`)

// word is the word of a rank, from 0 in order of frequency. Ranks are numbers in
// the system of syllables, so that rarer words are longer, as words are.
func word(rank int) string {
	if rank < len(stopWords) {
		return stopWords[rank]
	}
	n := rank - len(stopWords)
	// The ending decides among neighbours in rank; else all words of a
	// frequency would look alike.
	end := endings[n%len(endings)]
	n = n/len(endings) + len(syllables) // two syllables at least
	var b strings.Builder
	for ; n > 0; n /= len(syllables) {
		b.WriteString(syllables[n%len(syllables)])
	}
	return b.String() + end
}

// ticket is an id that only note n has.
func ticket(n int) string { return fmt.Sprintf("REF-%05d-%02d", n, n%89) }

// prose are notes as an agent writes them: days, headings, entries, ids, some
// Chinese, Japanese and Korean. The same seed makes the same notes.
type prose struct {
	seed  uint64
	words int      // of a note, on average
	plant []string // what plantedNote says besides
}

// speaker draws the words of one note.
type speaker struct {
	*rand.Rand
	kernel, tail *rand.Zipf
	said         []int
}

func newSpeaker(seed, n uint64) *speaker {
	r := rand.New(rand.NewPCG(seed, n))
	return &speaker{
		Rand: r, kernel: rand.NewZipf(r, kernelS, 2.7, kernel-1),
		tail: rand.NewZipf(r, tailS, 200, vocabulary-kernel-1),
	}
}

func (s *speaker) rank() int {
	if len(s.said) > 0 && s.Float64() < repeated {
		return s.said[s.IntN(len(s.said))]
	}
	rank := int(s.kernel.Uint64())
	if s.Float64() < tailShare {
		rank = kernel + int(s.tail.Uint64())
	}
	if rank >= len(stopWords) {
		s.said = append(s.said, rank)
	}
	return rank
}

// text is note n.
func (p prose) text(n int) []byte {
	r := newSpeaker(p.seed, uint64(n))
	var b bytes.Buffer
	sentence := func(count int) {
		for i := range count {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word(r.rank()))
		}
	}
	day := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n%700)
	b.WriteString("# ")
	sentence(3)
	b.WriteString("\n")
	if n == plantedNote && len(p.plant) > 0 {
		fmt.Fprintf(&b, "\n- %s\n", strings.Join(p.plant, " "))
	}
	fmt.Fprintf(&b, "\n- %s is about ", ticket(n))
	sentence(8)
	b.WriteString("\n")
	// From half to one and a half times the average.
	for left, entry := p.words/2+r.IntN(p.words+1), 0; left > 0; entry++ {
		if entry%12 == 0 {
			fmt.Fprintf(&b, "\n## %s ", day.AddDate(0, 0, entry/12).Format(time.DateOnly))
			sentence(2)
			b.WriteString("\n\n")
		}
		count := 10 + r.IntN(20)
		left -= count
		b.WriteString("- ")
		sentence(count)
		if r.IntN(20) == 0 {
			b.WriteString(": ")
			for range 6 {
				b.WriteString(cjkWords[r.IntN(len(cjkWords))])
			}
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// plantedNote holds every word that is asked for, so that no query is without an
// answer, however small the workspace.
const plantedNote = 1

// Ranks of common, middling and rare words to ask for.
var (
	common   = []int{60, 95, 140, 210, 330}
	middling = []int{1500, 2600, 4300, 7000}
	rare     = []int{21000, 34000, 52000}
)

// mixedQueries are what people ask: one to three words, common and rare, an id,
// Chinese and Japanese.
func mixedQueries(notes int) [][]string {
	w := func(ranks ...int) []string {
		var out []string
		for _, rank := range ranks {
			out = append(out, word(rank))
		}
		return out
	}
	return [][]string{
		w(common[0]),
		w(middling[0]),
		w(rare[0]),
		w(common[1], common[2]),
		w(common[3], rare[1]),
		w(middling[1], middling[2]),
		w(common[4], middling[3], rare[2]),
		w(common[0], common[2], common[3]),
		{ticket(notes / 3)},
		{"备份"},
		{"会議", "予定"},
		w(middling[0], rare[0]),
	}
}

// twoWordQueries are the queries of the comparison with git grep.
func twoWordQueries() [][]string {
	return [][]string{
		{word(common[1]), word(middling[0])},
		{word(middling[1]), word(middling[2])},
		{word(common[3]), word(rare[1])},
		{word(middling[3]), word(rare[0])},
	}
}

// planted are all words of these queries that are not ids.
func planted() []string {
	var out []string
	for _, q := range append(mixedQueries(0), twoWordQueries()...) {
		for _, w := range q {
			if !strings.HasPrefix(w, "REF-") {
				out = append(out, w)
			}
		}
	}
	return out
}
