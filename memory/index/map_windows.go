package index

import (
	"hash/crc32"
	"os"
)

// mapping is a file in memory: read whole, because a mapped file cannot be
// replaced on Windows.
type mapping struct{ data []byte }

func mapFile(path string) (mapping, stat, error) {
	st, _, err := lstat(path)
	if err != nil {
		return mapping{}, stat{}, err
	}
	data, err := os.ReadFile(path)
	return mapping{data}, st, err
}

func (m mapping) Close() error { return nil }

func (m mapping) crc() uint32 { return crc32.Checksum(m.data, castagnoli()) }

func (m mapping) copied() ([]byte, error) { return m.data, nil }
