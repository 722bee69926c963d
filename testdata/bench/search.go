package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	proseSeed = 20260105
	// grepNotes is the size at which search is compared with git grep.
	grepNotes = 1000
	// bigChunks is where a build takes seconds and is not repeated often.
	bigChunks = 50_000
	// wordsOfChunk is what a chunk of 400 tokens holds beyond what it repeats, and
	// wordsRepeated what it repeats, which the first chunk of a note does not.
	wordsOfChunk, wordsRepeated = 205, 78
)

// A Workspace is what the rows of a size were measured on.
type Workspace struct {
	Files  int     `json:"files"`
	Chunks int     `json:"chunks"`
	Text   float64 `json:"text_mb"`
	Index  float64 `json:"index_mb"`
}

// finder measures search and index in one workspace of prose.
type finder struct {
	*bench
	dir    string
	files  int
	chunks int // wanted
	space  Workspace
	rows   []Row
}

// notesOf is how many notes hold so many chunks: small workspaces have short
// notes.
func notesOf(chunks int) int {
	if chunks <= 20_000 {
		return max(chunks*2/5, 10)
	}
	return chunks / 5
}

// wordsOf is how many words a note has on average.
func wordsOf(files, chunks int) int { return max(chunks*wordsOfChunk/files-wordsRepeated, 10) }

// search measures everything about finding, in a workspace of files notes and
// about so many chunks.
func (b *bench) search(ctx context.Context, files, chunks int) (*finder, error) {
	f := &finder{bench: b, dir: filepath.Join(b.dir, fmt.Sprintf("prose-%d", files)), files: files, chunks: chunks}
	text := prose{seed: proseSeed, words: wordsOf(files, chunks), plant: planted()}
	b.note("building a workspace of %d notes", files)
	if err := buildRepo(ctx, b.box, f.dir, corpus{files: files, text: text.text, large: true}); err != nil {
		return nil, err
	}
	if err := b.adopt(ctx, f.dir); err != nil {
		return nil, fmt.Errorf("init: %w", err)
	}
	for _, step := range []func(context.Context) error{
		f.firstBuild, f.measureSpace, f.find, f.memory, f.noChange, f.lag, f.oneChanged,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// searches measures search at all sizes.
func (b *bench) searches(ctx context.Context, chunks []int, report *Report) error {
	sizes := [][2]int{{grepNotes, grepNotes * 5 / 2}}
	for _, n := range chunks {
		sizes = append(sizes, [2]int{notesOf(n), n})
	}
	for _, size := range sizes {
		f, err := b.search(ctx, size[0], size[1])
		if err != nil {
			return err
		}
		report.Rows = append(report.Rows, f.rows...)
		report.Workspaces = append(report.Workspaces, f.space)
	}
	return nil
}

func (f *finder) add(ctx context.Context, runs int, name string, goal Goal, git, claw *side) {
	f.note("%d notes: %s", f.files, name)
	stats, errs := compare(ctx, runs, git, claw)
	f.rows = append(f.rows, newRow(f.files, name, goal, stats, errs))
}

func (f *finder) cmd(args ...string) *side {
	return &side{box: f.box, dir: f.dir, cmds: [][]string{append([]string{f.claw}, args...)}}
}

// firstBuild makes the index from nothing.
func (f *finder) firstBuild(ctx context.Context) error {
	runs, goal := min(f.runs, 5), Goal{}
	switch {
	case f.chunks >= bigChunks:
		runs, goal = 1, Goal{Millis: 30_000}
	case f.files == grepNotes:
		goal = Goal{CPU: 500}
	}
	s := f.cmd("index", "update")
	s.before = func(int) error {
		_, err := f.output(ctx, "index", "drop")
		return err
	}
	f.add(ctx, runs, "index update, first", goal, nil, s)
	return nil
}

// output runs git claw and fails on a non-zero exit.
func (f *finder) output(ctx context.Context, args ...string) (string, error) {
	result, err := f.box.Run(ctx, f.dir, "", append([]string{f.claw}, args...)...)
	if err != nil {
		return "", err
	}
	if result.Code != 0 {
		return "", fmt.Errorf("git claw %s: exit %d: %s", strings.Join(args, " "), result.Code, strings.TrimSpace(result.Stderr))
	}
	return result.Stdout, nil
}

// measureSpace asks the index what it holds and weighs it against the notes.
func (f *finder) measureSpace(ctx context.Context) error {
	out, err := f.output(ctx, "index", "status", "--json")
	if err != nil {
		return err
	}
	var status struct {
		Notes, Chunks, Pending int
		Size                   int64
	}
	if err := json.Unmarshal([]byte(out), &status); err != nil {
		return err
	}
	if status.Notes < f.files || status.Pending > 0 {
		return fmt.Errorf("the index holds %d of %d notes, %d pending", status.Notes, f.files, status.Pending)
	}
	text := int64(0)
	for n := range f.files {
		size, err := fileSize(f.dir, notePath(n))
		if err != nil {
			return err
		}
		text += size
	}
	f.space = Workspace{Files: f.files, Chunks: status.Chunks, Text: float64(text) / 1e6, Index: float64(status.Size) / 1e6}
	f.rows = append(f.rows, Row{
		Files: f.files, Name: "index size, ratio to the text", Megabytes: f.space.Index,
		Share: float64(status.Size) / float64(text), Goal: Goal{Share: .6},
	})
	return nil
}

// find measures cold searches beside git grep. A run is one query of the list, so
// that the percentiles are of the mix.
func (f *finder) find(ctx context.Context) error {
	if f.files == grepNotes {
		f.add(ctx, f.rounds(twoWordQueries()), "search, two words; git grep -i", Goal{Ratio: 1.3},
			f.grep(twoWordQueries()), f.query(twoWordQueries()))
	}
	goal := Goal{Millis: 15, P95: 25}
	if f.chunks >= bigChunks {
		goal = Goal{Millis: 30, P95: 50}
	}
	queries := mixedQueries(f.files)
	f.add(ctx, f.rounds(queries), "search, mixed; git grep -i", goal, f.grep(queries), f.query(queries))
	return nil
}

// rounds is how many runs ask each query equally often, about three times as many
// as usual.
func (f *finder) rounds(queries [][]string) int {
	return (3*f.runs + len(queries) - 1) / len(queries) * len(queries)
}

func (f *finder) query(queries [][]string) *side {
	s := f.cmd()
	s.before = func(i int) error {
		s.cmds = [][]string{append([]string{f.claw, "search"}, queries[i%len(queries)]...)}
		return nil
	}
	s.check = func(i int, stdout string) error {
		if !strings.Contains(stdout, ".md:") {
			return fmt.Errorf("no answer to '%s'", strings.Join(queries[i%len(queries)], " "))
		}
		return nil
	}
	return s
}

func (f *finder) grep(queries [][]string) *side {
	s := f.cmd()
	s.before = func(i int) error {
		cmd := []string{"git", "grep", "-n", "-i", "-F"}
		for _, w := range queries[i%len(queries)] {
			cmd = append(cmd, "-e", w)
		}
		s.cmds = [][]string{cmd}
		return nil
	}
	return s
}

// memory measures how much a search holds in memory at most, over all queries.
func (f *finder) memory(ctx context.Context) error {
	f.note("%d notes: memory of search", f.files)
	row := Row{Files: f.files, Name: "search, most memory (RSS)", Goal: Goal{Megabytes: 80}}
	for _, q := range mixedQueries(f.files) {
		bytes, err := maxRSS(ctx, f.box, f.dir, append([]string{f.claw, "search"}, q...)...)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		if err != nil {
			row.Error = "git-claw: " + err.Error()
			break
		}
		row.Megabytes = max(row.Megabytes, float64(bytes)/1e6)
	}
	f.rows = append(f.rows, row)
	return nil
}

func (f *finder) noChange(ctx context.Context) error {
	f.add(ctx, f.runs, "index update, no change; git status", Goal{CPU: 5},
		&side{box: f.box, dir: f.dir, cmds: [][]string{{"git", "--no-optional-locks", "status", "--porcelain"}}},
		f.cmd("index", "update"))
	return nil
}

// some is another note each time, from all over the tree.
func (f *finder) some(i int) string { return notePath(2 + (i*7919)%(f.files-2)) }

// lag is how long a line takes from being written until a process has found it.
func (f *finder) lag(ctx context.Context) error {
	f.add(ctx, f.runs, "line written, then found", Goal{}, nil, f.written("lagone", func(path, mark string) [][]string {
		return [][]string{{f.claw, "search", mark}}
	}))
	f.add(ctx, f.runs, "line saved, then found", Goal{}, nil, f.written("lagtwo", func(path, mark string) [][]string {
		return [][]string{{f.claw, "save", path}, {f.claw, "search", mark}}
	}))
	return nil
}

// written appends a line with a word that nothing else has, runs cmds, and fails
// unless the last of them names the note.
func (f *finder) written(prefix string, cmds func(path, mark string) [][]string) *side {
	s := f.cmd()
	s.before = func(i int) error {
		mark := prefix + word(100_000+i)
		s.cmds = cmds(f.some(i), mark)
		return appendLine(f.dir, f.some(i), "- "+mark+" was written\n")
	}
	s.check = func(i int, stdout string) error {
		if !strings.Contains(stdout, f.some(i)+":") {
			return fmt.Errorf("the line written to '%s' was not found", f.some(i))
		}
		return nil
	}
	return s
}

// oneChanged updates the index after a note changed.
func (f *finder) oneChanged(ctx context.Context) error {
	var goal Goal
	if f.chunks >= bigChunks {
		goal = Goal{Millis: 30}
	}
	write := func(i int, line string) error { return appendLine(f.dir, f.some(i), line) }
	s := f.cmd("index", "update")
	s.before = func(i int) error { return write(i, fmt.Sprintf("- changed in run %d\n", i)) }
	f.add(ctx, f.runs, "index update, a note changed", goal, nil, s)

	s = f.cmd("index", "update")
	s.before = func(i int) error {
		if err := write(i, fmt.Sprintf("- committed in run %d\n", i)); err != nil {
			return err
		}
		_, err := f.box.Git(ctx, f.dir, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "x", "--", f.some(i))
		return err
	}
	f.add(ctx, f.runs, "index update, a note committed", goal, nil, s)
	return nil
}
