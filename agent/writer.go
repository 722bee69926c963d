package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// Writer returns the repository's writer with the workspace's settings.
func Writer(_ context.Context, ws *memory.Workspace) (gitops.Writer, error) {
	return ws.Repo.Writer(writerOptions(ws)), nil
}

func writerOptions(ws *memory.Workspace) gitops.WriterOptions {
	return gitops.WriterOptions{
		LockTimeout: ws.Settings.Duration("lockTimeout"),
		Durability:  gitops.Durability(ws.Settings.String("durability")),
		RunHooks:    ws.Settings.String("runHooks"),
		OwnHook:     githook.Own,
		Vet:         vet,
	}
}

// vet refuses a secret that a pre-commit hook would put into a commit.
func vet(path string, old, content []byte) error {
	found := hooks.AddedSecrets(secret.New(), old, content)
	if len(found) == 0 {
		return nil
	}
	return &RefusedError{
		Problem: fmt.Sprintf("the pre-commit hook added '%s' with a secret at line %d (%s); nothing was committed", path, found[0].Line, found[0].Kind),
		Advice:  []string{"take the line out, or mark it with 'claw:allow' when it is none"},
	}
}

// HookFailure is the last time a foreign hook refused a commit of ours; the
// dashboard shows it until a commit succeeds.
type HookFailure struct {
	Hook string    `json:"hook"`
	At   time.Time `json:"at"`
}

func hookFailureFile(ws *memory.Workspace) string {
	return filepath.Join(ws.Repo.CommonClawDir(), "hook-failure.json")
}

// NoteHook keeps or clears the record of a failing hook. It is a convenience of
// the dashboard: failing to write it changes nothing.
func NoteHook(ws *memory.Workspace, err error) {
	file := hookFailureFile(ws)
	var he *gitops.HookError
	if !errors.As(err, &he) {
		if err == nil {
			_ = os.Remove(file)
		}
		return
	}
	b, merr := json.Marshal(HookFailure{Hook: he.Name, At: now(ws)})
	if merr != nil {
		return
	}
	_ = gitops.WriteFileAtomic(file, b, 0o666)
}

func lastHookFailure(ws *memory.Workspace) *HookFailure {
	b, err := os.ReadFile(hookFailureFile(ws))
	if err != nil {
		return nil
	}
	var f HookFailure
	if json.Unmarshal(b, &f) != nil || f.Hook == "" {
		return nil
	}
	return &f
}
