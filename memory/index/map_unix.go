//go:build unix

package index

import (
	"hash/crc32"
	"io/fs"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// mapping is a file in memory.
type mapping struct{ data []byte }

func mapFile(path string) (mapping, fs.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return mapping{}, nil, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return mapping{}, fi, err
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(fi.Size()), unix.PROT_READ, unix.MAP_SHARED)
	return mapping{data}, fi, err
}

// Close gives the memory back. Nothing may use it afterwards.
func (m mapping) Close() error {
	if m.data == nil {
		return nil
	}
	return unix.Munmap(m.data)
}

// crc is 0 for a file that somebody truncates while it is read.
func (m mapping) crc() (sum uint32) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			sum = 0
		}
	}()
	return crc32.Checksum(m.data, castagnoli())
}
