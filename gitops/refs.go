package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Head is what HEAD names.
type Head struct {
	Ref    string // such as refs/heads/main; "" when detached
	Commit ID     // zero on a branch without commits
}

// Branch is the short name of the branch, or "" when detached.
func (h Head) Branch() string { return strings.TrimPrefix(h.Ref, "refs/heads/") }

// Head reads HEAD.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if h, ok := r.headFromFiles(); ok {
		return h, nil
	}
	var h Head
	var ge *GitError
	b, err := r.run(ctx, Cmd{Args: []string{"symbolic-ref", "-q", "HEAD"}})
	if err != nil && !errors.As(err, &ge) {
		return h, err
	}
	h.Ref = strings.TrimSuffix(string(b), "\n")
	b, err = r.run(ctx, Cmd{Args: []string{"rev-parse", "-q", "--verify", "--end-of-options", "HEAD^{commit}"}})
	if err != nil {
		if errors.As(err, &ge) && h.Ref != "" {
			return h, nil // unborn
		}
		return h, fmt.Errorf("read HEAD: %w", err)
	}
	h.Commit, err = ParseID(strings.TrimSuffix(string(b), "\n"))
	return h, err
}

// headFromFiles reads HEAD and a loose ref, the common case, without a process.
// Anything unusual is left to git.
func (r *Repo) headFromFiles() (Head, bool) {
	if r.RefFormat != "files" {
		return Head{}, false
	}
	s, ok := readRefFile(filepath.Join(r.GitDir, "HEAD"))
	if !ok {
		return Head{}, false
	}
	ref, sym := strings.CutPrefix(s, "ref: ")
	if !sym {
		id, err := ParseID(s)
		return Head{Commit: id}, err == nil
	}
	if !strings.HasPrefix(ref, "refs/heads/") {
		return Head{}, false
	}
	if s, ok = readRefFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref))); !ok {
		// Loose first, then packed: git packs in the other order.
		if s, ok = packedRef(filepath.Join(r.CommonDir, "packed-refs"), ref); !ok {
			return Head{}, false
		}
	}
	id, err := ParseID(s)
	return Head{Ref: ref, Commit: id}, err == nil
}

// packedRef looks a ref up among those that git packed into one file
// (git-pack-refs(1)): lines of `<id> <name>`.
func packedRef(file, ref string) (string, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	return packedRefs(b).find(ref)
}

func readRefFile(path string) (string, bool) {
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > 4096 {
		return "", false
	}
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 || b[len(b)-1] != '\n' {
		return "", false
	}
	return strings.TrimSpace(string(b)), true
}

// Resolve turns a revision into a commit id; tags are followed. A name that is
// no commit is a *RevError.
func (r *Repo) Resolve(ctx context.Context, rev string) (ID, error) {
	if rev == "" || strings.ContainsAny(rev, "\x00\n") {
		return ID{}, &RevError{Rev: rev}
	}
	peeled := rev
	if !strings.HasPrefix(rev, ":/") { // the rest of which is text, and names a commit
		peeled += "^{commit}"
	}
	b, err := r.run(ctx, Cmd{Args: []string{"rev-parse", "-q", "--verify", "--end-of-options", peeled}})
	if err != nil {
		var ge *GitError
		if errors.As(err, &ge) {
			return ID{}, &RevError{Rev: rev}
		}
		return ID{}, err
	}
	return ParseID(strings.TrimSuffix(string(b), "\n"))
}

// Ref is a name and what it points to.
type Ref struct {
	Name string
	ID   ID
}

// Refs lists refs below the given prefixes (such as "refs/heads/claw"), sorted
// by name. A prefix matches whole components, and itself.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	if r.refsLeft() {
		r.recoverIfDead(ctx) // half of a transaction may be done
	}
	if refs, ok := r.refsFromFiles(prefixes); ok {
		return refs, nil
	}
	return r.listRefs(ctx, append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes...))
}

func (r *Repo) listRefs(ctx context.Context, args []string) ([]Ref, error) {
	out, err := r.run(ctx, Cmd{Args: args})
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	var refs []Ref
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n"), "\n") {
		hex, name, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		id, err := ParseID(hex)
		if err != nil {
			return nil, err
		}
		refs = append(refs, Ref{Name: name, ID: id})
	}
	return refs, nil
}

// RefUpdate moves one ref from Old to New. A zero Old creates it, a zero New
// deletes it.
type RefUpdate struct {
	Name     string
	Old, New ID
}

// updateRefs moves refs in one transaction with compare-and-swap. HEAD as a
// name follows the branch it names. Nothing but the end of its stdin makes git
// commit the transaction, so that its stdout stays silent (see Cmd.hold).
func (r *Repo) updateRefs(ctx context.Context, ups []RefUpdate, reason string, o refOptions) error {
	var in strings.Builder
	zero := ID{size: uint8(r.idSize())}
	for _, u := range ups {
		old := u.Old
		if old.IsZero() {
			old = zero
		}
		switch {
		case !u.New.IsZero() && o.noCAS:
			fmt.Fprintf(&in, "update %s\x00%s\x00\x00", u.Name, hexOf(u.New))
		case !u.New.IsZero():
			fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", u.Name, hexOf(u.New), hexOf(old))
		default:
			fmt.Fprintf(&in, "delete %s\x00%s\x00", u.Name, hexOf(old))
		}
	}
	// git waits 100 ms for a ref; gc holds each of them while it rewrites reflogs.
	ms := strconv.FormatInt(o.timeout.Milliseconds(), 10)
	_, err := r.run(ctx, Cmd{
		Args: withFlags(o.flags,
			"-c", "core.filesRefLockTimeout="+ms, "-c", "core.packedRefsTimeout="+ms, "-c", "reftable.lockTimeout="+ms,
			"update-ref", "--stdin", "-z", "-m", OneLine(reason)),
		Stdin: strings.NewReader(in.String()), Env: []string{SavingVariable + "=1"}, hold: o.hold,
	})
	return refError(err, ups)
}

// refOptions are how refs are moved.
type refOptions struct {
	timeout time.Duration
	hold    *os.File
	flags   []string // of git itself
	noCAS   bool     // only to show that the race tests see the difference
}

func hexOf(id ID) string { return fmt.Sprintf("%x", id.raw[:id.size]) }

func (r *Repo) idSize() int {
	if r.ObjectFormat == "sha256" {
		return 32
	}
	return 20
}

// refError tells apart why git did not move a ref. git has no codes for it;
// the texts are pinned by the contract suite.
func refError(err error, ups []RefUpdate) error {
	var ge *GitError
	if !errors.As(err, &ge) {
		return err
	}
	name := "HEAD"
	if len(ups) > 0 {
		name = ups[0].Name
	}
	switch s := ge.Stderr; {
	// Before 2.50: "ref updates aborted by hook".
	case strings.Contains(s, "aborted by hook"), strings.Contains(s, "aborted by the reference-transaction hook"):
		return &HookError{Name: "reference-transaction", Output: s}
	case strings.Contains(s, "but expected"), strings.Contains(s, "reference already exists"),
		strings.Contains(s, "unable to resolve reference"), strings.Contains(s, "reference is missing but expected"):
		return &MovedError{Subject: name}
	case strings.Contains(s, "Unable to create") && strings.Contains(s, "File exists"):
		return describeLock(lockPath(s, name))
	case strings.Contains(s, "cannot lock references"), strings.Contains(s, "data is locked"): // reftable
		return &LockedError{Path: name, Owner: "git"}
	}
	return fmt.Errorf("update ref '%s': %w", name, err)
}

// lockPath is the lock that git's message names.
func lockPath(stderr, def string) string {
	_, rest, ok := strings.Cut(stderr, "Unable to create '")
	if p, _, found := strings.Cut(rest, "': File exists"); ok && found {
		return p
	}
	return def
}
