package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestHookAddsSecret: a formatter that stages the whole file again does not get
// what was held back into a commit.
func TestHookAddsSecret(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil, gittest.Hook("pre-commit", "git add memory/2026-02-28.md\n"))
	key := "AKIA" + "QWERTYUIOPASDF12"
	s.Append("memory/2026-02-28.md", "- fine\n- key "+key+"\n")
	head := s.Head()
	_, err := Save(t.Context(), s.open(), Caller{Actor: Agent}, SaveOptions{})
	var refused *RefusedError
	if !errors.As(err, &refused) || strings.Contains(err.Error(), key) {
		t.Fatalf("error %v", err)
	}
	if s.Head() != head || !strings.Contains(s.Read("memory/2026-02-28.md"), key) {
		t.Error("the refusal changed something")
	}
	s.Write("memory/2026-02-28.md", "# 2026-02-28\n\n- old note\n- fine\n")
	s.saveAs(Agent, SaveOptions{})
	s.CheckClean()
}
