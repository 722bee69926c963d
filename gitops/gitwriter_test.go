package gitops_test

import (
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestGitWriter(t *testing.T) {
	t.Parallel()
	gittest.RunWriterSuite(t, gitWriter)
}
