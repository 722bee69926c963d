//go:build unix

package index

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// mapping is a file in memory.
type mapping struct{ data []byte }

func mapFile(path string) (mapping, stat, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
		return mapping{}, stat{}, &DamagedError{filepath.Base(path), "no regular file"}
	}
	if err != nil {
		return mapping{}, stat{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return mapping{}, stat{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return mapping{}, stat{}, &DamagedError{filepath.Base(path), "no regular file"}
	}
	if st.Size == 0 {
		return mapping{}, statFrom(&st), nil
	}
	data, err := unix.Mmap(fd, 0, int(st.Size), unix.PROT_READ, unix.MAP_SHARED)
	return mapping{data}, statFrom(&st), err
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

// copied are the bytes as memory of our own.
func (m mapping) copied() (b []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			b, err = nil, io.ErrUnexpectedEOF // truncated while it is read
		}
	}()
	return bytes.Clone(m.data), nil
}
