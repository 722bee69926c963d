package recall

import (
	"fmt"
	"math"
	"testing"
)

func TestMMR(t *testing.T) {
	t.Parallel()
	// 0, 1 and 3 say the same.
	score := []float64{1, 0.9, 0.8, 0.7, 0.1}
	same := map[[2]int]float64{{0, 1}: 1, {1, 0}: 1, {0, 3}: 0.5, {3, 0}: 0.5, {1, 3}: 1, {3, 1}: 1}
	for _, c := range []struct {
		chosen int
		lambda float64
		want   string
	}{
		{0, 1, "[0 1 2 3 4]"},
		{0, 0.7, "[0 2 3 1 4]"},
		{2, 0.7, "[0 1 2 3 4]"},
		{0, 0, "[0 2 4 3 1]"},
		{5, 0, "[0 1 2 3 4]"},
	} {
		got := fmt.Sprint(mmr(5, c.chosen, c.lambda, func(i int) float64 { return score[i] }, func(i, j int) float64 { return same[[2]int{i, j}] }))
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestJaccard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []int
		want float64
	}{{nil, nil, 0}, {[]int{1}, nil, 0}, {[]int{1, 3, 5}, []int{3, 5, 7}, 0.5}, {[]int{2, 4}, []int{2, 4}, 1}} {
		if got := jaccard(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %g", c.a, c.b, got)
		}
	}
	for _, v := range []float64{-1, 2, 0.5, math.Inf(1), math.NaN()} {
		if s := share(v, 0.7); s < 0 || s > 1 || math.IsNaN(s) {
			t.Errorf("a share of %g is %g", v, s)
		}
	}
}
