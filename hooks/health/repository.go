package health

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// placeFamily tells whether there is a work tree at all.
func placeFamily() Family {
	return Family{
		Name: "place",
		Checks: []Check{{
			ID: "GIT-001", Severity: Failure, Rule: "WS-30",
			Meaning: "the workspace lies in a git work tree",
			Fix:     "git clone the repository; the workspace is the folder that it makes",
		}},
		Look: Once(func(ctx context.Context, r *Run, out *Out) error {
			if r.WS.Repo.Bare {
				out.Add(Finding{ID: "GIT-001", Message: "a bare repository holds no workspace", Expected: "a work tree", Actual: "none"})
				return nil
			}
			if !r.WS.Adopted {
				return nil
			}
			there, err := r.Has(ctx, ".claw/config")
			if err == nil && !there {
				out.Add(Finding{ID: "GIT-001", Path: ".claw/config", Message: "it marks the root of the workspace and is gone", Expected: "a file", Actual: "none", Fix: "git restore .claw/config, or git claw init"})
			}
			return err
		}),
	}
}

// historyFamily looks at the repository around the files.
func historyFamily() Family {
	return Family{
		Name: "history",
		Checks: []Check{
			{
				ID: "GIT-002", Severity: Warning, Rule: "WS-21", Live: true, Mend: saveFile, Meaning: "no managed file is uncommitted for over two hours",
				Fix: "git claw save",
			},
			{
				ID: "GIT-003", Severity: Info, Rule: "GN-02", Live: true, Since: true, Meaning: "commits on managed files say who made them",
				Fix: "git claw save commits with trailers; git claw hooks install marks what an agent commits with git",
			},
			{
				ID: "GIT-004", Severity: Warning, Rule: "GN-05", Live: true, Meaning: "no proposal is open for over 14 days, and each names a commit",
				Fix: "merge the branch or delete it",
			},
			{
				ID: "GIT-006", Severity: Warning, Rule: "WS-07", Live: true, Meaning: "a remote exists and is less than seven days behind",
				Fix: "git push",
			},
			{
				ID: "GIT-009", Severity: Failure, Rule: "GN-12", Meaning: "no state of the host and no databases in git",
				Fix: "git rm --cached, then commit; the file stays where it is",
			},
		},
		Look: Over[struct{}](isState, nil, judgeHistory),
		Wake: func(r *Run, changes []Change) bool {
			return slices.ContainsFunc(changes, func(c Change) bool { return isStateHere(r, c.Path) })
		},
	}
}

// isState: among managed files there are databases at most, for the folders of
// hosts are never managed.
func isState(r *Run, f File) bool { return r.WS.NeverRestore(f.Path) }

func judgeHistory(ctx context.Context, r *Run, _ []Fact[struct{}], out *Out) error {
	for _, judge := range []struct {
		id string
		do func(context.Context, *Run, *Out) error
	}{
		{"GIT-002", judgeUnsaved}, {"GIT-003", judgeTrailers}, {"GIT-004", judgeProposals}, {"GIT-006", judgeRemote}, {"GIT-009", judgeState},
	} {
		if !r.On(judge.id) {
			continue
		}
		if err := judge.do(ctx, r, out); err != nil {
			return err
		}
	}
	return nil
}

// saveWithin is how long an edit may wait for a commit.
const saveWithin = 2 * time.Hour

// judgeUnsaved: how old an edit is nobody knows at first sight, for times of files
// tell nothing and the last commit may be of long ago. What was seen then and waits
// still is old.
func judgeUnsaved(ctx context.Context, r *Run, out *Out) error {
	st, err := r.Git.Status(ctx)
	if err != nil {
		return err
	}
	for _, e := range st.Entries {
		rel, ok := strings.CutPrefix(e.Path, r.WS.Prefix)
		if !ok || e.Submodule || strings.HasSuffix(rel, "/") || !r.WS.Managed(rel) || r.WS.NeverRestore(rel) {
			continue
		}
		f, there, err := r.Snapshot.Lookup(ctx, rel)
		if err != nil {
			return err
		}
		if there && (!f.Mode.IsFile() || r.WS.MaxFileBytes() > 0 && f.Size > r.WS.MaxFileBytes()) {
			continue
		}
		u := Unsaved{Path: rel, Head: e.HeadID, Since: r.Now}
		if r.unsavedSince != nil {
			if t := r.unsavedSince(rel, e.HeadID); !t.IsZero() && t.Before(r.Now) {
				u.Since = t
			}
		}
		r.unsaved = append(r.unsaved, u)
		if r.Now.Sub(u.Since) > saveWithin {
			out.Add(Finding{
				ID: "GIT-002", Path: rel, Message: "not saved since " + u.Since.In(r.Now.Location()).Format("2006-01-02 15:04") + " at least",
				Expected: "saved within two hours", Actual: "not saved",
			})
		}
	}
	return nil
}

// saveFile: what the agent or a person wrote is to be committed as it is.
func saveFile(_ *Run, f Finding) (Mending, bool) { return Mending{Path: f.Path, Save: true}, true }

func judgeTrailers(ctx context.Context, r *Run, out *Out) error {
	if _, ok, err := r.Git.Adoption(ctx); err != nil || !ok {
		return err
	}
	commits, err := r.Git.Others(ctx)
	if err != nil {
		return err
	}
	n := 0
	var newest gitops.Commit
	for _, c := range commits {
		if len(c.Parents) > 1 || !slices.ContainsFunc(c.Paths, r.WS.Managed) || c.Trailers.Get("Claw-Event") != "" || c.Trailers.Get("Claw-Actor") != "" {
			continue
		}
		if n++; n == 1 {
			newest = c
		}
	}
	if n > 0 {
		out.Add(Finding{
			ID: "GIT-003", Message: fmt.Sprintf("%d commits on managed files do not say who made them, the newest is %s", n, newest.ID.Short()),
			Expected: "trailers", Actual: fmt.Sprintf("%d commits without", n),
		})
	}
	return nil
}

// proposalDays is how long a proposal may wait.
const proposalDays = 14

func judgeProposals(ctx context.Context, r *Run, out *Out) error {
	refs, err := r.Git.Refs(ctx, "refs/heads/claw")
	if err != nil {
		return err
	}
	for _, ref := range refs {
		name := strings.TrimPrefix(ref.Name, "refs/heads/")
		if !isProposal(name) {
			continue
		}
		c, err := r.Git.Commit(ctx, ref.ID)
		if err != nil {
			return err
		}
		if c == nil {
			out.Add(Finding{
				ID: "GIT-004", Message: "the proposal '" + clip(name) + "' names no commit", Expected: "a commit", Actual: "none",
				Fix: "git update-ref -d " + shellQuote(ref.Name) + ", and fetch it again where it comes from",
			})
			continue
		}
		if days := int(r.Now.Sub(c.Author.When).Hours() / 24); r.Now.Sub(c.Author.When) > proposalDays*24*time.Hour {
			out.Add(Finding{
				ID: "GIT-004", Message: fmt.Sprintf("the proposal '%s' is open for %d days", name, days),
				Expected: fmt.Sprintf("at most %d days", proposalDays), Actual: fmt.Sprintf("%d days", days),
				Fix: "look at it with 'git log -p HEAD.." + name + "', then merge or delete the branch",
			})
		}
	}
	return nil
}

// proposalKinds are the kinds of SPEC GN-05.
var proposalKinds = [...]string{"candidate", "promote", "l1", "evolve", "consolidate", "vocab", "skill", "trim"}

// isProposal recognises `claw/<kind>/<id>` with an id of GN-05.
func isProposal(name string) bool {
	rest, ok := strings.CutPrefix(name, "claw/")
	if !ok {
		return false
	}
	kind, id, ok := strings.Cut(rest, "/")
	known := false
	for _, k := range proposalKinds {
		known = known || k == kind
	}
	if !ok || !known || len(id) < len("YYYYMMDD-a-0000") {
		return false
	}
	date, rest, _ := strings.Cut(id, "-")
	i := strings.LastIndexByte(rest, '-')
	if i < 1 || i > 40 {
		return false
	}
	slug, hex := rest[:i], rest[i+1:]
	const digits = "0123456789"
	return len(date) == 8 && strings.Trim(date, digits) == "" && len(hex) >= 4 && strings.Trim(hex, digits+"abcdef") == "" &&
		strings.Trim(slug, digits+"-abcdefghijklmnopqrstuvwxyz") == ""
}

// pushDays is how far a remote may be behind.
const pushDays = 7

func judgeRemote(ctx context.Context, r *Run, out *Out) error {
	remotes, err := r.Git.Remotes(ctx)
	if err != nil {
		return err
	}
	if len(remotes) == 0 {
		out.Add(Finding{
			ID: "GIT-006", Message: "no remote: this disk holds the only copy", Expected: "a remote", Actual: "none",
			Fix: "git remote add origin <url of a private repository>, then git push -u origin HEAD",
		})
		return nil
	}
	oldest, ok, err := r.Git.Unpushed(ctx, r.Now.AddDate(0, 0, -pushDays))
	if err != nil || !ok {
		return err
	}
	out.Add(Finding{
		ID: "GIT-006", Message: fmt.Sprintf("commits since %s are on no remote", oldest.In(r.Now.Location()).Format(time.DateOnly)),
		Expected: fmt.Sprintf("at most %d days behind", pushDays), Actual: "further behind",
	})
	return nil
}

// judgeState looks at what git tracks in the root, in the host's folder there and
// in managed folders. What code around the workspace keeps, such as data of tests, is
// none of its business.
func judgeState(ctx context.Context, r *Run, out *Out) error {
	tracked, err := r.Tracked(ctx)
	if err != nil {
		return err
	}
	for _, rel := range tracked {
		if !isStateHere(r, rel) {
			continue
		}
		out.Add(Finding{
			ID: "GIT-009", Path: rel, Message: "state of a program, which breaks it when it is restored from history", Expected: "not tracked", Actual: "tracked",
			Fix: "git rm --cached " + shellQuote(rel) + ", then commit; the file stays where it is",
		})
	}
	return nil
}

// isStateHere recognises state of the host and databases that lie in the workspace
// itself.
func isStateHere(r *Run, rel string) bool {
	folder, _, deeper := strings.Cut(rel, "/")
	return r.WS.NeverRestore(rel) && (!deeper || strings.EqualFold(folder, ".openclaw") || r.WS.Managed(rel))
}
