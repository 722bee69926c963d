//go:build unix

package gitops

import (
	"errors"
	"syscall"
)

// ProcessAlive reports whether a process of this machine exists, whoever owns it.
func ProcessAlive(pid int) bool {
	if pid <= 0 {
		return false // these stand for groups of processes
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
