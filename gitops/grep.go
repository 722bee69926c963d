package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// FilesWith lists the files of the work tree, tracked or not, that hold a fixed string.
// paths are literal, from the top level.
func (r *Repo) FilesWith(ctx context.Context, text string, paths ...string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := append([]string{
		"--literal-pathspecs", "-c", "grep.patternType=default", "-c", "submodule.recurse=false",
		"grep", "-z", "-l", "-I", "-F", "--untracked", "--no-color", "--full-name", "-e", text, "--",
	}, paths...)
	out, err := r.run(ctx, Cmd{Args: args})
	var ge *GitError
	if errors.As(err, &ge) && ge.Code == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for '%s': %w", text, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
