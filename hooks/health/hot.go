package health

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/header"
	"github.com/git-claw/git-claw/memory/hot"
)

const memoryFile = "MEMORY.md"

// hotFamily looks at MEMORY.md where it is the HOT tier.
func hotFamily() Family {
	om := on(memory.OpenClawMemory)
	return Family{
		Name: "hot",
		Checks: []Check{
			{ID: "HOT-001", Severity: Failure, Profiles: om, Rule: "OM-02", Meaning: "MEMORY.md exists", Fix: "write it, with the four lines of its header"},
			{
				ID: "HOT-002", Severity: Failure, Profiles: om, Rule: "OM-05", Meaning: "MEMORY.md begins with the four lines of its header",
				Fix: "write the line as it is expected",
			},
			{
				ID: "HOT-003", Severity: Failure, Profiles: om, Rule: "OM-04", Meaning: "MEMORY.md has at most claw.hot.maxLines lines",
				Fix: "move what is over to a daily note, and what is known for good to memory/semantic/",
			},
			{
				ID: "HOT-004", Severity: Failure, Profiles: om, Rule: "OM-74", Meaning: "the links of active decisions lead to a heading that exists",
				Fix: "write '- <label> → " + hot.DecisionsPath + "#<anchor>', and the reason below that heading",
			},
			{
				ID: "HOT-005", Severity: Failure, Profiles: om, Rule: "OM-73", Meaning: "MEMORY.md has at most claw.hot.maxOpenQuestions open questions",
				Fix: "answer one, or move those that wait to a daily note",
			},
			{
				ID: "HOT-006", Severity: Warning, Profiles: om, Rule: "WS-03", Meaning: "an item of MEMORY.md is one line",
				Fix: "keep one line, and move the detail to memory/semantic/ or a daily note",
			},
		},
		Look:  Over(isHot, readHot, judgeHot),
		Whole: whenAny(isHot),
		Enter: intoWarm,
	}
}

func isHot(_ *Run, f File) bool { return f.Path == memoryFile || f.Path == hot.DecisionsPath }

// hotFact is what MEMORY.md says of decisions, or what there is to point to.
type hotFact struct {
	decisions []hot.Decision
	anchors   map[string]bool
}

func readHot(r *Run, n *Note, out *Out) hotFact {
	if n.Path != memoryFile {
		return hotFact{anchors: n.Doc().Anchors()}
	}
	for _, p := range header.Hot(n.Text) {
		out.Add(Finding{ID: "HOT-002", Path: n.Path, Line: p.Line, Message: "a line of the header is missing or is another one", Expected: p.Expected, Actual: orNone(clip(p.Actual))})
	}
	limited(out, "HOT-003", n.Path, 0, len(n.Lines()), r.Int("hot.maxLines"), "lines")
	if q := hot.Questions(n.Doc()); len(q) > 0 {
		most := r.Int("hot.maxOpenQuestions")
		limited(out, "HOT-005", n.Path, q[min(most, len(q)-1)], len(q), most, "open questions")
	}
	for i := range n.Doc().Entries {
		if e := &n.Doc().Entries[i]; e.Kind == doc.Item && e.EndLine > e.OwnLine {
			out.Add(Finding{
				ID: "HOT-006", Path: n.Path, Line: e.OwnLine, EndLine: e.EndLine, Message: fmt.Sprintf("an item of %d lines", e.EndLine-e.OwnLine+1),
				Expected: "one line", Actual: fmt.Sprintf("%d lines", e.EndLine-e.OwnLine+1),
			})
		}
	}
	return hotFact{decisions: hot.Decisions(n.Doc())}
}

func judgeHot(ctx context.Context, r *Run, facts []Fact[hotFact], out *Out) error {
	there, err := r.Has(ctx, memoryFile)
	if err != nil {
		return err
	}
	if !there {
		out.Add(Finding{ID: "HOT-001", Path: memoryFile, Message: "there is no such file", Expected: "a file", Actual: "none"})
	}
	var anchors map[string]bool
	for _, f := range facts {
		if f.File.Path == hot.DecisionsPath {
			anchors = f.Value.anchors
		}
	}
	for _, f := range facts {
		for _, d := range f.Value.decisions {
			wrong := d.Wrong
			switch {
			case wrong != "":
			case anchors == nil:
				wrong = "there is no file " + hot.DecisionsPath
			case !hasAnchor(anchors, d.Anchor):
				wrong = "no heading there has this anchor"
			default:
				continue
			}
			out.Add(Finding{ID: "HOT-004", Path: f.File.Path, Line: d.Line, Message: "an active decision does not lead to its reason: " + wrong, Expected: "a label and a link that resolves", Actual: wrong})
		}
	}
	return nil
}

// hasAnchor compares as browsers do not, but people do: without case, and with
// escapes.
func hasAnchor(anchors map[string]bool, anchor string) bool {
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	return anchors[anchor] || anchors[strings.ToLower(anchor)]
}

// limited reports a number that is over its limit. line is where what is too much
// begins, 0 for the whole file.
func limited(out *Out, id, path string, line, have, limit int, unit string) {
	if have > limit {
		out.Add(Finding{
			ID: id, Path: path, Line: line, Message: fmt.Sprintf("%d %s, the limit is %d", have, unit, limit),
			Expected: fmt.Sprintf("at most %d %s", limit, unit), Actual: fmt.Sprintf("%d %s", have, unit), Measure: int64(have),
		})
	}
}

// clip shortens a line of a file for a report.
func clip(s string) string {
	const longest = 60
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
