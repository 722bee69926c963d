package index

import (
	"hash/crc32"
	"io/fs"
	"os"
)

// mapping is a file in memory: read whole, because a mapped file cannot be
// replaced on Windows.
type mapping struct{ data []byte }

func mapFile(path string) (mapping, fs.FileInfo, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return mapping{}, nil, err
	}
	data, err := os.ReadFile(path)
	return mapping{data}, fi, err
}

func (m mapping) Close() error { return nil }

func (m mapping) crc() uint32 { return crc32.Checksum(m.data, castagnoli()) }
