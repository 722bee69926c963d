package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{[]float64{5}, .5, 5},
		{[]float64{5}, .95, 5},
		{[]float64{3, 1, 2}, .5, 2},
		{[]float64{4, 1, 3, 2}, .5, 2.5},
		{[]float64{20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, .95, 19},
	} {
		if got := quantile(test.values, test.q); got != test.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", test.values, test.q, got, test.want)
		}
	}
}

func TestParseSizes(t *testing.T) {
	t.Parallel()
	if got, err := parseSizes("10, 500"); err != nil || len(got) != 2 || got[1] != 500 {
		t.Errorf("parseSizes = %v, %v", got, err)
	}
	for _, bad := range []string{" ", "9", "x", "10,,20"} {
		if _, err := parseSizes(bad); err == nil {
			t.Errorf("parseSizes(%q) has no error", bad)
		}
	}
}

// TestCompare uses a stand-in for git-claw whose time is known, so that a
// harness that measures the wrong side, or the preparation, shows here.
func TestCompare(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	order := ""
	a := &side{
		box: box, dir: box.Home, cmds: [][]string{{"true"}, {"true"}},
		before: func(int) error { order += "a"; time.Sleep(20 * time.Millisecond); return nil },
	}
	b := &side{
		box: box, dir: box.Home, cmds: [][]string{{"sleep", "1"}}, // far longer than a busy machine takes for nothing
		before: func(int) error { order += "b"; return nil },
	}
	stats, errs := compare(t.Context(), 2, a, b)
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	if order != "abbaab" {
		t.Errorf("order %q", order)
	}
	if stats[0].Runs != 2 || stats[1].Median < 1000 || stats[0].Median >= stats[1].Median {
		t.Errorf("stats %+v %+v", stats[0], stats[1])
	}

	failing := &side{box: box, dir: box.Home, cmds: [][]string{{"sh", "-c", "echo 'error: no' >&2; exit 129"}}}
	stats, errs = compare(t.Context(), 1, a, failing)
	if stats[0] == nil || stats[1] != nil || errs[1] == nil || !strings.Contains(errs[1].Error(), "exit 129: error: no") {
		t.Errorf("a failing side: %v, %v", stats, errs)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	report := &Report{Schema: "claw.bench/1", Git: "git version 2", GitClaw: "git-claw 1", Rows: []Row{
		newRow(10000, "save f", Goal{Ratio: 1.6}, [2]*Stats{{1, 10, 12, 8}, {1, 15, 30, 4}}, [2]error{}),
		newRow(1000, "status", Goal{Ratio: 1.3}, [2]*Stats{{1, 10, 12, 8}, nil}, [2]error{nil, errors.New("exit 129: no such command")}),
		{Name: "binary size", Megabytes: 20, Goal: Goal{Megabytes: 18}},
	}}
	var table, out bytes.Buffer
	if err := report.writeTable(&table); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(table.String(), "\n")
	for i, want := range []string{
		"", "", "notes what git git claw ratio by CPU goal met",
		"10,000 save f 10.0 (12.0) 15.0 (30.0) 1.50 0.50 <= 1.6 x yes",
		"1,000 status 10.0 (12.0) - - - <= 1.3 x",
		"- binary size - 20.0 MB - - <= 18 MB no",
		"",
		"- status, 1,000 notes: git-claw: exit 129: no such command",
	} {
		if got := strings.Join(strings.Fields(lines[i]), " "); i >= 2 && got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
	if err := report.writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.Rows[0].Ratio != 1.5 {
		t.Errorf("JSON back: %+v, %v", back, err)
	}
}

// TestBuildRepo checks what the numbers stand on: two clean, equal
// repositories with the notes and the history they claim.
func TestBuildRepo(t *testing.T) {
	t.Parallel()
	ctx, dir := context.WithoutCancel(t.Context()), t.TempDir()
	box, err := sandbox.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if err := buildRepo(ctx, box, one, corpus{files: 120, text: noteText}); err != nil {
		t.Fatal(err)
	}
	if err := copyRepo(ctx, box, one, two); err != nil {
		t.Fatal(err)
	}
	for _, repo := range []string{one, two} {
		for _, test := range []struct {
			args []string
			want string
		}{
			{[]string{"status", "--porcelain"}, ""},
			{[]string{"rev-list", "--count", "HEAD"}, "201"},
			{[]string{"fsck", "--strict"}, ""},
			{[]string{"blame", "-s", "-L", "15,15", "--", notePath(0)}, "- line of commit"},
		} {
			got, err := box.Git(ctx, repo, test.args...)
			if err != nil || (got != test.want && (test.want == "" || !strings.Contains(got, test.want))) {
				t.Errorf("git %v in %s: %q, %v", test.args, repo, got, err)
			}
		}
		if files, err := box.Git(ctx, repo, "ls-files", "memory"); err != nil || strings.Count(files, "\n")+1 != 120 {
			t.Errorf("notes in %s: %q, %v", repo, files, err)
		}
	}
	if err := appendLine(two, notePath(5), "- x\n"); err != nil {
		t.Fatal(err)
	}
	if out, err := box.Git(ctx, two, "status", "--porcelain"); err != nil || out != " M "+notePath(5) {
		t.Errorf("status after a change: %q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(one, notePath(119))); err != nil {
		t.Error(err)
	}
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == rssCommand {
		os.Exit(rssMain(os.Args[2:])) // as maxRSS starts it
	}
	os.Exit(m.Run())
}
