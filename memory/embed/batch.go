package embed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// hopeless: after this many texts that were refused one by one, and none that was
// taken, the server is at fault and not the texts.
const hopeless = 8

// Embed implements Embedder.
func (c *client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	r := &run{client: c, texts: make([]string, len(texts)), out: make([][]float32, len(texts))}
	var todo []int
	for i, t := range texts {
		r.texts[i] = prepare(t)
		if strings.TrimSpace(r.texts[i]) == "" {
			r.bad = append(r.bad, &TextError{Index: i, Reason: "it is empty"})
			continue
		}
		todo = append(todo, i)
	}
	var err error
	for len(todo) > 0 && err == nil {
		n := r.fits(todo)
		_, err = r.batch(ctx, todo[:n])
		todo = todo[n:]
	}
	if len(r.bad) == 0 {
		return r.out, err
	}
	slices.SortFunc(r.bad, func(a, b *TextError) int { return a.Index - b.Index })
	if err == nil {
		return r.out, r.bad
	}
	return r.out, errors.Join(err, r.bad)
}

// prepare makes a text one that every server takes: valid UTF-8 without NUL, at
// most MaxText bytes.
func prepare(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	if len(text) <= MaxText {
		return text
	}
	end := MaxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// run is one call of Embed.
type run struct {
	*client
	texts []string
	out   [][]float32
	bad   TextErrors
	taken int // texts that got a vector
}

// fits returns how many of the next texts make a batch, at least one.
func (r *run) fits(todo []int) int {
	limit := r.learnt()
	size := 0
	for n, i := range todo {
		size += len(r.texts[i])
		if n == limit || n > 0 && size > maxBatchBytes {
			return n
		}
	}
	return len(todo)
}

func (c *client) learnt() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// batch embeds the texts at idx. whole: the server took them in one request.
func (r *run) batch(ctx context.Context, idx []int) (whole bool, err error) {
	texts := make([]string, len(idx))
	for n, i := range idx {
		texts[n] = r.texts[i]
	}
	vectors, err := r.request(ctx, texts)
	var refused *refusedError
	switch {
	case errors.As(err, &refused) && len(idx) > 1:
		return false, r.halve(ctx, idx)
	case errors.As(err, &refused):
		return false, r.refuse(idx[0], refused)
	case err != nil:
		return false, err
	}
	for n, v := range vectors {
		if v.bad != "" {
			r.bad = append(r.bad, &TextError{Index: idx[n], Reason: v.bad, Hint: "try another model: git config claw.embedderModel " + r.example})
			continue
		}
		r.out[idx[n]] = v.v
		r.taken++
	}
	return true, nil
}

// halve sends a batch that was refused as two. When both are taken as they are it
// was the number that was too large, which is remembered; a single text that is
// too long never gets there.
func (r *run) halve(ctx context.Context, idx []int) error {
	half := (len(idx) + 1) / 2
	first, err := r.batch(ctx, idx[:half])
	if err != nil {
		return err
	}
	second, err := r.batch(ctx, idx[half:])
	if err == nil && first && second {
		r.mu.Lock()
		r.limit = min(r.limit, half)
		r.mu.Unlock()
	}
	return err
}

// refuse notes a text that the server does not take alone either.
func (r *run) refuse(i int, why *refusedError) error {
	r.bad = append(r.bad, &TextError{Index: i, Reason: why.message, Hint: "try a model for longer texts: git config claw.embedderModel " + r.example})
	if r.taken == 0 && len(r.bad) >= hopeless {
		return &UnavailableError{URL: r.shown, Status: why.status, Reason: "it refuses every text: " + why.message}
	}
	return nil
}
