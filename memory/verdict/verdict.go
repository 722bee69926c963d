// Package verdict reads what a person said of a proposal, or of an edit made in
// place: lines of JSON in the note of its commit in refs/notes/claw (SPEC GN-17).
package verdict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Ref holds the notes.
const Ref = "refs/notes/claw"

// The verdicts.
const (
	Accept    = "accept"
	Reject    = "reject"
	Defer     = "defer"
	Comment   = "comment"
	Split     = "split"
	Elsewhere = "elsewhere"
	Supersede = "superseded"
	Reopen    = "reopen" // what was said before does not count any more
	Undone    = "undone" // rejected, and taken back from the branch
	// Choose says which value holds of those that a merge had to choose from; Only names
	// one. It says nothing of the merge itself.
	Choose = "choose"
)

// Verdict is one line.
type Verdict struct {
	V       int       `json:"v"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Actor   string    `json:"actor"`
	Via     string    `json:"via"`
	Verdict string    `json:"verdict"`
	Reason  string    `json:"reason,omitempty"`
	Until   string    `json:"until,omitempty"`
	// Only names entries of a proposal, in whatever form it was written.
	Only json.RawMessage `json:"only,omitempty"`
}

// Parse reads a note. Lines that are no verdict are passed over.
func Parse(note []byte) []Verdict {
	var out []Verdict
	for line := range bytes.Lines(note) {
		var v Verdict
		if json.Unmarshal(line, &v) == nil && v.Verdict != "" && !v.At.IsZero() {
			out = append(out, v)
		}
	}
	return out
}

// weight orders verdicts of one time, the one that counts last.
func weight(v string) int { return slices.Index([]string{Comment, Defer, Reject, Reopen}, v) }

// Latest is the verdict that counts: the latest one; of equal times reject comes
// before defer, and that before comment. A comment and a choice decide nothing. ok is false
// where nothing was decided.
func Latest(list []Verdict) (v Verdict, ok bool) {
	decided := slices.DeleteFunc(slices.Clone(list), func(v Verdict) bool { return v.Verdict == Comment || v.Verdict == Choose })
	if len(decided) == 0 {
		return Verdict{}, false
	}
	v = slices.MaxFunc(decided, func(a, b Verdict) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(weight(a.Verdict), weight(b.Verdict)))
	})
	return v, v.Verdict != Reopen
}
