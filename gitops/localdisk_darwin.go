package gitops

import "golang.org/x/sys/unix"

// LocalDisk reports whether a path lies on a file system that is known to be local.
// Where it is not known the answer is no.
func LocalDisk(path string) bool {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return false
	}
	name := unix.ByteSliceToString(fs.Fstypename[:])
	return name == "apfs" || name == "hfs"
}
