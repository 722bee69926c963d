//go:build windows

package gitops

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// tryFlock takes an exclusive lock on f without waiting. It belongs to this
// process alone: a git that outlives us holds nothing, see Cmd.hold.
func tryFlock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// ownGroup keeps Ctrl-C from cmd: it must not die while it holds git's locks.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends a process; what it started goes on.
func killGroup(p *os.Process) error { return p.Kill() }

func terminateGroup(p *os.Process) error { return p.Kill() }

func fileKey(fs.FileInfo) (dev, ino uint64, ok bool) { return 0, 0, false }

func terminate(p *os.Process) error { return p.Kill() }

const inheritsFiles = false

const (
	openNonBlock = 0
	openNoFollow = 0
)

func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
