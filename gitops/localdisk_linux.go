package gitops

import (
	"slices"

	"golang.org/x/sys/unix"
)

// localDisks are file systems of this machine's kernel: their time stamps are those
// of its clock, and their locks and links are what they say.
var localDisks = []uint64{
	0xef53,     // ext2, ext3, ext4
	0x58465342, // xfs
	0x9123683e, // btrfs
	0xf2f52010, // f2fs
	0x2fc12fc1, // zfs
	0xca451a4e, // bcachefs
	0x01021994, // tmpfs
	0x794c7630, // overlayfs
}

// LocalDisk reports whether a path lies on a file system that is known to be local.
// Where it is not known the answer is no.
func LocalDisk(path string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && slices.Contains(localDisks, uint64(uint32(fs.Type)))
}
