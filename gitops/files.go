package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// ListFiles returns the tracked paths that match literal pathspecs (all when
// none are given), each once.
func (r *Repo) ListFiles(ctx context.Context, pathspecs ...string) ([]string, error) {
	args := append([]string{"ls-files", "-z", "--deduplicate", "--"}, pathspecs...)
	out, err := r.run(ctx, Cmd{Args: args})
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return splitNul(out), nil
}

// ListMatching is ListFiles with git's wildcard pathspecs, such as "*.md".
func (r *Repo) ListMatching(ctx context.Context, patterns ...string) ([]string, error) {
	args := append([]string{"ls-files", "-z", "--deduplicate", "--"}, patterns...)
	out, err := r.run(ctx, Cmd{Args: args, Env: []string{"GIT_LITERAL_PATHSPECS=0"}})
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return splitNul(out), nil
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
	if len(paths) == 0 {
		return map[string]IgnoreRule{}, nil
	}
	out, err := r.run(ctx, Cmd{
		Args:  []string{"check-ignore", "-z", "-v", "--stdin"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"),
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
		rules[f[i+3]] = IgnoreRule{Source: f[i], Line: f[i+1], Pattern: f[i+2]}
	}
	return rules, nil
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
