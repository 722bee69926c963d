package vector_test

import (
	"math"
	"slices"
	"testing"

	"github.com/git-claw/git-claw/memory/embed/embedtest"
	"github.com/git-claw/git-claw/memory/vector"
)

func TestFuse(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		parts []vector.Part
		w     float64
		want  []float64
	}{
		"nothing":       {nil, .7, []float64{}},
		"both":          {[]vector.Part{{8, .5}, {4, 1}, {0, .25}}, .7, []float64{.65, .85, .175}},
		"static tier":   {[]vector.Part{{8, .5}, {4, 1}}, .3, []float64{.85, .65}},
		"no text":       {[]vector.Part{{0, .5}, {0, 1}}, .7, []float64{.35, .7}},
		"no vectors":    {[]vector.Part{{8, nan}, {2, nan}}, .7, []float64{1, .25}},
		"one vector":    {[]vector.Part{{8, nan}, {2, .5}}, .5, []float64{.5, .375}},
		"opposite":      {[]vector.Part{{8, -1}, {4, -.1}}, .5, []float64{.5, .25}},
		"beyond one":    {[]vector.Part{{1, 1.0001}}, .7, []float64{1}},
		"weight low":    {[]vector.Part{{8, .5}}, -3, []float64{1}},
		"weight high":   {[]vector.Part{{8, .5}}, 3, []float64{.5}},
		"weight nan":    {[]vector.Part{{8, .5}}, nan, []float64{1}},
		"text nan":      {[]vector.Part{{nan, .5}, {4, 0}, {-3, 0}}, .5, []float64{.25, .5, 0}},
		"text infinite": {[]vector.Part{{inf, 0}, {4, 0}}, .5, []float64{.5, .5}},
		"neither":       {[]vector.Part{{0, nan}}, .5, []float64{0}},
	} {
		got := vector.Fuse(c.parts, c.w)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s: %v, expected %v", name, got, c.want)
		}
	}
}

// TestMeaningBesideWords goes the whole way: a note without a word of the query
// comes before one that shares only a common word.
func TestMeaningBesideWords(t *testing.T) {
	t.Parallel()
	notes := []string{"the automobile needs new tyres", "the tea is on the shelf", "tyres and rims"}
	text := []float64{0, 2, 0} // what a lexical search for the query gives
	model := embedtest.New(256, []string{"car", "automobile"}, []string{"wheels", "tyres"})
	v, err := model.Embed(t.Context(), append(notes, "car on wheels"))
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, t.TempDir(), 0)
	parts := make([]vector.Part, len(notes))
	for i := range notes {
		add(t, s, []vector.Entry{{Hash: hashOf(i), Vec: v[i]}})
		parts[i] = vector.Part{Text: text[i], Cos: math.NaN()}
	}
	if got := vector.Fuse(parts, 0.7); got[1] != 1 || got[0] != 0 {
		t.Errorf("without vectors: %v", got)
	}
	for _, m := range scan(t, s, v[3], 10, nil) {
		for i := range notes {
			if m.Hash == hashOf(i) {
				parts[i].Cos = float64(m.Cos)
			}
		}
	}
	if got := vector.Fuse(parts, 0.7); got[0] < 0.35 || got[1] > 0.5 || got[2] < 0.2 {
		t.Errorf("with vectors: %v of %v", got, parts)
	}
}
