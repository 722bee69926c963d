//go:build unix

package index

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// lstat looks at a file without following a link.
func lstat(path string) (stat, fs.FileMode, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return stat{}, 0, err
	}
	return statFrom(&st), modeFrom(&st), nil
}

func statFrom(st *unix.Stat_t) stat {
	return stat{Size: st.Size, Mtime: unix.TimespecToNsec(st.Mtim), Ctime: unix.TimespecToNsec(st.Ctim), Ino: st.Ino}
}

func modeFrom(st *unix.Stat_t) fs.FileMode {
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	}
	return fs.ModeIrregular
}

// openDir is an open folder. Names are looked up below it: of 20,000 long paths the
// kernel would walk each.
type openDir struct {
	f  *os.File
	fd int
}

func openFolder(path string) (d *openDir, st stat, dev uint64, err error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, stat{}, 0, err
	}
	var u unix.Stat_t
	if err := unix.Fstat(fd, &u); err != nil {
		_ = unix.Close(fd)
		return nil, stat{}, 0, err
	}
	return &openDir{fd: fd}, statFrom(&u), uint64(u.Dev), nil
}

func (d *openDir) close() {
	switch {
	case d.f != nil:
		_ = d.f.Close()
	case d.fd >= 0:
		_ = unix.Close(d.fd)
	}
	d.f, d.fd = nil, -1
}

func (d *openDir) names() ([]string, error) {
	d.f = os.NewFile(uintptr(d.fd), ".")
	return d.f.Readdirnames(-1)
}
