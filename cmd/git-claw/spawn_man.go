package main

import (
	"context"
	"os/exec"
)

// hasManPage reports whether 'man git-claw', and with it 'git claw --help',
// finds the page.
func (e *Env) hasManPage(ctx context.Context) bool {
	cmd := exec.CommandContext(ctx, "man", "-w", "git-claw")
	cmd.Env, cmd.Dir = e.Environ, e.Dir
	return cmd.Run() == nil
}
