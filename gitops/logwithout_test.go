package gitops_test

import (
	"slices"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestLogWithout(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, message := range []string{"one\n\nClaw-Event: writeback", "two\n\nClaw-Event: undo", "three [x]", "four"} {
		r.Git("commit", "-q", "--allow-empty", "-m", message)
	}
	subjects := func(without ...string) []string {
		var out []string
		for c, err := range r.Open().Log(t.Context(), gitops.LogOptions{Without: without}) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, c.Subject)
		}
		return out
	}
	for _, c := range []struct{ without, want []string }{
		{nil, []string{"four", "three [x]", "two", "one", "start"}},
		{[]string{"Claw-Event: writeback"}, []string{"four", "three [x]", "two", "start"}},
		{[]string{"Claw-Event: ", "[x]"}, []string{"four", "start"}},
	} {
		if got := subjects(c.without...); !slices.Equal(got, c.want) {
			t.Errorf("without %q: %q, want %q", c.without, got, c.want)
		}
	}
}
