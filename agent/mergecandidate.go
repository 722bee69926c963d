package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/prefs"
)

// decidedCandidate keeps a candidate decided that one side decided while the other met it
// again: its later occurrences are a new candidate where it was rejected, and corrections
// where it was confirmed (SPEC GN-04).
func (m *commitMerger) decidedCandidate(ctx context.Context, tree gitops.ID, file string, base, edited []byte) error {
	store := m.storeOf(file)
	old, c := prefs.ParseCandidate(base), prefs.ParseCandidate(edited)
	var later []prefs.Occurrence
	for _, o := range c.Occurrences {
		if !slices.ContainsFunc(old.Occurrences, func(p prefs.Occurrence) bool { return p.At.Equal(o.At) && p.Session == o.Session }) {
			later = append(later, o)
		}
	}
	if len(later) == 0 {
		m.changes = append(m.changes, gitops.Change{Path: file, Delete: true})
		return nil
	}
	rejected, err := m.at(ctx, tree, store+prefs.Rejected)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(prefs.ParseRejected(rejected), func(r prefs.Rejection) bool { return r.ID == c.ID }) {
		text := prefs.NewCandidate(c.Line, c.Kind, c.Source, later[0])
		for _, o := range later[1:] {
			text = prefs.AddOccurrence(text, o)
		}
		m.changes = append(m.changes, gitops.Change{Path: file, Content: text})
		return nil
	}
	text, err := m.corrections(ctx, tree, store+prefs.Corrections)
	if err != nil {
		return err
	}
	for _, o := range later {
		text = prefs.AddCorrection(text, prefs.Correction{
			Day: o.At.Format("2006-01-02"), Time: o.At.Format("15:04"), Text: c.Line.String(), Type: c.Kind,
		})
	}
	m.changes = append(m.changes, gitops.Change{Path: file, Delete: true}, gitops.Change{Path: store + prefs.Corrections, Content: text})
	return nil
}

// corrections is the text of corrections.md, with what was added to it before.
func (m *commitMerger) corrections(ctx context.Context, tree gitops.ID, file string) ([]byte, error) {
	for i, c := range m.changes {
		if c.Path == file {
			m.changes = slices.Delete(m.changes, i, i+1)
			return c.Content, nil
		}
	}
	return m.at(ctx, tree, file)
}

// index makes the index of learned preferences anew where its files were merged: it is
// derived from them.
func (m *commitMerger) index(ctx context.Context) error {
	if len(m.bases) == 0 {
		return nil
	}
	diff, err := m.ws.Repo.DiffTrees(ctx, m.bases[0], m.res.Tree)
	if err != nil {
		return fmt.Errorf("read what is merged: %w", err)
	}
	done := map[string]bool{}
	for _, c := range diff {
		store := m.storeOf(c.Path)
		if store == "" || done[store] {
			continue
		}
		done[store] = true
		if err := m.indexOf(ctx, store); err != nil {
			return err
		}
	}
	return nil
}

// indexHead begins an index.md that git claw wrote.
const indexHead = "# Index\n\nLast compaction: "

func (m *commitMerger) indexOf(ctx context.Context, store string) error {
	old, err := m.at(ctx, m.res.Tree, store+prefs.Index)
	if err != nil || !strings.HasPrefix(string(old), indexHead) {
		return err
	}
	files, err := m.ws.Repo.DiffTrees(ctx, gitops.ID{}, m.res.Tree)
	if err != nil {
		return fmt.Errorf("read what is merged: %w", err)
	}
	var rows []prefs.IndexRow
	for _, f := range files {
		rel, ok := strings.CutPrefix(f.Path, store)
		if tier, _, _ := prefs.Place(rel); !ok || tier == prefs.NoTier || !f.New.Mode.IsFile() {
			continue
		}
		text, err := m.blob(ctx, f.New)
		if err != nil {
			return err
		}
		rows = append(rows, prefs.Row(rel, text))
	}
	next := prefs.RenderIndex(rows, prefs.LastCompaction(old))
	if string(next) == string(old) {
		return nil
	}
	return m.change(ctx, store+prefs.Index, next)
}
