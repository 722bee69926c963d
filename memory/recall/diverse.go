package recall

import (
	"math"
	"slices"

	"github.com/git-claw/git-claw/memory/lexical"
)

// maxDiverse bounds how many candidates are compared with each other: results are
// few, and what stands behind so many is not one of them.
const maxDiverse = 400

// diversify puts behind what says the same as what stands before (maximal marginal
// relevance, SPEC RC-04): the next is the one with the best lambda*score less
// (1-lambda)*similarity to the most similar one chosen. Chunks with an exact or rare
// word stay where they are (RC-21), and so do those below the minimum, behind all
// others: what ends the results must not end them early.
func (r *ranking) diversify(a *lexical.Analyser, lambda float64) {
	list := r.list[:min(len(r.list), maxDiverse)]
	firm := 0
	for firm < len(list) && list[firm].parts.Exact {
		firm++
	}
	end := firm
	for end < len(list) && list[end].score >= r.min {
		end++
	}
	list = list[:end]
	if end-firm < 2 {
		return
	}
	terms := r.terms(a, list)
	order := mmr(end, firm, lambda,
		func(i int) float64 { return list[i].score },
		func(i, j int) float64 { return jaccard(terms[i], terms[j]) })
	was := slices.Clone(list)
	for i, k := range order {
		list[i] = was[k]
	}
}

// mmr orders n candidates, of which the first are chosen already. Of equal ones the
// one that stood first comes first.
func mmr(n, chosen int, lambda float64, score func(i int) float64, similar func(i, j int) float64) []int {
	order := make([]int, 0, n)
	most := make([]float64, n) // similarity to the most similar one chosen
	left := make([]int, 0, n)
	choose := func(k int) {
		order = append(order, k)
		for _, i := range left {
			most[i] = max(most[i], similar(i, k))
		}
	}
	for i := chosen; i < n; i++ {
		left = append(left, i)
	}
	for i := range chosen {
		choose(i)
	}
	for len(left) > 0 {
		best, worth := 0, math.Inf(-1)
		for at, i := range left {
			if w := lambda*score(i) - (1-lambda)*most[i]; w > worth {
				best, worth = at, w
			}
		}
		k := left[best]
		left = slices.Delete(left, best, best+1)
		choose(k)
	}
	return order
}

// terms are the different terms of each candidate's text as numbers, ascending.
func (r *ranking) terms(a *lexical.Analyser, list []ranked) [][]int {
	out := make([][]int, len(list))
	numbers := map[string]int{}
	contents := map[string][]byte{}
	for i := range list {
		x := &list[i]
		content, ok := contents[x.note.Path]
		if !ok {
			content, _ = r.opt.Read(x.note.Path, x.note.Blob) // unreadable: similar to nothing
			contents[x.note.Path] = content
		}
		if x.piece.Start > x.piece.End || x.piece.End > len(content) {
			continue
		}
		for _, t := range a.Terms(string(content[x.piece.Start:x.piece.End])) {
			n, ok := numbers[t]
			if !ok {
				n = len(numbers)
				numbers[t] = n
			}
			out[i] = append(out[i], n)
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// jaccard is the share of what two ascending sets have in common in what they have
// together, 0 to 1.
func jaccard(a, b []int) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			i, j, both = i+1, j+1, both+1
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// share reads a setting that is a share, 0 to 1; what is none counts as def.
func share(v, def float64) float64 {
	if math.IsNaN(v) {
		return def
	}
	return min(max(v, 0), 1)
}
