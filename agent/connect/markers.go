package connect

import "strings"

// marker is a variable by which a host marks what its agent starts.
type marker struct {
	name   string
	person string // the value it has in a shell of a person; "" if none
}

// markers of all hosts, connected ones and others.
func markers() []marker {
	return []marker{
		{name: "CLAUDECODE"},
		{name: "CLAUDE_CODE_ENTRYPOINT"},
		{name: "OPENCLAW_SHELL", person: "tui-local"},
		{name: "OPENCLAW_CLI"},
		{name: "CODEX_SANDBOX"},
		{name: "CODEX_THREAD_ID"},
		{name: "CODEX_SANDBOX_NETWORK_DISABLED"},
		{name: "CURSOR_AGENT"},
		{name: "GEMINI_CLI"},
		{name: "OPENCODE"},
		{name: "AI_AGENT"},
	}
}

// HostMarkers returns the names of the variables that say that an agent's host
// started this process. Where there is one, nobody approves by environment.
func HostMarkers(environ []string) []string {
	set := map[string]string{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			set[name] = value
		}
	}
	var out []string
	for _, m := range markers() {
		if v := set[m.name]; v != "" && v != m.person {
			out = append(out, m.name)
		}
	}
	return out
}
