package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

type options struct {
	claw, set, json     string
	check, misses, keep bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var opts options
	flag.StringVar(&opts.claw, "claw", "./git-claw", "the git-claw binary")
	flag.StringVar(&opts.set, "set", "testdata/eval", "the folder of questions.jsonl and workspace/")
	flag.StringVar(&opts.json, "json", "", "write the numbers, and the ranks of each question, to this file as well")
	flag.BoolVar(&opts.check, "check", false, "only check the set")
	flag.BoolVar(&opts.misses, "misses", false, "list the questions of which evidence is not found")
	flag.BoolVar(&opts.keep, "keep", false, "keep the repository that was built")
	flag.Parse()
	if err := run(ctx, opts); err != nil {
		fmt.Fprintf(os.Stderr, "eval: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, opts options) error {
	questions, err := loadSet(opts.set)
	if err = errors.Join(err, checkSet(questions)); err != nil {
		return err
	}
	if opts.check {
		fmt.Printf("%d questions\n", len(questions))
		return nil
	}
	binary, err := filepath.Abs(opts.claw)
	if err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("no binary to measure, run 'make build': %w", err)
	}
	dir, err := os.MkdirTemp("", "claw-eval-")
	if err != nil {
		return err
	}
	if opts.keep {
		fmt.Fprintf(os.Stderr, "eval: the repository stays in '%s'\n", dir)
	} else {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	box, err := sandbox.New(dir)
	if err != nil {
		return err
	}
	report, err := measure(ctx, box, binary, opts.set, filepath.Join(dir, "workspace"), questions)
	if err != nil {
		return err
	}
	if version, err := box.Run(ctx, box.Home, "", binary, "version"); err == nil && version.Code == 0 {
		report.GitClaw, _, _ = strings.Cut(version.Stdout, "\n")
	}
	return write(report, opts)
}

func write(report *Report, opts options) error {
	if err := report.writeTable(os.Stdout); err != nil {
		return err
	}
	if opts.misses {
		if err := report.writeMisses(os.Stdout); err != nil {
			return err
		}
	}
	if opts.json == "" {
		return nil
	}
	out, err := os.Create(opts.json)
	if err != nil {
		return err
	}
	return errors.Join(report.writeJSON(out), out.Close())
}
