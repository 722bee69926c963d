package index

import (
	"io/fs"
	"syscall"
)

func statOf(fi fs.FileInfo) stat {
	s := stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}
	if sys, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.Ino, s.Ctime = sys.Ino, sys.Ctim.Nano()
	}
	return s
}
