package gitops

import (
	"context"
	"fmt"
	"strings"
)

// Staged compares HEAD with the index that git uses at this moment, which inside
// a hook is the one of the commit being made. Renames are a removal and an
// addition. It works on a branch without commits.
func (r *Repo) Staged(ctx context.Context) ([]TreeChange, error) {
	if r.Bare {
		return nil, ErrBare
	}
	args := []string{"diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=all"}
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	against := head.Commit.String()
	if head.Commit.IsZero() {
		// git knows the empty tree without it being stored.
		against = r.hashObject(kindTree, nil).String()
	}
	out, err := r.run(ctx, Cmd{Args: append(args, against)})
	if err != nil {
		return nil, fmt.Errorf("read what is staged: %w", err)
	}
	return parseRaw(splitNul(out))
}

// parseRaw reads pairs of `:<old mode> <new mode> <old id> <new id> <letter>`
// and a path.
func parseRaw(f []string) ([]TreeChange, error) {
	var out []TreeChange
	for i := 0; i+1 < len(f); i += 2 {
		w := strings.Fields(strings.TrimPrefix(f[i], ":"))
		if len(w) != 5 {
			return nil, fmt.Errorf("read what is staged: unexpected record '%.80s'", f[i])
		}
		c := TreeChange{Path: f[i+1]}
		c.Old.Mode, c.New.Mode = parseMode(w[0]), parseMode(w[1])
		var err error
		if c.Old.ID, err = ParseID(w[2]); err != nil {
			return nil, err
		}
		if c.New.ID, err = ParseID(w[3]); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
