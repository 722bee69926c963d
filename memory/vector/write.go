package vector

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxFiles bounds what a scan has to open; Add merges the smallest files above it.
const maxFiles = 8

// staleTemp: a temporary file this much older than a new one was left by a
// process that died.
const staleTemp = time.Hour

// Entry is a vector to store. Its length does not matter, its direction does.
type Entry struct {
	Hash [16]byte // chunk.Chunk.Hash
	Vec  []float32
}

// Add stores vectors; those whose hash is there already are passed over. The
// error is a *VectorError when one cannot be stored, and nothing is written then.
func (s *Store) Add(entries []Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	dim := s.dim
	if dim == 0 {
		dim = min(len(entries[0].Vec), MaxDim)
	}
	fresh := make([]Entry, 0, len(entries))
	for i, e := range entries {
		if err := check(e.Vec, dim); err != nil {
			return &VectorError{Index: i, Got: len(e.Vec), Want: dim, Err: err}
		}
		if !s.has(e.Hash) {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	s.dim = dim
	t := build(s.embedder, dim, fresh)
	if err := s.replace(s.absorbed(t.count), &t, nil); err != nil {
		return fmt.Errorf("add vectors: %w", err)
	}
	return nil
}

// absorbed chooses the files that go into a new one of n vectors: those not
// larger than what is merged so far, which makes every vector be written
// O(log count) times, the smallest ones beyond maxFiles, and damaged ones.
func (s *Store) absorbed(n int) []*file {
	var old []*file
	for i := len(s.files) - 1; i >= 0; i-- {
		f := s.files[i]
		left := i + 1 // files that stay if f does, and the new one is not counted
		if f.damage.Load() != nil || f.flaw.Load() != nil || f.count <= n || left >= maxFiles {
			old = append(old, f)
			n += f.count
		}
	}
	return old
}

// Keep removes all vectors that no chunk uses, all files of other embedders and
// all damaged ones, and returns the number of vectors removed. alive must not
// call the store.
func (s *Store) Keep(alive func(hash [16]byte) bool) (dropped int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var old []*file
	for _, f := range s.files {
		dead := 0
		fault := guard(func() {
			for i := range f.count {
				if !alive(f.hash(i)) {
					dead++
				} else {
					f.sound(i)
				}
			}
		})
		if fault {
			f.blame()
		}
		dropped += dead
		if dead > 0 || f.damage.Load() != nil || f.flaw.Load() != nil {
			old = append(old, f)
		}
	}
	if len(old) > 0 {
		if err := s.replace(old, nil, alive); err != nil {
			return 0, fmt.Errorf("compact vectors: %w", err)
		}
	}
	if err := s.sweep(); err != nil {
		return dropped, fmt.Errorf("compact vectors: %w", err)
	}
	return dropped, nil
}

// sweep removes every vector file that the store does not use: of other
// embedders, damaged, or already merged by another process.
func (s *Store) sweep() error {
	if s.foreign == 0 && len(s.corrupt) == 0 {
		return nil
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		used := slices.ContainsFunc(s.files, func(f *file) bool { return f.path == path })
		if used || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		// What another process has added meanwhile is not ours to remove.
		f, err := openFile(path, s.embedder, s.dim)
		if err == nil {
			err = f.release()
		} else if damaged := (*CorruptError)(nil); errors.Is(err, errForeign) || errors.As(err, &damaged) {
			err = remove(path)
		}
		if err != nil {
			return err
		}
	}
	s.foreign, s.corrupt = 0, nil
	return nil
}

// replace writes one file of fresh (may be nil) and of the vectors of old that
// alive (nil: all) wants, and then removes old. A kill leaves the old files, or
// both: every vector is there, some twice.
func (s *Store) replace(old []*file, fresh *table, alive func([16]byte) bool) error {
	var f *file
	for {
		rows, fault := gather(old, fresh, alive)
		if fault == nil && len(rows) == 0 {
			break
		}
		if fault == nil {
			var err error
			if f, fault, err = s.write(rows); err != nil {
				return err
			}
		}
		if fault == nil {
			break
		}
		fault.blame() // and again without it
	}
	if err := syncDir(s.dir); err != nil {
		return err
	}
	errs := []error{release(old)}
	s.files = slices.DeleteFunc(s.files, func(f *file) bool { return slices.Contains(old, f) })
	if f != nil {
		at, _ := slices.BinarySearchFunc(s.files, f.count, func(f *file, n int) int { return n - f.count })
		s.files = slices.Insert(s.files, at, f)
	}
	for _, o := range old {
		if f == nil || o.path != f.path {
			errs = append(errs, remove(o.path))
		}
	}
	for _, c := range s.corrupt {
		if f == nil || c.Path != f.path {
			errs = append(errs, remove(c.Path))
		}
	}
	s.corrupt = nil
	return errors.Join(errs...)
}

// row is one vector of a file to be written.
type row struct {
	*table
	i    int
	hash [hashSize]byte
	from *file // nil: in memory
}

// gather lists what is sound and alive, by hash, each hash once. fault is the
// file that could not be read.
func gather(old []*file, fresh *table, alive func([16]byte) bool) (rows []row, fault *file) {
	if fresh != nil {
		for i := range fresh.count {
			rows = append(rows, row{table: fresh, i: i, hash: fresh.hash(i)})
		}
	}
	var cur *file
	failed := guard(func() {
		for _, cur = range old {
			for i := 0; i < cur.count && cur.damage.Load() == nil; i++ {
				hash := cur.hash(i)
				if cur.sound(i) && (alive == nil || alive(hash)) {
					rows = append(rows, row{table: &cur.table, i: i, hash: hash, from: cur})
				}
			}
		}
	})
	if failed {
		return nil, cur
	}
	slices.SortStableFunc(rows, func(a, b row) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	return slices.CompactFunc(rows, func(a, b row) bool { return a.hash == b.hash }), nil
}

// write writes rows as a file and opens it. fault is the file of a row that could
// not be read.
func (s *Store) write(rows []row) (f *file, fault *file, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, nil, err
	}
	tmp, err := os.CreateTemp(s.dir, tmpPrefix+"*")
	if err != nil {
		return nil, nil, err
	}
	s.sweepTemps(tmp)
	name, fault, err := s.fill(tmp, rows)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil && fault == nil {
		name = filepath.Join(s.dir, name)
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil || fault != nil {
		_ = os.Remove(tmp.Name()) // the first error tells more
		return nil, fault, err
	}
	f, err = openFile(name, s.embedder, s.dim)
	return f, nil, err
}

// fill writes the content and syncs it: the files it replaces are removed next.
// The name comes from the embedder and the hashes, so that two processes that
// merge the same files write the same one.
func (s *Store) fill(tmp *os.File, rows []row) (name string, fault *file, err error) {
	h := header{dim: s.dim, count: len(rows), embedder: s.embedder}
	w := bufio.NewWriterSize(tmp, 1<<20)
	if _, err := w.Write(h.encode()); err != nil { // to be overwritten with the sum
		return "", nil, err
	}
	id := sha256.New()
	_, _ = fmt.Fprintf(id, "%s\x00%d\x00", h.embedder, h.dim) // a hash takes everything
	index := crc32.New(castagnoli)
	sections := []struct {
		of func(row) []byte
		to io.Writer
	}{
		{func(r row) []byte { return r.hash[:] }, io.MultiWriter(w, index, id)},
		{func(r row) []byte { return r.bitsOf(r.i) }, io.MultiWriter(w, index)},
		{func(r row) []byte { return r.metaOf(r.i) }, io.MultiWriter(w, index)},
		{func(r row) []byte { return r.compsOf(r.i) }, w},
	}
	var cur *file
	failed := guard(func() {
		for _, sec := range sections {
			for _, r := range rows {
				cur = r.from
				if _, err = sec.to.Write(sec.of(r)); err != nil {
					return
				}
			}
		}
	})
	if failed || err != nil {
		return "", cur, err
	}
	h.indexSum = index.Sum32()
	if err := w.Flush(); err != nil {
		return "", nil, err
	}
	if _, err := tmp.WriteAt(h.encode(), 0); err != nil {
		return "", nil, err
	}
	return hex.EncodeToString(id.Sum(nil)[:12]) + suffix, nil, tmp.Sync()
}

// sweepTemps removes what processes that died left. Age is told by the file
// system's own clock. A file that cannot be removed is left for the next time.
func (s *Store) sweepTemps(tmp *os.File) {
	now, err := tmp.Stat()
	if err != nil {
		return
	}
	left, err := filepath.Glob(filepath.Join(s.dir, tmpPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range left {
		if fi, err := os.Lstat(path); err == nil && now.ModTime().Sub(fi.ModTime()) > staleTemp {
			_ = os.Remove(path)
		}
	}
}
