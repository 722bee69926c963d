package proposal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

// Edit is a file as it is to be.
type Edit struct {
	Path    string // relative to the root
	Content []byte
	Delete  bool
}

// Draft is a proposal to be made.
type Draft struct {
	Kind          Kind
	Slug          string // words for the id
	Event         string // Claw-Event; that of the kind when empty
	Area, Summary string // `claw(<area>): <summary>`; the area of the kind when empty
	Body          string // what a reviewer should know
	Trailers      gitops.Trailers
	// Base is the commit that the edits were worked out from; HEAD when zero.
	Base  gitops.ID
	Edits []Edit

	apart bool // made though it is quarantined
}

// ReadHead reads a file as HEAD has it: what the edits of a draft are worked out from.
// ok is false where it has none.
func ReadHead(ctx context.Context, ws *memory.Workspace, rel string) (text []byte, ok bool, err error) {
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, false, err
	}
	return readAt(ctx, ws, head.Commit, rel)
}

// ReadAt is ReadHead for any commit: of a draft's Base, so that what others commit
// meanwhile is no part of it.
func ReadAt(ctx context.Context, ws *memory.Workspace, commit gitops.ID, rel string) (text []byte, ok bool, err error) {
	return readAt(ctx, ws, commit, rel)
}

func readAt(ctx context.Context, ws *memory.Workspace, commit gitops.ID, rel string) ([]byte, bool, error) {
	tree, err := ws.Repo.Objects().TreeOf(ctx, commit)
	if err != nil {
		return nil, false, fmt.Errorf("read '%s': %w", rel, err)
	}
	e, ok, err := ws.Repo.Objects().Lookup(ctx, tree, ws.Prefix+rel)
	if err != nil || !ok || !e.Mode.IsFile() {
		return nil, false, err
	}
	b, err := ws.Repo.Objects().Blob(ctx, e.ID)
	if err != nil {
		return nil, false, fmt.Errorf("read '%s': %w", rel, err)
	}
	return b, true, nil
}

// Propose makes a proposal from a draft: a commit on HEAD that no checkout shows, and
// its branch. Errors: gitops.ErrNothing, *agent.RefusedError (a secret, or a change that
// the kind may not make).
func Propose(ctx context.Context, ws *memory.Workspace, caller agent.Caller, d Draft) (*Proposal, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	caller = caller.Clean()
	if d.Base.IsZero() {
		head, err := ws.Repo.Head(ctx)
		if err != nil {
			return nil, err
		}
		d.Base = head.Commit
	}
	if d.Base.IsZero() {
		return nil, &agent.RefusedError{Problem: "there is no commit to propose a change of", Advice: []string{"git claw save"}}
	}
	var last error
	for range maxRaces {
		p, err := propose(ctx, ws, caller, d)
		var moved *gitops.MovedError
		if !errors.As(err, &moved) {
			return p, err
		}
		last = err
	}
	return nil, last
}

func propose(ctx context.Context, ws *memory.Workspace, caller agent.Caller, d Draft) (*Proposal, error) {
	changes, err := d.changes(ctx, ws)
	if err != nil {
		return nil, err
	}
	id, err := drawID(ctx, ws, d.slug())
	if err != nil {
		return nil, err
	}
	msg, err := d.message(ws, caller, id, changes)
	if err != nil {
		return nil, err
	}
	w, err := agent.Writer(ctx, ws)
	if err != nil {
		return nil, err
	}
	res, err := w.Build(ctx, gitops.Build{Base: d.Base, Parents: []gitops.ID{d.Base}, Changes: changes, Message: msg})
	if err != nil {
		return nil, err
	}
	p := &Proposal{ID: id, Kind: d.Kind, Branch: "claw/" + string(d.Kind) + "/" + id, Tip: res.Commit, Base: d.Base, ws: ws, State: Open}
	if err := p.changes(ctx); err != nil {
		return nil, err
	}
	if why := p.forbidden(ctx); why != "" && !d.apart {
		return nil, &agent.RefusedError{Problem: "cannot propose this: " + why}
	}
	err = w.UpdateRefs(ctx, []gitops.RefUpdate{
		{Name: "refs/heads/" + p.Branch, New: p.Tip}, {Name: openRefs + id, New: p.Tip},
	}, "claw: propose "+id)
	if err != nil {
		return nil, blocked(ctx, ws, err)
	}
	return Find(ctx, ws, id)
}

// blocked explains a branch that is in the way of all proposals.
func blocked(ctx context.Context, ws *memory.Workspace, err error) error {
	var ge *gitops.GitError
	if !errors.As(err, &ge) {
		return err
	}
	refs, rerr := ws.Repo.Refs(ctx, "refs/heads/claw")
	if rerr != nil {
		return err
	}
	for _, ref := range refs {
		name := strings.TrimPrefix(ref.Name, "refs/heads/")
		if strings.Count(name, "/") < 2 {
			return &agent.RefusedError{
				Problem: fmt.Sprintf("the branch '%s' is in the way of proposals", name),
				Advice:  []string{fmt.Sprintf("git branch -m %s %s", name, strings.ReplaceAll(name, "/", "-")+"-old")},
			}
		}
	}
	return err
}

// changes are the edits as changes of a tree, without those that change nothing.
func (d Draft) changes(ctx context.Context, ws *memory.Workspace) ([]gitops.Change, error) {
	scan := secret.New()
	var out []gitops.Change
	for _, e := range d.Edits {
		old, ok, err := readAt(ctx, ws, d.Base, e.Path)
		if err != nil {
			return nil, err
		}
		if e.Delete && !ok || !e.Delete && ok && string(old) == string(e.Content) {
			continue
		}
		if found := hooks.AddedSecrets(scan, old, e.Content); len(found) > 0 && !e.Delete {
			return nil, &agent.RefusedError{
				Problem: fmt.Sprintf("cannot propose this: '%s:%d' holds a secret (%s)", e.Path, found[0].Line, found[0].Kind),
				Advice:  []string{"take the line out, or mark it with 'claw:allow' when it is none"},
			}
		}
		out = append(out, gitops.Change{Path: ws.Prefix + e.Path, Content: e.Content, Delete: e.Delete})
	}
	if len(out) == 0 {
		return nil, gitops.ErrNothing
	}
	return out, refuseConverted(ctx, ws, out)
}

// refuseConverted: what git stores of a file with a filter, such as one that encrypts, is
// not what is proposed, and a proposal is built without git's filters.
func refuseConverted(ctx context.Context, ws *memory.Workspace, changes []gitops.Change) error {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	converted, err := ws.Repo.Converted(ctx, paths)
	if err != nil || len(converted) == 0 {
		return err
	}
	return &agent.RefusedError{
		Problem: fmt.Sprintf("cannot propose this: git converts '%s', by a filter or an encoding", strings.TrimPrefix(converted[0], ws.Prefix)),
		Advice:  []string{"git check-attr -a -- " + converted[0]},
	}
}

// message is that of the commit.
func (d Draft) message(ws *memory.Workspace, caller agent.Caller, id string, changes []gitops.Change) (string, error) {
	event, area := d.Event, d.Area
	if event == "" {
		event = events[d.Kind]
	}
	if area == "" {
		area = areas[d.Kind]
	}
	claw, err := agent.NewID(ws.Repo.Git.Env())
	if err != nil {
		return "", err
	}
	tr := agent.Trailers(ws, caller, event, claw)
	tr = append(tr, gitops.Trailer{Key: "Claw-Proposal", Value: id})
	scan := secret.New()
	for _, t := range d.Trailers {
		if len(scan.Scan([]byte(t.Value))) == 0 {
			tr = append(tr, t)
		}
	}
	if d.Kind.exact() {
		for _, c := range changes {
			old, _, err := readAt(context.Background(), ws, d.Base, strings.TrimPrefix(c.Path, ws.Prefix))
			if err != nil {
				return "", err
			}
			tr = append(tr, gitops.Trailer{Key: "Claw-Base", Value: ws.Repo.BlobID(old).String()})
		}
	}
	summary, body := d.Summary, d.Body
	if len(scan.Scan([]byte(summary))) > 0 {
		summary = "propose a change"
	}
	if len(scan.Scan([]byte(body))) > 0 {
		body = ""
	}
	return gitops.FormatMessage(fmt.Sprintf("claw(%s): %s", area, summary), body, tr), nil
}

const maxSlug = 40

// slug makes the words of an id.
func (d Draft) slug() string {
	words := d.Slug
	if words == "" {
		words = d.Summary
	}
	var b strings.Builder
	for _, c := range doc.Normalise(words) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	s := strings.Trim(b.String(), "-")
	if s == "" || len(secret.New().Scan([]byte(words))) > 0 || len(secret.New().Scan([]byte(s))) > 0 {
		return string(d.Kind)
	}
	return s
}

// drawID makes an id that nobody has: not here, not on a remote as far as is known, not
// among the closed ones.
func drawID(ctx context.Context, ws *memory.Workspace, slug string) (string, error) {
	machine, err := ws.Repo.MachineID(ctx)
	if err != nil {
		return "", err
	}
	refs, err := ws.Repo.Refs(ctx, branches, openRefs, closed, "refs/remotes")
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, r := range refs {
		taken[r.Name[strings.LastIndexByte(r.Name, '/')+1:]] = true
	}
	now := ws.Now()
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", machine, now.UTC().Format(time.RFC3339Nano), slug, n))
		id := now.Format("20060102") + "-" + slug + "-" + hex.EncodeToString(sum[:2])
		if !taken[id] {
			return id, nil
		}
	}
}
