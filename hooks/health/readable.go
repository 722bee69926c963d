package health

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// readableFamily tells of what is managed and was not looked at: no check that says
// nothing of a file has passed it.
func readableFamily() Family {
	return Family{
		Name: "readable",
		Checks: []Check{{
			ID: "GIT-012", Severity: Warning, Rule: "WS-32", Meaning: "every managed file can be read, and none is left out for its size",
			Fix: "put a plain file in its place that can be read, or move it out of the managed folders",
		}},
		Look: Over(isAnyFile, func(*Run, *Note, *Out) struct{} { return struct{}{} }, judgeReadable),
	}
}

// Oddity is what lies where a file of memory is expected and cannot be read as one.
type Oddity struct {
	Path  string // relative to the root
	What  string // "a named pipe is in the place of the file"
	Grave bool   // memory is missing
}

// odd is a snapshot that may hold oddities.
type odd interface {
	Oddities(ctx context.Context) ([]Oddity, error)
}

func judgeReadable(ctx context.Context, r *Run, _ []Fact[struct{}], out *Out) error {
	for _, f := range r.Large() {
		out.Add(Finding{
			ID: "GIT-012", Path: f.Path, Message: "larger than claw.maxFileBytes: neither saved nor searched, and of its first 64 MiB only secrets are told",
			Expected: fmt.Sprintf("at most %d bytes", r.WS.MaxFileBytes()), Actual: sizeOf(f), Measure: max(f.Size, 0),
			Fix: "split the file; or, where it is to be memory as it is, git config claw.maxFileBytes <bytes>",
		})
	}
	for _, rel := range r.lost {
		out.Add(Finding{ID: "GIT-012", Path: rel, Severity: Failure, Message: "it cannot be read", Expected: "a file that can be read", Actual: "no permission"})
	}
	s, ok := r.Snapshot.(odd)
	if !ok || !r.On("GIT-012") {
		return nil
	}
	list, err := s.Oddities(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	ignored, err := ignoredOf(ctx, r, list)
	if err != nil {
		return err
	}
	for _, o := range list {
		if _, ok := ignored[r.WS.Prefix+o.Path]; ok {
			continue
		}
		f := Finding{ID: "GIT-012", Path: o.Path, Message: o.What, Expected: "a file that can be read", Actual: "none"}
		if o.Grave {
			f.Severity = Failure
		}
		out.Add(f)
	}
	return nil
}

func sizeOf(f File) string {
	if f.Size < 0 {
		return "more"
	}
	return fmt.Sprintf("%d bytes", f.Size)
}

// ignoredOf tells which oddities git ignores, as their owner wants. Below a link git
// does not look.
func ignoredOf(ctx context.Context, r *Run, list []Oddity) (map[string]gitops.IgnoreRule, error) {
	paths := make([]string, 0, len(list))
	for _, o := range list {
		paths = append(paths, r.WS.Prefix+strings.TrimSuffix(o.Path, "/"))
	}
	return r.WS.Repo.CheckIgnore(ctx, paths)
}
