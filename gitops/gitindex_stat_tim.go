//go:build unix && !darwin && !freebsd && !netbsd

package gitops

import "syscall"

func statTimes(st *syscall.Stat_t) (ctime, mtime syscall.Timespec) { return st.Ctim, st.Mtim }
