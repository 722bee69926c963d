//go:build unix

package main

import "syscall"

// suspend stops this process as the terminal would, until it is told to go on.
func suspend() { _ = syscall.Kill(0, syscall.SIGTSTP) }
