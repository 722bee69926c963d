// Package embedtest embeds texts without a model, for tests of search: vectors are
// bags of words, and words can be told to mean the same. A test checks that the
// product does not reach it.
package embedtest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"unicode"
)

// Bag is an embed.Embedder whose vectors have a cosine of 1 when they hold the
// same words as often, and near 0 when they share none.
type Bag struct {
	dim   int
	same  map[string]string
	texts atomic.Int64
}

// New makes an embedder of dim components. Each group of words means the same:
// New(64, []string{"car", "automobile"}) finds a note on an automobile by "car".
func New(dim int, groups ...[]string) *Bag {
	b := &Bag{dim: dim, same: map[string]string{}}
	for _, g := range groups {
		for _, word := range g {
			b.same[strings.ToLower(word)] = strings.ToLower(g[0])
		}
	}
	return b
}

// ID implements embed.Embedder.
func (b *Bag) ID() string { return fmt.Sprintf("test/bag/%d", b.dim) }

// Dim implements embed.Embedder.
func (b *Bag) Dim() int { return b.dim }

// Texts counts the texts embedded so far, to see what a cache spares.
func (b *Bag) Texts() int { return int(b.texts.Load()) }

// Embed implements embed.Embedder. It fails only with ctx.
func (b *Bag) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		out[i] = b.vector(t)
		b.texts.Add(1)
	}
	return out, nil
}

// vector adds one direction a word, the same for the same word everywhere, and
// scales to length 1. A text without words has a direction of its own.
func (b *Bag) vector(text string) []float32 {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		words = []string{""}
	}
	v := make([]float32, b.dim)
	for _, w := range words {
		if other, ok := b.same[w]; ok {
			w = other
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(w)) // never fails
		seed := h.Sum64()
		for i := range v {
			// A step of SplitMix64: components of equal weight and random sign.
			seed += 0x9e3779b97f4a7c15
			x := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
			x = (x ^ x>>27) * 0x94d049bb133111eb
			v[i] += float32(int(x>>63)*2 - 1)
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 { // words that cancel out
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// Handler serves b as OpenAI does (below /v1) and as Ollama does, for tests that
// start the program with claw.embedderUrl.
func (b *Bag) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", b.serve(func(v [][]float32) any {
		type item struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var data []item
		for i := len(v) - 1; i >= 0; i-- { // in an order of its own, as is allowed
			data = append(data, item{i, v[i]})
		}
		return map[string]any{"object": "list", "data": data}
	}))
	mux.HandleFunc("POST /api/embed", b.serve(func(v [][]float32) any {
		return map[string]any{"embeddings": v}
	}))
	return mux
}

func (b *Bag) serve(reply func([][]float32) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model == "" {
			http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
			return
		}
		v, err := b.Embed(r.Context(), in.Input)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(reply(v)) // a caller that left needs no answer
	}
}
