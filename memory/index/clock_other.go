//go:build !linux

package index

// coarseClock: the clock of the file system is read from a file.
func coarseClock() (ns int64, ok bool) { return 0, false }
