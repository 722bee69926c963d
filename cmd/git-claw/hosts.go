package main

import (
	"context"
	"fmt"

	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

// connections looks which hosts call git claw for the workspace; ws may be nil.
func (e *Env) connections(ws *memory.Workspace) []connect.Connection {
	machine := connect.Env{Environ: e.Environ, Home: e.home()}
	if ws != nil {
		machine.Workspace = ws.Root
	}
	return connect.Connections(machine)
}

type hostJSON struct {
	Host      string `json:"host"`
	Connected *bool  `json:"connected"` // null: not known
}

// listHosts prints the hosts and whether they are connected, in a workspace or
// outside of one.
func listHosts(ctx context.Context, env *Env) error {
	ws, done, err := env.Workspace(ctx)
	defer done()
	if err != nil {
		ws = nil // settings of the user count everywhere
	}
	for _, c := range env.connections(ws) {
		if env.Opt.JSON {
			line := hostJSON{Host: c.Host, Connected: &c.Connected}
			if c.Unknown {
				line.Connected = nil
			}
			if err := writeJSON(env.Out, "claw.host/1", line); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(env.Out, "%s  %s\n", term.Pad(c.Host, len("claude-code")), c.State())
	}
	return nil
}
