package shapes_test

import (
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/testdata/shapes"
)

// Every shape can be built, says what it is, and is a sound repository.
func TestShapes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range shapes.All() {
		if seen[s.Name] || s.About == "" {
			t.Errorf("shape %q: its name is used twice, or it does not say what it stands for", s.Name)
		}
		seen[s.Name] = true
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, gittest.Unborn())
			s.Make(t, r.Dir)
			r.Fsck()
			if len(r.Status()) == 0 && s.Name != "purge" && s.Name != "core over budget" && s.Name != "hostile clone" {
				t.Error("nothing was edited: there is nothing to lose")
			}
		})
	}
	if len(seen) < 26 {
		t.Errorf("%d shapes, want at least those 26 that were seen", len(seen))
	}
}
