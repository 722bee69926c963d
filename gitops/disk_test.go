//go:build unix

package gitops_test

import (
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestDisk(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	gittest.RunDiskSuite(t)
}
