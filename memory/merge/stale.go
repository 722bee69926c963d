package merge

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/git-claw/git-claw/memory/doc"
)

// Stale reports whether a file looks written by somebody who had read it before something
// came into it: base is the file before, came the file with that, now what became of it,
// and work what was written. It has nothing of what came and still is there, all of base,
// at most edited, and something new of its own. One that is as base again, that has less
// than base or nothing new, was written by somebody who knew what they did.
func Stale(kind Kind, base, came, now, work []byte) bool {
	if bytes.Equal(now, work) || binary(came) || binary(now) || binary(work) || binary(base) {
		return false
	}
	base, came, now, work = toLF(base), toLF(came), toLF(now), toLF(work)
	switch kind {
	case Derived:
		return false
	case JSON:
		return staleValues(base, came, now, work)
	case Markdown, Daily, Lessons, Candidate:
		return stale(entriesOf(base), entriesOf(came), entriesOf(now), entriesOf(work)) && !lacks(base, work)
	}
	b, w := linesOf(base), linesOf(work)
	return stale(b, linesOf(came), linesOf(now), w) && len(beyond(b, w)) == 0
}

// unit is an entry, or a line, as it is compared.
type unit struct {
	kind doc.Kind
	text string
}

func entriesOf(text []byte) []unit {
	var out []unit
	for _, e := range doc.Parse(text).Entries {
		out = append(out, unit{e.Kind, string(e.Text())})
	}
	return out
}

func linesOf(text []byte) []unit {
	var out []unit
	for _, l := range doc.SplitLines(text) {
		if l = bytes.TrimSpace(l); len(l) > 0 {
			out = append(out, unit{doc.Paragraph, string(l)})
		}
	}
	return out
}

// beyond lists what the one has more of than the other.
func beyond(some, other []unit) []unit {
	n := make(map[unit]int, len(other))
	for _, u := range other {
		n[u]++
	}
	var out []unit
	for _, u := range some {
		if n[u]--; n[u] < 0 {
			out = append(out, u)
		}
	}
	return out
}

// shared lists what is in the one and in the other.
func shared(some, other []unit) []unit { return beyond(some, beyond(some, other)) }

func stale(base, with, now, work []unit) bool {
	// Two machines write the same title over their notes of one day, and their own
	// frontmatter: that tells nothing, unless nothing else came.
	came, went, own := beyond(with, base), beyond(base, with), beyond(work, base)
	came = shared(came, now)        // the rest was taken out since
	went = beyond(went, now)        // or put back
	if len(beyond(own, now)) == 0 { // and this is no news
		return false
	}
	if c, w := telling(came), telling(went); len(c)+len(w) > 0 {
		came, went = c, w
	}
	if len(came)+len(went) == 0 || len(telling(own)) == 0 {
		return false
	}
	// All that went is back, nothing of what came is there, and nobody wrote it over.
	return len(beyond(went, work)) == 0 && len(beyond(came, own)) == len(came) && !rewritten(came, own)
}

func telling(units []unit) []unit {
	return slices.DeleteFunc(slices.Clone(units), func(u unit) bool { return u.kind == doc.Heading || u.kind == doc.Frontmatter })
}

// rewritten reports whether something of one's own has all words of something that came:
// who wrote it has read that. Less likeness tells nothing of two lines that two agents wrote.
func rewritten(came, own []unit) bool {
	if len(came)*len(own) > maxPairs {
		return false
	}
	sets := make([][]uint64, len(own))
	for i, u := range own {
		sets[i] = doc.WordSet([]byte(u.text))
	}
	for _, c := range came {
		words := doc.WordSet([]byte(c.text))
		for i, u := range own {
			if u.kind == c.kind && len(words) > 0 && within(words, sets[i]) {
				return true
			}
		}
	}
	return false
}

// within reports whether a sorted set is in another one.
func within(set, other []uint64) bool {
	for _, x := range set {
		if _, ok := slices.BinarySearch(other, x); !ok {
			return false
		}
	}
	return true
}

// lacks reports whether entries are gone.
func lacks(base, work []byte) bool {
	return slices.ContainsFunc(doc.Diff(base, work), func(c doc.Change) bool { return c.Kind == doc.Deleted })
}

// staleValues is for JSON: what came are values, and an edit is another one at the same key.
func staleValues(base, with, now, work []byte) bool {
	var values [4]map[string]string
	for i, text := range [4][]byte{base, with, now, work} {
		var ok bool
		if values[i], ok = valuesOf(text); !ok {
			return false
		}
	}
	b, c, n, w := values[0], values[1], values[2], values[3]
	came, own := false, false
	for _, m := range values {
		for key := range m {
			was, there := b[key]
			news := c[key] != was && n[key] == c[key] // and nobody set it since
			came = came || news
			own = own || w[key] != was && w[key] != n[key]
			if news && w[key] != was || there && w[key] == "" {
				return false
			}
			if c[key] != was && !news && w[key] != n[key] {
				return false // it was set since, and this is another value
			}
		}
	}
	return came && own
}

// valuesOf returns the values of JSON that are no objects, by their keys from the top.
func valuesOf(text []byte) (map[string]string, bool) {
	out := map[string]string{}
	if len(bytes.TrimSpace(text)) == 0 {
		return out, true
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(text, &top) != nil {
		return nil, false
	}
	var walk func(at string, m map[string]json.RawMessage)
	walk = func(at string, m map[string]json.RawMessage) {
		for name, raw := range m {
			key, _ := json.Marshal(name)
			var below map[string]json.RawMessage
			if json.Unmarshal(raw, &below) == nil && below != nil {
				walk(at+string(key), below)
				continue
			}
			var flat bytes.Buffer
			_ = json.Compact(&flat, raw) // it was read before
			out[at+string(key)] = flat.String()
		}
	}
	walk("", top)
	return out, true
}
