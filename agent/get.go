package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/recall"
	"github.com/git-claw/git-claw/memory/vector"
)

// GetOptions say what to read. Lines count from 1.
type GetOptions struct {
	What  string // a path below the root, or the id of a search result
	From  int    // first line; 0: the beginning, or that of the result
	Lines int    // how many; 0: getLines, or those of the result
	At    string // a revision, "" the work tree
	Kind  string // of the session that reads
	Force bool   // answer although memory is not healthy
	// Hostname is that of this machine.
	Hostname string
	Warn     func(format string, args ...any)
}

// The most that one `get` gives (SPEC RC-03).
const (
	getLines = 120
	getChars = 12_000 // UTF-16 code units
)

// Got is a piece of a note.
type Got struct {
	Path      string
	From, To  int // lines; To is From-1 when there are none
	Text      string
	Truncated bool // there is more
	Next      int  // line to go on from, 0 at the end
}

// Get reads lines of a note. Paths that are neither managed nor searched are
// refused, and so are private ones in other sessions than the main one.
func Get(ctx context.Context, ws *memory.Workspace, opt GetOptions) (*Got, error) {
	rel := opt.What
	if rel == "" {
		return nil, &UsageError{Problem: "the empty string names nothing"}
	}
	if isChunkID(rel) {
		if r, err := findChunk(ctx, ws, rel); err != nil {
			return nil, err
		} else if r != nil {
			rel = r.Path
			if opt.From == 0 {
				opt.From, opt.Lines = r.From, cmp.Or(opt.Lines, r.To-r.From+1)
			}
		}
	}
	if !ws.Managed(rel) && !ws.Searched(rel, ws.SearchRoots()) {
		return nil, notManaged(ctx, ws, rel, "it is neither managed nor searched", "")
	}
	if p := newPrivacy(ws, opt.Kind); p.hides(rel) {
		return nil, p.refuse(rel)
	}
	tier := ws.TierOf(rel)
	guarded := (tier == memory.TierWarm || tier == memory.TierCold) && ws.Searched(rel, ws.SearchRoots())
	if guarded && !opt.Force {
		if _, err := checkGate(ctx, ws, opt.Hostname, true, false); err != nil {
			return nil, err
		}
	}
	content, err := contentAt(ctx, ws, rel, opt.At)
	if err != nil {
		return nil, err
	}
	g := cutLines(rel, secret.New().Mask(content), max(opt.From, 1), cmp.Or(opt.Lines, getLines))
	if logs(ws) {
		logGet(ctx, ws, opt, g, content)
	}
	return g, nil
}

// isChunkID recognises the ids of search results: 16 hex digits.
func isChunkID(s string) bool {
	return len(s) == 16 && strings.Trim(s, "0123456789abcdef") == ""
}

// findChunk finds a search result by its id; nil when there is none.
func findChunk(ctx context.Context, ws *memory.Workspace, id string) (*recall.Result, error) {
	snap, err := index.Refresh(ctx, ws, index.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	return recall.ByID(snap, id)
}

func contentAt(ctx context.Context, ws *memory.Workspace, rel, rev string) ([]byte, error) {
	if rev == "" && !ws.Repo.Bare {
		b, mode, err := ws.Repo.ReadWork(ws.Prefix+rel, ws.MaxFileBytes())
		if err == nil && !mode.IsFile() {
			return nil, noFile(ctx, ws, rel, "")
		}
		return b, err
	}
	if rev == "" {
		rev = "HEAD"
	}
	id, err := ws.Repo.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	tree, err := ws.Repo.Objects().TreeOf(ctx, id)
	if err != nil {
		return nil, err
	}
	e, found, err := ws.Repo.Objects().Lookup(ctx, tree, ws.Prefix+rel)
	if err != nil {
		return nil, err
	}
	if !found || !e.Mode.IsFile() {
		return nil, noFile(ctx, ws, rel, "")
	}
	return ws.Repo.Objects().Blob(ctx, e.ID)
}

// cutLines takes lines, whole ones, within the bounds. A line that alone is too
// long is cut at a character.
func cutLines(rel string, content []byte, from, lines int) *Got {
	all := doc.SplitLines(content)
	g := &Got{Path: rel, From: from, To: from - 1}
	if from > len(all) {
		return g
	}
	var b bytes.Buffer
	size := 0
	for i := from - 1; i < len(all) && i-from+1 < lines; i++ {
		text := strings.ToValidUTF8(string(all[i]), "\ufffd")
		n := len(utf16.Encode([]rune(text)))
		if size+n > getChars {
			if b.Len() == 0 {
				b.WriteString(string(utf16.Decode(utf16.Encode([]rune(text))[:getChars])))
				g.To++
			}
			break
		}
		b.WriteString(text)
		size += n
		g.To++
	}
	g.Text = b.String()
	if g.To < len(all) {
		g.Truncated, g.Next = true, g.To+1
	}
	return g
}

// IndexState is what `index status` tells.
type IndexState struct {
	Dir     string
	Commit  gitops.ID
	Notes   int
	Chunks  int
	Parts   int
	Bytes   int64
	Pending int

	Indexed, Embedded int // notes and chunks, by this update
}

// IndexStatus looks at the index and changes nothing.
func IndexStatus(ctx context.Context, ws *memory.Workspace) (*IndexState, error) {
	snap, err := index.Refresh(ctx, ws, index.Options{Budget: -1, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	return stateOf(ws, snap), nil
}

func stateOf(ws *memory.Workspace, snap *index.Snapshot) *IndexState {
	t := snap.View.Totals()
	return &IndexState{
		Dir: index.Dir(ws), Commit: snap.Commit, Notes: t.Files, Chunks: t.Chunks, Parts: len(snap.View.Parts),
		Bytes: index.Bytes(ws), Pending: snap.Pending, Indexed: snap.Built,
	}
}

// IndexUpdate brings the index up to date, however long that takes, and gives new
// chunks vectors where an embedder is set. For another update it waits no longer than
// claw.lockTimeout; then *gitops.LockedError.
func IndexUpdate(ctx context.Context, ws *memory.Workspace, opt index.Options) (*IndexState, error) {
	var busy error
	left := ws.Settings.Duration("lockTimeout")
	opt.Sleep = func(ctx context.Context, d time.Duration) error {
		if left -= d; left < 0 {
			busy = &gitops.LockedError{Path: filepath.Join(index.Dir(ws), "lock"), Owner: "git claw"}
			return busy
		}
		return sleep(ctx, d)
	}
	snap, err := index.Refresh(ctx, ws, opt)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	if busy != nil {
		return nil, busy
	}
	state := stateOf(ws, snap)
	state.Embedded, err = embedNotes(ctx, ws, snap, opt.Clock)
	return state, err
}

// IndexDrop removes the index and the vectors, those of other embedders too.
func IndexDrop(ws *memory.Workspace) error {
	store, err := vector.Open(recall.VectorDir(ws), "any", 0)
	if err == nil {
		err = store.Drop()
	}
	return errors.Join(index.Drop(ws), err)
}
