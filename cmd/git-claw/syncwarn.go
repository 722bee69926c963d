package main

import (
	"fmt"
	"path"

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

// strangers says what of the remote did not become a branch here, and how to look at it.
func strangers(res *syncing.Result) []string {
	const most = 5
	var out []string
	for i, st := range res.Proposals.Strangers {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more, see 'git claw sync --json'", len(res.Proposals.Strangers)-most))
			break
		}
		there := res.Remote + "/" + st.Branch
		switch st.What {
		case "quarantined":
			out = append(out, fmt.Sprintf("'%s' is in quarantine, %s: git claw proposal show %s", there, st.Why, path.Base(st.Branch)))
		case "diverged":
			out = append(out, fmt.Sprintf("'%s' went another way here: git log -p --left-right %s", there, shellQuote(st.Branch+"..."+there)))
		default:
			out = append(out, fmt.Sprintf("'%s' is no proposal and was ignored: git log -p %s", there, shellQuote(there)))
		}
	}
	return out
}
