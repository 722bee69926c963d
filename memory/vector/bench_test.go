package vector_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/git-claw/git-claw/memory/vector"
)

// fill makes a store of n vectors in clusters, as notes have them.
func fill(b *testing.B, dir string, n int) (query []float32) {
	b.Helper()
	const dim = 384
	r := rand.New(rand.NewPCG(3, 4))
	centres := make([][]float32, n/50+1)
	for i := range centres {
		centres[i] = random(r, dim)
	}
	entries := make([]vector.Entry, n)
	for i := range entries {
		entries[i] = vector.Entry{Hash: hashOf(i), Vec: near(centres[r.IntN(len(centres))], random(r, dim))}
	}
	s, err := vector.Open(dir, model, dim)
	if err != nil {
		b.Fatal(err)
	}
	add(b, s, entries)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return near(centres[0], random(r, dim))
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{5000, 20000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			q := fill(b, dir, n)
			s := open(b, dir, 384)
			for b.Loop() {
				if got := scan(b, s, q, 50, nil); len(got) != 50 {
					b.Fatal(len(got))
				}
			}
		})
	}
}

// BenchmarkCold is what a command pays: open, one scan, close.
func BenchmarkCold(b *testing.B) {
	dir := b.TempDir()
	q := fill(b, dir, 100000)
	for b.Loop() {
		s, err := vector.Open(dir, model, 384)
		if err != nil {
			b.Fatal(err)
		}
		scan(b, s, q, 50, nil)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 100000)
	for b.Loop() {
		s, err := vector.Open(dir, model, 384)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHas(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 100000)
	s := open(b, dir, 384)
	for i := 0; b.Loop(); i++ {
		if !s.Has(hashOf(i % 100000)) {
			b.Fatal("gone")
		}
	}
}

// BenchmarkAdd adds a batch of an embedder to a large store, merges included.
func BenchmarkAdd(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 50000)
	s := open(b, dir, 384)
	batch := some(9, 1<<20, 64, 384)
	for i := 0; b.Loop(); i++ {
		for j := range batch {
			batch[j].Hash = hashOf(1<<20 + i*64 + j)
		}
		add(b, s, batch)
	}
}
