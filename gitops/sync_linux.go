package gitops

import (
	"os"

	"golang.org/x/sys/unix"
)

// fullSync waits until a file, or a directory, is on the disk.
func fullSync(f *os.File) error { return f.Sync() }

// syncFileSystem waits until all of the file system that holds f is on the disk.
func syncFileSystem(f *os.File) error { return unix.Syncfs(int(f.Fd())) }

// systemBootID is another one after each start of the machine.
func systemBootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(b)
}
