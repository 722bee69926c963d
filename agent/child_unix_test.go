//go:build unix

package agent

import "syscall"

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
