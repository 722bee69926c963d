//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// becomeUser gives the superuser's rights up, for good.
func becomeUser(uid int) error {
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(uid); err != nil {
		return err
	}
	return syscall.Setuid(uid)
}

func makeFIFO(name string) error { return syscall.Mkfifo(name, 0o666) }

// ownGroup makes a process the first of a group that is killed as one.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
