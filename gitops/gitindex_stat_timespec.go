//go:build darwin || freebsd || netbsd

package gitops

import "syscall"

func statTimes(st *syscall.Stat_t) (ctime, mtime syscall.Timespec) { return st.Ctimespec, st.Mtimespec }
