package health

import (
	"context"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// actorOf is who made a commit; of several whom it names the one who is not the user.
func actorOf(c gitops.Commit) string {
	all := c.Trailers.All("Claw-Actor")
	if i := slices.IndexFunc(all, func(a string) bool { return a != "user" }); i >= 0 {
		return all[i]
	}
	return c.Trailers.Get("Claw-Actor")
}

// byAgent reports whether a commit was made by an agent, by nobody known or by a job,
// so that a person has to see it. What the first conversation of a new workspace fills
// in was the person's own answer. A trailer that says who approved it says nothing
// here: whoever may approve is the user.
func byAgent(c gitops.Commit) bool {
	switch actorOf(c) {
	case "agent", "unknown", "cron":
	default:
		return false
	}
	return c.Trailers.Get("Claw-Event") != "bootstrap.complete" && !isUndo(c)
}

// authority is by whom an unseen commit was made; one that the user approved lacks a
// signature then.
func authority(c gitops.Commit) string {
	if byAgent(c) {
		return actorOf(c)
	}
	return "the user, unsigned,"
}

// isUndo recognises a commit that took something back.
func isUndo(c gitops.Commit) bool {
	return c.Trailers.Get("Claw-Event") == "undo" && c.Trailers.Get("Claw-Undoes") != ""
}

// merged reports whether a commit is the merge of a proposal.
func merged(c gitops.Commit) bool {
	return len(c.Parents) > 1 && c.Trailers.Get("Claw-Proposal") != ""
}

// signaturesOnly: only a signed merge is an approval here (SPEC GN-07).
func (r *Run) signaturesOnly() bool { return r.WS.Settings.Bool("approve.requireSignature") }

// approves reports whether a commit holds an approval that counts: one of the user's,
// and where only signatures count in a merge that one of the named keys signed.
func (r *Run) approves(ctx context.Context, c gitops.Commit) (bool, error) {
	if c.Trailers.Get("Claw-Approved-By") == "" || actorOf(c) != "user" {
		return false, nil
	}
	if !r.signaturesOnly() {
		return true, nil
	}
	if len(c.Parents) < 2 {
		return false, nil
	}
	return r.signed(ctx, c.ID)
}

// signed reports whether a key of claw.approve.keys signed a commit; it is asked once.
func (r *Run) signed(ctx context.Context, commit gitops.ID) (bool, error) {
	if known, ok := r.signatures.Load(commit); ok {
		return known == true, nil
	}
	keys := r.WS.Settings.All("approve.keys")
	if len(keys) == 0 {
		return false, nil
	}
	by, err := r.Git.SignedBy(ctx, commit)
	if err != nil {
		return false, err
	}
	ok := slices.ContainsFunc(by, func(fingerprint string) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			return key != "" && strings.HasSuffix(strings.ToUpper(fingerprint), strings.ToUpper(key))
		})
	})
	r.signatures.Store(commit, ok)
	return ok, nil
}

// unseen reports whether a person has to see a commit yet: an agent's, and one whose
// approval does not count.
func (r *Run) unseen(ctx context.Context, c gitops.Commit) (bool, error) {
	if byAgent(c) {
		return true, nil
	}
	if !r.signaturesOnly() || c.Trailers.Get("Claw-Approved-By") == "" {
		return false, nil
	}
	ok, err := r.approves(ctx, c)
	return !ok, err
}

// tips collects the tips of proposals that merges brought in which a person approved.
func (r *Run) tips(ctx context.Context, commits []gitops.Commit) (map[gitops.ID]bool, error) {
	out := map[gitops.ID]bool{}
	for _, c := range commits {
		if !merged(c) {
			continue
		}
		ok, err := r.approves(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, p := range c.Parents[1:] {
			out[p] = out[p] || ok
		}
	}
	return out, nil
}
