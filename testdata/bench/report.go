package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A Goal is an upper bound, of which one field is set, or Millis and P95; all zero
// is no goal.
type Goal struct {
	// Ratio to git by wall time.
	Ratio float64 `json:"ratio,omitempty"`
	// Millis is a median wall time.
	Millis float64 `json:"ms,omitempty"`
	// P95 is the 95th percentile of wall time, in milliseconds.
	P95 float64 `json:"p95_ms,omitempty"`
	// CPU is a median CPU time, in milliseconds.
	CPU float64 `json:"cpu_ms,omitempty"`
	// Share is of one size in another.
	Share float64 `json:"share,omitempty"`
	// Megabytes is a size, in units of 1,000,000 bytes.
	Megabytes float64 `json:"mb,omitempty"`
}

func (g Goal) String() string {
	switch {
	case g.Ratio > 0:
		return fmt.Sprintf("<= %.1f x", g.Ratio)
	case g.Share > 0:
		return fmt.Sprintf("<= %.1f x", g.Share)
	case g.CPU > 0:
		return fmt.Sprintf("<= %.0f ms CPU", g.CPU)
	case g.P95 > 0:
		return fmt.Sprintf("<= %.0f (%.0f) ms", g.Millis, g.P95)
	case g.Millis > 0:
		return fmt.Sprintf("<= %.0f ms", g.Millis)
	case g.Megabytes > 0:
		return fmt.Sprintf("<= %.0f MB", g.Megabytes)
	}
	return ""
}

// A Row is one line of the table. Git or Claw is nil where there is no such
// side or where it failed.
type Row struct {
	Files     int     `json:"files,omitempty"`
	Name      string  `json:"name"`
	Git       *Stats  `json:"git,omitempty"`
	Claw      *Stats  `json:"claw,omitempty"`
	Ratio     float64 `json:"ratio,omitempty"`
	CPURatio  float64 `json:"cpu_ratio,omitempty"`
	Megabytes float64 `json:"mb,omitempty"`
	Share     float64 `json:"share,omitempty"`
	Goal      Goal    `json:"goal,omitzero"`
	Error     string  `json:"error,omitempty"`
}

func newRow(files int, name string, goal Goal, stats [2]*Stats, errs [2]error) Row {
	row := Row{Files: files, Name: name, Git: stats[0], Claw: stats[1], Goal: goal}
	if row.Git != nil && row.Claw != nil && row.Git.Median > 0 && row.Git.CPU > 0 {
		row.Ratio = row.Claw.Median / row.Git.Median
		row.CPURatio = row.Claw.CPU / row.Git.CPU
	}
	for k, who := range []string{"git", "git-claw"} {
		if errs[k] != nil {
			row.Error = strings.TrimPrefix(row.Error+"; "+who+": "+errs[k].Error(), "; ")
		}
	}
	return row
}

// met tells whether the goal was reached; known is false where there is no
// goal or no number.
func (r Row) met() (met, known bool) {
	switch {
	case r.Goal.Ratio > 0 && r.Ratio > 0:
		return r.Ratio <= r.Goal.Ratio, true
	case r.Goal.Share > 0 && r.Share > 0:
		return r.Share <= r.Goal.Share, true
	case r.Goal.CPU > 0 && r.Claw != nil:
		return r.Claw.CPU <= r.Goal.CPU, true
	case r.Goal.Millis > 0 && r.Claw != nil:
		return r.Claw.Median <= r.Goal.Millis && (r.Goal.P95 == 0 || r.Claw.P95 <= r.Goal.P95), true
	case r.Goal.Megabytes > 0 && r.Megabytes > 0:
		return r.Megabytes <= r.Goal.Megabytes, true
	}
	return false, false
}

// A Report is what -json writes.
type Report struct {
	Schema  string `json:"schema"`
	Date    string `json:"date"`
	OS      string `json:"os"`
	CPUs    int    `json:"cpus"`
	Git     string `json:"git"`
	GitClaw string `json:"git_claw"`
	Rows    []Row  `json:"rows"`
	// Workspaces are those that search was measured in.
	Workspaces []Workspace `json:"workspaces,omitempty"`
}

func (r *Report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

func (r *Report) writeTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s, %s; %s, %d CPUs; fresh processes in turn; median (p95) in ms\n\n",
		r.GitClaw, r.Git, r.OS, r.CPUs); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "notes\twhat\tgit\tgit claw\tratio\tby CPU\tgoal\tmet\t")
	for _, row := range r.Rows {
		size := "-"
		if row.Files > 0 {
			size = thousands(row.Files)
		}
		own := millis(row.Claw)
		if row.Megabytes > 0 {
			own = fmt.Sprintf("%.1f MB", row.Megabytes)
		}
		if row.Goal.CPU > 0 && row.Claw != nil {
			own = fmt.Sprintf("%s, CPU %.1f", own, row.Claw.CPU)
		}
		met := ""
		if ok, known := row.met(); known {
			met = map[bool]string{true: "yes", false: "no"}[ok]
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n",
			size, row.Name, millis(row.Git), own, factor(max(row.Ratio, row.Share)), factor(row.CPURatio), row.Goal, met)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, s := range r.Workspaces {
		if _, err := fmt.Fprintf(w, "\n%s notes for search: %s chunks, %.1f MB of text, an index of %.1f MB",
			thousands(s.Files), thousands(s.Chunks), s.Text, s.Index); err != nil {
			return err
		}
	}
	for _, row := range r.Rows {
		if row.Error != "" {
			name := row.Name
			if row.Files > 0 {
				name += ", " + thousands(row.Files) + " notes"
			}
			if _, err := fmt.Fprintf(w, "\n- %s: %s", name, row.Error); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func millis(s *Stats) string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f (%.1f)", s.Median, s.P95)
}

func factor(f float64) string {
	if f == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", f)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
