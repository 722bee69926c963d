//go:build unix

package gitops_test

import (
	"maps"
	"os"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestRace(t *testing.T) {
	t.Parallel()
	races := map[string]gittest.Race{
		"writers only":            {Writers: 20, Rounds: 3},
		"beside plain git":        {Writers: 20, Rounds: 3, Plain: []string{"commit", "stage", "gc"}},
		"beside switched heads":   {Writers: 8, Rounds: 3, Plain: []string{"switch", "commit"}},
		"reftable":                {Writers: 6, Rounds: 2, Plain: []string{"commit", "stage"}, Options: []gittest.Option{gittest.Reftable()}},
		"in linked worktree":      {Writers: 6, Rounds: 2, Plain: []string{"commit", "gc"}, Options: []gittest.Option{gittest.LinkedWorktree()}},
		"beside a rebase":         {Writers: 6, Rounds: 3, Plain: []string{"rebase", "commit"}},
		"beside a person typing":  {Writers: 4, Rounds: 40, Plain: []string{"type"}},
		"split index, stage only": {Writers: 6, Rounds: 2, Plain: []string{"stage"}, Options: []gittest.Option{gittest.SplitIndex()}},
	}
	if os.Getenv(bigVariable) != "" {
		maps.Copy(races, map[string]gittest.Race{
			"8 writers x 300":      {Writers: 8, Rounds: 300},
			"4 writers, 4 git":     {Writers: 4, Rounds: 150, Plain: []string{"commit", "stage", "stash", "switch"}},
			"4 writers, rebases":   {Writers: 4, Rounds: 150, Plain: []string{"commit", "rebase", "gc", "type"}},
			"8 writers, gc, refs":  {Writers: 8, Rounds: 150, Plain: []string{"gc", "pack-refs"}},
			"20 writers, one file": {Writers: 20, Rounds: 1},
		})
	}
	for name, race := range races {
		for writer := range writers {
			t.Run(name+"/"+writer, func(t *testing.T) {
				t.Parallel()
				race := race // the other writer has the same
				race.Environ = []string{seamVariable + "=watch", writerVariable + "=" + writer}
				race.Run(t)
			})
		}
	}
}

// The race harness must notice when the writer compares nothing before it moves
// HEAD, when it does not take index.lock, and when it does not smudge.
func TestRaceWithoutProtection(t *testing.T) {
	t.Parallel()
	for seam, race := range map[string]gittest.Race{
		"nocas":    {Writers: 4, Rounds: 4, Plain: []string{"commit", "commit"}},
		"nolock":   {Writers: 4, Rounds: 4, Plain: []string{"stage", "commit"}},
		"nosmudge": {Writers: 4, Rounds: 60, Plain: []string{"type"}},
	} {
		for writer := range writers {
			if seam == "nosmudge" && writer == "git" {
				continue // git does it
			}
			t.Run(seam+"/"+writer, func(t *testing.T) {
				t.Parallel()
				race := race
				race.Environ = []string{seamVariable + "=" + seam, writerVariable + "=" + writer}
				for range 8 {
					said := gittest.Probe(t, func(t testing.TB) { race.Run(t) })
					if len(said) > 0 {
						t.Logf("noticed: %.300q", said)
						return
					}
				}
				t.Error("a writer without this protection passes the race test eight times")
			})
		}
	}
}
