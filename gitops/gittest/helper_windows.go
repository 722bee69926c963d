//go:build windows

package gittest

import (
	"errors"
	"os/exec"
)

func limitFileSize(int64) error { return errors.New("no such limit on Windows") }

func asNobody(*exec.Cmd) {}
