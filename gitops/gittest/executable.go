package gittest

import (
	"os"
	"syscall"
	"testing"
)

// Executable writes a program. A process that another goroutine starts meanwhile
// would inherit the open file and make the program "text file busy" when it is
// run; holding the fork lock keeps that from happening.
func Executable(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	must(t, os.WriteFile(path, []byte(text), 0o755))
	must(t, os.Chmod(path, 0o755))
}
