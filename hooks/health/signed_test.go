package health

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
)

// Where only signatures count, git is asked who signed the merge of a proposal.
func TestSignedMerges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := func(name string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "wren@example.org", "-f", file).CombinedOutput(); err != nil {
			t.Skipf("no ssh-keygen: %v %s", err, out)
		}
		return file
	}
	named, other := key("named"), key("other")
	fingerprint, err := exec.Command("ssh-keygen", "-l", "-f", named+".pub").Output()
	if err != nil {
		t.Fatal(err)
	}
	var allowed strings.Builder
	for _, k := range []string{named, other} {
		allowed.WriteString("wren@example.org " + gittest.ReadFile(t, k+".pub"))
	}
	signers := filepath.Join(dir, "signers")
	if err := os.WriteFile(signers, []byte(allowed.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	repo := gittest.New(t, gittest.Unborn(), gittest.Config("gpg.format", "ssh"), gittest.Config("gpg.ssh.allowedSignersFile", signers))
	repo.Write(".claw/config", configText(nil))
	repo.Write("SOUL.md", "# SOUL\n")
	repo.Git("add", ".")
	repo.Git("commit", "-q", "-m", "init", "-m", "Claw-Event: workspace.init\nClaw-Actor: user\nClaw-Workspace:")
	repo.Git("checkout", "-q", "-b", "topic")
	repo.Append("SOUL.md", "- kind\n")
	repo.Git("commit", "-q", "-a", "-m", "kind", "-m", "Claw-Event: l1.propose\nClaw-Actor: agent")
	repo.Git("checkout", "-q", "-")
	merge := func(with ...string) {
		repo.Git(append(with, "merge", "-q", "--no-ff", "-m", "kind", "-m", "Claw-Actor: user\nClaw-Proposal: 20260220-a-0000\nClaw-Approved-By: Wren <wren@example.org>", "topic")...)
	}
	look := func() int {
		t.Helper()
		ws, err := memory.Find(t.Context(), repo.Open())
		if err != nil {
			t.Fatal(err)
		}
		rep, err := ExamineWork(t.Context(), ws, Options{Only: []string{"L1-006"}})
		if err != nil {
			t.Fatal(err)
		}
		return len(rep.Findings)
	}
	start := strings.TrimSpace(repo.Git("rev-parse", "HEAD"))
	for _, step := range []struct {
		name string
		with []string
		set  bool // requireSignature
		want int  // the agent's commit, and the merge
	}{
		{"not signed", nil, false, 0},
		{"not signed, and must be", nil, true, 2},
		{"by another key", []string{"-c", "commit.gpgSign=true", "-c", "user.signingKey=" + other}, true, 2},
		{"by the named key", []string{"-c", "commit.gpgSign=true", "-c", "user.signingKey=" + named}, true, 0},
	} {
		repo.Git("reset", "-q", "--hard", start)
		if step.set {
			repo.Git("config", "claw.approve.requireSignature", "true")
			repo.Git("config", "claw.approve.keys", strings.Fields(string(fingerprint))[1])
		}
		merge(step.with...)
		if got := look(); got != step.want {
			t.Errorf("%s: %d findings, want %d", step.name, got, step.want)
		}
	}
}
