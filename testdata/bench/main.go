package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == rssCommand {
		os.Exit(rssMain(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	claw := flag.String("claw", "./git-claw", "the git-claw binary")
	sizes := flag.String("sizes", "1000,10000,50000", "numbers of notes, separated by commas; empty: none")
	search := flag.Bool("search", true, "measure search and index as well")
	chunks := flag.String("chunks", "10000,100000", "numbers of chunks to search, separated by commas; empty: none")
	runs := flag.Int("runs", 21, "measured runs of each command")
	jsonFile := flag.String("json", "", "write the numbers to this file as well")
	keep := flag.Bool("keep", false, "keep the repositories that were built")
	flag.Parse()

	counts, err := parseSizes(*sizes)
	if err != nil {
		return err
	}
	chunkCounts, err := parseSizes(*chunks)
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(*claw)
	if err != nil {
		return err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return fmt.Errorf("no binary to measure, run 'make build': %w", err)
	}
	dir, err := os.MkdirTemp("", "claw-bench-")
	if err != nil {
		return err
	}
	if *keep {
		fmt.Fprintf(os.Stderr, "bench: repositories stay in '%s'\n", dir)
	} else {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	box, err := sandbox.New(dir)
	if err != nil {
		return err
	}

	report, err := newReport(ctx, box, binary)
	if err != nil {
		return err
	}
	b := &bench{box: box, claw: binary, dir: dir, runs: *runs, note: func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
	}}
	report.Rows = b.start(ctx)
	report.Rows = append(report.Rows, Row{
		Name: "binary size", Megabytes: float64(info.Size()) / 1e6, Goal: Goal{Megabytes: 18},
	})
	for _, files := range counts {
		rows, err := b.size(ctx, files)
		if err != nil {
			return err
		}
		report.Rows = append(report.Rows, rows...)
	}
	if *search {
		if err := b.searches(ctx, chunkCounts, report); err != nil {
			return err
		}
	}
	if err := report.writeTable(os.Stdout); err != nil {
		return err
	}
	if *jsonFile == "" {
		return nil
	}
	out, err := os.Create(*jsonFile)
	if err != nil {
		return err
	}
	return errors.Join(report.writeJSON(out), out.Close())
}

func newReport(ctx context.Context, box *sandbox.Box, binary string) (*Report, error) {
	git, err := box.Git(ctx, box.Home, "version")
	if err != nil {
		return nil, err
	}
	own, err := box.Run(ctx, box.Home, "", binary, "version")
	if err != nil {
		return nil, err
	}
	version, _, _ := strings.Cut(strings.TrimSpace(own.Stdout), "\n")
	if own.Code != 0 || version == "" {
		version = "git-claw (no version)"
	}
	return &Report{
		Schema: "claw.bench/1", Date: time.Now().UTC().Format(time.RFC3339),
		OS: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Git: git, GitClaw: version,
	}, nil
}

// parseSizes reads a list of counts, which may be empty; fewer than 10 notes make
// no repository worth measuring.
func parseSizes(list string) ([]int, error) {
	var sizes []int
	if list == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 10 {
			return nil, fmt.Errorf("size '%s' is not a number from 10 on", word)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
