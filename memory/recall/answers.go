package recall

import (
	"cmp"
	"context"
)

// join adds a chunk to an answer that it overlaps: what follows a place is no
// second place, and would take that of another note. An answer takes in one chunk.
func join(out []Result, x *ranked) bool {
	for i := range out {
		r := &out[i]
		if r.Path != x.note.Path || x.piece.From > r.To || x.piece.To < r.From {
			continue
		}
		if r.joined {
			return x.piece.From >= r.From && x.piece.To <= r.To
		}
		r.From, r.To, r.joined = min(r.From, x.piece.From), max(r.To, x.piece.To), true
		return true
	}
	return false
}

// results shows the best of the list. Overlapping chunks of one note are one
// answer.
func (r *ranking) results(ctx context.Context) ([]Result, error) {
	var out []Result
	for x := range r.ordered(ctx) {
		if ctx.Err() != nil {
			break
		}
		if x.score < r.min && !x.parts.Exact && len(out) > 0 {
			r.tellWeaker()
			break
		}
		if join(out, x) {
			continue
		}
		res := r.result(x)
		if r.opt.Keep != nil && !res.Unsaved {
			if ok, err := r.opt.Keep(&res); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
		}
		r.quote(&res, x)
		if out = append(out, res); len(out) == r.opt.Limit {
			break
		}
	}
	return out, cmp.Or(ctx.Err(), r.err)
}

// tellWeaker counts what is left out for its score.
func (r *ranking) tellWeaker() {
	if r.opt.Weaker == nil {
		return
	}
	n := 0
	for i := range r.list {
		if x := &r.list[i]; x.score < r.min && !x.parts.Exact {
			n++
		}
	}
	r.opt.Weaker(n)
}

// tellAbsent names the exact words that nothing holds: what is found then answers
// the rest of the query only.
func (r *ranking) tellAbsent(chunks []int) {
	var words []string
	for i, w := range r.words {
		if w.Exact && chunks[i] == 0 {
			words = append(words, w.Text)
		}
	}
	if len(words) > 0 && r.opt.Absent != nil {
		r.opt.Absent(words)
	}
}
