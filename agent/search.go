package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/lexical"
	"github.com/git-claw/git-claw/memory/recall"
)

// SearchOptions say what is looked for and where.
type SearchOptions struct {
	Query    string
	Tier     string // "", a tier of memory, or "all"
	At       string // a revision, "" HEAD and the work tree
	Since    string // a date or a revision
	Limit    int    // 0: claw.recall.maxResults
	Blame    bool   // the commit of a result is that of its newest line, not of its note
	Kind     string // of the session that reads
	Force    bool   // answer although memory is not healthy
	Hostname string // of this machine
	Clock    func() time.Time
	Progress func(done, total int)
	Warn     func(format string, args ...any)
}

// Found is the answer to a search.
type Found struct {
	Results []recall.Result
	Pending int      // notes the answer does not know yet, or not as they are now
	Absent  []string // exact words of the query that no note holds
	Weaker  int      // answers left out because they score low
	Large   int      // notes that are too large to be searched
	Closed  []string // folders that cannot be read
	// Failed are the checks that make memory unhealthy (SPEC OM-55).
	Failed []string
}

// Search answers from the index of the workspace, which it brings up to date
// first, as far as claw.recall.catchupMs allows.
func Search(ctx context.Context, ws *memory.Workspace, opt SearchOptions) (*Found, error) {
	tier, err := tierNamed(opt.Tier)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(opt.Query) == "" {
		return nil, &UsageError{Problem: "the empty string finds nothing"}
	}
	since, err := sinceWhen(ctx, ws, opt.Since)
	if err != nil {
		return nil, err
	}
	fails, err := checkGate(ctx, ws, opt.Hostname, guardedTier(tier), opt.Force)
	if err != nil {
		return nil, err
	}
	for rebuild := false; ; rebuild = true {
		found, err := search(ctx, ws, opt, tier, since, rebuild)
		// A damage that only shows while searching: once more, from the notes.
		if errors.Is(err, lexical.ErrCorrupt) && !rebuild {
			continue
		}
		if found != nil {
			found.Failed = fails
		}
		return found, err
	}
}

func search(ctx context.Context, ws *memory.Workspace, opt SearchOptions, tier memory.Tier, since sinceWhat, rebuild bool) (*Found, error) {
	ropt := index.Options{Budget: catchup(ws), Clock: opt.Clock, Progress: opt.Progress, Warn: opt.Warn, Rebuild: rebuild}
	snap, err := index.Refresh(ctx, ws, ropt)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	read := func(rel string, blob gitops.ID) ([]byte, error) { return readNote(ctx, ws, rel, blob) }
	head := snap.Commit
	if opt.At != "" {
		id, err := ws.Repo.Resolve(ctx, opt.At)
		if err != nil {
			return nil, err
		}
		if err := snap.At(ctx, id); err != nil {
			return nil, err
		}
	}
	near := semantic(ctx, ws, opt)
	if near != nil {
		defer func() { _ = near.Store.Close() }()
	}
	ask := recall.Options{
		Query: opt.Query, Limit: opt.Limit, Tier: tier, Now: ws.Now(),
		Private: newPrivacy(ws, opt.Kind).on, Read: read, Flagged: flaggedLines, Semantic: near,
	}
	found := &Found{Pending: snap.Pending, Large: snap.Large, Closed: snap.Closed}
	ask.Absent, ask.Weaker = func(words []string) { found.Absent = words }, func(n int) { found.Weaker = n }
	if since.rev.IsZero() {
		ask.Since = since.time
	} else if ask.Changed, err = ws.Repo.TouchedPaths(ctx, since.rev, snap.Commit); err != nil {
		return nil, err
	}
	ask.Unread = func(notes int) {
		opt.Warn("a query without words was not looked for in %d notes, the oldest: narrow it with --since or --tier", notes)
	}
	blame := &lineBlame{ws: ws, at: snap.Commit, since: since.time, warn: opt.Warn, whole: map[string]lineCommits{}}
	if opt.Blame && !since.time.IsZero() {
		ask.Keep = func(r *recall.Result) (bool, error) { return blame.keep(ctx, r) }
	}
	results, err := recall.Search(ctx, ws, snap, ask)
	if err == nil && opt.Blame {
		err = blame.fill(ctx, results)
	}
	if err != nil {
		return nil, err
	}
	if logs(ws) {
		logSearch(ctx, ws, opt, head, snap.Commit, results)
	}
	found.Results = results
	return found, nil
}

// catchup is how long a search may index: 0 in the settings means not at all.
func catchup(ws *memory.Workspace) time.Duration {
	if d := ws.Settings.Duration("recall.catchupMs"); d > 0 {
		return d
	}
	return -1
}

func tierNamed(name string) (memory.Tier, error) {
	switch t := memory.Tier(name); t {
	case "", recall.All, memory.TierHot, memory.TierWarm, memory.TierCold, memory.TierScratch, memory.TierBuffer:
		return t, nil
	}
	return "", &UsageError{Problem: fmt.Sprintf("'%s' is no tier: hot, warm, cold, buffer, scratch or all", name)}
}

// sinceWhat is where --since begins: a time, or a revision and the time its author
// gave it.
type sinceWhat struct {
	time time.Time
	rev  gitops.ID
}

func sinceWhen(ctx context.Context, ws *memory.Workspace, s string) (sinceWhat, error) {
	if s == "" {
		return sinceWhat{}, nil
	}
	if t, err := When(ws.Now(), s); err == nil {
		return sinceWhat{time: t}, nil
	}
	id, err := ws.Repo.Resolve(ctx, s)
	if err != nil {
		return sinceWhat{}, err
	}
	c, err := ws.Repo.Objects().Commit(ctx, id)
	if err != nil {
		return sinceWhat{}, err
	}
	return sinceWhat{c.Author.When, id}, nil
}

// flaggedLines are the lines of a note that hold a secret, from 1. A whole note is
// looked at: the lines of a key block do not tell what they are.
func flaggedLines(note []byte) map[int]bool {
	lines := map[int]bool{}
	for _, f := range secret.New().Scan(note) {
		for n := f.Line; n <= f.EndLine; n++ {
			lines[n] = true
		}
	}
	return lines
}

// readNote reads the content that was indexed: the file of the work tree while it
// is that, else the blob.
func readNote(ctx context.Context, ws *memory.Workspace, rel string, blob gitops.ID) ([]byte, error) {
	if !ws.Repo.Bare {
		b, err := gitops.ReadSmall(filepath.Join(ws.Root, filepath.FromSlash(rel)), ws.MaxFileBytes())
		if err == nil && ws.Repo.BlobID(b) == blob {
			return b, nil
		}
	}
	return ws.Repo.Objects().Blob(ctx, blob)
}
