//go:build !unix

package main

import (
	"errors"
	"os"
)

// peak is not known here.
func peak(*os.ProcessState) (int64, error) { return 0, errors.ErrUnsupported }
