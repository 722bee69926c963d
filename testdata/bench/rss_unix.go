//go:build unix

package main

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory a process that ended held, in bytes. Asked of nil it
// only tells whether it is known here.
func peak(state *os.ProcessState) (int64, error) {
	if state == nil {
		return 0, nil
	}
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss), nil
	}
	return int64(usage.Maxrss) * 1024, nil
}
