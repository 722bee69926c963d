package index

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/lexical"
)

// world is a workspace in a real repository.
type world struct {
	*gittest.Repo
	t   testing.TB
	sub string // from the top level to the workspace, "" or ending in a slash
	at  string // folder of the index, once it was asked for
}

func newWorld(t testing.TB, sub string, opts ...gittest.Option) *world {
	t.Helper()
	return &world{Repo: gittest.New(t, opts...), t: t, sub: sub}
}

// note writes a file of the workspace.
func (w *world) note(rel, text string) {
	w.t.Helper()
	w.Write(w.sub+rel, text)
}

// git runs git a minute after the last time. It may fail: a history made by chance
// holds steps that do not fit.
func (w *world) git(args ...string) error {
	w.t.Helper()
	w.Clock.Advance(time.Minute)
	stamp := w.Clock.Now().Format(time.RFC3339)
	_, err := w.TryEnv([]string{"GIT_AUTHOR_DATE=" + stamp, "GIT_COMMITTER_DATE=" + stamp, "GIT_EDITOR=true"}, "", args...)
	return err
}

// commit commits all that git sees.
func (w *world) commit() {
	w.t.Helper()
	w.Git("add", "-A")
	if err := w.git("commit", "-q", "--allow-empty", "-m", "change"); err != nil {
		w.t.Fatal(err)
	}
}

// open opens the workspace as a new process would.
func (w *world) open() *memory.Workspace {
	w.t.Helper()
	ws, err := openAt(w.Env(), filepath.Join(w.Dir, filepath.FromSlash(w.sub)))
	if err != nil {
		w.t.Fatal(err)
	}
	return ws
}

func openAt(env gitops.Env, dir string) (*memory.Workspace, error) {
	ctx := context.Background()
	repo, err := gitops.Open(ctx, gitops.NewGit(env), dir)
	if err != nil {
		return nil, err
	}
	if repo.Bare {
		return memory.Find(ctx, repo)
	}
	return memory.At(ctx, repo, dir)
}

// with refreshes in a workspace of its own and hands the snapshot over.
func (w *world) with(opt Options, use func(*Snapshot)) {
	w.t.Helper()
	ws := w.open()
	defer ws.Repo.Close()
	opt.Sleep = sleep
	s, err := Refresh(context.Background(), ws, opt)
	if err != nil {
		w.t.Fatalf("refresh: %v", err)
	}
	defer s.Close()
	use(s)
}

// sleep waits for the lock of updaters. In a process that starts others at the same
// moment a lock that was given back may be held by a child for some microseconds.
func sleep(context.Context, time.Duration) error {
	time.Sleep(time.Millisecond)
	return nil
}

// refresh answers after a Refresh.
func (w *world) refresh(opt Options) *answers {
	w.t.Helper()
	var a *answers
	w.with(opt, func(s *Snapshot) { a = w.answers(s) })
	return a
}

// fresh answers as an index that is built now.
func (w *world) fresh() *answers {
	w.t.Helper()
	return w.refresh(Options{Rebuild: true, ReadOnly: true})
}

// dir is the folder of the index.
func (w *world) dir() string {
	w.t.Helper()
	if w.at == "" {
		ws := w.open()
		defer ws.Repo.Close()
		w.at = Dir(ws)
	}
	return w.at
}

// files lists the index folder.
func (w *world) files() []string {
	w.t.Helper()
	list, err := os.ReadDir(w.dir())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		if e.IsDir() {
			w.t.Fatalf("a folder '%s' in the index", e.Name())
		}
		out = append(out, e.Name())
	}
	return out
}

// unnamed lists the files of the index folder that its manifest does not name.
func (w *world) unnamed() []string {
	w.t.Helper()
	m, _, err := readManifest(w.dir())
	if err != nil {
		w.t.Fatal(err)
	}
	names := []string{manifestName, lockName, queueName, m.Table.Name}
	for _, s := range m.Segments {
		names = append(names, s.Name)
	}
	return slices.DeleteFunc(w.files(), func(n string) bool { return slices.Contains(names, n) })
}

// answers is all that two snapshots of the same notes must agree in.
type answers struct {
	entries []string
	hits    map[string]float64 // by query, path, chunk with its lines and hash
	pending int
	saved   bool
	built   int
}

var queries = []string{
	"amber", "birch cedar", "delta-7", "ember fjord grove", "晨露", "2026-03-02", "memory", "\"harbor iris\"", "unsaved", "juniper kelp lotus meadow",
}

func (w *world) answers(s *Snapshot) *answers {
	w.t.Helper()
	a, err := answersOf(s)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func answersOf(s *Snapshot) (*answers, error) {
	a := &answers{hits: map[string]float64{}, pending: s.Pending, saved: s.Saved, built: s.Built}
	for e := range s.Entries.All() {
		a.entries = append(a.entries, fmt.Sprintf("%q want %s head %s commit %s when %d", e.Path, e.Want.Short(), e.Head.Short(), e.Commit.Short(), e.When))
	}
	words := lexical.NewAnalyser()
	for _, q := range queries {
		query := lexical.Query{Words: words.ParseWords(q), Weights: lexical.DefaultWeights()}
		if strings.HasPrefix(q, "2026-") {
			query.Days = []lexical.Day{lexical.OnDay(q)}
		}
		r, err := s.View.Search(query)
		if err != nil {
			return nil, err
		}
		for _, h := range r.Hits {
			stored, err := s.View.Stored(h)
			if err != nil {
				return nil, err
			}
			n, err := DecodeNote(stored)
			if err != nil {
				return nil, err
			}
			e, ok := s.Entries.Get(n.Path)
			if !ok || e.Blob != n.Blob {
				return nil, fmt.Errorf("'%s' is found with %s, its entry has %v", n.Path, n.Blob.Short(), e)
			}
			if h.Chunk >= len(n.Pieces) {
				return nil, fmt.Errorf("found chunk %d of %d", h.Chunk, len(n.Pieces))
			}
			p := n.Pieces[h.Chunk]
			key := fmt.Sprintf("%s: %q %d lines %d-%d bytes %d-%d %x", q, n.Path, h.Chunk, p.From, p.To, p.Start, p.End, p.Hash[:4])
			if _, twice := a.hits[key]; twice {
				return nil, fmt.Errorf("found twice: %s", key)
			}
			a.hits[key] = h.Score
		}
	}
	return a, nil
}

// differs says where two answers are apart, "" for nowhere.
func (a *answers) differs(b *answers) string {
	var out []string
	if a.pending != b.pending {
		out = append(out, fmt.Sprintf("pending %d and %d", a.pending, b.pending))
	}
	for _, e := range a.entries {
		if !slices.Contains(b.entries, e) {
			out = append(out, "- "+e)
		}
	}
	for _, e := range b.entries {
		if !slices.Contains(a.entries, e) {
			out = append(out, "+ "+e)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(a.hits)) {
		if v, ok := b.hits[k]; !ok || math.Abs(v-a.hits[k]) > 1e-9 {
			out = append(out, fmt.Sprintf("- %s: %g, not %g", k, a.hits[k], v))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(b.hits)) {
		if _, ok := a.hits[k]; !ok {
			out = append(out, fmt.Sprintf("+ %s: %g", k, b.hits[k]))
		}
	}
	if len(out) > 12 {
		out = append(out[:12], fmt.Sprintf("and %d more", len(out)-12))
	}
	return strings.Join(out, "\n")
}

// text makes a note of words that queries look for.
func text(rnd *rand.Rand) string {
	words := strings.Fields("amber birch cedar delta-7 ember fjord grove harbor iris juniper kelp lotus meadow 晨露 Straße v1.2.3 src/main.go")
	var b strings.Builder
	for i := range 1 + rnd.IntN(5) {
		if i%2 == 0 {
			fmt.Fprintf(&b, "## %s 2026-03-%02d\n\n", words[rnd.IntN(len(words))], 1+rnd.IntN(4))
		}
		b.WriteString("-")
		for range 2 + rnd.IntN(8) {
			b.WriteString(" " + words[rnd.IntN(len(words))])
		}
		b.WriteString("\n")
	}
	return b.String()
}
