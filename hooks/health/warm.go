package health

import (
	"fmt"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/header"
)

// warmFamily looks at when WARM notes were verified last.
func warmFamily() Family {
	om := on(memory.OpenClawMemory)
	return Family{
		Name: "warm",
		Checks: []Check{
			{
				ID: "WARM-001", Severity: Failure, Profiles: om, Rule: "OM-06", Meaning: "WARM notes say when they were verified last",
				Fix: "check what the note says, then write '> last_verified: YYYY-MM-DD' as line 3",
			},
			{
				ID: "WARM-002", Severity: Failure, Profiles: om, Rule: "OM-72", Live: true, Meaning: "WARM notes were verified within claw.warm.verifyDays",
				Fix: "check what the note says, then write today's date into last_verified",
			},
		},
		Look: Over(isWarm, readVerified, nil),
	}
}

func readVerified(r *Run, n *Note, out *Out) struct{} {
	f, ok := header.Verified(n.Text)
	if !ok {
		out.Add(Finding{ID: "WARM-001", Path: n.Path, Message: "it does not say when it was verified", Expected: "last_verified: YYYY-MM-DD", Actual: "none"})
		return struct{}{}
	}
	day, ok := f.Day()
	if !ok {
		out.Add(Finding{ID: "WARM-001", Path: n.Path, Line: f.Line, Message: "last_verified is no date", Expected: "YYYY-MM-DD", Actual: orNone(clip(day))})
		return struct{}{}
	}
	days, age := r.Int("warm.verifyDays"), daily.Age(day, r.Now)
	switch {
	case age < 0 && r.Staged: // what today is, is no matter of a commit
	case age < 0:
		out.Add(Finding{ID: "WARM-001", Path: n.Path, Line: f.Line, Message: "last_verified lies in the future", Expected: "today or before", Actual: day})
	case age >= days:
		out.Add(Finding{
			ID: "WARM-002", Path: n.Path, Line: f.Line, Message: fmt.Sprintf("verified %d days ago", age),
			Expected: fmt.Sprintf("less than %d days ago", days), Actual: fmt.Sprintf("%d days ago", age), Measure: int64(age),
		})
	}
	return struct{}{}
}
