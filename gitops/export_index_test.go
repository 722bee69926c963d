package gitops

import "context"

// ParseIndex reads all entries of an index.
func ParseIndex(b []byte, idSize int) ([]TrackedFile, error) {
	list, err := parseIndex(b, idSize, func([]byte) bool { return true })
	return trackedFiles(list), err
}

// ParseListing reads the output of git ls-files -z -s -t --debug.
func ParseListing(b []byte) ([]TrackedFile, error) {
	list, err := parseListing(b, func([]byte) bool { return true })
	return trackedFiles(list), err
}

func trackedFiles(list []indexEntry) []TrackedFile {
	out := make([]TrackedFile, 0, len(list))
	for _, e := range list {
		out = append(out, TrackedFile{Path: e.path, ID: e.id, Mode: e.mode, SkipWorktree: e.skip, Stage: int(e.stage)})
	}
	return out
}

// SameIndex compares what is read of the index here with what git lists of it,
// stat data included; it returns the number of entries and the first difference.
func SameIndex(ctx context.Context, r *Repo) (n int, ours, gits any, err error) {
	all, err := newRootSet([]string{""})
	if err != nil {
		return 0, nil, nil, err
	}
	ix, err := r.readIndex(ctx, all)
	if err != nil {
		return 0, nil, nil, err
	}
	list, err := r.listIndex(ctx, &matcher{roots: all})
	if err != nil || len(list) != len(ix.entries) {
		return len(ix.entries), len(ix.entries), len(list), err
	}
	for i, e := range list {
		if e != ix.entries[i] {
			return i, ix.entries[i], e, nil
		}
	}
	return len(list), nil, nil, nil
}
