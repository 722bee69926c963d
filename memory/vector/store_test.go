package vector_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/vector"
)

func TestStoreKeepsVectors(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index", "vectors")
	s := open(t, dir, 0)
	if st := s.Stat(); st.Vectors != 0 || st.Dim != 0 || s.Has(hashOf(1)) {
		t.Errorf("an empty store has %+v", st)
	}
	if got := scan(t, s, []float32{1, 2}, 3, nil); got != nil {
		t.Errorf("an empty store found %v", got)
	}
	entries := some(1, 0, 100, 70)
	add(t, s, entries)
	for _, s := range []*vector.Store{s, open(t, dir, 0), open(t, dir, 70)} {
		for _, e := range entries {
			if !s.Has(e.Hash) {
				t.Fatalf("%x is gone", e.Hash)
			}
		}
		if s.Has(hashOf(100)) {
			t.Error("has what was never added")
		}
		fi, err := os.Stat(only(t, dir))
		if err != nil {
			t.Fatal(err)
		}
		want := vector.Stat{Embedder: model, Dim: 70, Files: 1, Vectors: 100, Bytes: fi.Size()}
		if st := s.Stat(); fmt.Sprint(st) != fmt.Sprint(want) {
			t.Errorf("stat is %+v, expected %+v", st, want)
		}
		if got := scan(t, s, entries[7].Vec, 1, nil); got[0].Hash != entries[7].Hash || got[0].Cos < 0.999 || got[0].Cos > 1.001 {
			t.Errorf("found %v", got)
		}
	}
}

func TestOpenRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	long := string(make([]byte, 2000))
	for _, c := range []struct {
		embedder string
		dim      int
	}{{"", 3}, {long, 3}, {model, -1}, {model, vector.MaxDim + 1}} {
		if _, err := vector.Open(t.TempDir(), c.embedder, c.dim); err == nil {
			t.Errorf("opened with embedder of %d bytes, dim %d", len(c.embedder), c.dim)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := vector.Open(file, model, 3); err == nil {
		t.Error("opened a file")
	}
}

func TestAddRefusesBadVectors(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		vec  []float32
		want error
	}{
		{[]float32{1, 2}, vector.ErrDim},
		{nil, vector.ErrDim},
		{[]float32{1, nan, 2}, vector.ErrNotFinite},
		{[]float32{1, 2, inf}, vector.ErrNotFinite},
		{[]float32{0, 0, 0}, vector.ErrZero},
	} {
		s := open(t, t.TempDir(), 3)
		err := s.Add([]vector.Entry{{Hash: hashOf(1), Vec: []float32{1, 2, 3}}, {Hash: hashOf(2), Vec: c.vec}})
		var bad *vector.VectorError
		if !errors.As(err, &bad) || bad.Index != 1 || !errors.Is(err, c.want) {
			t.Errorf("%v gives %v, expected %v of vector 1", c.vec, err, c.want)
		}
		if s.Has(hashOf(1)) {
			t.Errorf("%v: half of it was written", c.vec)
		}
		if _, err := s.Scan(c.vec, 1, nil); !errors.Is(err, c.want) || !errors.As(err, &bad) || bad.Index != -1 {
			t.Errorf("a query of %v gives %v", c.vec, err)
		}
	}
	s := open(t, t.TempDir(), 0)
	if err := s.Add([]vector.Entry{{Vec: make([]float32, vector.MaxDim+1)}}); !errors.Is(err, vector.ErrDim) {
		t.Errorf("too many components give %v", err)
	}
	tiny := float32(math.SmallestNonzeroFloat32)
	add(t, s, []vector.Entry{{Hash: hashOf(1), Vec: []float32{tiny, -tiny}}, {Hash: hashOf(2), Vec: []float32{math.MaxFloat32, -math.MaxFloat32}}})
	for _, m := range scan(t, s, []float32{3, -3}, 2, nil) {
		if math.Abs(float64(m.Cos)-1) > 0.001 {
			t.Errorf("the length of %x matters: %v", m.Hash, m.Cos)
		}
	}
}

func TestOtherModelsArePassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, open(t, dir, 8), some(1, 0, 10, 8))
	add(t, open(t, dir, 9), some(2, 0, 5, 9)) // the model learnt another dim
	other, err := vector.Open(dir, "test/other", 0)
	if err != nil {
		t.Fatal(err)
	}
	if st := other.Stat(); st.Vectors != 0 || st.Foreign != 2 || len(st.Damaged) != 0 || other.Has(hashOf(1)) {
		t.Errorf("the other model has %+v", st)
	}
	s := open(t, dir, 0)
	if st := s.Stat(); st.Dim != 8 || st.Vectors != 10 || st.Foreign != 1 {
		t.Errorf("without a dim: %+v", st)
	}
	if n, err := s.Keep(all); n != 0 || err != nil {
		t.Errorf("dropped %d, %v", n, err)
	}
	if st := s.Stat(); st.Foreign != 0 || st.Vectors != 10 || len(names(t, dir)) != 1 {
		t.Errorf("after Keep: %+v", st)
	}
	if err := other.Drop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Drop the directory is there: %v", err)
	}
	if err := other.Drop(); err != nil {
		t.Errorf("dropped twice: %v", err)
	}
	if got := scan(t, s, some(1, 0, 1, 8)[0].Vec, 3, nil); len(got) != 3 {
		t.Errorf("an open store lost its vectors: %v", got)
	}
}

func TestFewFilesStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, 4)
	add(t, s, nil)
	for i := range 200 {
		n := 1 + i*7%13
		add(t, s, some(uint64(i), i*10, n, 4))
		add(t, s, some(99, i*10, n, 4)) // known already
		if files := names(t, dir); len(files) > 8 {
			t.Fatalf("%d files after %d times", len(files), i)
		}
	}
	want := 0
	for i := range 200 {
		n := 1 + i*7%13
		want += min(n, 10)
		if i == 199 {
			want += max(n-10, 0)
		}
	}
	if st := s.Stat(); st.Vectors != want {
		t.Errorf("%d vectors, expected %d", st.Vectors, want)
	}
}

// TestLikeAMap runs random operations on a store and on a map.
func TestLikeAMap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		dir := t.TempDir()
		s := open(t, dir, 5)
		want := map[[16]byte]bool{}
		for range 120 {
			switch r.IntN(5) {
			case 0:
				s = open(t, dir, 5)
			case 1:
				cut := r.IntN(100)
				alive := func(h [16]byte) bool { return int(h[15])%100 >= cut || cut > 60 }
				before := len(want)
				maps.DeleteFunc(want, func(h [16]byte, _ bool) bool { return !alive(h) })
				n, err := s.Keep(alive)
				if err != nil || n != before-len(want) {
					t.Fatalf("dropped %d, expected %d: %v", n, before-len(want), err)
				}
			default:
				entries := some(r.Uint64(), r.IntN(400), r.IntN(60), 5)
				for _, e := range entries {
					want[e.Hash] = true
				}
				add(t, s, entries)
			}
			if st := s.Stat(); st.Vectors != len(want) || len(st.Damaged) != 0 || len(names(t, dir)) != st.Files || st.Files > 8 {
				t.Fatalf("seed %d: %+v, expected %d vectors", seed, st, len(want))
			}
			for i := range 460 {
				if s.Has(hashOf(i)) != want[hashOf(i)] {
					t.Fatalf("seed %d: has %d: %v", seed, i, s.Has(hashOf(i)))
				}
			}
		}
	}
}

func TestKeepWritesNothingWithoutNeed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, 3)
	add(t, s, some(1, 0, 10, 3))
	before, err := os.Stat(only(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Keep(all); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(only(t, dir))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was written again (%v)", err)
	}
	if n, err := s.Keep(func([16]byte) bool { return false }); n != 10 || err != nil || len(names(t, dir)) != 0 {
		t.Errorf("dropped %d of 10, files %q: %v", n, names(t, dir), err)
	}
}

// TestKilledMerge puts back the files that a merge had not removed yet.
func TestKilledMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, 6)
	first := some(1, 0, 20, 6)
	add(t, s, first)
	path := only(t, dir)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := some(2, 20, 30, 6)
	add(t, s, second) // absorbs the first file
	if only(t, dir) == path {
		t.Fatal("nothing was merged")
	}
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, 6)
	if st := s.Stat(); st.Files != 2 || st.Vectors != 70 {
		t.Fatalf("stat is %+v", st)
	}
	want := nearest(append(first, second...), first[3].Vec, 50)
	for i, m := range scan(t, s, first[3].Vec, 60, nil) {
		if i >= len(want) || i < 3 && m.Hash != want[i] {
			t.Errorf("match %d is %x", i, m.Hash)
		}
	}
	add(t, s, some(3, 50, 60, 6))
	if st := s.Stat(); st.Files != 1 || st.Vectors != 110 {
		t.Errorf("after a merge: %+v", st)
	}
}

func TestLeftTempsAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, young := filepath.Join(dir, "tmp-1"), filepath.Join(dir, "tmp-2")
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, []byte("clawvec\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, 2)
	add(t, s, some(1, 0, 3, 2))
	files := names(t, dir)
	if slices.Contains(files, "tmp-1") || !slices.Contains(files, "tmp-2") || len(files) != 2 {
		t.Errorf("files are %q", files)
	}
	if st := s.Stat(); len(st.Damaged) != 0 {
		t.Errorf("a temporary file counts as damaged: %+v", st)
	}
}

// TestTwoWriters: stores that know nothing of each other lose nothing.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := range 30 {
				s, err := vector.Open(dir, model, 3)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Add(some(uint64(w), w*1000+i*5, 5, 3)); err != nil {
					t.Error(err)
				}
				if _, err := s.Scan([]float32{1, 2, 3}, 4, nil); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := open(t, dir, 3)
	for w := range 3 {
		for i := range 150 {
			if !s.Has(hashOf(w*1000 + i)) {
				t.Errorf("vector %d of writer %d is lost", i, w)
			}
		}
	}
	if st := s.Stat(); len(st.Damaged) != 0 {
		t.Errorf("damaged: %v", st.Damaged)
	}
}

// TestSharedStore uses one store from several goroutines.
func TestSharedStore(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 3)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 20 {
				if err := s.Add(some(uint64(w), w*1000+i, 1, 3)); err != nil {
					t.Error(err)
				}
				if _, err := s.Scan([]float32{1, 2, 3}, 4, nil); err != nil || !s.Has(hashOf(w*1000+i)) {
					t.Errorf("scan: %v", err)
				}
				if _, err := s.Keep(all); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if st := s.Stat(); st.Vectors != 80 {
		t.Errorf("stat is %+v", st)
	}
}
