package hooks

import (
	"slices"

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
	return addedTo(findings, old, text)
}

// addedTo leaves the findings that stand on lines which old does not have.
func addedTo(findings []secret.Finding, old, text []byte) []secret.Finding {
	hunks := doc.LineDiff(old, text)
	return slices.DeleteFunc(findings, func(f secret.Finding) bool {
		// A block counts as added when any line of it is.
		return !slices.ContainsFunc(hunks, func(h doc.LineHunk) bool { return f.Line <= h.NewTo && f.EndLine > h.NewFrom })
	})
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
