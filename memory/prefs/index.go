package prefs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// IndexRow is what index.md says of a file of a tier.
type IndexRow struct {
	Path  string // relative to the store
	Lines int
	Day   string // the newest day that its entries name, "" for none
}

// Row measures a file of a tier. The day is that of its entries, so that the index depends on nothing
// but the text of the store.
func Row(rel string, src []byte) IndexRow { return RowOf(rel, src, ParseTier(src)) }

// RowOf is Row for a file whose entries were read.
func RowOf(rel string, src []byte, entries []Entry) IndexRow {
	r := IndexRow{Path: rel, Lines: len(doc.SplitLines(src))}
	for _, e := range entries {
		for _, day := range []string{e.Since, e.LastUse} {
			if dayOf(day) == day && day > r.Day {
				r.Day = day
			}
		}
	}
	return r
}

const compactionKey = "Last compaction: "

// LastCompaction is the day that an index.md names, "" for none.
func LastCompaction(index []byte) string {
	for l := range bytes.Lines(index) {
		if day, ok := strings.CutPrefix(strings.TrimSpace(string(l)), compactionKey); ok && day != "" && dayOf(day) == day {
			return day
		}
	}
	return ""
}

// RenderIndex writes index.md (SPEC SI-44) from the rows of all files of the tiers.
func RenderIndex(rows []IndexRow, lastCompaction string) []byte {
	if lastCompaction == "" {
		lastCompaction = "never"
	}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b IndexRow) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Index\n\n%s%s\n", compactionKey, lastCompaction)
	for _, tier := range []Tier{TierHot, TierWarm, TierCold} {
		fmt.Fprintf(&b, "\n## %s\n", tier)
		for _, r := range rows {
			if t, _, _ := Place(r.Path); t != tier {
				continue
			}
			fmt.Fprintf(&b, "- %s: %d lines", r.Path, r.Lines)
			if r.Day != "" {
				fmt.Fprintf(&b, ", %s", r.Day)
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
