package vector_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-claw/git-claw/memory/vector"
)

const model = "test/model"

func hashOf(n int) (h [16]byte) {
	binary.BigEndian.PutUint64(h[8:], uint64(n))
	// Spread like a real hash.
	binary.BigEndian.PutUint64(h[:], uint64(n)*0x9e3779b97f4a7c15)
	return h
}

func random(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return unit(v)
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// near gives a direction near to a: a plus a bit of b.
func near(a, b []float32) []float32 {
	out := make([]float32, len(a))
	for i := range a {
		out[i] = a[i] + 0.8*b[i]
	}
	return unit(out)
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// some makes n random entries with hashes from..from+n-1.
func some(seed uint64, from, n, dim int) []vector.Entry {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]vector.Entry, n)
	for i := range out {
		out[i] = vector.Entry{Hash: hashOf(from + i), Vec: random(r, dim)}
	}
	return out
}

func open(t testing.TB, dir string, dim int) *vector.Store {
	t.Helper()
	s, err := vector.Open(dir, model, dim)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func add(t testing.TB, s *vector.Store, entries []vector.Entry) {
	t.Helper()
	if err := s.Add(entries); err != nil {
		t.Fatal(err)
	}
}

func scan(t testing.TB, s *vector.Store, q []float32, k int, alive func([16]byte) bool) []vector.Match {
	t.Helper()
	out, err := s.Scan(q, k, alive)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// names lists what lies in a directory.
func names(t testing.TB, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// only gives the path of the single vector file.
func only(t testing.TB, dir string) string {
	t.Helper()
	all := names(t, dir)
	if len(all) != 1 {
		t.Fatalf("files are %q", all)
	}
	return filepath.Join(dir, all[0])
}

// nearest is what Scan should give, computed from the vectors as they were.
func nearest(entries []vector.Entry, q []float32, k int) [][16]byte {
	type scored struct {
		hash [16]byte
		cos  float64
	}
	all := make([]scored, len(entries))
	for i, e := range entries {
		all[i] = scored{e.Hash, cosine(e.Vec, q)}
	}
	slices.SortFunc(all, func(a, b scored) int {
		if a.cos > b.cos {
			return -1
		}
		return 1
	})
	var out [][16]byte
	for _, s := range all[:min(k, len(all))] {
		out = append(out, s.hash)
	}
	return out
}

func all([16]byte) bool { return true }
