package agent

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/recall"
)

// blamers is how many git processes a search runs at a time.
const blamers = 4

// lineBlame gives results the commit of their newest line instead of their note's
// (SPEC RC-19). Lines that cannot be blamed keep the commit of the note, with a
// warning.
type lineBlame struct {
	ws    *memory.Workspace
	at    gitops.ID // the commit whose notes were searched
	since time.Time
	warn  func(format string, args ...any)
	whole map[string]lineCommits // notes of which all lines were asked for
}

// lineCommits are the commits of lines, from 1; nil: not known.
type lineCommits map[int]gitops.CommitTime

// keep reports whether the newest line of a result is new enough. Of a note that is
// asked about all lines are read at once, for more of it may come.
func (b *lineBlame) keep(ctx context.Context, r *recall.Result) (bool, error) {
	lines, ok := b.whole[r.Path]
	if !ok {
		var err error
		lines, err = b.lines(ctx, r)
		b.complain(ctx, r.Path, err)
		b.whole[r.Path] = lines
	}
	if lines == nil {
		return true, ctx.Err()
	}
	c, err := b.newest(ctx, lines, r.From, r.To)
	return err == nil && !c.Author.Before(b.since), err
}

// lines blames lines of the note of a result, all where none are named; nil where
// the commit has another content: what is indexed is older when a search could not
// catch up.
func (b *lineBlame) lines(ctx context.Context, r *recall.Result, spans ...[2]int) (lineCommits, error) {
	tree, err := b.ws.Repo.Objects().TreeOf(ctx, b.at)
	if err != nil {
		return nil, err
	}
	path := b.ws.Prefix + r.Path
	if e, _, err := b.ws.Repo.Objects().Lookup(ctx, tree, path); err != nil || e.ID != r.Blob {
		return nil, err
	}
	return b.ws.Repo.BlameLines(ctx, b.at, path, spans...)
}

func (b *lineBlame) complain(ctx context.Context, path string, err error) {
	if err != nil && ctx.Err() == nil {
		b.warn("the commit of '%s' is that of the note, not of its newest line: %v", path, err)
	}
}

// newest is the commit of the line that was written last. Of commits of one second it
// is the one that is no ancestor of another, and if that leaves several the one of
// the last line.
func (b *lineBlame) newest(ctx context.Context, lines lineCommits, from, to int) (gitops.CommitTime, error) {
	var last gitops.CommitTime
	var ids []gitops.ID
	for n := from; n <= to; n++ {
		c, ok := lines[n]
		switch {
		case !ok:
		case last.ID.IsZero() || c.Author.After(last.Author):
			last, ids = c, []gitops.ID{c.ID}
		case c.Author.Equal(last.Author) && !slices.Contains(ids, c.ID):
			last, ids = c, append(ids, c.ID)
		}
	}
	if len(ids) < 2 {
		return last, nil
	}
	heads, err := b.ws.Repo.Independent(ctx, ids)
	for _, id := range slices.Backward(ids) {
		if slices.Contains(heads, id) {
			last.ID = id
			break
		}
	}
	return last, err
}

// fill puts the commits into results: one git for each note, some at a time.
func (b *lineBlame) fill(ctx context.Context, results []recall.Result) error {
	notes := map[string][]*recall.Result{}
	for i := range results {
		if r := &results[i]; !r.Unsaved {
			notes[r.Path] = append(notes[r.Path], r)
		}
	}
	paths := slices.Sorted(maps.Keys(notes))
	lines, failed := make([]lineCommits, len(paths)), make([]error, len(paths))
	var wg sync.WaitGroup
	room := make(chan struct{}, blamers)
	for i, path := range paths {
		if known, ok := b.whole[path]; ok {
			lines[i] = known
			continue
		}
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			lines[i], failed[i] = b.lines(ctx, notes[path][0], spansOf(notes[path])...)
		})
	}
	wg.Wait()
	for i, path := range paths {
		b.complain(ctx, path, failed[i])
		if err := b.note(ctx, notes[path], lines[i]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func spansOf(list []*recall.Result) [][2]int {
	var out [][2]int
	for _, r := range list {
		out = append(out, [2]int{r.From, r.To})
	}
	return out
}

// note gives the results of one note their commits.
func (b *lineBlame) note(ctx context.Context, list []*recall.Result, lines lineCommits) error {
	for _, r := range list {
		c, err := b.newest(ctx, lines, r.From, r.To)
		if err != nil {
			return err
		}
		if c.ID.IsZero() {
			continue
		}
		r.Commit = c.ID
		if !r.Dated {
			r.Date = c.Author.Format(time.DateOnly)
		}
	}
	return nil
}
