package index

import "golang.org/x/sys/unix"

// coarseClock is what a file that is written now gets as its time, or earlier: the
// kernel takes the time of its last tick.
func coarseClock() (ns int64, ok bool) {
	var ts unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &ts)
	return unix.TimespecToNsec(ts), err == nil
}
