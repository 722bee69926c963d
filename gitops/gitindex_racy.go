package gitops

import "os"

// What racyCheck reads at most in one go. Beyond it entries are smudged unseen,
// which costs whoever compares them next as much.
const (
	racyFiles = 64
	racyBytes = 4 << 20
)

// racyCheck answers what indexOptions.racy asks, as git does when it writes an
// index: entries whose file still has their content stay as they are.
func (r *Repo) racyCheck(root *os.Root) func(e *indexEntry) bool {
	files, left := racyFiles, int64(racyBytes)
	return func(e *indexEntry) bool {
		fi, err := root.Lstat(string(e.path))
		if err != nil {
			return false // there is nothing to hide
		}
		// No more is compared than what every configuration of git compares: where
		// it sees a difference without reading, smudging would add nothing.
		if s, now := e.stat(), newFileStat(fi); s.mtime != now.mtime || s.size != now.size {
			return false
		}
		files, left = files-1, left-fi.Size()
		if files < 0 || left < 0 {
			return true
		}
		b, mode, err := readAt(root, string(e.path), racyBytes)
		return err != nil || mode == ModeAbsent || (mode == ModeSymlink) != (e.mode() == ModeSymlink) || r.BlobID(b) != e.id()
	}
}
