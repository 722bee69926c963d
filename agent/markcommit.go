package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/memory"
)

// CommitMessage is what git tells prepare-commit-msg (githooks(5)).
type CommitMessage struct {
	File   string // absolute
	Source string // message, template, merge, squash, commit or nothing
	From   string // of a commit: whose message it is
	Edited bool   // an editor shows it before the commit
}

// MarkCommit gives a commit that somebody makes with git itself the trailers
// that say so, when it holds managed paths of an adopted workspace.
//
// Not marked: a merge, a cherry-pick and the picks of a rebase, whose message
// and edits are another commit's; and a message that is yet to be typed, because
// trailers would keep git from giving up on an empty one. An amended commit
// keeps its id, unless its message was said anew.
//
// Who calls this is an agent, so that a message that names another actor in so many
// words does not: the trailer is replaced, in a merge and a commit of other files too.
func MarkCommit(ctx context.Context, git *gitops.Git, caller Caller, m CommitMessage) error {
	if m.Source == "" || m.Source == "template" {
		return nil
	}
	repo, err := gitops.Open(ctx, git, git.Env().Dir)
	if err != nil {
		return err
	}
	defer func() { _ = repo.Close() }()
	switch p := repo.Progress(); {
	case repo.Bare:
		return nil
	case m.Source == "merge", m.Source == "message" && p != nil && p.What == "merge":
		return disown(ctx, repo, caller, m)
	case copied(repo, m):
		return nil
	}
	staged, err := repo.Staged(ctx)
	if err != nil {
		return err
	}
	ws, event, err := judgeChanges(ctx, repo, staged)
	if err != nil {
		return err
	}
	mk := &marker{repo: repo, ws: ws, caller: caller.Clean(), event: event, empty: len(staged) == 0}
	trailers, err := mk.trailers(ctx, m)
	if err != nil {
		return err
	}
	if len(trailers) == 0 {
		return disown(ctx, repo, caller, m)
	}
	return repo.AddTrailers(ctx, m.File, m.Edited, trailers)
}

// disown names the agent in a message that was said and that names somebody, and
// leaves every other as it is.
func disown(ctx context.Context, repo *gitops.Repo, caller Caller, m CommitMessage) error {
	if m.Source != "message" && m.Source != "merge" {
		return nil // it may be another commit's
	}
	text, err := os.ReadFile(m.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	if !bytes.Contains(bytes.ToLower(text), []byte("claw-actor")) {
		return nil
	}
	t := gitops.MessageTrailer{Key: "Claw-Actor", Value: string(caller.Actor), Only: true}
	return repo.AddTrailers(ctx, m.File, m.Edited, []gitops.MessageTrailer{t})
}

// copied reports whether git copies a commit. A rebase does not always say so,
// but does not tell an author then.
func copied(repo *gitops.Repo, m CommitMessage) bool {
	if repo.Copying() {
		return true
	}
	p := repo.Progress()
	if p == nil || p.What != "rebase" {
		return false
	}
	_, told := repo.CommitAuthor()
	return !told || m.Source != "message"
}

// judgeChanges names the workspace that changes touch and the event they are:
// that of the most serious one. The workspace is nil when they touch none.
func judgeChanges(ctx context.Context, repo *gitops.Repo, changes []gitops.TreeChange) (*memory.Workspace, string, error) {
	found, err := hooks.Workspaces(ctx, repo, changes)
	if err != nil {
		return nil, "", err
	}
	var in *memory.Workspace
	event := ""
	for _, c := range changes {
		for _, ws := range found {
			rel, ok := strings.CutPrefix(c.Path, ws.Prefix)
			if !ok || !ws.Managed(rel) || ws.NeverRestore(rel) {
				continue
			}
			if e := eventOfKind(ws.Kind(rel)); gravity(e) > gravity(event) {
				in, event = ws, e
			}
			break
		}
	}
	return in, event, nil
}

func eventOfKind(k memory.Kind) string {
	switch k {
	case memory.KindL1, memory.KindBootstrap, memory.KindClaw:
		return eventL1Edit
	case memory.KindSkill:
		return eventSkillEdit
	}
	return eventWriteback
}

// gravity orders the events of edits made in place.
func gravity(event string) int {
	return slices.Index([]string{eventWriteback, eventSkillEdit, eventL1Edit}, event)
}

// marker makes the trailers of one commit.
type marker struct {
	repo   *gitops.Repo
	ws     *memory.Workspace // nil: nothing managed is staged
	empty  bool              // nothing at all is
	event  string
	caller Caller
}

func (k *marker) trailers(ctx context.Context, m CommitMessage) ([]gitops.MessageTrailer, error) {
	head, again, err := k.saidAnew(ctx, m)
	if err != nil {
		return nil, err
	}
	if again {
		if k.ws == nil {
			return k.carry(head)
		}
		if old := head.Trailers.Get("Claw-Event"); gravity(old) > gravity(k.event) {
			k.event = old
		}
	}
	if k.ws == nil {
		return nil, nil
	}
	id, err := NewID(k.repo.Git.Env())
	if err != nil {
		return nil, err
	}
	copies, said := m.Source == "commit", m.Source == "message"
	other := copies && m.From != "HEAD" // two commits must not share an id
	var out []gitops.MessageTrailer
	for _, t := range Trailers(k.ws, k.caller, k.event, id) {
		replace := copies
		switch t.Key {
		case "Claw-Actor":
			replace = true // whatever was typed
		case "Claw-Id":
			replace = other
		case "Claw-Event":
			replace = other || said || copies && k.event != eventWriteback
		}
		out = append(out, gitops.MessageTrailer{Key: t.Key, Value: t.Value, Replace: replace})
	}
	return out, nil
}

// freshFor is how old the author's date of a commit that is being made may be.
const freshFor = 2 * time.Second

// saidAnew recognises `commit --amend -m`, of which git says nothing: the author
// is HEAD's, date included, and the date is not of this moment, or nothing is
// staged. It returns HEAD then.
func (k *marker) saidAnew(ctx context.Context, m CommitMessage) (gitops.Commit, bool, error) {
	none := gitops.Commit{}
	author, told := k.repo.CommitAuthor()
	if m.Source != "message" || !told {
		return none, false, nil
	}
	now := k.repo.Git.Env().Now()
	if !k.empty && now.Sub(author.When) < freshFor && author.When.Sub(now) < freshFor {
		return none, false, nil
	}
	at, err := k.repo.Head(ctx)
	if err != nil || at.Commit.IsZero() {
		return none, false, err
	}
	head, err := k.repo.Show(ctx, at.Commit.String())
	if err != nil {
		return none, false, fmt.Errorf("read HEAD: %w", err)
	}
	a := head.Author
	same := a.Name == author.Name && a.Email == author.Email && a.When.Unix() == author.When.Unix()
	return head, same, nil
}

// carry gives a message that was said anew the trailers of the old one, whatever it
// says of the actor and the event itself. The id
// is a new one: what looks like that may be an empty commit of the same second.
func (k *marker) carry(head gitops.Commit) ([]gitops.MessageTrailer, error) {
	if head.Trailers.Get("Claw-Id") == "" {
		return nil, nil
	}
	id, err := NewID(k.repo.Git.Env())
	if err != nil {
		return nil, err
	}
	var out []gitops.MessageTrailer
	for _, t := range head.Trailers {
		if !strings.HasPrefix(t.Key, "Claw-") {
			continue
		}
		if t.Key == "Claw-Id" {
			t.Value = id
		}
		said := t.Key == "Claw-Actor" || t.Key == "Claw-Event"
		out = append(out, gitops.MessageTrailer{Key: t.Key, Value: t.Value, Replace: said})
	}
	return out, nil
}
