//go:build !linux && !darwin

package gitops

// LocalDisk reports whether a path lies on a file system that is known to be local.
// Where it is not known the answer is no.
func LocalDisk(string) bool { return false }
