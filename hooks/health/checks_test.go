package health

import (
	"slices"
	"strings"
	"testing"
)

// allCases are the tests of all checks.
func allCases() []checkCase {
	return slices.Concat(
		l1Cases(),
		editsCases(),
		hotCases(),
		tagsCases(),
		warmCases(),
		bufferCases(),
		rotationCases(),
		dailyCases(),
		lessonsCases(),
		ownCases(),
		layersCases(),
		prefsCases(),
		prefsHistoryCases(),
		evolutionCases(),
		skillsCases(),
		secretsCases(),
		repositoryCases(),
		textCases(),
		hiddenCases(),
		sessionCases(),
	)
}

func TestChecks(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, c := range allCases() {
		t.Run(c.id+" "+c.name, func(t *testing.T) {
			rep := c.report(l)
			if len(rep.Skipped) > 0 {
				t.Fatalf("skipped: %s", rep.Skipped[0].Why)
			}
			var got []string
			for _, f := range rep.Findings {
				got = append(got, brief(f))
				if f.Message == "" || strings.ContainsAny(f.Message, "\n\r") {
					t.Errorf("message %q is not one line", f.Message)
				}
				if f.Fix == "" && f.Status != Inform {
					t.Errorf("%s: no fix", brief(f))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
				for _, f := range rep.Findings {
					t.Logf("%s: %s", brief(f), f.Message)
				}
			}
		})
	}
}

// Every check has a test that passes, one that does not, and one at the boundary.
func TestEveryCheckIsTested(t *testing.T) {
	t.Parallel()
	for _, c := range Checks() {
		var pass, fail, edge bool
		for _, k := range allCases() {
			if k.id == c.ID {
				pass = pass || len(k.want) == 0
				fail = fail || len(k.want) > 0
				edge = edge || k.edge
			}
		}
		if !pass || !fail || !edge {
			t.Errorf("%s: passing test %v, failing test %v, boundary test %v", c.ID, pass, fail, edge)
		}
	}
}

// The rows have the severities of SPEC 12, and nothing is missing in them.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.ID] {
			t.Errorf("%s is there twice", c.ID)
		}
		seen[c.ID] = true
		if c.Meaning == "" || c.Rule == "" || strings.HasSuffix(c.Meaning, ".") {
			t.Errorf("%s: meaning %q, rule %q", c.ID, c.Meaning, c.Rule)
		}
		if _, known := specSeverity[c.ID]; !known {
			t.Errorf("%s is no id of SPEC 12", c.ID)
		} else if c.Severity != specSeverity[c.ID] {
			t.Errorf("%s has severity %c, SPEC 12 says %c", c.ID, c.Severity, specSeverity[c.ID])
		}
	}
	for _, k := range allCases() {
		if !seen[k.id] {
			t.Errorf("a test of %s, which is in no table", k.id)
		}
	}
}
