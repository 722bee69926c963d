//go:build !unix

package gitops

import "os"

// ProcessAlive reports whether a process of this machine exists, whoever owns it.
func ProcessAlive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
