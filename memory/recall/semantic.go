package recall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"path/filepath"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/embed"
	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/lexical"
	"github.com/git-claw/git-claw/memory/vector"
)

// Semantic is the other side of a search: vectors of chunks, and that of the query.
type Semantic struct {
	Store  *vector.Store
	Query  []float32
	Weight float64 // of the cosine in a score, 0 to 1 (SPEC RC-04)
}

// VectorDir is where the vectors of a workspace lie. They outlive the index, for they
// were paid for, and are not those of another workspace of the repository, whose
// chunks would be taken for gone.
func VectorDir(ws *memory.Workspace) string {
	dir := filepath.Join(ws.Repo.ClawDir(), "vectors")
	if ws.Prefix == "" {
		return dir
	}
	sum := sha256.Sum256([]byte(ws.Prefix))
	return dir + "-" + hex.EncodeToString(sum[:6])
}

// nearest is how many vectors are compared with the hits of the words.
const nearest = 400

// addNear adds the chunks whose vectors are near to the query, and gives each
// candidate its cosine.
func (r *ranking) addNear(hits []lexical.Hit) ([]lexical.Hit, map[lexical.Hit]float64, error) {
	found := map[[16]byte][]lexical.Hit{}
	var failed error
	matches, err := r.opt.Semantic.Store.Scan(r.opt.Semantic.Query, nearest, func(hash [16]byte) bool {
		list, err := r.snap.View.Holding(hash)
		failed = errors.Join(failed, err)
		for _, h := range list {
			if n, err := r.note(h); err == nil && r.wanted(n.Path) {
				found[hash] = append(found[hash], h)
			}
		}
		return len(found[hash]) > 0
	})
	if err := errors.Join(failed, err); err != nil {
		return nil, nil, err
	}
	known := make(map[lexical.Hit]bool, len(hits))
	for _, h := range hits {
		known[place(h)] = true
	}
	cos := map[lexical.Hit]float64{}
	for _, m := range matches {
		for _, h := range found[m.Hash] {
			cos[h] = float64(m.Cos)
			if !known[h] {
				known[h] = true
				hits = append(hits, h)
			}
		}
	}
	return hits, cos, nil
}

// place is a hit without its score.
func place(h lexical.Hit) lexical.Hit {
	return lexical.Hit{Part: h.Part, File: h.File, Chunk: h.Chunk}
}

// fuse turns the text scores of the list into those of text and vector.
func (r *ranking) fuse(cos map[lexical.Hit]float64) {
	parts := make([]vector.Part, len(r.list))
	for i := range r.list {
		c, ok := cos[place(r.list[i].hit)]
		if !ok {
			c = math.NaN()
		}
		r.list[i].parts.Vector = max(c, 0)
		if !ok {
			r.list[i].parts.Vector = 0
		}
		parts[i] = vector.Part{Text: r.list[i].parts.Text, Cos: c}
	}
	for i, score := range vector.Fuse(parts, r.opt.Semantic.Weight) {
		r.list[i].score = score * r.list[i].parts.Decay
	}
}

// embedBatch is how many texts are embedded and stored at a time: what is paid for
// is kept when the next fails.
const embedBatch = 256

// Embed gives every chunk of a snapshot a vector that has none yet, and removes
// those that no chunk uses. Chunks with a line that flagged names are not sent: it is
// asked for whole notes, because a key that spans lines is told by its first. It
// returns how many were added.
func Embed(ctx context.Context, snap *index.Snapshot, e embed.Embedder, store *vector.Store, read Reader, flagged func(note []byte) map[int]bool) (added int, err error) {
	b := &embedding{ctx: ctx, e: e, store: store, read: read, flagged: flagged}
	alive := map[[16]byte]bool{}
	for _, p := range snap.View.Parts {
		var bad error
		err := p.Each(func(stored []byte) bool {
			n, err := index.DecodeNote(stored)
			if err == nil {
				err = b.note(n, alive)
			}
			bad = err
			return err == nil
		})
		if err := errors.Join(bad, err); err != nil {
			return b.added, err
		}
	}
	if err := b.flush(); err != nil {
		return b.added, err
	}
	_, err = store.Keep(func(hash [16]byte) bool { return alive[hash] })
	return b.added, err
}

// Reader reads the content of a note.
type Reader func(path string, blob gitops.ID) ([]byte, error)

type embedding struct {
	ctx     context.Context
	e       embed.Embedder
	store   *vector.Store
	read    Reader
	flagged func(note []byte) map[int]bool

	hashes [][16]byte
	texts  []string
	added  int
}

func (b *embedding) note(n index.Note, alive map[[16]byte]bool) error {
	var content []byte
	var flagged map[int]bool
	for _, p := range n.Pieces {
		if alive[p.Hash] {
			continue
		}
		alive[p.Hash] = true
		if b.store.Has(p.Hash) {
			continue
		}
		if content == nil {
			var err error
			if content, err = b.read(n.Path, n.Blob); err != nil {
				return err
			}
			flagged = b.flagged(content)
		}
		if p.Start > p.End || p.End > len(content) || holdsAny(flagged, p.From, p.To) {
			continue
		}
		b.hashes, b.texts = append(b.hashes, p.Hash), append(b.texts, string(content[p.Start:p.End]))
		if len(b.texts) == embedBatch {
			if err := b.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func holdsAny(lines map[int]bool, from, to int) bool {
	for n := from; n <= to && len(lines) > 0; n++ {
		if lines[n] {
			return true
		}
	}
	return false
}

// flush embeds what was gathered. Single texts that have no vector are passed over.
func (b *embedding) flush() error {
	if len(b.texts) == 0 {
		return nil
	}
	vecs, err := b.e.Embed(b.ctx, b.texts)
	var entries []vector.Entry
	for i, v := range vecs {
		if v != nil {
			entries = append(entries, vector.Entry{Hash: b.hashes[i], Vec: v})
		}
	}
	b.hashes, b.texts = nil, nil
	if addErr := b.store.Add(entries); addErr != nil {
		return addErr
	}
	b.added += len(entries)
	var some embed.TextErrors
	if errors.As(err, &some) {
		return nil
	}
	return err
}
