//go:build unix

package gitops

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryFlock takes an exclusive lock on f without waiting. The kernel releases it
// when the last process that inherited f ends.
func tryFlock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		default:
			return false, err
		}
	}
}

// ownGroup keeps a signal to our process group (Ctrl-C, kill of a group) from
// cmd: it holds git's locks for some milliseconds and must not die with them.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a process that has a group of its own, and all that it started.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// terminateGroup asks the same of them, so that git can take its locks away.
func terminateGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

// fileKey identifies a file independent of its name; ok is false where the
// system has no such thing.
func fileKey(fi fs.FileInfo) (dev, ino uint64, ok bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint64(st.Dev), uint64(st.Ino), true //nolint:unconvert // Dev is int32 on macOS
}

func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// inheritsFiles: a child can be given files beside its streams.
const inheritsFiles = true

const (
	openNonBlock = unix.O_NONBLOCK
	openNoFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK
)

// detach makes cmd survive its parent and its terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
