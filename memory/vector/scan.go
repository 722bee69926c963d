package vector

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

const (
	// exactBelow: up to this many vectors all are scored.
	exactBelow = 5000
	// A scan scores at least one vector in candidateShare, and candidatesPer for
	// each result. Measured on 100,000 made-up vectors of 384 components (clusters,
	// a common direction, few directions) for the best 50: an eighth keeps 99.5 to
	// 100 % of them; it takes as long as reading the bits.
	candidateShare = 8
	candidatesPer  = 32

	planes   = 4 // bits of a component of the query in the prefilter
	maxLevel = 1<<planes - 1
	clip     = 3 // standard deviations at which a component is cut for that
)

// Match is a vector near to a query. Cos is their cosine, -1 to 1.
type Match struct {
	Hash [16]byte
	Cos  float32
}

// Scan returns the k nearest vectors that alive (nil: all) wants, the nearest
// first, equal ones by hash; fewer if there are fewer. alive is called for
// candidates only and must not call the store. The error is a *VectorError: the
// query cannot be compared.
func (s *Store) Scan(query []float32, k int, alive func(hash [16]byte) bool) ([]Match, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	want := s.dim
	if want == 0 {
		want = len(query)
	}
	if err := check(query, want); err != nil {
		return nil, &VectorError{Index: -1, Got: len(query), Want: want, Err: err}
	}
	if k <= 0 || len(s.files) == 0 {
		return nil, nil
	}
	q := newQuery(query)
	for {
		sc := scanner{query: q, k: k, alive: alive}
		for _, f := range s.files {
			if f.damage.Load() == nil {
				sc.files = append(sc.files, f)
				sc.total += f.count
			}
		}
		if !guard(sc.run) {
			return sc.best, nil
		}
		sc.cur.blame() // and again without it
	}
}

// query is a vector prepared for both passes. Everything is in whole numbers, so
// that all machines give the same order.
type query struct {
	comps  []int32 // at most 1<<15
	length float64 // of comps
	planes []uint64
}

func newQuery(v []float32) query {
	top := float64(maxAbs(v))
	q := query{comps: make([]int32, len(v))}
	var sum int64
	for i, x := range v {
		c := int64(math.Round(float64(x) / top * (1<<15 - 1)))
		q.comps[i] = int32(c)
		sum += c * c
	}
	q.length = math.Sqrt(float64(sum))
	// The levels of the prefilter are spread over what most components are: one
	// large component would leave a few levels to all others.
	limit := min(clip*q.length/math.Sqrt(float64(len(v))), 1<<15-1)
	q.planes = make([]uint64, (len(v)+63)/64*planes)
	for i, c := range q.comps {
		x := max(-limit, min(limit, float64(c)))
		level := uint64(math.Round((x + limit) / (2 * limit) * maxLevel))
		for p := range planes {
			q.planes[i/64*planes+p] |= level >> p & 1 << (i % 64)
		}
	}
	return q
}

// estimate gives a number that grows with the cosine: the sum of the query's
// levels, made symmetric around zero, where the vector's sign bit is set.
// Range: plus and minus maxLevel * dim.
func (q *query) estimate(sign []byte) int32 {
	var sum, ones int
	p := q.planes
	for len(sign) >= 8 && len(p) >= planes {
		b := binary.LittleEndian.Uint64(sign)
		ones += bits.OnesCount64(b)
		sum += bits.OnesCount64(b&p[0]) + bits.OnesCount64(b&p[1])<<1 +
			bits.OnesCount64(b&p[2])<<2 + bits.OnesCount64(b&p[3])<<3
		sign, p = sign[8:], p[planes:]
	}
	return int32(2*sum - maxLevel*ones)
}

// dot multiplies int8 components with the query's.
func (q *query) dot(comps []byte) int64 {
	a := q.comps
	var s0, s1, s2, s3 int64
	for len(comps) >= 4 && len(a) >= 4 {
		s0 += int64(int8(comps[0])) * int64(a[0])
		s1 += int64(int8(comps[1])) * int64(a[1])
		s2 += int64(int8(comps[2])) * int64(a[2])
		s3 += int64(int8(comps[3])) * int64(a[3])
		comps, a = comps[4:], a[4:]
	}
	for i, c := range comps {
		s0 += int64(int8(c)) * int64(a[i])
	}
	return s0 + s1 + s2 + s3
}

// scanner is one scan.
type scanner struct {
	query
	k     int
	alive func([16]byte) bool
	files []*file
	total int
	best  []Match // nearest first, at most k, each hash once
	cur   *file   // being read, for guard
}

func (s *scanner) run() {
	if s.total <= exactBelow {
		for _, s.cur = range s.files {
			for i := range s.cur.count {
				if s.wanted(i) {
					s.score(i)
				}
			}
		}
		return
	}
	s.prefiltered(max(candidatesPer*s.k, s.total/candidateShare, exactBelow))
}

func (s *scanner) wanted(i int) bool {
	return s.alive == nil || s.alive(s.cur.hash(i))
}

// prefiltered scores the vectors with the highest estimates, until want of them
// were wanted by alive.
func (s *scanner) prefiltered(want int) {
	estimates := make([]int32, 0, s.total)
	offset := int32(maxLevel * len(s.comps))
	levels := make([]int32, 2*offset+1) // how many vectors have an estimate
	for _, s.cur = range s.files {
		width := s.cur.words() * 8
		for b := s.cur.bits; len(b) >= width; b = b[width:] {
			e := s.estimate(b[:width:width]) + offset
			estimates = append(estimates, e)
			levels[e]++
		}
	}
	high := int32(len(levels))
	for want > 0 && high > 0 {
		low, n := high, 0
		for low > 0 && n < want {
			low--
			n += int(levels[low])
		}
		want -= s.between(estimates, low, high)
		high = low
	}
}

// between scores the vectors whose estimate is in low..high-1, in the order they
// lie on disk, and returns how many alive wanted.
func (s *scanner) between(estimates []int32, low, high int32) (n int) {
	for _, s.cur = range s.files {
		for i, e := range estimates[:s.cur.count] {
			if e >= low && e < high && s.wanted(i) {
				s.score(i)
				n++
			}
		}
		estimates = estimates[s.cur.count:]
	}
	return n
}

// score puts vector i of the current file where it belongs among the best.
func (s *scanner) score(i int) {
	f := s.cur
	cos := float32(float64(s.dot(f.compsOf(i))) * float64(f.scale(i)) / s.length)
	if len(s.best) == s.k && cos < s.best[s.k-1].Cos {
		return
	}
	m := Match{Hash: f.hash(i), Cos: cos}
	at, _ := slices.BinarySearchFunc(s.best, m, compareMatch)
	if at == s.k || !f.sound(i) {
		return
	}
	// Two files hold the same vector when a merge was cut off.
	if old := slices.IndexFunc(s.best, func(b Match) bool { return b.Hash == m.Hash }); old >= 0 {
		if old < at || s.best[old] == m {
			return
		}
		s.best = slices.Delete(s.best, old, old+1)
	}
	s.best = slices.Insert(s.best, at, m)
	if len(s.best) > s.k {
		s.best = s.best[:s.k]
	}
}

func compareMatch(a, b Match) int {
	switch {
	case a.Cos > b.Cos:
		return -1
	case a.Cos < b.Cos:
		return 1
	}
	return bytes.Compare(a.Hash[:], b.Hash[:])
}
