package proposal_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
)

// TestSignedApproval is the last part of SPEC T61: with claw.approve.requireSignature
// only a merge signed by a named key counts; a reject needs none.
func TestSignedApproval(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	dir := t.TempDir()
	key := func(name string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		cmd := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "li@example.org", "-f", file)
		if out, err := cmd.CombinedOutput(); err != nil {
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
		pub, err := os.ReadFile(k + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		allowed.WriteString("li@example.org " + string(pub))
	}
	signers := filepath.Join(dir, "signers")
	if err := os.WriteFile(signers, []byte(allowed.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	l.Git("config", "gpg.format", "ssh")
	l.Git("config", "gpg.ssh.allowedSignersFile", signers)
	l.Git("config", "claw.approve.requireSignature", "true")
	l.Git("config", "claw.approve.keys", strings.Fields(string(fingerprint))[1])

	p := propose(t, l, "SOUL.md", soul+"- no lies\n")
	head := l.Git("rev-parse", "HEAD")
	// Signed by nobody, and by a key that was not named.
	for _, k := range []string{"", other} {
		if k != "" {
			l.Git("config", "user.signingKey", k)
		}
		if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); err == nil {
			t.Errorf("accepted with the key %q", k)
		}
		same(t, "HEAD", l.Git("rev-parse", "HEAD"), head)
		l.Check()
	}
	var refused *agent.RefusedError
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); !errors.As(err, &refused) {
		t.Errorf("a key that was not named: %v", err)
	}
	l.Git("config", "user.signingKey", named)
	accept(t, l, p, proposal.AcceptOptions{})
	same(t, "via", l.Trailer("HEAD", "Claw-Approved-Via"), "signed")
	same(t, "signature", l.Git("log", "-1", "--format=%G?"), "G")
	l.Check()

	l.Git("config", "--unset", "user.signingKey")
	p = propose(t, l, "SOUL.md", soul+"- no lies\n- no gossip\n")
	if err := proposal.Reject(ctx, l.Workspace(), human, p, person, ""); err != nil {
		t.Errorf("an unsigned reject: %v", err)
	}
	// Neither does a note make a merge of git's own count.
	p = propose(t, l, "SOUL.md", soul+"- no lies\n- no threats\n")
	l.Git("merge", "-q", "--no-ff", "-m", "merge", p.Branch)
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); !errors.As(err, &refused) {
		t.Errorf("an unsigned confirmation: %v", err)
	}
}
