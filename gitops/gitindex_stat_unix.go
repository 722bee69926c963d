//go:build unix

package gitops

import (
	"io/fs"
	"syscall"
)

// newFileStat takes over what Lstat said; the zero fileStat where it does not
// come from the system.
func newFileStat(fi fs.FileInfo) fileStat {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fileStat{}
	}
	ctime, mtime := statTimes(st)
	return fileStat{
		ctime: uint32(ctime.Sec), ctimeNS: uint32(ctime.Nsec),
		mtime: uint32(mtime.Sec), mtimeNS: uint32(mtime.Nsec),
		dev: uint32(st.Dev), ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: sizeOf(st.Size),
	}
}
