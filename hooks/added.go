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
	hunks := doc.LineDiff(old, text)
	return slices.DeleteFunc(findings, func(f secret.Finding) bool {
		// A block counts as added when any line of it is.
		return !slices.ContainsFunc(hunks, func(h doc.LineHunk) bool { return f.Line <= h.NewTo && f.EndLine > h.NewFrom })
	})
}
