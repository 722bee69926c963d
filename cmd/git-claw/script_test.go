package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"git-claw": main})
}

// processPath is the PATH of the test, on which git-claw stands too.
func processPath() string { return os.Getenv("PATH") }
