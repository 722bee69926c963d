package vector

import "math"

// Part is what the two sides of a search say about one candidate.
type Part struct {
	Text float64 // lexical score, 0: no word of the query found it
	Cos  float64 // cosine with the query; NaN: it has no vector
}

// Fuse gives the scores of all candidates of a query, 0 to 1 (SPEC RC-04):
//
//	w*max(0,cos) + (1-w)*text/max(text)
//
// Without any lexical score the second part is 0. When no candidate has a vector
// w counts as 0: a text index that stands alone scores up to 1.
func Fuse(parts []Part, w float64) []float64 {
	top, vectors := 0.0, false
	for _, p := range parts {
		if p.Text > top && !math.IsInf(p.Text, 1) {
			top = p.Text
		}
		vectors = vectors || !math.IsNaN(p.Cos)
	}
	w = unit(w)
	if !vectors {
		w = 0
	}
	out := make([]float64, len(parts))
	for i, p := range parts {
		// The conversions keep one machine from fusing what another rounds twice:
		// equal candidates have equal scores everywhere.
		out[i] = float64(w * unit(p.Cos))
		if top > 0 {
			out[i] += float64((1 - w) * unit(p.Text/top))
		}
	}
	return out
}

// unit cuts x to 0..1; NaN is 0.
func unit(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}
