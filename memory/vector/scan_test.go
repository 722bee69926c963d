package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/git-claw/git-claw/memory/vector"
)

func TestScanGivesTheCosine(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{1, 2, 3, 7, 63, 64, 65, 100, 384, 1536} {
		entries := some(uint64(dim), 0, 40, dim)
		s := open(t, t.TempDir(), dim)
		add(t, s, entries)
		q := some(99, 0, 1, dim)[0].Vec
		got := scan(t, s, q, 40, nil)
		if len(got) != 40 {
			t.Fatalf("dim %d: %d of 40", dim, len(got))
		}
		for _, m := range got {
			i := slices.IndexFunc(entries, func(e vector.Entry) bool { return e.Hash == m.Hash })
			if want := cosine(entries[i].Vec, q); math.Abs(want-float64(m.Cos)) > 0.01 {
				t.Errorf("dim %d: %v, expected %v", dim, m.Cos, want)
			}
		}
	}
}

func TestScanBounds(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 3)
	add(t, s, some(1, 0, 10, 3))
	q := []float32{1, 0, 0}
	for k, want := range map[int]int{-1: 0, 0: 0, 1: 1, 9: 9, 10: 10, 1000: 10} {
		if got := scan(t, s, q, k, nil); len(got) != want {
			t.Errorf("k %d gives %d", k, len(got))
		}
	}
	if got := scan(t, s, q, 5, func([16]byte) bool { return false }); len(got) != 0 {
		t.Errorf("the dead were found: %v", got)
	}
}

func TestTiesGoByHash(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 2)
	var want []vector.Entry
	for i := range 50 {
		want = append(want, vector.Entry{Hash: hashOf(i), Vec: []float32{float32(i + 1), float32(i + 1)}})
	}
	for i := len(want) - 1; i >= 0; i-- {
		add(t, s, want[i:i+1])
	}
	slices.SortFunc(want, func(a, b vector.Entry) int { return slices.Compare(a.Hash[:], b.Hash[:]) })
	for i, m := range scan(t, s, []float32{1, 1}, 20, nil) {
		if m.Hash != want[i].Hash {
			t.Fatalf("match %d is %x, expected %x", i, m.Hash, want[i].Hash)
		}
	}
}

// TestFilesDoNotMatter: how vectors are spread over files changes no result.
func TestFilesDoNotMatter(t *testing.T) {
	t.Parallel()
	entries := some(5, 0, 7000, 32)
	one, many := open(t, t.TempDir(), 32), open(t, t.TempDir(), 32)
	add(t, one, entries)
	for i := 0; i < len(entries); {
		n := min(3500>>(i*7/len(entries)), len(entries)-i)
		add(t, many, entries[i:i+n])
		i += n
	}
	if many.Stat().Files < 3 {
		t.Fatalf("stat is %+v", many.Stat())
	}
	for i := range 20 {
		q := some(uint64(100+i), 0, 1, 32)[0].Vec
		odd := func(h [16]byte) bool { return h[15]%2 == 1 }
		if a, b := scan(t, one, q, 30, odd), scan(t, many, q, 30, odd); !slices.Equal(a, b) {
			t.Fatalf("one file gives %v, many give %v", a, b)
		}
	}
}

// TestPrefilterLosesNothing measures what the sign bits cost, on data as bad as
// embeddings are: in clusters, all leaning one way, two components far larger
// than the others.
func TestPrefilterLosesNothing(t *testing.T) {
	t.Parallel()
	const n, dim, k = 20000, 128, 50
	r := rand.New(rand.NewPCG(7, 7))
	lean := random(r, dim)
	lean[3], lean[77] = 0.6, -0.5
	centres := make([][]float32, 400)
	for i := range centres {
		centres[i] = random(r, dim)
	}
	cluster := func() []float32 { return near(centres[r.IntN(len(centres))], random(r, dim)) }
	for name, draw := range map[string]func() []float32{
		"clusters": cluster,
		"leaning":  func() []float32 { return near(lean, cluster()) },
	} {
		entries := make([]vector.Entry, n)
		for i := range entries {
			entries[i] = vector.Entry{Hash: hashOf(i), Vec: draw()}
		}
		s := open(t, t.TempDir(), dim)
		add(t, s, entries)
		first, found := 0, 0
		const queries = 20
		for range queries {
			q := draw()
			want := nearest(entries, q, k)
			got := scan(t, s, q, k, nil)
			if len(got) != k {
				t.Fatalf("%d of %d", len(got), k)
			}
			for i, h := range want {
				if slices.ContainsFunc(got, func(m vector.Match) bool { return m.Hash == h }) {
					found++
					if i < 6 {
						first++
					}
				}
			}
		}
		if first < 6*queries || float64(found) < 0.98*k*queries {
			t.Errorf("%s: %d of the best %d, %d of %d", name, first, 6*queries, found, k*queries)
		}
	}
}

// TestFewAlive: the candidates go on until enough of them are wanted.
func TestFewAlive(t *testing.T) {
	t.Parallel()
	entries := some(11, 0, 12000, 24)
	s := open(t, t.TempDir(), 24)
	add(t, s, entries)
	wanted := map[[16]byte]bool{}
	for i := 0; i < len(entries); i += 1000 {
		wanted[entries[i].Hash] = true
	}
	calls := 0
	alive := func(h [16]byte) bool { calls++; return wanted[h] }
	if got := scan(t, s, entries[1].Vec, 50, alive); len(got) != 12 || calls != 12000 {
		t.Errorf("%d of 12 found, asked %d times", len(got), calls)
	}
	calls = 0
	if got := scan(t, s, entries[1].Vec, 50, func([16]byte) bool { calls++; return true }); len(got) != 50 || calls > 8000 {
		t.Errorf("%d of 50 found, asked %d times", len(got), calls)
	}
}
