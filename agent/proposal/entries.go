package proposal

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/doc"
)

// Entry is one change of a proposal that can be accepted by itself: an entry of
// Markdown, or a file of another kind.
type Entry struct {
	N    int // from 1
	Path string
	agent.EntryDiff
	File agent.FileDiff // what the entry is of; for a file of another kind all there is
	// Whole: the entry is a file.
	Whole bool

	at int // the place in doc.Diff of the file
}

// Entries are what a proposal changes, numbered as `--only` takes them.
func (p *Proposal) Entries(ctx context.Context) ([]Entry, error) {
	if err := p.changes(ctx); err != nil {
		return nil, err
	}
	var out []Entry
	for _, c := range p.Changes {
		d, differs, err := agent.Compare(ctx, p.ws, c.Path, c.Old, c.New)
		if err != nil {
			return nil, fmt.Errorf("read proposal '%s': %w", p.ID, err)
		}
		if !differs {
			continue
		}
		if !byEntry(c) || len(d.Entries) == 0 {
			out = append(out, Entry{N: len(out) + 1, Path: c.Path, File: d, Whole: true})
			continue
		}
		// A secret that is masked on both sides may hide a change; the numbers are
		// those of the texts themselves.
		old, new, err := p.texts(ctx, c)
		if err != nil {
			return nil, err
		}
		if len(doc.Diff(old, new)) != len(d.Entries) {
			out = append(out, Entry{N: len(out) + 1, Path: c.Path, File: d, Whole: true})
			continue
		}
		for i, e := range d.Entries {
			out = append(out, Entry{N: len(out) + 1, Path: c.Path, EntryDiff: e, File: d, at: i})
		}
	}
	return out, nil
}

// byEntry: a Markdown file that is there before and after, or at one of the two times.
func byEntry(c Change) bool {
	return strings.EqualFold(path.Ext(c.Path), ".md") && !c.New.IsZero()
}

func (p *Proposal) texts(ctx context.Context, c Change) (old, new []byte, err error) {
	if old, err = p.blob(ctx, c.Old); err != nil {
		return nil, nil, err
	}
	new, err = p.blob(ctx, c.New)
	return old, new, err
}

// blob reads a file; nil where there is none.
func (p *Proposal) blob(ctx context.Context, e gitops.TreeEntry) ([]byte, error) {
	if e.IsZero() {
		return nil, nil
	}
	b, err := p.ws.Repo.Objects().Blob(ctx, e.ID)
	if err != nil {
		return nil, fmt.Errorf("read proposal '%s': %w", p.ID, err)
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

// picked gives the new text of each path with the wanted entries only; a path of which
// nothing is wanted is not in it, and nil stands for a file that goes.
func (p *Proposal) picked(ctx context.Context, want func(n int) bool) (map[string][]byte, error) {
	entries, err := p.Entries(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, c := range p.Changes {
		var mine []Entry
		some := false
		for _, e := range entries {
			if e.Path == c.Path {
				mine = append(mine, e)
				some = some || want(e.N)
			}
		}
		if !some {
			continue
		}
		old, new, err := p.texts(ctx, c)
		if err != nil {
			return nil, err
		}
		if len(mine) == 1 && mine[0].Whole {
			out[c.Path] = new
			continue
		}
		out[c.Path] = doc.Pick(old, new, func(i int) bool { return want(mine[i].N) })
	}
	return out, nil
}
