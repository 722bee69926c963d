package agent

import (
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/daily"
)

// takeClosure takes the fields that were said (`Decisions: …`) out of lines.
func takeClosure(lines []string) (c daily.Closure, rest []string) {
	for _, l := range lines {
		i := slices.IndexFunc(daily.Keys[:], func(k string) bool { return strings.HasPrefix(l, k+":") })
		if i < 0 {
			rest = append(rest, l)
			continue
		}
		f := c.Fields()[i]
		if v := strings.TrimSpace(l[len(daily.Keys[i])+1:]); *f == "" {
			*f = v
		} else {
			*f += "; " + v
		}
	}
	return c, said(strings.Join(rest, "\n"))
}
