package health

import "github.com/git-claw/git-claw/memory"

// Explanation is a check and what becomes of it in a workspace.
type Explanation struct {
	Check
	Here   Severity // as settings and profiles have it; that of the check without a workspace
	WhyNot string   // why it does not run there, or ""
}

// Explain tells about a check; ws may be nil.
func Explain(ws *memory.Workspace, c Check) Explanation {
	e := Explanation{Check: c, Here: c.Severity}
	if ws == nil {
		return e
	}
	r := newRun(ws, nil, nil, Options{})
	e.WhyNot, _ = r.whyNot(c, r.disabled())
	e.Here = newGrading(ws).of(c, Finding{})
	return e
}
