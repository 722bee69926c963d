package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

//go:embed history/*.txtar
var historyFiles embed.FS

// A day is one file below history/: what changed in the folder, and the commit
// that a person made of it, if any. Its header has lines `date: <RFC3339>` and
// `commit: <message>`; a file name that starts with `+ ` is appended to.
type day struct {
	date   time.Time
	commit string // empty: nobody committed that day
	files  []txtar.File
}

func parseDay(text []byte) (day, error) {
	archive := txtar.Parse(text)
	d := day{files: archive.Files}
	for line := range strings.SplitSeq(strings.TrimSpace(string(archive.Comment)), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "date":
			date, err := time.Parse(time.RFC3339, value)
			if err != nil {
				return day{}, err
			}
			d.date = date
		case "commit":
			d.commit = value
		default:
			return day{}, fmt.Errorf("unknown header line '%s'", line)
		}
	}
	if d.date.IsZero() {
		return day{}, fmt.Errorf("no date")
	}
	return d, nil
}

// history returns the days in order.
func history() ([]day, error) {
	names, err := fs.Glob(historyFiles, "history/*.txtar")
	if err != nil {
		return nil, err
	}
	days := make([]day, 0, len(names))
	for _, name := range names {
		text, err := historyFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		d, err := parseDay(text)
		if err != nil {
			return nil, fmt.Errorf("read '%s': %w", name, err)
		}
		days = append(days, d)
	}
	return days, nil
}

// layOut writes the history into dir as its owner would have: git by hand, now
// and then, with whatever message came to mind.
func layOut(ctx context.Context, box *sandbox.Box, dir string) error {
	days, err := history()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := box.Git(ctx, dir, "init", "-q"); err != nil {
		return err
	}
	for _, d := range days {
		for _, file := range d.files {
			name, add := strings.CutPrefix(file.Name, "+ ")
			if err := put(filepath.Join(dir, filepath.FromSlash(name)), file.Data, add); err != nil {
				return err
			}
		}
		if d.commit == "" {
			continue
		}
		date := d.date.Format(time.RFC3339)
		then := box.With("GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
		if _, err := then.Git(ctx, dir, "add", "-A"); err != nil {
			return err
		}
		if _, err := then.Git(ctx, dir, "commit", "-q", "-m", d.commit); err != nil {
			return err
		}
	}
	return nil
}

// put writes or appends to a file and makes its folder.
func put(path string, data []byte, add bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if add {
		old, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("append to a file that is not there: %w", err)
		}
		data = append(old, data...)
	}
	return os.WriteFile(path, data, 0o644)
}
