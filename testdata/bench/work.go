package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// A bench is one run of the program: its tools and settings.
type bench struct {
	box  *sandbox.Box
	claw string // absolute path of git-claw
	dir  string // scratch folder
	runs int
	note func(format string, args ...any) // progress
}

// size measures everything that depends on the number of files.
func (b *bench) size(ctx context.Context, files int) ([]Row, error) {
	byGit := filepath.Join(b.dir, fmt.Sprintf("git-%d", files))
	byClaw := filepath.Join(b.dir, fmt.Sprintf("claw-%d", files))
	b.note("building a repository of %d notes", files)
	if err := buildRepo(ctx, b.box, byGit, corpus{files: files, text: noteText}); err != nil {
		return nil, err
	}
	initErr := b.adopt(ctx, byGit)
	if err := copyRepo(ctx, b.box, byGit, byClaw); err != nil {
		return nil, err
	}

	claw := func(args ...string) [][]string { return [][]string{append([]string{b.claw}, args...)} }
	git := func(args ...string) [][]string { return [][]string{append([]string{"git"}, args...)} }
	// git without the hooks that init installed.
	plain := func() *side {
		return b.writer(byGit, files, func(path string) [][]string {
			return [][]string{{"git", "add", path}, {"git", "-c", "core.hooksPath=/dev/null", "commit", "-qm", "x"}}
		})
	}
	saver := func(durability string) *side {
		s := b.writer(byClaw, files, func(path string) [][]string { return claw("save", path) })
		edit := s.before
		s.before = func(i int) error {
			if _, err := b.box.Git(ctx, byClaw, "config", "claw.durability", durability); err != nil {
				return err
			}
			return edit(i)
		}
		return s
	}
	const blamed = 15 // a line that the history added

	pairs := []struct {
		name string
		goal Goal
		git  *side
		claw *side
	}{
		{
			"save f",
			Goal{Ratio: saveGoal(files)},
			plain(),
			saver("journal"),
		},
		{"save f, durability none", Goal{}, plain(), saver("none")},
		{"save f, durability full", Goal{}, plain(), saver("full")},
		{
			"status",
			Goal{Ratio: 1.3},
			&side{box: b.box, dir: byClaw, cmds: git("status")},
			&side{box: b.box, dir: byClaw, cmds: claw("status")},
		},
		{
			"log -n 100",
			Goal{},
			&side{box: b.box, dir: byClaw, cmds: git("log", "-n", "100")},
			&side{box: b.box, dir: byClaw, cmds: claw("log", "-n", "100")},
		},
		{
			"why path:line",
			Goal{Ratio: 1.5},
			&side{box: b.box, dir: byClaw, cmds: git("blame", "-L", fmt.Sprintf("%d,%d", blamed, blamed), "--", notePath(0))},
			&side{box: b.box, dir: byClaw, cmds: claw("why", fmt.Sprintf("%s:%d", notePath(0), blamed))},
		},
		{"hook, nothing to save", Goal{Millis: 50}, nil, b.hook(byClaw, nil)},
		{"hook, one note changed", Goal{Millis: 50}, nil, b.hook(byClaw, func(i int) error {
			return appendLine(byClaw, notePath(3), fmt.Sprintf("- by hook %d\n", i))
		})},
	}
	var rows []Row
	for _, pair := range pairs {
		b.note("%d notes: %s", files, pair.name)
		stats, errs := compare(ctx, b.runs, pair.git, pair.claw)
		if initErr != nil && errs[1] != nil {
			errs[1] = fmt.Errorf("%w (init before it: %w)", errs[1], initErr)
		}
		rows = append(rows, newRow(files, pair.name, pair.goal, stats, errs))
	}
	synced, err := b.sync(ctx, byGit, files)
	if err != nil {
		return nil, err
	}
	return append(append(rows, synced...), b.health(ctx, byClaw, files)...), nil
}

// saveGoal is the ratio to git add and git commit to reach (DESIGN section 6).
func saveGoal(files int) float64 {
	switch {
	case files >= 50_000:
		return .35
	case files >= 10_000:
		return .5
	}
	return .8
}

// adopt runs init and commits what it left, so that both copies start clean.
func (b *bench) adopt(ctx context.Context, dir string) error {
	result, err := b.box.Run(ctx, dir, "", b.claw, "--as", "user", "init")
	if err != nil {
		return err
	}
	if result.Code != 0 {
		return fmt.Errorf("exit %d: %s", result.Code, strings.TrimSpace(result.Stderr))
	}
	if _, err := b.box.Git(ctx, dir, "add", "-A"); err != nil {
		return err
	}
	_, err = b.box.Git(ctx, dir, "commit", "-q", "--allow-empty", "-m", "adopted")
	return err
}

// writer changes another note each time and commits it. Notes are taken from
// all over the tree: the same one again would find its trees in the cache.
func (b *bench) writer(dir string, files int, cmds func(path string) [][]string) *side {
	s := &side{box: b.box, dir: dir}
	s.before = func(i int) error {
		path := notePath(1 + (i*7919)%(files-1))
		s.cmds = cmds(path)
		return appendLine(dir, path, fmt.Sprintf("- run %d\n", i))
	}
	return s
}

// hook is the end of a turn as Claude Code reports it. What the hook leaves to
// the background is waited for between two runs.
func (b *bench) hook(dir string, before func(i int) error) *side {
	stdin := fmt.Sprintf(`{"session_id":"bench","transcript_path":"%s","cwd":"%s",`+
		`"permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false}`,
		filepath.ToSlash(filepath.Join(dir, "none.jsonl")), filepath.ToSlash(dir))
	return &side{
		box: b.box, dir: dir, stdin: stdin, before: before,
		cmds:  [][]string{{b.claw, "hooks", "run", "claude-code"}},
		after: func(ctx context.Context) error { return b.settle(ctx, dir) },
	}
}

// settle waits until the work tree is clean, at most three seconds.
func (b *bench) settle(ctx context.Context, dir string) error {
	for range 60 {
		out, err := b.box.Git(ctx, dir, "--no-optional-locks", "status", "--porcelain")
		if err != nil {
			return err
		}
		if out == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("the change was not committed within 3 s")
}

// start measures what does not depend on a repository.
func (b *bench) start(ctx context.Context) []Row {
	b.note("start-up")
	stats, errs := compare(ctx, 2*b.runs,
		&side{box: b.box, dir: b.box.Home, cmds: [][]string{{"git", "version"}}},
		&side{box: b.box, dir: b.box.Home, cmds: [][]string{{b.claw, "version"}}})
	return []Row{newRow(0, "start (version)", Goal{Millis: 8}, stats, errs)}
}
