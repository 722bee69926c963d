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

// list calls visit for what is in a folder, with what lstat tells. Names are looked
// up below the open folder: of 20,000 long paths the kernel would walk each.
func list(dir string, visit func(name string, st stat, mode fs.FileMode)) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), dir)
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		var st unix.Stat_t
		if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			continue // it went away
		}
		visit(name, statFrom(&st), modeFrom(&st))
	}
	return nil
}
