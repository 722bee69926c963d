package gitops

import (
	"encoding/binary"
	"io"
	"os"
)

// TrackedCount is how many entries the index has, by its header
// (gitformat-index(5)); 0 where it cannot be read.
func (r *Repo) TrackedCount() int {
	f, err := os.Open(r.indexPath())
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:4]) != "DIRC" {
		return 0
	}
	return int(binary.BigEndian.Uint32(head[8:]))
}
