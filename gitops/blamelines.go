package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// BlameLines tells from which commit each line (from 1) of a path in a commit comes,
// as BlameLine does. spans are first and last lines, of which only those are asked
// for; none: all lines. It runs one git, however many spans there are.
func (r *Repo) BlameLines(ctx context.Context, commit ID, path string, spans ...[2]int) (map[int]CommitTime, error) {
	args := []string{"blame", "--porcelain", "--no-textconv", "-M", "--ignore-revs-file="}
	for _, s := range spans {
		args = append(args, "-L", strconv.Itoa(s[0])+","+strconv.Itoa(s[1]))
	}
	out, err := r.run(ctx, Cmd{Args: append(args, commit.String(), "--", path)})
	if err != nil {
		return nil, fmt.Errorf("blame '%s': %w", path, err)
	}
	return parseBlameLines(out)
}

// parseBlameLines reads what git blame --porcelain prints: for each line a header,
// what is known of the commit where it comes for the first time, and the line itself
// after a tab.
func parseBlameLines(out []byte) (map[int]CommitTime, error) {
	lines := map[int]CommitTime{}
	times := map[ID]time.Time{}
	var id ID
	n := 0 // 0: a header comes next
	for line := range bytes.Lines(out) {
		s := string(bytes.TrimSuffix(line, []byte{'\n'}))
		switch {
		case n == 0:
			f := strings.Fields(s)
			if len(f) < 3 {
				return nil, fmt.Errorf("read blame: unexpected '%.80s'", s)
			}
			var err error
			if id, err = ParseID(f[0]); err != nil {
				return nil, err
			}
			if n, err = strconv.Atoi(f[2]); err != nil || n < 1 {
				return nil, fmt.Errorf("read blame: unexpected '%.80s'", s)
			}
		case strings.HasPrefix(s, "\t"):
			lines[n] = CommitTime{ID: id, Author: times[id]}
			n = 0
		case strings.HasPrefix(s, "author-time "):
			sec, err := strconv.ParseInt(s[len("author-time "):], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read blame: unexpected '%.80s'", s)
			}
			times[id] = time.Unix(sec, 0).UTC()
		}
	}
	return lines, nil
}

// Independent returns those of some commits that are no ancestors of others of them.
func (r *Repo) Independent(ctx context.Context, commits []ID) ([]ID, error) {
	args := []string{"merge-base", "--independent"}
	for _, c := range commits {
		args = append(args, c.String())
	}
	out, err := r.run(ctx, Cmd{Args: args})
	if err != nil {
		return nil, fmt.Errorf("compare commits: %w", err)
	}
	var ids []ID
	for s := range strings.FieldsSeq(string(out)) {
		id, err := ParseID(s)
		if err != nil {
			return nil, fmt.Errorf("compare commits: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
