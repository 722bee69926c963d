package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/embed"
	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/recall"
	"github.com/git-claw/git-claw/memory/vector"
)

// transformerWeight is the weight of a transformer's cosine where
// claw.recall.vectorWeight says nothing (SPEC RC-04).
const transformerWeight = 0.7

// queryTime is how long a search waits for the embedding of its query.
const queryTime = 5 * time.Second

// newEmbedder returns the embedder of the settings; nil when there is none. All of
// them are this machine's: a cloned workspace must not choose where notes are sent.
func newEmbedder(ws *memory.Workspace, clock func() time.Time) (embed.Embedder, error) {
	s := ws.Settings
	kind := s.String("embedder")
	if kind == "" || kind == "none" {
		return nil, nil
	}
	return embed.New(embed.Config{
		Kind: kind, BaseURL: s.String("embedderUrl"), Model: s.String("embedderModel"), Key: s.String("embedderKey"),
		Now: clock, Rand: ws.Repo.Git.Env().Rand,
	})
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// semantic embeds a query. Without an embedder, without vectors, and when the
// embedder does not answer, the words have to do: nil.
func semantic(ctx context.Context, ws *memory.Workspace, opt SearchOptions) *recall.Semantic {
	e, err := newEmbedder(ws, opt.Clock)
	if err != nil || e == nil {
		if err != nil {
			opt.Warn("search by words only: %v", err)
		}
		return nil
	}
	store, err := vector.Open(recall.VectorDir(ws), e.ID(), 0)
	if err != nil {
		opt.Warn("search by words only: %v", err)
		return nil
	}
	if store.Stat().Vectors == 0 || len(secret.New().Scan([]byte(opt.Query))) > 0 {
		_ = store.Close()
		return nil // nothing to compare with, or a query that must not leave this machine
	}
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	vecs, err := e.Embed(ctx, []string{opt.Query})
	if err != nil || len(vecs) != 1 || vecs[0] == nil {
		opt.Warn("search by words only: %v", err)
		_ = store.Close()
		return nil
	}
	w := transformerWeight
	if ws.Settings.Set("recall.vectorWeight") {
		w = min(max(ws.Settings.Float("recall.vectorWeight"), 0), 1)
	}
	return &recall.Semantic{Store: store, Query: vecs[0], Weight: w}
}

// embedNotes gives the chunks of the index vectors, when an embedder is set. It
// returns how many were added.
func embedNotes(ctx context.Context, ws *memory.Workspace, snap *index.Snapshot, clock func() time.Time) (int, error) {
	e, err := newEmbedder(ws, clock)
	if err != nil || e == nil {
		return 0, err
	}
	// One at a time: two would pay twice.
	lock, err := gitops.TryLock(recall.VectorDir(ws) + ".lock")
	if errors.Is(err, gitops.ErrBusy) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("lock vectors: %w", err)
	}
	defer func() { _ = lock.Close() }()
	store, err := vector.Open(recall.VectorDir(ws), e.ID(), 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = store.Close() }()
	read := func(rel string, blob gitops.ID) ([]byte, error) { return readNote(ctx, ws, rel, blob) }
	return recall.Embed(ctx, snap, e, store, read, flaggedLines)
}
