package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/chunk"
	"github.com/git-claw/git-claw/testdata/sandbox"
)

// TestProse checks that the notes are those that are claimed: always the same,
// cut into about as many chunks as were asked for, with few frequent and many
// rare words, and with an answer to each query.
func TestProse(t *testing.T) {
	t.Parallel()
	for _, want := range []int{2500, 100_000} {
		files := notesOf(want)
		p := prose{seed: proseSeed, words: wordsOf(files, want), plant: planted()}
		sample, chunks := 200, 0
		counts := map[string]int{}
		for n := range sample {
			text := p.text(n)
			if n < 3 && !bytes.Equal(text, p.text(n)) {
				t.Errorf("note %d differs when it is made again", n)
			}
			chunks += len(chunk.Split(text, chunk.Options{Tokens: 400, Overlap: 80}).Chunks)
			for w := range strings.FieldsSeq(string(text)) {
				counts[w]++
			}
		}
		if got := chunks * files / sample; got < want*95/100 || got > want*105/100 {
			t.Errorf("about %d chunks, want %d", got, want)
		}
		once := 0
		for _, n := range counts {
			if n == 1 {
				once++
			}
		}
		if once < len(counts)/4 || counts["the"] < 20*counts[word(common[4])] {
			t.Errorf("%d of %d words stand once; the: %d, '%s': %d",
				once, len(counts), counts["the"], word(common[4]), counts[word(common[4])])
		}
	}
	text := string(prose{seed: proseSeed, words: 50, plant: planted()}.text(plantedNote))
	for _, q := range append(mixedQueries(plantedNote*3), twoWordQueries()...) {
		for _, w := range q {
			if !strings.Contains(text, w) {
				t.Errorf("nothing answers '%s'", w)
			}
		}
	}
}

func TestWordsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for rank := range vocabulary {
		w := word(rank)
		if old, again := seen[w]; again {
			t.Fatalf("'%s' has ranks %d and %d", w, old, rank)
		}
		seen[w] = rank
	}
}

func TestNotesOf(t *testing.T) {
	t.Parallel()
	for chunks, want := range map[int]int{10_000: 4000, 100_000: 20_000, 10: 10} {
		if got := notesOf(chunks); got != want {
			t.Errorf("notesOf(%d) = %d, want %d", chunks, got, want)
		}
	}
}

// TestMaxRSS: what this process holds must not count as the other one's.
func TestMaxRSS(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	held := bytes.Repeat([]byte("x"), 128<<20)
	got, err := maxRSS(t.Context(), box, box.Home, "true")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil || got <= 0 || got > int64(len(held))/2 {
		t.Errorf("maxRSS = %d, %v", got, err)
	}
	if _, err := maxRSS(t.Context(), box, box.Home, "sh", "-c", "echo no >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("a command that fails: %v", err)
	}
}

// TestCheck: a run that answers wrongly is no measurement.
func TestCheck(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &side{box: box, dir: box.Home, cmds: [][]string{{"echo", "a"}, {"echo", "b"}}}
	s.check = func(i int, stdout string) error {
		if stdout != "b\n" || i > 1 {
			return fmt.Errorf("run %d printed %q", i, stdout)
		}
		return nil
	}
	if _, errs := compare(t.Context(), 1, s, nil); errs[0] != nil {
		t.Error(errs[0])
	}
	if stats, errs := compare(t.Context(), 2, s, nil); errs[0] == nil || stats[0] != nil {
		t.Errorf("stats %v, error %v", stats[0], errs[0])
	}
}

func TestGoals(t *testing.T) {
	t.Parallel()
	claw := &Stats{Runs: 1, Median: 10, P95: 30, CPU: 6}
	for _, test := range []struct {
		row  Row
		text string
		met  bool
	}{
		{Row{Claw: claw, Goal: Goal{Millis: 10, P95: 30}}, "<= 10 (30) ms", true},
		{Row{Claw: claw, Goal: Goal{Millis: 10, P95: 29}}, "<= 10 (29) ms", false},
		{Row{Claw: claw, Goal: Goal{CPU: 5}}, "<= 5 ms CPU", false},
		{Row{Claw: claw, Goal: Goal{CPU: 6}}, "<= 6 ms CPU", true},
		{Row{Megabytes: 9, Share: .7, Goal: Goal{Share: .6}}, "<= 0.6 x", false},
		{Row{Megabytes: 9, Share: .5, Goal: Goal{Share: .6}}, "<= 0.6 x", true},
	} {
		met, known := test.row.met()
		if !known || met != test.met || test.row.Goal.String() != test.text {
			t.Errorf("%q: met %v, known %v, want %q, %v", test.row.Goal, met, known, test.text, test.met)
		}
	}
	report := &Report{
		Rows:       []Row{{Files: 1000, Name: "index update", Claw: claw, Goal: Goal{CPU: 5}}},
		Workspaces: []Workspace{{Files: 1000, Chunks: 2500, Text: 3.2, Index: 1.6}},
	}
	var out bytes.Buffer
	if err := report.writeTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"10.0 (30.0), CPU 6.0", "1,000 notes for search: 2,500 chunks, 3.2 MB of text, an index of 1.6 MB\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the table:\n%s", want, out.String())
		}
	}
}

// TestProseRepo: the notes that are committed are the prose, and nothing is left
// to commit.
func TestProseRepo(t *testing.T) {
	t.Parallel()
	ctx, dir := context.WithoutCancel(t.Context()), t.TempDir()
	box, err := sandbox.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := prose{seed: proseSeed, words: 50, plant: planted()}
	repo := filepath.Join(dir, "repo")
	if err := buildRepo(ctx, box, repo, corpus{files: 20, text: p.text, large: true}); err != nil {
		t.Fatal(err)
	}
	got, err := box.Git(ctx, repo, "show", "HEAD:"+notePath(plantedNote))
	if err != nil || !strings.HasPrefix(got, strings.TrimSuffix(string(p.text(plantedNote)), "\n")) {
		t.Errorf("note %d is %q, %v", plantedNote, got, err)
	}
	if got, err := box.Git(ctx, repo, "status", "--porcelain"); err != nil || got != "" {
		t.Errorf("status: %q, %v", got, err)
	}
}
