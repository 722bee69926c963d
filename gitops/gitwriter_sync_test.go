package gitops_test

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestGitWriterSyncs: every git that writes objects, refs or the index is told to
// wait for the disk, beside what the user wants synced, and never in a batch.
func TestGitWriterSyncs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script as git")
	}
	real, err := exec.LookPath("git")
	must(t, err)
	for _, test := range []struct {
		opt  gitops.WriterOptions
		want string
	}{
		{gitops.WriterOptions{}, "-c core.fsync=pack,loose-object,reference,index -c core.fsyncMethod=fsync "},
		{gitops.WriterOptions{Durability: gitops.DurabilityFull}, "-c core.fsync=pack,loose-object,reference,index -c core.fsyncMethod=fsync "},
		{gitops.WriterOptions{Durability: gitops.DurabilityNone}, ""},
	} {
		t.Run(string(test.opt.Durability), func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, gittest.Config("core.fsync", "pack"), gittest.Config("core.fsyncMethod", "batch"))
			r.Hook("pre-commit", "exit 0\n") // so that git makes the commit
			dir := t.TempDir()
			script := "#!/bin/sh\necho \"$*\" >>'" + dir + "/log'\nexec '" + real + "' \"$@\"\n"
			gittest.Executable(t, dir+"/git", script)
			env := r.Env()
			env.Environ = append(slices.Clone(env.Environ), "PATH="+dir+":"+os.Getenv("PATH"))
			repo, err := gitops.Open(t.Context(), gitops.NewGit(env), r.Dir)
			must(t, err)
			defer func() { _ = repo.Close() }()
			r.Append("MEMORY.md", "- x\n")
			res, err := gittest.Save(t.Context(), repo, gitWriter(repo, test.opt), "x\n")
			must(t, err)
			must(t, gitWriter(repo, test.opt).UpdateRefs(t.Context(), []gitops.RefUpdate{{Name: "refs/claw/x", New: res.Commit}}, "x"))
			seen := map[string]bool{}
			for line := range strings.Lines(gittest.ReadFile(t, dir+"/log")) {
				for _, verb := range []string{" unpack-objects ", " commit-tree ", " update-index -q --add", " update-ref "} {
					if !strings.Contains(line, verb) {
						continue
					}
					seen[verb] = true
					if !strings.Contains(line, test.want) || test.want == "" && strings.Contains(line, "core.fsync") {
						t.Errorf("git %s", line)
					}
				}
			}
			if len(seen) != 4 {
				t.Errorf("seen are %v", seen)
			}
			r.CheckClean()
		})
	}
}
