package health

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/contradiction"
	"github.com/git-claw/git-claw/memory/tombstone"
)

// textFamily looks for what merges and erasures leave in the text of managed files.
func textFamily() Family {
	var erased tombstone.List
	return Family{
		Name: "text",
		Checks: []Check{
			{
				ID: "GIT-005", Severity: Failure, Rule: "GN-23", Meaning: "no conflict markers in managed files",
				Fix: "keep what is true of both sides and take the three marker lines out",
			},
			{
				ID: "GIT-010", Severity: Warning, Rule: "GN-15", Meaning: "no contradiction waits for a choice",
				Fix: "keep the version that holds, or both, and take the comment line out",
			},
			{
				ID: "GIT-011", Severity: Failure, Rule: "GN-19", Meaning: "nothing that was erased has come back",
				Fix: "take the entry out again; who wants it back removes its line from " + tombstone.Path,
			},
		},
		Begin: func(ctx context.Context, r *Run) error {
			text, _, err := r.Text(ctx, tombstone.Path)
			erased = tombstone.Parse(text)
			return err
		},
		Look: Over(isAnyFile, func(r *Run, n *Note, out *Out) struct{} {
			conflicts(n, out)
			if !isMarkdown(n.Path) {
				return struct{}{}
			}
			for _, m := range contradiction.Find(n.Text) {
				what := "were written of one entry"
				if m.Deleted {
					what = "are there of an entry that one side deleted"
				}
				out.Add(Finding{ID: "GIT-010", Path: n.Path, Line: m.Line, Message: fmt.Sprintf("%d versions %s", m.N, what), Expected: "one version", Actual: fmt.Sprint(m.N)})
			}
			if len(erased.Erased) > 0 && r.On("GIT-011") {
				erased.Entries(n.Doc(), func(line int) {
					out.Add(Finding{ID: "GIT-011", Path: n.Path, Line: line, Message: "an entry that was erased", Expected: "none", Actual: "its text"})
				})
			}
			return struct{}{}
		}, nil),
		Whole: func(_ *Run, changes []Change) bool {
			return slices.ContainsFunc(changes, func(c Change) bool { return c.Path == tombstone.Path })
		},
	}
}

func isMarkdown(rel string) bool {
	ext := path.Ext(rel)
	return strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown")
}

// conflicts finds blocks of conflict markers: a line that begins with `<<<<<<< `,
// later one of `=======`, later one that begins with `>>>>>>> `. In Markdown they
// count outside of fences, so that a text about git may show them.
func conflicts(n *Note, out *Out) {
	first, middle := []byte("<<<<<<< "), []byte("=======")
	if !bytes.Contains(n.Text, first) {
		return
	}
	start, half := 0, false
	for i, line := range n.Lines() {
		switch {
		case isMarkdown(n.Path) && n.Fenced(i+1):
		case bytes.HasPrefix(line, first):
			start, half = i+1, false
		case start > 0 && bytes.Equal(line, middle):
			half = true
		case half && bytes.HasPrefix(line, []byte(">>>>>>> ")):
			out.Add(Finding{ID: "GIT-005", Path: n.Path, Line: start, EndLine: i + 1, Message: fmt.Sprintf("conflict markers up to line %d", i+1), Expected: "one text", Actual: "both sides of a merge"})
			start, half = 0, false
		}
	}
}
