package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Objects reads objects of a repository: loose ones and the first few out of packs
// by itself, more with go-git, and what that cannot see through one
// `git cat-file --batch`. Safe for concurrent use.
type Objects struct {
	repo *Repo

	mu    sync.Mutex
	store *filesystem.Storage
	big   bool // the pack indexes are too large to load for a few objects
	packs packReader
	cat   *catFile

	recent recentObjects
}

// recentObjects keeps the commits and trees that were read last: a save looks at those
// of HEAD several times.
type recentObjects struct {
	mu   sync.Mutex
	list [recentCount]recentObject
	next int
}

type recentObject struct {
	id   ID
	kind string
	data []byte // which nobody changes
}

const (
	recentCount = 16
	recentBytes = 64 << 10 // larger ones are not kept
)

func (r *recentObjects) get(id ID, kind string) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		if o := &r.list[i]; o.id == id && o.kind == kind {
			return o.data, true
		}
	}
	return nil, false
}

func (r *recentObjects) put(id ID, kind string, data []byte) {
	if len(data) > recentBytes {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list[r.next] = recentObject{id, kind, data}
	r.next = (r.next + 1) % recentCount
}

// maxPackIndex is the total size of pack indexes up to which go-git, which
// loads them whole, is quicker than starting git, which maps them.
const maxPackIndex = 4 << 20

// ErrNoObject: the object is in no place git knows.
var ErrNoObject = errors.New("object not found")

// KindError: an object is of another kind than the one that was asked for.
type KindError struct {
	ID         ID
	Kind, Want string
}

func (e *KindError) Error() string {
	return fmt.Sprintf("object %s is a %s, not a %s", e.ID.Short(), e.Kind, e.Want)
}

// Close ends the helper process, if one was started.
func (o *Objects) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.packs.close()
	o.packs = packReader{}
	if o.cat == nil {
		return nil
	}
	err := o.cat.close()
	o.cat = nil
	return err
}

// Blob returns the content of a blob.
func (o *Objects) Blob(ctx context.Context, id ID) ([]byte, error) { return o.read(ctx, id, "blob", 0) }

// BlobWithin returns the content of a blob of at most limit bytes, 0 for no limit. Of
// a larger one it fails with ErrTooLarge and holds nothing.
func (o *Objects) BlobWithin(ctx context.Context, id ID, limit int64) ([]byte, error) {
	b, err := o.read(ctx, id, "blob", limit)
	if err == nil && limit > 0 && int64(len(b)) > limit {
		err = tooLarge(id)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

func tooLarge(id ID) error { return fmt.Errorf("read object %s: %w", id.Short(), ErrTooLarge) }

// Tree returns the entries of a tree.
func (o *Objects) Tree(ctx context.Context, id ID) ([]TreeEntry, error) {
	b, err := o.rawTree(ctx, id)
	if err != nil {
		return nil, err
	}
	e, err := parseTree(b, len(id.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id.Short(), err)
	}
	return e, nil
}

// rawTree returns a tree's bytes; the zero ID is the empty tree.
func (o *Objects) rawTree(ctx context.Context, id ID) ([]byte, error) {
	if id.IsZero() {
		return nil, nil
	}
	return o.readRecent(ctx, id, "tree")
}

// readRecent is read for what is looked at and never given out.
func (o *Objects) readRecent(ctx context.Context, id ID, kind string) ([]byte, error) {
	if b, ok := o.recent.get(id, kind); ok && ctx.Err() == nil {
		return b, nil
	}
	b, err := o.read(ctx, id, kind, 0)
	if err == nil {
		o.recent.put(id, kind, b)
	}
	return b, err
}

// Commit returns a commit, without its trailers.
func (o *Objects) Commit(ctx context.Context, id ID) (*Commit, error) {
	b, err := o.readRecent(ctx, id, "commit")
	if err != nil {
		return nil, err
	}
	return parseCommit(id, b)
}

// TreeOf returns the tree of a commit; the zero ID (an unborn branch) has the
// zero tree.
func (o *Objects) TreeOf(ctx context.Context, commit ID) (ID, error) {
	if commit.IsZero() {
		return ID{}, nil
	}
	c, err := o.Commit(ctx, commit)
	if err != nil {
		return ID{}, err
	}
	return c.Tree, nil
}

// Lookup finds path below a tree. The second value is false when it is not
// there; a path below a file is not there either.
func (o *Objects) Lookup(ctx context.Context, tree ID, path string) (TreeEntry, bool, error) {
	for !tree.IsZero() {
		name, rest, deeper := strings.Cut(path, "/")
		b, err := o.rawTree(ctx, tree)
		if err != nil {
			return TreeEntry{}, false, err
		}
		e, ok, err := findEntry(b, name, len(tree.Bytes()))
		if err != nil || !ok {
			return TreeEntry{}, false, err
		}
		if !deeper {
			return e, true, nil
		}
		if e.Mode != ModeTree {
			return TreeEntry{}, false, nil
		}
		tree, path = e.ID, rest
	}
	return TreeEntry{}, false, nil
}

func findEntry(b []byte, name string, idSize int) (TreeEntry, bool, error) {
	for len(b) > 0 {
		e, rest, err := nextEntry(b, idSize)
		if err != nil {
			return TreeEntry{}, false, err
		}
		if e.Name == name {
			return e, true, nil
		}
		b = rest
	}
	return TreeEntry{}, false, nil
}

// read reads an object. Of one that is larger than limit it says so as soon as it
// knows, 0 for none.
func (o *Objects) read(ctx context.Context, id ID, kind string, limit int64) ([]byte, error) {
	if id.IsZero() {
		return nil, fmt.Errorf("read %s: %w", kind, ErrNoObject)
	}
	if b, ok, err := o.repo.readLoose(id, kind, limit); ok {
		return b, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if b, ok, err := o.viaGoGit(id, kind, limit); ok {
		return b, err
	}
	running := o.cat != nil
	b, err := o.viaCatFile(ctx, id, kind, limit)
	var broken *brokenPipeError
	if running && errors.As(err, &broken) {
		// It died since the last read, which says nothing about this object.
		return o.viaCatFile(ctx, id, kind, limit)
	}
	return b, err
}

func (o *Objects) viaCatFile(ctx context.Context, id ID, kind string, limit int64) ([]byte, error) {
	if o.cat == nil {
		c, err := startCatFile(o.repo)
		if err != nil {
			return nil, err
		}
		o.cat = c
	}
	b, err := o.cat.read(ctx, id, kind, limit)
	var broken *brokenPipeError
	if errors.As(err, &broken) {
		_ = o.cat.close()
		o.cat = nil
	}
	return b, err
}

// viaGoGit reads an object out of a pack, with go-git unless it is one of the first.
// ok is false when it must be asked of
// git: another hash, alternates, promisor packs, very large packs.
func (o *Objects) viaGoGit(id ID, kind string, limit int64) (b []byte, ok bool, err error) {
	if o.repo.ObjectFormat != "sha1" || o.repo.Git.env.Getenv("GIT_OBJECT_DIRECTORY") != "" {
		return nil, false, nil
	}
	if b, ok := o.packs.read(o.repo, id, kind, limit); ok {
		return b, true, nil
	}
	if o.store == nil {
		o.store = filesystem.NewStorage(osfs.New(o.repo.CommonDir), cache.NewObjectLRU(8*cache.MiByte))
		o.big = packIndexSize(o.repo.CommonDir) > maxPackIndex
	}
	if o.big {
		hex := id.String()
		if _, err := os.Lstat(filepath.Join(o.repo.CommonDir, "objects", hex[:2], hex[2:])); err != nil {
			return nil, false, nil
		}
	}
	// go-git panics on some corrupt packs; git's own message is the better one.
	defer func() {
		if recover() != nil {
			b, ok, err = nil, false, nil
		}
	}()
	want := map[string]plumbing.ObjectType{"blob": plumbing.BlobObject, "tree": plumbing.TreeObject, "commit": plumbing.CommitObject}[kind]
	if limit > 0 {
		if n, err := o.store.EncodedObjectSize(plumbing.Hash(id.Bytes())); err == nil && n > limit {
			return nil, true, tooLarge(id)
		}
	}
	obj, err := o.store.EncodedObject(want, plumbing.Hash(id.Bytes()))
	if err != nil {
		return nil, false, nil
	}
	rd, err := obj.Reader()
	if err != nil {
		return nil, false, nil
	}
	defer func() { _ = rd.Close() }()
	b = make([]byte, obj.Size())
	if _, err := io.ReadFull(rd, b); err != nil {
		return nil, false, nil
	}
	return b, true, nil
}

func packIndexSize(common string) int64 {
	var sum int64
	names, err := filepath.Glob(filepath.Join(escapeGlob(common), "objects", "pack", "*.idx"))
	if err != nil {
		return 0
	}
	for _, n := range names {
		if fi, err := os.Stat(n); err == nil {
			sum += fi.Size()
		}
	}
	return sum
}

func escapeGlob(p string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(p)
}
