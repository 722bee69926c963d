package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// mergedFiles are changed on each side before two clones are merged, half of them the
// same ones.
const mergedFiles = 30

// sync measures a clone and its remote: nothing to do, and both sides
// changed. dir is an adopted repository that nobody else needs.
func (b *bench) sync(ctx context.Context, dir string, files int) ([]Row, error) {
	remote := dir + "-remote"
	for _, args := range [][]string{
		{"init", "-q", "--bare", "-b", "main", remote},
		{"remote", "add", "origin", remote},
		{"push", "-q", "-u", "origin", "main"},
		// Nothing of the measurements is left to the background.
		{"config", "gc.auto", "0"},
		{"config", "maintenance.auto", "false"},
		{"branch", "-f", "start"},
	} {
		if _, err := b.box.Git(ctx, dir, args...); err != nil {
			return nil, err
		}
	}
	var rows []Row
	add := func(name string, goal Goal, runs int, git, claw *side) {
		b.note("%d notes: %s", files, name)
		stats, errs := compare(ctx, runs, git, claw)
		rows = append(rows, newRow(files, name, goal, stats, errs))
	}
	sync := func(args ...string) [][]string { return [][]string{append([]string{b.claw, "sync"}, args...)} }
	add("sync, nothing to do", Goal{Ratio: 1.2}, b.runs,
		&side{box: b.box, dir: dir, cmds: [][]string{{"git", "fetch", "-q"}, {"git", "push", "-q"}}},
		&side{box: b.box, dir: dir, cmds: sync()})

	apart := func(n, second int) func(i int) error {
		return func(i int) error { return b.apart(ctx, dir, remote, i, n, second) }
	}
	pull := [][]string{{"git", "pull", "-q", "--no-rebase", "--no-edit"}}
	both := apart(mergedFiles, mergedFiles/2)
	add(fmt.Sprintf("sync, %d files changed on each side (git pull)", mergedFiles), Goal{}, b.runs/3,
		&side{box: b.box, dir: dir, before: both, cmds: pull}, &side{box: b.box, dir: dir, before: both, cmds: sync("--no-push")})
	if files == 1000 {
		all := apart(files, 0)
		add("sync, 1,000 files changed on both sides (git pull)", Goal{Millis: 2000}, 3,
			&side{box: b.box, dir: dir, before: all, cmds: pull}, &side{box: b.box, dir: dir, before: all, cmds: sync("--no-push")})
	}
	return rows, nil
}

// apart has this clone and the remote go different ways from the same commit: each adds a
// line, another one each time, to n files, the remote from the first on.
func (b *bench) apart(ctx context.Context, dir, remote string, run, n, second int) error {
	git := func(args ...string) error {
		_, err := b.box.Git(ctx, dir, args...)
		return err
	}
	side := func(name string, from int) error {
		if err := git("reset", "-q", "--hard", "start"); err != nil {
			return err
		}
		for i := from; i < from+n; i++ {
			if err := appendLine(dir, notePath(i), fmt.Sprintf("- run %d of %s\n", run, name)); err != nil {
				return err
			}
		}
		return git("-c", "core.hooksPath=/dev/null", "commit", "-qam", name)
	}
	if err := side("the remote", 0); err != nil {
		return err
	}
	if err := git("push", "-q", "--force", remote, "HEAD:main"); err != nil {
		return err
	}
	if err := side("this clone", second); err != nil {
		return err
	}
	// As if the last sync had been at the start; the index is older than no file.
	for _, ref := range []string{"refs/remotes/origin/main", "refs/claw/synced/origin/main"} {
		if err := git("update-ref", ref, "start"); err != nil {
			return err
		}
	}
	return b.aged(ctx, dir)
}

// aged has the index as it is some time after the last write: git need not read files to
// know that they are unchanged.
func (b *bench) aged(ctx context.Context, dir string) error {
	info, err := os.Stat(filepath.Join(dir, ".git", "index"))
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(info.ModTime().Add(1100 * time.Millisecond))):
	}
	_, err = b.box.Git(ctx, dir, "update-index", "-q", "--really-refresh")
	return err
}
