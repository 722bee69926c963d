package index

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/lexical"
)

const (
	// batchBytes of notes make one segment while an index is built: enough to be
	// quick, little enough to bound the memory.
	batchBytes = 2 << 20
	// aloneFiles are indexed by one worker: two would make two segments, each with a
	// dictionary of its own.
	aloneFiles = 1500
	// maxParts is how many segments there are before small ones are merged.
	maxParts = 8
	// maxMerge bounds, in documents, what one update merges by the way.
	maxMerge = 20_000
)

// update indexes what is pending, within the budget, and writes it down when the
// caller holds the lock.
func (s *Snapshot) update(ctx context.Context, opt Options, save bool, clock int64) error {
	var todo []*Entry
	for _, e := range slices.Collect(s.Entries.special()) {
		if e.Blob != e.Want {
			todo = append(todo, s.Entries.edit(e.Path))
		}
	}
	slices.SortFunc(todo, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
	m := &manifest{}
	if s.m != nil {
		*m = *s.m
		m.Segments = slices.Clone(s.m.Segments)
	} else if save {
		m.Next = unused(s.dir)
	}
	b := &build{s: s, opt: opt, todo: todo, m: m, save: save}
	if opt.Budget >= 0 {
		if err := b.run(ctx); err != nil {
			return err
		}
	}
	s.count()
	if !save || !s.news && s.Built == 0 {
		return nil
	}
	err := b.unsaved
	if err == nil {
		err = s.write(m, clock, opt.at)
	}
	if err != nil {
		// A full disk: what is in memory answers as well.
		opt.Warn("the search index could not be written: %v", err)
		sweepUnnamed(s.dir)
		return nil
	}
	s.Saved = true
	return nil
}

// build indexes files into new segments, side by side on all processors.
type build struct {
	s    *Snapshot
	opt  Options
	todo []*Entry
	m    *manifest
	save bool

	deadline time.Time
	mu       sync.Mutex
	next     int
	err      error
	unsaved  error // why segments are in memory only
	parts    []*lexical.Part
	refs     []segmentRef
}

func (b *build) run(ctx context.Context) error {
	if b.opt.Budget > 0 {
		b.deadline = b.opt.Clock().Add(b.opt.Budget)
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(b.todo)/aloneFiles) {
		wg.Go(func() { b.worker(ctx) })
	}
	wg.Wait()
	b.s.View.Parts = append(b.s.View.Parts, b.parts...)
	b.m.Segments = append(b.m.Segments, b.refs...)
	return errors.Join(b.err, ctx.Err())
}

// take gives the next file to index; nil when there is none, or no time.
func (b *build) take(ctx context.Context) *Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil || b.next == len(b.todo) || ctx.Err() != nil {
		return nil
	}
	if b.opt.Budget > 0 && b.next > 0 && !b.opt.Clock().Before(b.deadline) {
		return nil
	}
	b.next++
	if b.opt.Progress != nil {
		b.opt.Progress(b.next, len(b.todo))
	}
	return b.todo[b.next-1]
}

// finish makes a segment of what a worker indexed, and drops the old forms.
func (b *build) finish(done []*Entry, lb *lexical.Builder) error {
	var part *lexical.Part
	if lb.Totals().Files > 0 {
		seg, totals, err := lb.Build()
		if err != nil {
			return err
		}
		part = lexical.NewPart(seg, totals)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range done {
		if err := b.s.drop(e.Path); err != nil {
			return err
		}
		e.Blob = e.Want
	}
	b.s.Built += len(done)
	if part != nil {
		b.add(part)
	}
	return nil
}

// add writes a segment down at once, which frees the memory it was built in.
func (b *build) add(part *lexical.Part) {
	ref := segmentRef{Live: part.Live}
	if b.save && b.unsaved == nil {
		var saved *lexical.Part
		if saved, ref.fileRef, b.unsaved = b.s.store(b.m, func(w io.Writer) (lexical.Totals, error) {
			return part.Live, part.Segment.Write(w)
		}); b.unsaved == nil {
			part = saved
		}
	}
	b.parts, b.refs = append(b.parts, part), append(b.refs, ref)
}

// store writes a segment and opens it from the disk.
func (s *Snapshot) store(m *manifest, write func(io.Writer) (lexical.Totals, error)) (*lexical.Part, fileRef, error) {
	f, err := m.newFile(s.dir, "segment")
	if err != nil {
		return nil, fileRef{}, err
	}
	totals, err := write(f)
	ref, err := f.close(err)
	if err != nil {
		return nil, fileRef{}, err
	}
	data, _, err := mapFile(filepath.Join(s.dir, ref.Name))
	if err != nil {
		return nil, fileRef{}, err
	}
	s.maps = append(s.maps, data)
	seg, err := lexical.Open(data.data)
	if err != nil {
		return nil, fileRef{}, err
	}
	return lexical.NewPart(seg, totals), ref, nil
}

func (b *build) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

func (b *build) worker(ctx context.Context) {
	lb := lexical.NewBuilder()
	var batch []*Entry
	size := 0
	for e := b.take(ctx); e != nil; e = b.take(ctx) {
		content, err := b.s.content(ctx, e)
		switch {
		case errors.Is(err, gitops.ErrNoObject), errors.Is(err, io.EOF):
			continue // a partial clone, offline, where git says so or just ends: stays pending
		case err != nil:
			b.fail(err)
			return
		}
		batch = append(batch, e) // without content it is gone: dropped with the batch
		if content == nil {
			continue
		}
		lb.Add(indexed(b.s.ws, b.s.chunk, e.Path, e.Want, content))
		if size += len(content); size > batchBytes {
			if err := b.finish(batch, lb); err != nil {
				b.fail(err)
				return
			}
			batch, size = nil, 0
		}
	}
	if err := b.finish(batch, lb); err != nil {
		b.fail(err)
	}
}

// content reads what an entry should hold: the file of the work tree while it has
// that content, else the blob; nil for a file that is gone.
func (s *Snapshot) content(ctx context.Context, e *Entry) ([]byte, error) {
	if e.Want.IsZero() {
		return nil, nil
	}
	if e.Stat == (stat{}) {
		content, err := s.ws.Repo.Objects().Blob(ctx, e.Want)
		if int64(len(content)) > s.ws.MaxFileBytes() {
			return nil, err // passed over, as in a work tree
		}
		return content, err
	}
	content, _, err := s.readWork(e.Path)
	if gone(err) {
		e.Want, e.Stat = gitops.ID{}, stat{}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	id, content := s.blobOf(e, content)
	if id != e.Want {
		e.Want, e.Stat = id, stat{} // changed again: looked at once more next time
	}
	if content == nil {
		content = []byte{}
	}
	return content, nil
}

// write puts the state on disk: segments, table, manifest.
func (s *Snapshot) write(m *manifest, clock int64, at func(point string)) (err error) {
	at("segments")
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
	if err := s.compact(m); err != nil {
		return err
	}
	if m.Table, err = m.writeFile(s.dir, "table", s.Entries.encode(s.ws.Repo.BlobID(nil).Size(), s.folders)); err != nil {
		return err
	}
	at("table")
	m.Key, m.Commit, m.Clock = keyOf(s.ws, s.roots), s.Commit, clock
	if err := writeManifest(s.dir, m, at); err != nil {
		return err
	}
	at("named")
	s.m = m
	m.sweep(s.dir)
	return nil
}

// compact merges small segments, and those of which most is dropped, when there
// are many. Each document is merged a few times in its life: what is merged is at
// most four times as large as what came before it in the order of sizes.
func (s *Snapshot) compact(m *manifest) error {
	order := make([]int, len(s.View.Parts))
	for i := range order {
		order[i] = i
	}
	if s.m == nil && len(order) > 2 {
		return s.mergeParts(m, order) // a new index: each segment has a dictionary of its own
	}
	if len(order) <= maxParts {
		return nil
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
	merged, ref, err := s.store(m, func(w io.Writer) (lexical.Totals, error) { return lexical.Merge(old, w) })
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
	s.View.Parts = append(parts, merged)
	m.Segments = append(refs, segmentRef{fileRef: ref, Live: merged.Live})
	return nil
}
