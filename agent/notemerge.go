package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
)

// planMerge unites the daily notes that one day has in several places (SPEC
// LY-01) in the place that the layout says.
func (n *noter) planMerge() ([]string, planner, error) {
	day, err := time.ParseInLocation(time.DateOnly, n.opt.Merge, n.ws.Now().Location())
	if err != nil {
		return nil, nil, &UsageError{Problem: fmt.Sprintf("'%s' is no date", n.opt.Merge), Hint: "write it as 2026-05-02"}
	}
	places, err := dailyPlaces(n.ws, day)
	if err != nil {
		return nil, nil, err
	}
	var rels []string
	for _, rel := range places {
		ok, err := n.ws.Exists(rel)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			rels = append(rels, rel)
		}
	}
	switch len(rels) {
	case 0:
		return nil, nil, &NoFileError{Path: places[0]}
	case 1:
		return nil, nil, nil
	}
	return rels, func(files []*noteFile) (notePlan, error) {
		p := notePlan{event: eventMerge, area: "daily", summary: "unite the notes of " + n.opt.Merge}
		text := files[0].text
		for _, f := range files[1:] {
			var ok bool
			if text, ok = uniteDaily(text, f.text); !ok {
				return p, &ConflictError{Problem: fmt.Sprintf("cannot unite '%s' and '%s': they have different frontmatter", files[0].rel, f.rel)}
			}
			p.trailers = append(p.trailers, gitops.Trailer{Key: "Claw-Merged", Value: f.rel})
			p.edits = append(p.edits, noteEdit{file: f, remove: true})
		}
		p.edits = append([]noteEdit{{file: files[0], next: text}}, p.edits...)
		return p, nil
	}, nil
}

// uniteDaily puts what b has and a has not behind the body of a, with one closure
// block at the end. An entry that both have under the same headings stands there
// once; a heading comes along with what stands under it. It returns false when
// both have frontmatter and it differs.
func uniteDaily(a, b []byte) ([]byte, bool) {
	closeA, atA, hasA := daily.FindClosure(a)
	closeB, atB, hasB := daily.FindClosure(b)
	bodyA, bodyB := a, b
	if hasA {
		bodyA = a[:atA]
	}
	if hasB {
		bodyB = b[:atB]
	}
	lines, ok := onlyIn(doc.Parse(bodyB), doc.Parse(bodyA))
	if !ok {
		return nil, false
	}
	out := a
	switch {
	case hasA || hasB:
		c := closeA
		if hasA && hasB {
			c = daily.Join(closeA, closeB)
		} else if hasB {
			c = closeB
		}
		out = daily.WithClosure(a, lines, c)
	case len(lines) > 0:
		out = doc.AppendLines(a, lines)
	}
	return out, true
}

// onlyIn returns the lines of b's units that a does not have, with their
// headings.
func onlyIn(b, a *doc.Doc) ([]string, bool) {
	have := map[string]int{}
	for _, u := range units(a) {
		have[u.key(a)]++
	}
	all := units(b)
	keep := make([]bool, len(all))
	for i, u := range all {
		key := u.key(b)
		if have[key] > 0 {
			have[key]--
			continue
		}
		if b.Entries[u.from].Kind == doc.Frontmatter && len(a.Entries) > 0 {
			return nil, false
		}
		keep[i] = true
	}
	for i, u := range all { // headings of what is kept
		h := b.Entries[u.from]
		if h.Kind != doc.Heading || keep[i] || i == 0 && h.Level == 1 {
			continue
		}
		for j := i + 1; j < len(all); j++ {
			e := b.Entries[all[j].from]
			if e.Kind == doc.Heading && e.Level <= h.Level {
				break
			}
			keep[i] = keep[i] || keep[j]
		}
	}
	var lines []string
	last := -1
	for i, u := range all {
		if !keep[i] {
			continue
		}
		if last >= 0 && apart(b, all, last, i) {
			lines = append(lines, "")
		}
		lines = append(lines, u.lines(b)...)
		last = i
	}
	return lines, true
}

// apart reports whether a blank line belongs between two units of a text: as it
// is there, and where they are no neighbours there, between all but list items.
func apart(d *doc.Doc, all []unit, first, second int) bool {
	before := d.Entries[all[first].to-1]
	if second == first+1 {
		return before.End != before.Next
	}
	return d.Entries[all[first].from].Kind != doc.Item || d.Entries[all[second].from].Kind != doc.Item
}

// key identifies a unit by the headings it stands under and its text.
func (u unit) key(d *doc.Doc) string {
	e := d.Entries[u.from]
	parts := append(slices.Clone(e.Path()), u.lines(d)...)
	return e.Kind.String() + "\x00" + strings.Join(parts, "\x00")
}
