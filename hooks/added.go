package hooks

import (
	"bytes"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory/doc"
)

// AddedSecrets finds secrets on lines that text adds to old; old nil means that
// every line is new. Lines are those of text.
func AddedSecrets(scan *secret.Scanner, old, text []byte) []secret.Finding {
	findings := scan.Scan(text)
	if len(findings) == 0 || old == nil {
		return findings
	}
	return addedTo(scan, findings, old, text)
}

// addedTo leaves the findings that stand on lines which old does not have. A line that
// moved is no new one: as often as it was taken out elsewhere it may come in.
func addedTo(scan *secret.Scanner, findings []secret.Finding, old, text []byte) []secret.Finding {
	hunks := doc.LineDiff(old, text)
	findings = slices.DeleteFunc(findings, func(f secret.Finding) bool {
		// A block counts as added when any line of it is.
		return !slices.ContainsFunc(hunks, func(h doc.LineHunk) bool { return f.Line <= h.NewTo && f.EndLine > h.NewFrom })
	})
	if len(findings) == 0 {
		return nil
	}
	moved := map[string]int{}
	oldLines, lines := bytes.Split(old, []byte{'\n'}), bytes.Split(text, []byte{'\n'})
	for _, f := range scan.Scan(old) {
		if slices.ContainsFunc(hunks, func(h doc.LineHunk) bool { return f.Line <= h.OldTo && f.EndLine > h.OldFrom }) {
			moved[what(f, oldLines)]++
		}
	}
	return slices.DeleteFunc(findings, func(f secret.Finding) bool {
		k := what(f, lines)
		moved[k]--
		return moved[k] >= 0
	})
}

// what is a finding with the lines that it stands on.
func what(f secret.Finding, lines [][]byte) string {
	return f.Kind + "\n" + string(bytes.Join(lines[min(f.Line-1, len(lines)):min(f.EndLine, len(lines))], []byte{'\n'}))
}

// Renames pairs added paths with removed ones of the same content, new to old: moving
// a note brings nothing new into it.
func Renames(changes []gitops.TreeChange) map[string]string {
	gone := map[gitops.ID]string{}
	for _, c := range changes {
		if c.New.IsZero() && c.Old.Mode.IsFile() {
			gone[c.Old.ID] = c.Path
		}
	}
	out := map[string]string{}
	for _, c := range changes {
		if old, ok := gone[c.New.ID]; ok && c.Old.IsZero() && !c.New.IsZero() {
			out[c.Path] = old
		}
	}
	return out
}

// WithoutSecrets returns what of text may be committed where old is: text without
// the lines that it adds and that hold a secret. A flagged line that replaces an
// old one leaves the old one in its place. found tells them, in lines of text.
//
// What is left is scanned again. A line that comes back may name the one below
// it: `Password:` stood in old, and text has the value on a line of its own.
func WithoutSecrets(scan *secret.Scanner, old, text []byte) (kept []byte, found []secret.Finding) {
	kept = text
	for range maxRounds {
		more := AddedSecrets(scan, old, kept)
		if len(more) == 0 {
			return kept, found
		}
		hunks := doc.LineDiff(kept, text)
		for _, f := range more {
			found = append(found, secret.Finding{Line: lineIn(hunks, f.Line), EndLine: lineIn(hunks, f.EndLine), Kind: f.Kind})
		}
		kept = doc.WithoutLines(old, text, func(line int) bool {
			return slices.ContainsFunc(found, func(f secret.Finding) bool { return line >= f.Line && line <= f.EndLine })
		})
	}
	if len(AddedSecrets(scan, old, kept)) > 0 {
		return old, found // what is left says something new each time
	}
	return kept, found
}

// maxRounds is how often a text is looked at again; two times are enough for all
// that was seen.
const maxRounds = 4

// lineIn returns where a line of a text stands in another.
func lineIn(hunks []doc.LineHunk, line int) int {
	at := line
	for _, h := range hunks {
		switch {
		case line <= h.OldFrom:
			return at
		case line <= h.OldTo:
			return h.NewFrom + min(line-h.OldFrom, max(h.NewTo-h.NewFrom, 1))
		}
		at = line + h.NewTo - h.OldTo
	}
	return at
}
