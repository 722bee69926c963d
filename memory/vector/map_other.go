//go:build !unix

package vector

import (
	"io"
	"os"
)

// mapFile reads size bytes: a file that is mapped cannot be replaced or removed
// on Windows.
func mapFile(f *os.File, size int) (data []byte, release func() error, err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, func() error { return nil }, err
}

// syncDir: directories are not synced here.
func syncDir(string) error { return nil }
