package agent

import (
	"bytes"
	"context"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

const (
	// maxRenamed bounds the files on each side that are compared for similarity;
	// equal content is found at any number.
	maxRenamed = 64
	// minRenamed is the smallest file, in bytes, whose content can tell that it
	// is the same file: many notes are as short and alike.
	minRenamed = 24
	// renameSimilar is the share of bytes, in percent of the larger file, that two
	// files must share.
	renameSimilar = 60
)

// findRenames joins a deleted and an added file into one renamed file where
// their content is equal, or else similar. Each file is used once; the order of
// pairs decides among equals. Pairs are kept in order of path.
func findRenames(ctx context.Context, ws *memory.Workspace, pairs []*filePair) ([]*filePair, error) {
	var gone, come []*filePair
	for _, p := range pairs {
		if err := p.mustExist(ctx, ws); err != nil {
			return nil, err
		}
		switch {
		case p.new.mode == gitops.ModeAbsent && p.old.mode.IsFile():
			gone = append(gone, p)
		case p.old.mode == gitops.ModeAbsent && p.new.mode.IsFile():
			come = append(come, p)
		}
	}
	if len(gone) == 0 || len(come) == 0 {
		return pairs, nil
	}
	used := map[*filePair]bool{}
	join := func(from, to *filePair) {
		to.from, to.old = from.path, from.old
		used[from], used[to] = true, true
	}
	if err := equalContent(ctx, ws, gone, come, join); err != nil {
		return nil, err
	}
	unused := func(p *filePair) bool { return used[p] }
	gone, come = slices.DeleteFunc(gone, unused), slices.DeleteFunc(come, unused)
	if len(gone) <= maxRenamed && len(come) <= maxRenamed {
		if err := similarContent(ctx, ws, gone, come, used, join); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(pairs, func(p *filePair) bool { return used[p] && p.from == "" }), nil
}

// mustExist reads a work-tree side at once, because only that tells whether the
// file is still there.
func (p *filePair) mustExist(ctx context.Context, ws *memory.Workspace) error {
	if !p.new.work {
		return nil
	}
	return p.new.read(ctx, ws, p.path)
}

// equalContent joins files whose content is byte for byte the same.
func equalContent(ctx context.Context, ws *memory.Workspace, gone, come []*filePair, join func(from, to *filePair)) error {
	byID := map[gitops.ID][]*filePair{}
	for _, p := range gone {
		byID[p.old.id] = append(byID[p.old.id], p)
	}
	for _, p := range come {
		id := p.new.id
		if p.new.work {
			id = ws.Repo.BlobID(p.new.text)
		}
		from := byID[id]
		if len(from) == 0 {
			continue
		}
		if err := from[0].read(ctx, ws); err != nil {
			return err
		}
		if len(from[0].old.text) < minRenamed {
			continue
		}
		join(from[0], p)
		byID[id] = from[1:]
	}
	return nil
}

// similarContent joins what shares most of its lines, the most similar first.
func similarContent(ctx context.Context, ws *memory.Workspace, gone, come []*filePair, used map[*filePair]bool, join func(from, to *filePair)) error {
	type match struct {
		from, to *filePair
		score    int
	}
	var found []match
	for _, p := range slices.Concat(gone, come) {
		if err := p.read(ctx, ws); err != nil {
			return err
		}
	}
	for _, g := range gone {
		for _, c := range come {
			if s := similarity(g.old.text, c.new.text); s >= renameSimilar {
				found = append(found, match{from: g, to: c, score: s})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return b.score - a.score })
	for _, m := range found {
		if !used[m.from] && !used[m.to] {
			join(m.from, m.to)
		}
	}
	return nil
}

// similarity is the share of bytes in common lines, in percent of the larger
// text; 0 where the sizes alone exclude it, or for what is not text.
func similarity(a, b []byte) int {
	large, small := max(len(a), len(b)), min(len(a), len(b))
	if small < minRenamed || large > maxDiffBytes || small*100 < large*renameSimilar || isBinary(a) || isBinary(b) {
		return 0
	}
	lines := map[string]int{}
	for _, l := range doc.SplitLines(a) {
		lines[string(bytes.TrimRight(l, "\r\n"))]++
	}
	shared := 0
	for _, l := range doc.SplitLines(b) {
		if key := string(bytes.TrimRight(l, "\r\n")); lines[key] > 0 {
			lines[key]--
			shared += len(l)
		}
	}
	return shared * 100 / large
}
