package agent

import (
	"context"
	"iter"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Shown is one event in full.
type Shown struct {
	Event
	Message string // the body of the message, without subject and trailers
	Files   iter.Seq2[FileDiff, error]
	// Merge: it has several parents; the files are compared with the first.
	Merge bool
}

// Show tells one event, named by a Claw-Id or a revision, with its changes by
// entry against the first parent. kind is that of the session that will read it;
// an event that changes private files only is a *RefusedError there.
func Show(ctx context.Context, ws *memory.Workspace, name, kind string) (*Shown, error) {
	e, err := FindEvent(ctx, ws, name)
	if err != nil {
		return nil, err
	}
	private := newPrivacy(ws, kind)
	commit := e.Commit
	if !private.event(&e) {
		return nil, private.refuse(name)
	}
	s := &Shown{Event: e, Message: BodyOf(e.Commit), Merge: len(e.Commit.Parents) > 1}
	var parent gitops.ID
	if len(commit.Parents) > 0 {
		parent = commit.Parents[0]
	}
	changes, err := ws.Repo.DiffTrees(ctx, parent, commit.ID)
	if err != nil {
		return nil, err
	}
	var pairs []*filePair
	for _, c := range changes {
		if rel, ok := strings.CutPrefix(c.Path, ws.Prefix); ok && !private.hides(rel) {
			pairs = append(pairs, pairOf(rel, c))
		}
	}
	if pairs, err = findRenames(ctx, ws, pairs); err != nil {
		return nil, err
	}
	s.Files = diffs(ctx, ws, pairs)
	return s, nil
}

// BodyOf is the body of a commit's message without the trailers' paragraph. git decided that it
// is one; a last paragraph that also holds other lines stays.
func BodyOf(c gitops.Commit) string {
	body := strings.TrimSpace(c.Body)
	if len(c.Trailers) == 0 {
		return body
	}
	rest, last := "", body
	if i := strings.LastIndex(body, "\n\n"); i >= 0 {
		rest, last = body[:i], body[i+2:]
	}
	for line := range strings.SplitSeq(last, "\n") {
		key, _, ok := strings.Cut(line, ":")
		if continued := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); !continued && (!ok || strings.ContainsAny(key, " \t")) {
			return body
		}
	}
	return strings.TrimSpace(rest)
}
