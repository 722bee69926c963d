package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A Group is one line of the table.
type Group struct {
	Name string `json:"name"`
	Scores
}

// A Line is one question in the JSON file.
type Line struct {
	ID    string `json:"id"`
	Ranks []int  `json:"ranks"` // of each piece of evidence, 0 for not found
	Scores
	Error string `json:"error,omitempty"`
}

// A Report is what -json writes.
type Report struct {
	Schema    string  `json:"schema"`
	GitClaw   string  `json:"git_claw,omitempty"`
	All       Scores  `json:"all"`
	Kinds     []Group `json:"kinds"`
	Languages []Group `json:"languages"`
	// Span is the mean number of lines that a result covers.
	Span   float64 `json:"span"`
	Errors int     `json:"errors"`
	// FirstMillis is the wall time of the search that finds no index,
	// TotalMillis that of all others together.
	FirstMillis float64 `json:"first_ms"`
	TotalMillis float64 `json:"total_ms"`
	Questions   []Line  `json:"questions"`

	answers []Answer
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// sum fills the report from its answers.
func (r *Report) sum() {
	r.All = mean(r.answers, func(Question) bool { return true })
	for _, k := range kinds {
		if s := mean(r.answers, func(q Question) bool { return q.Kind == k }); s.N > 0 {
			r.Kinds = append(r.Kinds, Group{k, s})
		}
	}
	for _, l := range slices.Concat(languages, jaKo) {
		if s := mean(r.answers, func(q Question) bool { return q.Lang == l }); s.N > 0 {
			r.Languages = append(r.Languages, Group{l, s})
		}
	}
	lines, results := 0, 0
	for i := range r.answers {
		a := &r.answers[i]
		line := Line{ID: a.Question.ID, Ranks: a.Ranks, Scores: a.scores()}
		if a.Err != nil {
			line.Error = a.Err.Error()
			r.Errors++
		}
		for _, res := range a.Results {
			lines += res.To - res.From + 1
			results++
		}
		r.Questions = append(r.Questions, line)
	}
	r.Span = float64(lines) / float64(max(1, results))
}

func (r *Report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

func (r *Report) writeTable(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(g Group) {
		fmt.Fprintf(tw, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t\n", g.Name, g.N, g.Recall5, g.Recall10, g.MRR, g.NDCG10)
	}
	fmt.Fprintln(tw, "questions\tn\trecall@5\trecall@10\tMRR\tnDCG@10\t")
	row(Group{"all", r.All})
	fmt.Fprintln(tw, "\t\t\t\t\t\t")
	for _, g := range r.Kinds {
		row(g)
	}
	fmt.Fprintln(tw, "\t\t\t\t\t\t")
	for _, g := range r.Languages {
		row(g)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nlines a result %.1f; errors %d; first search %.0f ms, all others %.0f ms\n",
		r.Span, r.Errors, r.FirstMillis, r.TotalMillis)
	if i := slices.IndexFunc(r.answers, func(a Answer) bool { return a.Err != nil }); i >= 0 && err == nil {
		_, err = fmt.Fprintf(w, "- %s: %v\n", r.answers[i].Question.ID, r.answers[i].Err)
	}
	return err
}

// writeMisses lists the questions of which a piece of evidence is not among
// the results: what was asked, what was wanted at which rank (- for none),
// and the first three results.
func (r *Report) writeMisses(w io.Writer) error {
	var b strings.Builder
	for i := range r.answers {
		a := &r.answers[i]
		if !a.missed() {
			continue
		}
		fmt.Fprintf(&b, "\n%s (%s) %s\n", a.Question.ID, a.Question.Kind, a.Question.Query)
		for k, e := range a.Question.Evidence {
			rank := "-"
			if a.Ranks[k] > 0 {
				rank = fmt.Sprint(a.Ranks[k])
			}
			fmt.Fprintf(&b, "  %3s want %s:%d %s\n", rank, e.Path, e.line, e.Text)
		}
		for k, res := range a.Results[:min(3, len(a.Results))] {
			fmt.Fprintf(&b, "  %3d got  %s:%d-%d %.3f\n", k+1, res.Path, res.From, res.To, res.Score)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
