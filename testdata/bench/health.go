package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// health measures the checks of a workspace, those of what is staged, and what a
// session loads. It leaves one note staged.
func (b *bench) health(ctx context.Context, dir string, files int) []Row {
	run := func(args ...string) *side {
		return &side{box: b.box, dir: dir, cmds: [][]string{append([]string{b.claw}, args...)}}
	}
	all := run("health")
	all.check = func(_ int, stdout string) error {
		if !strings.Contains(stdout, " files read") {
			return fmt.Errorf("health printed %q", stdout)
		}
		return nil
	}
	staged := run("health", "--staged")
	staged.before = func(i int) error {
		path := notePath(1 + (i*7919)%(files-1))
		if err := appendLine(dir, path, fmt.Sprintf("- staged %d\n", i)); err != nil {
			return err
		}
		if _, err := b.box.Git(ctx, dir, "reset", "-q"); err != nil {
			return err
		}
		_, err := b.box.Git(ctx, dir, "add", path)
		return err
	}
	staged.check = func(_ int, stdout string) error {
		if !strings.Contains(stdout, " 1 file read") {
			return fmt.Errorf("health --staged printed %q", stdout)
		}
		return nil
	}
	var rows []Row
	for _, m := range []struct {
		name string
		goal Goal
		side *side
	}{
		{"health", healthGoal(files), all},
		{"context", Goal{Millis: 20}, run("context")},
		{"health --staged, one note", Goal{Millis: 30}, staged},
	} {
		b.note("%d notes: %s", files, m.name)
		stats, errs := compare(ctx, b.runs, nil, m.side)
		rows = append(rows, newRow(files, m.name, m.goal, stats, errs))
	}
	b.note("%d notes: memory of health", files)
	bytes, err := maxRSS(ctx, b.box, dir, b.claw, "health")
	if errors.Is(err, errors.ErrUnsupported) {
		return rows
	}
	row := Row{Files: files, Name: "health, most memory (RSS)", Megabytes: float64(bytes) / 1e6}
	if err != nil {
		row.Error = "git-claw: " + err.Error()
	}
	return append(rows, row)
}

// healthGoal is the wall time to stay below.
func healthGoal(files int) Goal {
	switch {
	case files <= 1000:
		return Goal{Millis: 400}
	case files <= 20_000:
		return Goal{Millis: 4000}
	}
	return Goal{}
}
