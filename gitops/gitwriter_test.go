package gitops_test

import (
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func gitWriter(r *gitops.Repo, opt gitops.WriterOptions) gitops.Writer {
	return r.Writer(gitops.Seam{GitOnly: true}.With(opt))
}

func fastWriter(r *gitops.Repo, opt gitops.WriterOptions) gitops.Writer { return r.Writer(opt) }

func TestGitWriter(t *testing.T) {
	t.Parallel()
	gittest.RunWriterSuite(t, gitWriter)
}

func TestFastWriter(t *testing.T) {
	t.Parallel()
	gittest.RunWriterSuite(t, fastWriter)
}
