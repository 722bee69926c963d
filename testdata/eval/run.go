package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

var (
	dayName   = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	monthPath = regexp.MustCompile(`/(\d{4})/(\d{2})/`)
	headDate  = regexp.MustCompile(`(?m)^(?:> )?last_(?:verified|updated): (\d{4}-\d{2}-\d{2})$`)
)

// noteDay is the day on which a note is committed: that of its name, of its
// archive folder, of its header, or "" for a file that was there at first.
func noteDay(rel string, content []byte) string {
	if day := dayName.FindString(path.Base(rel)); day != "" {
		return day
	}
	if m := monthPath.FindStringSubmatch(rel); m != nil {
		return m[1] + "-" + m[2] + "-28"
	}
	last := ""
	for _, m := range headDate.FindAllSubmatch(content, -1) {
		last = max(last, string(m[1]))
	}
	return last
}

// buildWorkspace copies the notes to dir and commits them, a commit for each
// month, dated like the last note in it.
func buildWorkspace(ctx context.Context, box *sandbox.Box, from, dir string) error {
	months, last := map[string][]string{}, map[string]string{}
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		day := noteDay(rel, content)
		month := day[:min(7, len(day))]
		months[month], last[month] = append(months[month], rel), max(last[month], day)
		return os.WriteFile(target, content, 0o644)
	})
	if err != nil {
		return err
	}
	if _, err := box.Git(ctx, dir, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	order := make([]string, 0, len(months))
	for month := range months {
		order = append(order, month)
	}
	slices.Sort(order)
	for _, month := range order {
		day := last[month]
		if day == "" {
			day = "2025-08-01"
		}
		when := day + "T18:00:00Z"
		at := box.With("GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
		if _, err := at.Git(ctx, dir, append([]string{"add", "--"}, months[month]...)...); err != nil {
			return err
		}
		if _, err := at.Git(ctx, dir, "commit", "-qm", "notes up to "+day); err != nil {
			return err
		}
	}
	return nil
}

// ask runs one search. What goes wrong is in the answer.
func ask(ctx context.Context, box *sandbox.Box, claw, dir string, q Question) Answer {
	a := Answer{Question: q}
	out, err := box.Run(ctx, dir, "", claw, "search", "--json", "--limit", strconv.Itoa(limit), "--", q.Query)
	a.Wall = out.Wall
	if err == nil {
		a.Results, err = readResults(out.Stdout)
	}
	if err == nil && out.Code != 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(out.Stderr), "\n")
		err = fmt.Errorf("exit %d: %s", out.Code, line)
	}
	a.Err = err
	a.judge()
	return a
}

// readResults reads JSON Lines; objects without a path are none.
func readResults(out string) ([]Result, error) {
	var results []Result
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(results) < limit {
		var r Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return results, fmt.Errorf("read results: %w", err)
		}
		if r.Path != "" {
			results = append(results, r)
		}
	}
	return results, lines.Err()
}

// measure builds the workspace in dir and asks all questions of it, after one
// search that is not judged: the first one has the index to build.
func measure(ctx context.Context, box *sandbox.Box, claw, set, dir string, questions []Question) (*Report, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := buildWorkspace(ctx, box, filepath.Join(set, "workspace"), dir); err != nil {
		return nil, err
	}
	first := ask(ctx, box, claw, dir, Question{Query: "harbour"})
	report := &Report{Schema: "claw.eval/1", FirstMillis: millis(first.Wall)}
	start := time.Now()
	for _, q := range questions {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		report.answers = append(report.answers, ask(ctx, box, claw, dir, q))
	}
	report.TotalMillis = millis(time.Since(start))
	report.sum()
	return report, nil
}
