package recall

import (
	"cmp"

	"github.com/git-claw/git-claw/memory/index"
)

// ByID finds a chunk by the id of a result; nil when there is none.
func ByID(snap *index.Snapshot, id string) (*Result, error) {
	var out *Result
	for _, p := range snap.View.Parts {
		var bad error
		err := p.Each(func(stored []byte) bool {
			n, err := index.DecodeNote(stored)
			if err != nil {
				bad = err
				return false
			}
			for _, piece := range n.Pieces {
				if chunkID(n.Path, piece) == id {
					out = &Result{Path: n.Path, From: piece.From, To: piece.To, ID: id}
					return false
				}
			}
			return true
		})
		if err := cmp.Or(bad, err); err != nil || out != nil {
			return out, err
		}
	}
	return nil, nil
}
