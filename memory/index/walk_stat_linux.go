//go:build linux && (amd64 || arm64)

package index

import (
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stat looks at a name, which ends in a zero byte: of a name that is ready for the
// kernel no copy is made.
func (d *openDir) stat(nameZ []byte) (stat, fs.FileMode, error) {
	var st unix.Stat_t
	_, _, errno := unix.Syscall6(sysFstatat, uintptr(d.fd), uintptr(unsafe.Pointer(&nameZ[0])), uintptr(unsafe.Pointer(&st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	if errno != 0 {
		return stat{}, 0, errno
	}
	return statFrom(&st), modeFrom(&st), nil
}
