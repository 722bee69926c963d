package index

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/lexical"
)

const (
	// batchBytes of notes make one segment while an index is built: enough to be
	// quick, little enough to bound the memory.
	batchBytes = 6 << 20
	// maxParts is how many segments there are before small ones are merged.
	maxParts = 8
	// maxMerge bounds, in documents, what one update merges by the way.
	maxMerge = 20_000
)

// update indexes what is pending, within the budget, and writes it down when the
// caller holds the lock.
func (s *Snapshot) update(ctx context.Context, opt Options, save bool, clock int64) error {
	var todo []*Entry
	for i := range s.Entries {
		if e := &s.Entries[i]; e.Blob != e.Want {
			todo = append(todo, e)
		}
	}
	m := &manifest{Next: 1}
	if s.m != nil {
		*m = *s.m
		m.Segments = slices.Clone(s.m.Segments)
	}
	if opt.Budget >= 0 {
		if err := s.build(ctx, opt, todo); err != nil {
			return err
		}
	}
	s.count()
	if !save {
		return nil
	}
	if err := s.write(m, clock); err != nil {
		// A full disk: what is in memory answers as well.
		opt.Warn("the search index could not be written: %v", err)
		return nil
	}
	s.Saved = true
	return nil
}

// build indexes files into new segments, side by side on all processors.
func (s *Snapshot) build(ctx context.Context, opt Options, todo []*Entry) error {
	var deadline time.Time
	if opt.Budget > 0 {
		deadline = opt.Clock().Add(opt.Budget)
	}
	var (
		mu    sync.Mutex
		first error
		next  int
		parts []*lexical.Part
		wg    sync.WaitGroup
	)
	take := func() *Entry {
		mu.Lock()
		defer mu.Unlock()
		if first != nil || next == len(todo) || opt.Budget > 0 && next%16 == 0 && !opt.Clock().Before(deadline) || ctx.Err() != nil {
			return nil
		}
		next++
		if opt.Progress != nil {
			opt.Progress(next, len(todo))
		}
		return todo[next-1]
	}
	done := func(done []*Entry, b *lexical.Builder) {
		p, err := finish(b)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			first = cmpErr(first, err)
			return
		}
		for _, e := range done {
			if err := s.drop(e.Path); err != nil {
				first = cmpErr(first, err)
			}
			e.Blob = e.Want
		}
		if p != nil {
			parts = append(parts, p)
		}
		s.Built += len(done)
	}
	for range min(runtime.GOMAXPROCS(0), 1+len(todo)/64) {
		wg.Go(func() {
			s.worker(ctx, take, done, func(err error) { mu.Lock(); first = cmpErr(first, err); mu.Unlock() })
		})
	}
	wg.Wait()
	if first == nil {
		first = ctx.Err()
	}
	s.View.Parts = append(s.View.Parts, parts...)
	return first
}

func cmpErr(first, err error) error {
	if first != nil {
		return first
	}
	return err
}

func finish(b *lexical.Builder) (*lexical.Part, error) {
	if b.Totals().Files == 0 {
		return nil, nil
	}
	seg, totals, err := b.Build()
	if err != nil {
		return nil, err
	}
	return lexical.NewPart(seg, totals), nil
}

func (s *Snapshot) worker(ctx context.Context, take func() *Entry, done func([]*Entry, *lexical.Builder), fail func(error)) {
	b := lexical.NewBuilder()
	var batch []*Entry
	size := 0
	for e := take(); e != nil; e = take() {
		batch = append(batch, e)
		if e.Want.IsZero() {
			continue // it is gone: dropped with the batch
		}
		content, err := s.content(ctx, e)
		if err != nil {
			if errors.Is(err, gitops.ErrNoObject) {
				batch = batch[:len(batch)-1] // a partial clone, offline: stays pending
				continue
			}
			fail(err)
			return
		}
		if content == nil {
			continue
		}
		b.Add(indexed(s.ws, s.chunk, e.Path, e.Want, content))
		if size += len(content); size > batchBytes {
			done(batch, b)
			batch, size = nil, 0
		}
	}
	done(batch, b)
}

// content reads what an entry should hold: the file of the work tree while it has
// that content, else the blob.
func (s *Snapshot) content(ctx context.Context, e *Entry) ([]byte, error) {
	if e.Stat != (stat{}) {
		content, st, err := s.readWork(e.Path)
		if err == nil {
			if id := s.blobOf(e, content); id != e.Want {
				e.Want, e.Stat = id, stat{} // changed again: looked at once more next time
				_ = st
			}
			return content, nil
		}
		if gone(err) {
			e.Want, e.Stat = gitops.ID{}, stat{}
			return nil, nil
		}
		return nil, err
	}
	return s.ws.Repo.Objects().Blob(ctx, e.Want)
}

// write puts the state on disk: segments, table, manifest.
func (s *Snapshot) write(m *manifest, clock int64) (err error) {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	if err := s.persist(m); err != nil {
		return err
	}
	if err := s.compact(m); err != nil {
		return err
	}
	kept := m.Segments[:0:0]
	parts := s.View.Parts[:0:0]
	for i, p := range s.View.Parts {
		if p.Live.Files == 0 {
			continue // all of it is dropped
		}
		ref := m.Segments[i]
		ref.Live = p.Live
		if ref.Drops, err = p.MarshalDrops(); err != nil {
			return err
		}
		kept, parts = append(kept, ref), append(parts, p)
	}
	m.Segments = kept
	s.View.Parts = parts
	entries := slices.DeleteFunc(slices.Clone(s.Entries), func(e Entry) bool { return e.Want.IsZero() && e.Blob.IsZero() && e.Head.IsZero() })
	if m.Table, err = m.writeFile(s.dir, "table", encodeTable(entries)); err != nil {
		return err
	}
	m.Key, m.Commit, m.Clock = keyOf(s.ws, s.roots), s.Commit, clock
	if err := writeManifest(s.dir, m); err != nil {
		return err
	}
	s.m = m
	m.sweep(s.dir)
	return nil
}

// persist writes the segments that are in memory only: those after the ones the
// manifest names.
func (s *Snapshot) persist(m *manifest) error {
	for _, p := range s.View.Parts[len(m.Segments):] {
		var buf bytes.Buffer
		if err := p.Segment.Write(&buf); err != nil {
			return err
		}
		ref, err := m.writeFile(s.dir, "segment", buf.Bytes())
		if err != nil {
			return err
		}
		m.Segments = append(m.Segments, segmentRef{fileRef: ref, Live: p.Live})
	}
	return nil
}

// compact merges small segments, and those of which most is dropped, when there
// are many. Each document is merged a few times in its life: what is merged is at
// most four times as large as what came before it in the order of sizes.
func (s *Snapshot) compact(m *manifest) error {
	if len(s.View.Parts) <= maxParts {
		return nil
	}
	order := make([]int, len(s.View.Parts))
	for i := range order {
		order[i] = i
	}
	live := func(i int) int { p := s.View.Parts[i]; return p.Docs() - p.Dropped() }
	slices.SortStableFunc(order, func(a, b int) int { return live(a) - live(b) })
	sum, n := 0, 0
	for n < len(order) && (n < 2 || live(order[n]) <= 4*sum || len(order)-n >= maxParts) && sum+live(order[n]) <= max(maxMerge, 4*sum) {
		sum += live(order[n])
		n++
	}
	if n < 2 {
		return nil
	}
	chosen := slices.Clone(order[:n])
	slices.Sort(chosen)
	return s.mergeParts(m, chosen)
}

func (s *Snapshot) mergeParts(m *manifest, chosen []int) error {
	old := make([]*lexical.Part, len(chosen))
	for i, c := range chosen {
		old[i] = s.View.Parts[c]
	}
	var buf bytes.Buffer
	totals, err := lexical.Merge(old, &buf)
	if err != nil {
		return err
	}
	ref, err := m.writeFile(s.dir, "segment", buf.Bytes())
	if err != nil {
		return err
	}
	data, _, err := mapFile(filepath.Join(s.dir, ref.Name))
	if err != nil {
		return err
	}
	s.maps = append(s.maps, data)
	seg, err := lexical.Open(data.data)
	if err != nil {
		return err
	}
	var parts []*lexical.Part
	var refs []segmentRef
	for i, p := range s.View.Parts {
		if !slices.Contains(chosen, i) {
			parts, refs = append(parts, p), append(refs, m.Segments[i])
		}
	}
	s.View.Parts = append(parts, lexical.NewPart(seg, totals))
	m.Segments = append(refs, segmentRef{fileRef: ref, Live: totals})
	return nil
}
