package agent

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/memory"
)

// watchMark names the mark of a watch of a workspace.
func watchMark(ws *memory.Workspace) string {
	if ws.Prefix == "" {
		return "watch"
	}
	return "watch." + url.PathEscape(strings.TrimSuffix(ws.Prefix, "/"))
}

// Watched reports whether a watch of the workspace runs.
func Watched(ws *memory.Workspace) bool { return ws.Repo.Marked(watchMark(ws)) }

// unattended names the command that makes somebody save without being asked; ""
// when a host or a watch does, or when that is not known. A connected OpenClaw
// says nothing about the workspace of Claude Code, whose turns it does not see.
func unattended(ws *memory.Workspace, hosts []connect.Connection) string {
	host := ws.Host.Name
	for _, c := range hosts {
		if (c.Connected || c.Unknown) && (c.Host == host || host != "claude-code") {
			return ""
		}
	}
	switch {
	case len(hosts) == 0 || Watched(ws):
		return ""
	case slices.Contains(connect.Hosts(), host):
		return "git claw connect " + host
	}
	return "git claw watch"
}

// AdviseHosts adds to the dashboard that nobody saves by itself.
func (d *Dashboard) AdviseHosts(ws *memory.Workspace, hosts []connect.Connection) {
	if !d.Adopted || d.Progress != "" {
		return
	}
	if command := unattended(ws, hosts); command != "" {
		d.Next = append(d.Next, Next{Why: "no host is connected: nothing is saved by itself", Command: command})
	}
}

// hosts tells who saves without being asked.
func (d *doctor) hosts(context.Context) error {
	if len(d.opt.Hosts) == 0 || !d.ws.Adopted {
		return nil
	}
	var parts []string
	for _, c := range d.opt.Hosts {
		parts = append(parts, c.Host+" "+c.State())
	}
	if Watched(d.ws) {
		parts = append(parts, "a watch runs")
	}
	text := strings.Join(parts, ", ")
	if command := unattended(d.ws, d.opt.Hosts); command != "" {
		d.say("hosts", Warn, command, "%s: nothing is saved by itself", text)
		return nil
	}
	d.say("hosts", OK, "", "%s", text)
	return nil
}
