//go:build unix

package gittest

import (
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitFileSize makes every write beyond n bytes of a file fail, in this process
// and in all that it starts: what a full disk does to a writer.
func limitFileSize(n int64) error {
	signal.Ignore(syscall.SIGXFSZ)
	l := uint64(n) //nolint:gosec // small
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: l, Max: l})
}

// asNobody runs a command as a user who owns nothing here.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
