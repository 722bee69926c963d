package main

import (
	"fmt"

	"github.com/git-claw/git-claw/agent/syncing"
)

// warnStrange tells of what is no verdict where verdicts are kept.
func warnStrange(env *Env, res *syncing.Result) {
	there, here := 0, 0
	var mend []string
	for _, s := range res.Strange {
		if s.Remote {
			there++
			continue
		}
		if here++; here > 1 {
			continue
		}
		if mend = []string{"to look at it: git ls-tree -r refs/notes/claw"}; !s.Commit.IsZero() {
			mend = []string{"git notes --ref=claw edit " + s.Commit.Short()}
		}
	}
	if there > 0 {
		env.Warn(fmt.Sprintf("%s of refs/notes/claw at '%s' left out: no verdicts", count(there, "line"), res.Remote))
	}
	if here > 0 {
		env.Warn(fmt.Sprintf("verdicts were not pushed: %s of refs/notes/claw here is none", count(here, "line")), mend...)
	}
}
