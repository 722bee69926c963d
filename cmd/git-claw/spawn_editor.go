package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/memory"
)

// EditText opens the user's editor, as git would, on a text. It returns what was written.
// The file lies in the git directory and is removed afterwards.
func (e *Env) EditText(ctx context.Context, ws *memory.Workspace, name string, text []byte) ([]byte, error) {
	ask := exec.CommandContext(ctx, "git", "var", "GIT_EDITOR")
	ask.Env, ask.Dir = e.Environ, e.Dir
	answer, err := ask.Output()
	editor := strings.TrimSpace(string(answer))
	if err != nil || editor == "" {
		return nil, &refusal{msg: "git names no editor for this terminal", hints: []string{"git config core.editor <program>"}}
	}
	if err := os.MkdirAll(ws.Repo.ClawDir(), 0o777); err != nil {
		return nil, fmt.Errorf("edit '%s': %w", name, err)
	}
	dir, err := os.MkdirTemp(ws.Repo.ClawDir(), "edit.*.tmp")
	if err != nil {
		return nil, fmt.Errorf("edit '%s': %w", name, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("edit '%s': %w", name, err)
	}
	// Not by CommandContext: an interrupt is for the editor to handle.
	cmd := exec.Command("sh", "-c", editor+` "$@"`, editor, file)
	cmd.Env, cmd.Dir = e.Environ, e.Dir
	cmd.Stdin, cmd.Stderr = e.In, e.Err
	cmd.Stdout = e.Err
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run the editor '%s': %w", strings.Fields(editor)[0], err)
	}
	next, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("edit '%s': %w", name, err)
	}
	return next, nil
}
