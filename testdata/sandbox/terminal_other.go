//go:build !linux

package sandbox

import (
	"os"
	"syscall"
)

func openTerminal() (us, them *os.File, err error) { return nil, nil, ErrNoTerminal }

func ownTerminal() *syscall.SysProcAttr { return nil }
