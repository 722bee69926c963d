package health

import "github.com/git-claw/git-claw/memory"

// grading applies settings to severities.
type grading struct {
	ws   *memory.Workspace
	memo map[graded]Severity
}

type graded struct {
	id  string
	own Severity
}

func newGrading(ws *memory.Workspace) *grading {
	return &grading{ws: ws, memo: map[graded]Severity{}}
}

// of is how grave a finding is. In a profile that nobody listed a check fails only
// for loss or corruption; who sets the severity of such a check has asked for it.
// What measures estimates never fails, whatever is set.
func (g *grading) of(c Check, f Finding) Severity {
	own := f.Severity
	if own == 0 {
		own = c.Severity
	}
	key := graded{c.ID, own}
	if s, ok := g.memo[key]; ok {
		return s
	}
	s := own
	if len(c.Profiles) > 0 && !c.Loss && g.ws.Profiles.Auto() {
		s = atMost(s, Warning)
	}
	if set := g.ws.Settings.Severity(c.ID, string(s)); set != "" {
		s = Severity(set[0])
	}
	if c.Tokens {
		s = atMost(s, Warning)
	}
	g.memo[key] = s
	return s
}

func atMost(s, most Severity) Severity {
	if s.weight() > most.weight() {
		return most
	}
	return s
}
