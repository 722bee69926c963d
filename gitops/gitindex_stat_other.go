//go:build !unix

package gitops

import "io/fs"

// newFileStat knows nothing here: git's stat data has to come from git.
func newFileStat(fs.FileInfo) fileStat { return fileStat{} }
