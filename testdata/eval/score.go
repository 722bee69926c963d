package main

import (
	"math"
	"slices"
	"time"
)

// limit is how many results are asked for and judged.
const limit = 10

// A Result is one line of `search --json`, as far as it is judged.
type Result struct {
	Path  string  `json:"path"`
	From  int     `json:"from"` // 1-based, inclusive
	To    int     `json:"to"`
	Score float64 `json:"score"`
}

// An Answer is what one search brought.
type Answer struct {
	Question Question
	Results  []Result // at most limit
	Err      error    // the command failed or printed what cannot be read
	Wall     time.Duration

	// Ranks are those at which each piece of evidence was found first, 0 for
	// not found; in the order of the evidence.
	Ranks []int
}

// judge sets the ranks.
func (a *Answer) judge() {
	a.Ranks = make([]int, len(a.Question.Evidence))
	for i, e := range a.Question.Evidence {
		a.Ranks[i] = 1 + slices.IndexFunc(a.Results, e.in)
	}
}

// missed reports whether a piece of evidence is not among the results.
func (a *Answer) missed() bool { return slices.Contains(a.Ranks, 0) }

// Scores are means over questions.
type Scores struct {
	N        int     `json:"n"`
	Recall5  float64 `json:"recall5"`
	Recall10 float64 `json:"recall10"`
	MRR      float64 `json:"mrr"`
	NDCG10   float64 `json:"ndcg10"`
}

func (a *Answer) scores() Scores {
	s := Scores{N: 1}
	found := map[int]bool{}
	for _, r := range a.Ranks {
		if r == 0 {
			continue
		}
		found[r] = true
		s.Recall10++
		if r <= 5 {
			s.Recall5++
		}
		s.MRR = max(s.MRR, 1/float64(r))
	}
	// Two pieces in one result count as one rank, as a reader has it: one
	// place to look at.
	gain, best := 0.0, 0.0
	for r := 1; r <= limit; r++ {
		discount := 1 / math.Log2(1+float64(r))
		if found[r] {
			gain += discount
		}
		if r <= len(a.Ranks) {
			best += discount
		}
	}
	n := float64(len(a.Ranks))
	s.Recall5, s.Recall10, s.NDCG10 = s.Recall5/n, s.Recall10/n, min(1, gain/best)
	return s
}

// mean is that of the answers which keep lets through.
func mean(answers []Answer, keep func(Question) bool) Scores {
	var sum Scores
	for i := range answers {
		if !keep(answers[i].Question) {
			continue
		}
		s := answers[i].scores()
		sum.N++
		sum.Recall5 += s.Recall5
		sum.Recall10 += s.Recall10
		sum.MRR += s.MRR
		sum.NDCG10 += s.NDCG10
	}
	if n := float64(sum.N); n > 0 {
		sum.Recall5, sum.Recall10, sum.MRR, sum.NDCG10 = sum.Recall5/n, sum.Recall10/n, sum.MRR/n, sum.NDCG10/n
	}
	return sum
}
