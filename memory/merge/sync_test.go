package merge

import (
	"bytes"
	"strings"
	"testing"
)

// machine is a clone: its note, and the version that it and the remote last had in common.
type machine struct {
	text []byte
	base []byte
}

// TestSync lets machines work offline for a while and meet at a remote now and then, until all have
// said everything. Then all have the same bytes, each line that nobody edited or took out is there
// once, and nobody saw a conflict marker.
func TestSync(t *testing.T) {
	t.Parallel()
	for seed := range seeds(200) {
		w := newWorld(seed)
		remote := render(w.note(8))
		machines := make([]*machine, 3)
		for i := range machines {
			machines[i] = &machine{text: remote, base: remote}
		}
		touched := make(map[string]bool) // lines that some machine edited or took out
		sync := func(m *machine) {
			got := mustMerge(t, Markdown, m.base, m.text, remote)
			if bytes.Contains(got, []byte("<<<<<<<")) {
				t.Fatalf("seed %d: markers", seed)
			}
			m.text, m.base, remote = got, got, got
		}
		written := make(map[string]bool)
		for range 50 {
			m := machines[w.r.IntN(len(machines))]
			if w.r.IntN(4) == 0 {
				sync(m)
				continue
			}
			note := blocks(m.text)
			next := render(w.work(note, 1+w.r.IntN(3)))
			had, has := lineCounts(m.text), lineCounts(next)
			for l := range had {
				if has[l] == 0 {
					touched[l] = true
				}
			}
			for l := range has {
				written[l] = true
			}
			m.text = next
		}
		for range 2 {
			for _, m := range machines {
				sync(m)
			}
		}
		for _, m := range machines {
			if !bytes.Equal(m.text, remote) {
				t.Fatalf("seed %d: machines differ", seed)
			}
		}
		have := lineCounts(remote)
		for l := range written {
			if !touched[l] && have[l] != 1 {
				t.Fatalf("seed %d: %q stands %d times in\n%s", seed, l, have[l], remote)
			}
		}
	}
}

// blocks reads a note back into what the world works on.
func blocks(text []byte) []block {
	m := &merger{pool: newPool(), sets: make(map[int][]uint64)}
	var out []block
	for _, e := range m.parse(text).entries {
		kind := byte('p')
		raw := string(e.raw)
		switch {
		case e.rank < rankParagraph:
			kind = 'h'
		case strings.HasPrefix(strings.TrimLeft(raw, " "), "- "):
			kind = 'i'
			if raw[0] == ' ' {
				kind = 'n'
			}
		case strings.HasPrefix(raw, "```"):
			kind = 'f'
		}
		out = append(out, block{kind, raw})
	}
	return out
}
