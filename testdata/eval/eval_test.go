package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// TestSet is `-check`: what is measured with holds together.
func TestSet(t *testing.T) {
	t.Parallel()
	set, err := loadSet(".")
	if err := errors.Join(err, checkSet(set)); err != nil {
		t.Fatal(err)
	}
}

func TestLoadSetNamesFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("workspace/MEMORY.md", "# M\n- tea in the kitchen\n- tea in the boat\n")
	for _, test := range []struct{ name, line, want string }{
		{"twice", `{"id":"a","lang":"en","kind":"keyword","query":"q","evidence":[{"path":"MEMORY.md","text":"tea"}]}`, "2 times"},
		{"not there", `{"id":"a","lang":"en","kind":"keyword","query":"q","evidence":[{"path":"MEMORY.md","text":"rum"}]}`, "0 times"},
		{"no file", `{"id":"a","lang":"en","kind":"keyword","query":"q","evidence":[{"path":"x.md","text":"rum"}]}`, "x.md"},
		{"kind", `{"id":"a","lang":"en","kind":"odd","query":"q","evidence":[{"path":"MEMORY.md","text":"boat"}]}`, "unknown kind"},
		{"field", `{"id":"a","lang":"en","kind":"keyword","query":"q","note":1,"evidence":[]}`, "unknown field"},
		{"one side", `{"id":"a","lang":"en","kind":"contradiction","query":"q","evidence":[{"path":"MEMORY.md","text":"boat"}]}`, "old and the new"},
		{"same words", `{"id":"a","lang":"en","kind":"paraphrase","query":"kitchen?","evidence":[{"path":"MEMORY.md","text":"kitchen"}]}`, "no paraphrase"},
	} {
		write("questions.jsonl", test.line+"\n")
		if _, err := loadSet(dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	write("questions.jsonl", `{"id":"a","lang":"en","kind":"keyword","query":"q","evidence":[{"path":"MEMORY.md","text":"in the boat"}]}`)
	set, err := loadSet(dir)
	if err != nil || len(set) != 1 || set[0].Evidence[0].line != 3 {
		t.Errorf("set %+v, %v", set, err)
	}
	if err := checkSet(set); err == nil || !strings.Contains(err.Error(), "1 questions, want") {
		t.Errorf("check: %v", err)
	}
}

func TestScores(t *testing.T) {
	t.Parallel()
	evidence := []Evidence{{Path: "a", line: 5, Or: []Evidence{{Path: "c", line: 3}}}, {Path: "b", line: 1}, {Path: "a", line: 9}}
	for _, test := range []struct {
		name    string
		results []Result
		want    Scores
	}{
		{"nothing", nil, Scores{N: 1}},
		{"beside it", []Result{{Path: "a", From: 6, To: 8}, {Path: "b", From: 2, To: 3}}, Scores{N: 1}},
		{"all, two in one result", []Result{{Path: "a", From: 5, To: 9}, {Path: "a", From: 1, To: 9}, {Path: "b", From: 1, To: 1}}, Scores{
			1, 1, 1, 1, (1 + 0.5) / (1 + 1/math.Log2(3) + 0.5),
		}},
		{"the other line", []Result{{Path: "c", From: 1, To: 3}}, Scores{
			1, 1.0 / 3, 1.0 / 3, 1, 1 / (1 + 1/math.Log2(3) + 0.5),
		}},
		{"one, at six", []Result{{}, {}, {}, {}, {}, {Path: "b", From: 1, To: 2}}, Scores{
			1, 0, 1.0 / 3, 1.0 / 6, 1 / math.Log2(7) / (1 + 1/math.Log2(3) + 0.5),
		}},
	} {
		a := Answer{Question: Question{Evidence: evidence}, Results: test.results}
		a.judge()
		got := a.scores()
		if math.Abs(got.Recall5-test.want.Recall5)+math.Abs(got.Recall10-test.want.Recall10)+
			math.Abs(got.MRR-test.want.MRR)+math.Abs(got.NDCG10-test.want.NDCG10) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// finder stands in for git-claw: a line of each note with the last word.
const finder = `#!/bin/sh
test "$1 $2 $3 $4 $5" = "search --json --limit 10 --" || { echo "error: usage" >&2; exit 129; }
git grep -n -e "${6##* }" | while IFS=: read -r path line rest; do
	printf '{"schema":"claw.search/1","path":"%s","from":%d,"to":%d}\n' "$path" "$line" "$((line + 1))"
done
`

// TestMeasure runs the whole thing on the committed notes with a fake command.
func TestMeasure(t *testing.T) {
	t.Parallel()
	ctx, dir := context.WithoutCancel(t.Context()), t.TempDir()
	box, err := sandbox.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	fake := filepath.Join(dir, "fake")
	if err := os.WriteFile(fake, []byte(finder), 0o755); err != nil {
		t.Fatal(err)
	}
	questions := []Question{
		{ID: "hit", Lang: "en", Kind: "id", Query: "what is NW-88214", Evidence: []Evidence{{Path: "memory/procedural/oncall.md", Text: "NW-88214"}}},
		{ID: "miss", Lang: "de", Kind: "keyword", Query: "nowhere-to-be-found", Evidence: []Evidence{{Path: "MEMORY.md", Text: "Lena swims"}}},
	}
	for i := range questions {
		notes := notebook{root: "workspace", lines: map[string][]string{}}
		if err := notes.resolve(&questions[i]); err != nil {
			t.Fatal(err)
		}
	}
	repo := filepath.Join(dir, "repo")
	report, err := measure(ctx, box, fake, ".", repo, questions)
	if err != nil {
		t.Fatal(err)
	}
	if report.All.N != 2 || report.All.Recall5 != 0.5 || report.All.MRR != 0.5 || report.Errors != 0 || report.Span != 2 {
		t.Errorf("report %+v", report)
	}
	var table, misses, numbers strings.Builder
	if err := errors.Join(report.writeTable(&table), report.writeMisses(&misses), report.writeJSON(&numbers)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		table.String():   "id  1     1.000",
		misses.String():  "miss (keyword) nowhere-to-be-found\n    - want MEMORY.md:",
		numbers.String(): `"schema": "claw.eval/1"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	for _, args := range [][]string{{"fsck", "--strict"}, {"status", "--porcelain"}} {
		if out, err := box.Git(ctx, repo, args...); err != nil || out != "" {
			t.Errorf("git %v: %q, %v", args, out, err)
		}
	}
	if log, err := box.Git(ctx, repo, "log", "--format=%cs"); err != nil || strings.Count(log, "\n") < 10 || !strings.HasSuffix(log, "2025-08-01") {
		t.Errorf("history %q, %v", log, err)
	}
	if a := ask(ctx, box, "/bin/false", repo, questions[0]); a.Err == nil || !a.missed() {
		t.Errorf("a failing command: %+v", a)
	}
}
