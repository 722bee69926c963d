package health

import (
	"bytes"
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/git-claw/git-claw/gitops"
)

// Skipped is a check that did not run, and why.
type Skipped struct {
	Check Check
	Why   string
}

// Report is the result of an examination.
type Report struct {
	Findings []Finding                 // by check, path and line; of very many the first
	Totals   map[string]map[string]int // findings of a check in a path, all of them
	Passed   []Check
	Skipped  []Skipped
	Files    int      // that were read
	Unread   []string // managed files that were not: closed to us, or too large
	// Unsaved are the edits that wait for a commit, where GIT-002 was asked.
	Unsaved []Unsaved
	// Fails, Warns and Infos count all findings.
	Fails, Warns, Infos int

	run  *Run
	mend map[string]func(*Run, Finding) (Mending, bool)
}

// Unsaved is an edit that waits for a commit.
type Unsaved struct {
	Path  string
	Head  gitops.ID // the file in HEAD, zero: none
	Since time.Time // when it was seen first
}

// unread lists the managed files that were not read, by path.
func (r *Run) unread() []string {
	out := slices.Clone(r.lost)
	for _, f := range r.large {
		out = append(out, f.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Fix is the one change that mends a finding.
type Fix struct {
	Finding Finding
	Mending
}

// Fixes lists the changes that mend findings, each path once.
func (rep *Report) Fixes() []Fix {
	var out []Fix
	seen := map[string]bool{}
	for _, f := range rep.Findings {
		mend := rep.mend[f.ID]
		if mend == nil {
			continue
		}
		if m, ok := mend(rep.run, f); ok && !seen[m.Path] {
			seen[m.Path] = true
			out = append(out, Fix{f, m})
		}
	}
	return out
}

// ReportOf is a report that holds one finding, which a change mends.
func ReportOf(f Finding, m Mending) *Report {
	return &Report{Findings: []Finding{f}, mend: map[string]func(*Run, Finding) (Mending, bool){f.ID: func(*Run, Finding) (Mending, bool) { return m, true }}}
}

// OK reports that nothing failed.
func (r *Report) OK() bool { return r.Fails == 0 }

// fill sorts findings into the report, settings applied.
func (rep *Report) fill(r *Run, fams []Family, list []Finding, out *Out) {
	rep.Unread, rep.Unsaved, rep.run = r.unread(), r.unsaved, r
	rep.mend = map[string]func(*Run, Finding) (Mending, bool){}
	rep.Totals = map[string]map[string]int{}
	grave := newGrading(r.WS)
	for i := range list {
		f := &list[i]
		c := checkIn(fams, f.ID)
		rep.mend[f.ID] = c.Mend
		f.Severity = grave.of(c, *f)
		f.Status = f.Severity.status()
		if f.Fix == "" {
			f.Fix = c.Fix
		}
		if f.Rule == "" {
			f.Rule = c.Rule
		}
	}
	rep.Findings = list
	rep.count(out)
	for _, c := range rows(fams) {
		if r.on[c.ID] && rep.Totals[c.ID] == nil {
			rep.Passed = append(rep.Passed, c)
		}
	}
}

// count adds up what was found. Of a check with more findings than are kept the
// rest counts like the last one of its file, or of the check.
func (rep *Report) count(out *Out) {
	kept := map[string]map[string]int{}
	last := map[string]Status{}
	for _, f := range rep.Findings {
		if kept[f.ID] == nil {
			kept[f.ID] = map[string]int{}
		}
		kept[f.ID][f.Path]++
		rep.add(f.Status, 1)
		last[f.ID] = f.Status
	}
	for id, c := range out.all {
		if kept[id] == nil {
			continue // all of it was exempt
		}
		rep.Totals[id] = kept[id]
		if out.keep == 0 || c.total <= out.keep {
			continue
		}
		rep.Totals[id] = c.files
		for path, n := range c.files {
			rep.add(last[id], n-kept[id][path])
		}
	}
}

func (rep *Report) add(s Status, n int) {
	switch s {
	case Fail:
		rep.Fails += n
	case Warn:
		rep.Warns += n
	case Inform:
		rep.Infos += n
	case Pass, Skip:
	}
}

func checkIn(fams []Family, id string) Check {
	for _, f := range fams {
		if i := slices.IndexFunc(f.Checks, func(c Check) bool { return c.ID == id }); i >= 0 {
			return f.Checks[i]
		}
	}
	return Check{}
}

// exempt takes out findings on lines that the adoption commit already held, of
// checks that begin there.
func (r *Run) exempt(ctx context.Context, fams []Family, list []Finding) ([]Finding, error) {
	since := map[string]bool{}
	for _, f := range list {
		if c := checkIn(fams, f.ID); c.Since && f.Line > 0 {
			since[f.ID] = true
		}
	}
	if len(since) == 0 {
		return list, nil
	}
	held := map[string]map[string]bool{} // of a path, its lines then
	lines := map[string][][]byte{}       // and now
	kept := list[:0]
	for _, f := range list {
		if f.Line == 0 || !since[f.ID] {
			kept = append(kept, f)
			continue
		}
		if held[f.Path] == nil {
			text, _, err := r.Git.AtAdoption(ctx, f.Path)
			if err != nil {
				return nil, err
			}
			held[f.Path] = lineSet(text)
			if text, _, err = r.Text(ctx, f.Path); err != nil {
				return nil, err
			}
			lines[f.Path] = Lines(text)
		}
		if now := lines[f.Path]; f.Line > len(now) || !held[f.Path][normalLine(now[f.Line-1])] {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

func lineSet(text []byte) map[string]bool {
	out := map[string]bool{}
	for _, l := range Lines(text) {
		out[normalLine(l)] = true
	}
	return out
}

// normalLine makes lines equal that differ in white space or in how Unicode spells
// a letter.
func normalLine(l []byte) string {
	return string(norm.NFC.Bytes(bytes.Join(bytes.Fields(l), []byte{' '})))
}
