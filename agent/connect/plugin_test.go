package connect

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// driver loads the plugin as OpenClaw does and fires events at it. The times it
// prints are those the handlers took.
const driver = `
import { readFileSync } from "node:fs";
import plugin from "./index.js";
import again from "./index.js?again"; // another copy, as OpenClaw loads it
const lines = () => { try { return readFileSync(log, "utf8").split("\n").length - 1; } catch { return 0; } };
const [ws, second, log] = process.argv.slice(2);
const hooks = {}, typed = {};
const api = {
  on: (name, fn) => { typed[name] = fn; },
  registerHook: (names, fn) => { for (const n of names) hooks[n] = fn; },
};
plugin.register({ ...api, on: () => {} });
again.register({ ...api, registerHook: () => {} });
plugin.register({});               // an API without any of it
plugin.register({ get on() { throw new Error("x"); } });
const fire = (name, event) => {
  const at = performance.now();
  const [type, ...action] = name.split(":");
  const back = hooks[name] ? hooks[name]({ type, action: action.join(":"), ...event }) : typed[name](event.event, event.ctx);
  console.log(name, back === undefined, Math.round(performance.now() - at));
};
const main = "agent:main:main";
fire("agent:bootstrap", { sessionKey: main, context: { workspaceDir: ws, agentId: "main", sessionId: "s1", sessionKey: main } });
const call = (key, runId) => fire("model_call_started", { event: {}, ctx: { sessionKey: key, runId, sessionId: "s1" } });
call(main, "r1");
call(main, "r1");
call(main, "r1:compaction:c1");
const sub = "agent:main:subagent:x";
fire("agent:bootstrap", { sessionKey: sub, context: { workspaceDir: ws, agentId: "main", sessionId: "s2", sessionKey: sub } });
call(sub, "r3");
fire("agent_end", { event: {}, ctx: { workspaceDir: ws, agentId: "main", sessionKey: sub, sessionId: "s2" } });
fire("agent:bootstrap", { sessionKey: main, context: { workspaceDir: ws, agentId: "main", sessionKey: main } }); // by the compaction
fire("session:compact:before", { sessionKey: main, context: { sessionId: "s1" } });
fire("agent_end", { event: { get messages() { throw new Error("read"); } }, ctx: { workspaceDir: ws, agentId: "main", sessionKey: main, sessionId: "s1", trigger: "user" } });
fire("command:new", { sessionKey: main, context: { workspaceDir: ws, agentId: "main", previousSessionEntry: { sessionId: "s0" }, sessionEntry: { sessionId: "s1" } } });
call(main, "r2"); // a turn without a bootstrap
fire("command:reset", { sessionKey: main, context: { workspaceDir: ws, agentId: "main", sessionId: "s1" } });
fire("agent_end", { event: {}, ctx: { workspaceDir: second, agentId: "ops", sessionKey: "agent:ops:telegram:group:-1", trigger: "user" } });
fire("agent_end", { event: {}, ctx: { workspaceDir: second, agentId: "ops", sessionKey: "agent:ops:cron:x", trigger: "cron" } });
fire("agent_end", { event: {}, ctx: { workspaceDir: ws + "-gone", agentId: "gone", sessionKey: "agent:gone:main" } });
fire("command:stop", { sessionKey: "agent:nobody:main", context: {} });
fire("command:stop", {});
fire("agent_end", { event: undefined, ctx: undefined });
for (let i = 0; i < 300 && lines() < 10; i++) await new Promise((r) => setTimeout(r, 100));
fire("gateway:shutdown", { sessionKey: "gateway:shutdown", context: {} });
`

// TestPlugin runs the plugin in node with a stand-in for git-claw that writes
// down what it is told.
func TestPlugin(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	m := newMachine(t)
	m.write("{}", "home", ".openclaw", "openclaw.json")
	log := filepath.Join(m.base, "log")
	stand := m.write("#!/bin/sh\nin=$(cat)\nsleep 0.1\n"+
		"echo \"$(pwd)|$*|$GIT_CLAW_SESSION_KIND|${GIT_CLAW_APPROVER-none}|$in\" >>"+shellQuote(log)+"\n", "bin", "git-claw")
	if err := os.Chmod(stand, 0o755); err != nil {
		t.Fatal(err)
	}
	m.apply(m.make("openclaw", Options{}))
	ws := filepath.Dir(m.write("x", "ws one", "MEMORY.md"))
	second := filepath.Dir(m.write("x", "ws2", "MEMORY.md"))
	dir := filepath.Join(m.env.Home, ".openclaw", "extensions", "git-claw")
	if err := os.WriteFile(filepath.Join(dir, "driver.mjs"), []byte(driver), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join(dir, "driver.mjs"), ws, second, log)
	cmd.Dir = m.base
	cmd.Env = []string{"PATH=/usr/bin:/bin", "GIT_CLAW_APPROVER=A <a@b.c>"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if !strings.Contains(line, " true ") {
			t.Errorf("a handler returned something, or threw: %s", line)
		}
	}
	// What was started at the shutdown outlives node.
	var text []byte
	for range 100 {
		if text, err = os.ReadFile(log); err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), "\n") == 12 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	var first, rest []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.SplitN(line, "|", 5)
		var body struct {
			Event, WorkspaceDir, AgentID, SessionID, Trigger string
			Idle                                             bool
		}
		if err := json.Unmarshal([]byte(f[4]), &body); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if f[1] != "hooks run openclaw" || f[3] != "none" || f[0] != body.WorkspaceDir {
			t.Errorf("called as %q", line)
		}
		if body.Idle {
			body.Event += " idle"
		}
		said := strings.Join([]string{body.Event, f[2], body.SessionID, body.Trigger}, " ")
		switch {
		case strings.HasPrefix(body.Event, "gateway:shutdown"):
			rest = append(rest, body.Event+" "+filepath.Base(f[0]))
		case f[0] == ws:
			first = append(first, said)
		default:
			rest = append(rest, said)
		}
	}
	want := []string{
		"agent:bootstrap idle main s1 ", "turn_part main s1 ", "agent_end subagent s2 ", "session:compact:before main s1 ", "agent_end main s1 user", "command:new idle main s0 ",
		"turn_start idle main s1 ", "command:reset main s1 ",
	}
	if !slices.Equal(first, want) {
		t.Errorf("first workspace, in order: %q", first)
	}
	slices.Sort(rest)
	if want := []string{"agent_end cron  cron", "agent_end group  user", "gateway:shutdown idle ws2", "gateway:shutdown ws one"}; !slices.Equal(rest, want) {
		t.Errorf("rest: %q", rest)
	}
}

// TestPluginManifest: what OpenClaw reads before it loads the plugin.
func TestPluginManifest(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{false, true} {
		text, err := pluginFile("package.json", "", made)
		if err != nil {
			t.Fatal(err)
		}
		var pkg struct {
			Type     string
			OpenClaw struct{ Extensions []string }
		}
		if err := json.Unmarshal(text, &pkg); err != nil || pkg.Type != "module" || !slices.Equal(pkg.OpenClaw.Extensions, []string{"./index.js"}) {
			t.Errorf("%v: %s", err, text)
		}
	}
	text, err := pluginFile("openclaw.plugin.json", "", false)
	var manifest struct {
		ID           string
		ConfigSchema map[string]any
	}
	if err != nil || json.Unmarshal(text, &manifest) != nil || manifest.ID != pluginID || manifest.ConfigSchema == nil {
		t.Errorf("%v: %s", err, text)
	}
	if text, err = pluginFile("index.js", `C:\it's "here"\git-claw.exe`, false); err != nil || strings.Contains(string(text), "@BINARY@") || !writtenByUs("index.js", text) {
		t.Errorf("index.js: %v", err)
	}
}
