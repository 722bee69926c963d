package health

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-claw/git-claw/memory"
)

// l1Family looks at the rule files that a host loads into every session.
func l1Family() Family {
	return Family{
		Name: "rules",
		Checks: []Check{
			{
				ID: "L1-001", Severity: Failure, Rule: "WS-11", Absent: noLimit,
				Meaning: "each injected file is within the host's limit of characters",
				Fix:     "move what is not needed in every session to memory/ or reference/",
			},
			{
				ID: "L1-002", Severity: Failure, Rule: "WS-11", Absent: noTotal,
				Meaning: "the injected files together are within the host's limit of characters",
				Fix:     "shorten the largest file",
			},
			{
				ID: "L1-003", Severity: Warning, Rule: "TL-10", Tokens: true,
				Meaning: "each rule file is within claw.l1.fileTokensMax tokens",
				Fix:     "move what is not needed in every session to memory/ or reference/",
			},
			{
				ID: "L1-004", Severity: Warning, Rule: "TL-10", Tokens: true,
				Meaning: "the rule files together are below claw.l1.totalTokensMax tokens",
				Fix:     "shorten the largest file",
			},
			{
				ID: "L1-005", Severity: Warning, Rule: "WS-11",
				Meaning: "the files that the host expects exist",
				Fix:     "write the file; the host runs with less than it should know",
			},
		},
		Look:  Over(isRule, measureRule, judgeRules),
		Whole: whenAny(isRule),
		Enter: func(string) bool { return false },
	}
}

// noLimit: generic hosts cut nothing that is known.
func noLimit(r *Run) string {
	if h := r.WS.Host; h.FileChars == 0 && h.IndexLines == 0 && h.IndexBytes == 0 {
		return fmt.Sprintf("the host %s has no limit", h.Name)
	}
	return ""
}

func noTotal(r *Run) string {
	if r.WS.Host.TotalChars == 0 {
		return fmt.Sprintf("the host %s has no limit", r.WS.Host.Name)
	}
	return ""
}

func isRule(_ *Run, f File) bool {
	switch f.Kind {
	case memory.KindL1, memory.KindMemory, memory.KindBootstrap:
		return true
	}
	return false
}

// ruleSize is what is measured of a rule file.
type ruleSize struct {
	chars, tokens int
	lines, bytes  int
}

func measureRule(_ *Run, n *Note, _ *Out) ruleSize {
	return ruleSize{chars: n.Chars(), tokens: n.Tokens(), lines: len(n.Lines()), bytes: len(n.Text)}
}

func judgeRules(ctx context.Context, r *Run, facts []Fact[ruleSize], out *Out) error {
	judgeChars(r, facts, out)
	judgeTokens(r, facts, out)
	for _, name := range r.WS.Host.Expected {
		there, err := r.Has(ctx, name)
		if err != nil {
			return err
		}
		if !there {
			out.Add(Finding{ID: "L1-005", Path: name, Message: "the host " + r.WS.Host.Name + " expects this file", Expected: "a file", Actual: "none"})
		}
	}
	return nil
}

// judgeChars compares with what the host loads.
func judgeChars(r *Run, facts []Fact[ruleSize], out *Out) {
	h := r.WS.Host
	total := 0
	var largest Fact[ruleSize]
	for _, f := range facts {
		if !slices.Contains(h.Injected, f.File.Path) || !f.File.Mode.IsFile() {
			continue
		}
		total += f.Value.chars
		if f.Value.chars > largest.Value.chars {
			largest = f
		}
		limit := h.FileChars
		if f.File.Path == "USER.md" {
			limit = h.UserChars
		}
		over(out, "L1-001", f.File.Path, f.Value.chars, limit, "characters")
		if f.File.Path == "MEMORY.md" {
			over(out, "L1-001", f.File.Path, f.Value.lines, h.IndexLines, "lines")
			over(out, "L1-001", f.File.Path, f.Value.bytes, h.IndexBytes, "bytes")
		}
	}
	for _, f := range r.Large() {
		if slices.Contains(h.Injected, f.Path) {
			out.Add(Finding{
				ID: "L1-001", Path: f.Path, Message: "larger than claw.maxFileBytes, and not read", Measure: f.Size,
				Expected: fmt.Sprintf("at most %d bytes", r.WS.MaxFileBytes()), Actual: fmt.Sprintf("%d bytes", f.Size),
			})
		}
	}
	if h.TotalChars > 0 && total > h.TotalChars {
		out.Add(Finding{
			ID: "L1-002", Message: fmt.Sprintf("%d characters in all, the host loads %d; the largest file is '%s'", total, h.TotalChars, largest.File.Path),
			Expected: fmt.Sprintf("at most %d characters", h.TotalChars), Actual: fmt.Sprintf("%d characters", total), Measure: int64(total),
		})
	}
}

func over(out *Out, id, path string, have, limit int, unit string) {
	if limit > 0 && have > limit {
		out.Add(Finding{
			ID: id, Path: path, Message: fmt.Sprintf("%d %s, the host loads %d", have, unit, limit),
			Expected: fmt.Sprintf("at most %d %s", limit, unit), Actual: fmt.Sprintf("%d %s", have, unit), Measure: int64(have),
		})
	}
}

func judgeTokens(r *Run, facts []Fact[ruleSize], out *Out) {
	most, all := r.Int("l1.fileTokensMax"), r.Int("l1.totalTokensMax")
	total := 0
	var largest Fact[ruleSize]
	for _, f := range facts {
		n := f.Value.tokens
		total += n
		if n > largest.Value.tokens {
			largest = f
		}
		if n > most {
			out.Add(Finding{
				ID: "L1-003", Path: f.File.Path, Message: fmt.Sprintf("~%d tokens, the target is at most %d", n, most),
				Expected: fmt.Sprintf("at most ~%d tokens", most), Actual: fmt.Sprintf("~%d tokens", n), Measure: int64(n),
			})
		}
	}
	if total >= all {
		out.Add(Finding{
			ID: "L1-004", Message: fmt.Sprintf("~%d tokens in all, the target is less than %d; the largest file is '%s' with ~%d", total, all, largest.File.Path, largest.Value.tokens),
			Expected: fmt.Sprintf("less than ~%d tokens", all), Actual: fmt.Sprintf("~%d tokens", total), Measure: int64(total),
		})
	}
}
