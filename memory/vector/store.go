package vector

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const (
	suffix    = ".vec"
	tmpPrefix = "tmp-"

	unreadable = "it cannot be read"
)

// Store is the vectors of one embedder in one directory. It is safe for
// concurrent use; what other processes add is seen by a store opened later.
type Store struct {
	dir      string
	embedder string

	mu      sync.RWMutex
	dim     int     // 0: not known yet
	files   []*file // largest first, then by path
	foreign int
	corrupt []*CorruptError // found when opening; later ones are kept with the file
}

// Stat is what a store holds.
type Stat struct {
	Embedder string
	Dim      int // 0: no vector yet
	Files    int
	Vectors  int   // one that two files hold counts twice, until they are merged
	Bytes    int64 // on disk, without what follows
	Foreign  int   // files of other embedders or dims
	Damaged  []*CorruptError
}

// Open opens the store in dir, which need not exist, for one embedder. dim 0
// takes the dim of the vectors that are there, or else of the first ones added.
// Damaged files and those of other embedders are passed over: see Stat.
func Open(dir, embedder string, dim int) (*Store, error) {
	if embedder == "" || len(embedder) > maxEmbedder {
		return nil, fmt.Errorf("open vectors: embedder id of %d bytes, expected 1 to %d", len(embedder), maxEmbedder)
	}
	if dim < 0 || dim > MaxDim {
		return nil, fmt.Errorf("open vectors: %w: %d, expected 1 to %d", ErrDim, dim, MaxDim)
	}
	s := &Store{dir: dir, embedder: embedder, dim: dim}
	// A merge of another process may remove files between the listing and the
	// opening; its result is found by listing again.
	for range 3 {
		again, err := s.load()
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		if !again {
			break
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.files, func(a, b *file) int {
		if a.count != b.count {
			return b.count - a.count
		}
		return strings.Compare(a.path, b.path)
	})
	if s.dim == 0 && len(s.files) > 0 {
		s.dim = s.files[0].dim
	}
	return s, s.dropOtherDims()
}

// load opens all files; again: one vanished.
func (s *Store) load() (again bool, err error) {
	s.files, s.corrupt, s.foreign = nil, nil, 0
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("open vectors: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) || strings.HasPrefix(e.Name(), tmpPrefix) {
			continue
		}
		f, err := openFile(filepath.Join(s.dir, e.Name()), s.embedder, s.dim)
		var damaged *CorruptError
		switch {
		case err == nil:
			s.files = append(s.files, f)
		case errors.Is(err, errForeign):
			s.foreign++
		case errors.As(err, &damaged):
			s.corrupt = append(s.corrupt, damaged)
		case errors.Is(err, fs.ErrNotExist):
			again = true
		default:
			return false, fmt.Errorf("open vectors: %w", err)
		}
	}
	return again, nil
}

// dropOtherDims counts as foreign what a store opened with dim 0 took in beside
// the vectors it settled on.
func (s *Store) dropOtherDims() error {
	var keep, drop []*file
	for _, f := range s.files {
		if f.dim == s.dim {
			keep = append(keep, f)
		} else {
			drop = append(drop, f)
		}
	}
	s.files = keep
	s.foreign += len(drop)
	return release(drop)
}

// release gives the memory of files back.
func release(files []*file) error {
	var all []error
	for _, f := range files {
		all = append(all, f.release())
	}
	return errors.Join(all...)
}

// Close gives back the memory of the store, which is empty afterwards.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := release(s.files)
	s.files = nil
	return err
}

// Has reports whether the vector of a chunk is there and undamaged.
func (s *Store) Has(hash [16]byte) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.has(hash)
}

func (s *Store) has(hash [16]byte) bool {
	for _, f := range s.files {
		if f.damage.Load() != nil {
			continue
		}
		found := false
		fault := guard(func() {
			i := f.find(hash)
			found = i >= 0 && f.sound(i)
		})
		if fault {
			f.blame()
		} else if found {
			return true
		}
	}
	return false
}

// Stat counts what is there. Damaged names the files that were found damaged up
// to now.
func (s *Store) Stat() Stat {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := Stat{Embedder: s.embedder, Dim: s.dim, Foreign: s.foreign, Damaged: slices.Clone(s.corrupt)}
	for _, f := range s.files {
		if e := f.damage.Load(); e != nil {
			out.Damaged = append(out.Damaged, e)
			continue
		}
		if e := f.flaw.Load(); e != nil {
			out.Damaged = append(out.Damaged, e)
		}
		out.Files++
		out.Vectors += f.count
		out.Bytes += f.layout().size
	}
	return out
}

// Drop removes all vectors, of all embedders, and the directory if nothing else
// is in it.
func (s *Store) Drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []error{release(s.files)}
	s.files, s.corrupt, s.foreign = nil, nil, 0
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(all...)
	}
	all = append(all, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			all = append(all, remove(filepath.Join(s.dir, e.Name())))
		}
	}
	_ = os.Remove(s.dir) // fails while something else is in it, which stays
	if err := errors.Join(all...); err != nil {
		return fmt.Errorf("drop vectors: %w", err)
	}
	return nil
}

// remove removes a file that may be gone already.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
