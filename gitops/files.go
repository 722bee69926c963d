package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ListFiles returns the tracked paths that match literal pathspecs (all when
// none are given), each once.
func (r *Repo) ListFiles(ctx context.Context, pathspecs ...string) ([]string, error) {
	args := []string{"ls-files", "-z", "--deduplicate"}
	var filter pathFilter
	if argBytes(pathspecs) > maxArgs {
		filter = newPathFilter(pathspecs)
	} else {
		args = append(append(args, "--"), pathspecs...)
	}
	out, err := r.run(ctx, Cmd{Args: args})
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	files := splitNul(out)
	if filter != nil {
		files = slices.DeleteFunc(files, func(p string) bool { return !filter.match(p) })
	}
	return files, nil
}

// Tracks reports whether the index has a path, or something below it.
func (r *Repo) Tracks(ctx context.Context, path string) (bool, error) {
	if known, err := r.tracks(ctx, path); !errors.Is(err, errUncertain) {
		return known, err
	}
	list, err := r.ListFiles(ctx, path)
	return len(list) > 0, err
}

// tracks is Tracks without git.
func (r *Repo) tracks(ctx context.Context, path string) (bool, error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return false, err
	}
	if cfg.Bool("core.precomposeunicode", false) && !isASCII(path) {
		return false, errUncertain
	}
	scope, err := newPathScope([]string{path})
	if err != nil || r.ObjectFormat != "sha1" || r.Git.env.Getenv("GIT_INDEX_FILE") != "" {
		return false, errUncertain
	}
	l, err := r.loadIndex()
	if err != nil {
		return false, errUncertain
	}
	x, err := openIndex(l.b)
	if err != nil {
		return false, errUncertain
	}
	known := false
	for x.next() {
		known = known || scope.match(x.entry.path)
	}
	if x.end() != nil {
		return false, errUncertain
	}
	return known, nil
}

// maxArgs bounds the bytes of paths on one command line. Windows takes 32,767
// characters in all.
const maxArgs = 16 << 10

func argBytes(paths []string) int {
	n := 0
	for _, p := range paths {
		n += len(p) + 1
	}
	return n
}

// argChunks cuts paths into pieces that each fit on a command line.
func argChunks(paths []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for len(paths) > 0 {
			n, size := 0, 0
			for n < len(paths) && (n == 0 || size+len(paths[n]) < maxArgs) {
				size += len(paths[n]) + 1
				n++
			}
			if !yield(paths[:n]) {
				return
			}
			paths = paths[n:]
		}
	}
}

func splitNul(b []byte) []string {
	var out []string
	for p := range bytes.SplitSeq(b, []byte{0}) {
		if len(p) > 0 {
			out = append(out, string(p))
		}
	}
	return out
}

// IgnoreRule is the rule that ignores a path.
type IgnoreRule struct {
	Source  string // file that holds the rule
	Line    string
	Pattern string
}

// CheckIgnore tells which of the paths git ignores and why. Tracked paths are
// not ignored.
func (r *Repo) CheckIgnore(ctx context.Context, paths []string) (map[string]IgnoreRule, error) {
	if len(paths) == 0 || r.ignoresNone(ctx, paths) {
		return map[string]IgnoreRule{}, nil
	}
	// check-ignore does not know literal pathspecs. It knows no wildcards either,
	// but a colon at the beginning, which `./` hides.
	out, err := r.run(ctx, Cmd{
		Args:  []string{"check-ignore", "-z", "-v", "--stdin"},
		Stdin: strings.NewReader("./" + strings.Join(paths, "\x00./") + "\x00"),
		Env:   []string{"GIT_LITERAL_PATHSPECS=0"},
	})
	var ge *GitError
	if err != nil && (!errors.As(err, &ge) || ge.Code != 1) { // 1: none is ignored
		return nil, fmt.Errorf("check ignored files: %w", err)
	}
	rules := map[string]IgnoreRule{}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+3 < len(f); i += 4 {
		if strings.HasPrefix(f[i+2], "!") {
			continue // a rule that un-ignores
		}
		rules[strings.TrimPrefix(f[i+3], "./")] = IgnoreRule{Source: f[i], Line: f[i+1], Pattern: f[i+2]}
	}
	return rules, nil
}

// maxQuickIgnore is for how many paths the rules are read here: those of many paths lie
// in many folders, and git reads them as fast.
const maxQuickIgnore = 8

// ignoresNone reports that none of the paths is ignored, where that is certain without
// git: whoever writes a new file asks, and is told so nearly always.
func (r *Repo) ignoresNone(ctx context.Context, paths []string) bool {
	cfg, err := r.Config(ctx)
	if err != nil || r.Bare || len(paths) > maxQuickIgnore || cfg.Bool("core.ignorecase", false) || cfg.Bool("core.precomposeunicode", false) {
		return false
	}
	rules, err := r.newIgnoreRules(cfg)
	if err != nil {
		return false
	}
	for _, p := range paths {
		// A place that cannot be, and a folder, are for git to judge.
		if CheckPath(p) != nil {
			return false
		}
		for dir := parentDir(p); dir != ""; dir = parentDir(dir) {
			full := filepath.Join(r.TopLevel, filepath.FromSlash(dir))
			if fi, err := os.Lstat(full); err == nil && !fi.IsDir() {
				return false
			}
			if _, err := os.Lstat(filepath.Join(full, ".git")); !absent(err) {
				return false
			}
		}
		if fi, err := os.Lstat(filepath.Join(r.TopLevel, filepath.FromSlash(p))); err == nil && fi.IsDir() {
			return false
		}
		if ignored, err := rules.ignores(p, false); ignored || err != nil {
			return false
		}
	}
	return true
}

// ignoredPaths lists those of the paths that git ignores, were none of them
// tracked. It costs no reading of the index.
func (r *Repo) ignoredPaths(ctx context.Context, paths []string) ([]string, error) {
	out, err := r.run(ctx, Cmd{
		Args:  []string{"check-ignore", "--no-index", "-z", "--stdin"},
		Stdin: strings.NewReader("./" + strings.Join(paths, "\x00./") + "\x00"),
		Env:   []string{"GIT_LITERAL_PATHSPECS=0"}, // as in CheckIgnore
	})
	var ge *GitError
	if err != nil && (!errors.As(err, &ge) || ge.Code != 1) { // 1: none is ignored
		return nil, fmt.Errorf("check ignored files: %w", err)
	}
	list := splitNul(out)
	for i, p := range list {
		list[i] = strings.TrimPrefix(p, "./")
	}
	return list, nil
}

// Ignored lists untracked ignored paths below the pathspecs; a directory that is
// ignored whole is one path ending in a slash.
func (r *Repo) Ignored(ctx context.Context, pathspecs ...string) ([]string, error) {
	args := append([]string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--"}, pathspecs...)
	out, err := r.run(ctx, Cmd{Args: args})
	if err != nil {
		return nil, fmt.Errorf("list ignored files: %w", err)
	}
	return splitNul(out), nil
}
