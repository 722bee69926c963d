package gitops

import "context"

// maxFanOut is up to how many folders git puts a note under when there are many.
const maxFanOut = 3

// Note looks for the note of an object in the tree of a notes ref
// (git-notes(1)). path is where it is, or where a new one may be put.
func (o *Objects) Note(ctx context.Context, notes, object ID) (path string, e TreeEntry, ok bool, err error) {
	name := object.String()
	path = name
	for at := 0; at <= maxFanOut; at++ {
		if e, ok, err = o.Lookup(ctx, notes, path); err != nil || ok && e.Mode.IsFile() {
			return path, e, ok, err
		}
		cut := 3*at + 2
		path = path[:cut] + "/" + path[cut:]
	}
	return name, TreeEntry{}, false, nil
}
