//go:build unix && !(linux && (amd64 || arm64))

package index

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// stat looks at a name, which ends in a zero byte.
func (d *openDir) stat(nameZ []byte) (stat, fs.FileMode, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, string(nameZ[:len(nameZ)-1]), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stat{}, 0, err
	}
	return statFrom(&st), modeFrom(&st), nil
}
