package header

import (
	"slices"
	"testing"
)

func TestNewWarm(t *testing.T) {
	t.Parallel()
	src := NewWarm("Lessons learned", []string{"errors", "fixes"}, "2026-05-02")
	tags, ok := Tags(src)
	f, verified := Verified(src)
	if !ok || !slices.Equal(tags, []string{"errors", "fixes"}) || !verified || f.Value != "2026-05-02" || f.Line != 3 {
		t.Errorf("%q: %v %v", src, tags, f)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	v := ParseVocabulary([]byte("# group\nzeta\nfixes\nalpha\n"))
	for _, c := range []struct {
		v          Vocabulary
		tags, want []string
	}{
		{v, []string{"errors", "fixes"}, []string{"fixes"}},
		{v, []string{"errors"}, []string{"zeta"}},
		{Vocabulary{}, []string{"errors"}, []string{"errors"}},
		{ParseVocabulary([]byte("Not A Tag\n")), []string{"errors"}, []string{"errors"}},
	} {
		if got := c.v.Pick(c.tags...); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v", c.tags, c.v, got)
		}
	}
}
