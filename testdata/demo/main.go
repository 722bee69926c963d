package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	prefix := flag.String("prefix", ".scratch/demo/prefix", "where git-claw was installed")
	dir := flag.String("dir", ".scratch/demo/world", "scratch folder, made anew")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *prefix, *dir); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, prefix, dir string) error {
	bin, err := filepath.Abs(filepath.Join(prefix, "bin"))
	if err != nil {
		return err
	}
	if err := fresh(dir); err != nil {
		return err
	}
	tour, err := newTour(os.Stdout, bin, dir)
	if err != nil {
		return err
	}
	return tour.run(ctx)
}

// marker is in every folder that a demo made, so that -dir never wipes
// another.
const marker = ".git-claw-demo"

// fresh makes dir an empty folder.
func fresh(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return fmt.Errorf("'%s' is not empty and not a demo's", dir)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, marker), nil, 0o644)
}
