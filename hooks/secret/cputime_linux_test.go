package secret

import (
	"syscall"
	"time"
)

// spent is the time that this thread was given, which other processes do not
// change.
func spent() time.Duration {
	const thread = 1
	var r syscall.Rusage
	if syscall.Getrusage(thread, &r) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
