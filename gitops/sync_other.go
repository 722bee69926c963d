//go:build !linux && !darwin

package gitops

import "os"

func fullSync(f *os.File) error { return f.Sync() }

// syncFileSystem: the fast writer, which needs it, is not used here.
func syncFileSystem(f *os.File) error { return f.Sync() }

func systemBootID() string { return "" }
