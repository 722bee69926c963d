//go:build unix

package gitops

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// fullStat says that the system tells of a file all that git's index keeps.
const fullStat = true

// newFileStat takes over what Lstat said; the zero fileStat where it does not
// come from the system.
func newFileStat(fi fs.FileInfo) fileStat {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fileStat{}
	}
	ctime, mtime := statTimes(st)
	return fileStat{
		ctime: uint32(ctime.Sec), ctimeNS: uint32(ctime.Nsec), mtime: uint32(mtime.Sec), mtimeNS: uint32(mtime.Nsec),
		dev: uint32(st.Dev), ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: sizeOf(st.Size),
	}
}

// statDir looks at files of one directory, which is quicker than by their whole
// paths.
type statDir struct{ fd int }

// openStatDir opens a directory that is no symbolic link.
func openStatDir(path string) (statDir, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return statDir{fd}, err
		}
	}
}

func (d statDir) close() { _ = unix.Close(d.fd) }

func (d statDir) lstat(name string) (workFile, error) { return workFileAt(d.fd, name) }

// lstatFile looks at a file by its path.
func lstatFile(path string) (workFile, error) { return workFileAt(unix.AT_FDCWD, path) }

func workFileAt(fd int, name string) (workFile, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return workFile{}, err
		}
		break
	}
	f := workFile{there: true, stat: fileStat{
		ctime: uint32(st.Ctim.Sec), ctimeNS: uint32(st.Ctim.Nsec), mtime: uint32(st.Mtim.Sec), mtimeNS: uint32(st.Mtim.Nsec),
		dev: uint32(st.Dev), ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: sizeOf(st.Size),
	}}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		f.mode = ModeFile
		if st.Mode&0o100 != 0 {
			f.mode = ModeExecutable
		}
	case unix.S_IFLNK:
		f.mode = ModeSymlink
	case unix.S_IFDIR:
		f.mode = ModeTree
	}
	return f, nil
}
