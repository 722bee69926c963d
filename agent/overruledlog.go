package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// seenMerges is what was found in the history of a commit, kept so that the next look
// only reads what came since. It can be lost at any time.
type seenMerges struct {
	Tip    string      `json:"tip"`
	Merges []seenMerge `json:"merges"` // newest first
}

// seenMerge is a merge that chose between values.
type seenMerge struct {
	Commit  string    `json:"commit"`
	Parents []string  `json:"parents"`
	When    time.Time `json:"when"`
	Names   []string  `json:"names"` // of Claw-Overruled
}

const (
	seenMergesFile = "values.json"
	maxSeenMerges  = 1 << 20
	// maxMerges bounds how many merges wait for a person at once.
	maxMerges = 1000
)

// OverruledMerges lists the commits in the history of HEAD that chose between values: merges, and
// what united the sides of committed conflict markers. Newest first: id, parents, time and trailers of each. They are known by their messages.
func OverruledMerges(ctx context.Context, ws *memory.Workspace) ([]gitops.Commit, error) {
	head, err := ws.Repo.Head(ctx)
	if err != nil || head.Commit.IsZero() {
		return nil, err
	}
	name := filepath.Join(ws.Repo.ClawDir(), seenMergesFile)
	var known seenMerges
	if b, err := gitops.ReadSmall(name, maxSeenMerges); err != nil || json.Unmarshal(b, &known) != nil {
		known = seenMerges{}
	}
	tip := head.Commit.String()
	if known.Tip != tip {
		opt := gitops.LogOptions{Revs: []string{tip}, Max: maxMerges, Grep: overruledKey + ": ["}
		same := false
		if known.Tip != "" {
			ok, err := ws.Repo.IsAncestor(ctx, known.Tip, tip)
			same = ok && err == nil
		}
		if same {
			opt.Revs = append(opt.Revs, "^"+known.Tip)
		} else {
			known.Merges = nil // another branch, or a history that was replaced
		}
		var fresh []seenMerge
		for c, err := range ws.Repo.Log(ctx, opt) {
			if err != nil {
				return nil, err
			}
			fresh = append(fresh, seenOf(c))
		}
		known.Tip, known.Merges = tip, append(fresh, known.Merges...)
		if b, err := json.Marshal(known); err == nil && len(b) < maxSeenMerges {
			// Where it cannot be written the next look reads all again.
			if err := gitops.WriteFileAtomic(name, b, 0o600); os.IsNotExist(err) && os.MkdirAll(filepath.Dir(name), 0o777) == nil {
				_ = gitops.WriteFileAtomic(name, b, 0o600)
			}
		}
	}
	var out []gitops.Commit
	for _, m := range known.Merges {
		if c, ok := m.commit(); ok {
			out = append(out, c)
		}
	}
	return out, nil
}

func seenOf(c gitops.Commit) seenMerge {
	m := seenMerge{Commit: c.ID.String(), When: c.Author.When, Names: c.Trailers.All(overruledKey)}
	for _, p := range c.Parents {
		m.Parents = append(m.Parents, p.String())
	}
	return m
}

func (m seenMerge) commit() (c gitops.Commit, ok bool) {
	var err error
	if c.ID, err = gitops.ParseID(m.Commit); err != nil {
		return c, false
	}
	for _, p := range m.Parents {
		id, err := gitops.ParseID(p)
		if err != nil {
			return c, false
		}
		c.Parents = append(c.Parents, id)
	}
	c.Author.When = m.When
	for _, n := range m.Names {
		c.Trailers = append(c.Trailers, gitops.Trailer{Key: overruledKey, Value: n})
	}
	return c, true
}
