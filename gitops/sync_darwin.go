package gitops

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// fullSync waits until a file is on the disk: Sync asks for F_FULLFSYNC here.
func fullSync(f *os.File) error { return f.Sync() }

// syncFileSystem waits until all that was written is on the disk: sync(2) starts
// it, and the full sync of one file waits for what the drive holds back.
func syncFileSystem(f *os.File) error {
	if err := unix.Sync(); err != nil {
		return err
	}
	return f.Sync()
}

// systemBootID is another one after each start of the machine.
func systemBootID() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return fmt.Sprint(tv.Sec)
}
