package connect

import (
	"bytes"
	"errors"
	"path/filepath"

	"github.com/tailscale/hujson"
)

// Connection says whether a host calls git claw for a workspace.
type Connection struct {
	Host      string
	Connected bool
	Unknown   bool // what would tell could not be read
}

// State says it in words.
func (c Connection) State() string {
	switch {
	case c.Connected:
		return "connected"
	case c.Unknown:
		return "unknown"
	}
	return "not connected"
}

// Connected returns the hosts that call git claw for the workspace.
func Connected(env Env) []string {
	var out []string
	for _, c := range Connections(env) {
		if c.Connected {
			out = append(out, c.Host)
		}
	}
	return out
}

// Connections looks at every host. It reads a few small files, starts nothing
// and changes nothing; Binary may be empty, and Workspace outside of one.
func Connections(env Env) []Connection {
	out := []Connection{{Host: claudeHost}, {Host: "openclaw"}}
	var err error
	out[0].Connected, err = env.claudeConnected()
	out[0].Unknown = err != nil && !out[0].Connected
	out[1].Connected, err = env.openClawConnected()
	out[1].Unknown = err != nil && !out[1].Connected
	return out
}

// claudeConnected looks for our hook at the end of a turn in the settings that
// Claude Code reads for the workspace. A file that cannot be read leaves open
// what it says; the others still count.
func (e Env) claudeConnected() (bool, error) {
	var paths []string
	var problems []error
	for _, name := range []string{"settings.local.json", "settings.json"} {
		path := filepath.Join(e.Workspace, ".claude", name)
		if e.Workspace == "" || noLinks(e.Workspace, path) != nil {
			continue // connect writes nothing there either
		}
		paths = append(paths, path)
	}
	user, err := follow(e.claudeUserSettings())
	if err != nil {
		problems = append(problems, err)
	} else if filepath.IsAbs(user) {
		paths = append(paths, user)
	}
	hooked := false
	for _, path := range paths {
		text, err := readFile(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		hook, off, err := endOfTurn(text, hooked)
		if err != nil {
			problems = append(problems, &ParseError{path, err})
		}
		if off {
			return false, nil
		}
		hooked = hooked || hook
	}
	return hooked, errors.Join(problems...)
}

// endOfTurn tells whether settings hold our hook for the end of a turn, unless
// that is known, and whether they switch all hooks off. Settings without either
// word, the most, are not parsed.
func endOfTurn(text []byte, known bool) (hook, off bool, err error) {
	ours := !known && bytes.Contains(text, []byte("hooks run "+claudeHost))
	if !ours && !bytes.Contains(text, []byte("disableAllHooks")) {
		return false, false, nil
	}
	d, err := parseSettings(bytes.TrimPrefix(text, []byte(utf8BOM)))
	if err != nil {
		return false, false, err
	}
	for _, h := range d.ours {
		hook = hook || h.event == "Stop"
	}
	object := d.root.Value.(*hujson.Object)
	if at := memberIndex(object, "disableAllHooks"); at >= 0 {
		l, ok := object.Members[at].Value.Value.(hujson.Literal)
		off = ok && l.Bool()
	}
	return hook, off, nil
}

// openClawConnected looks for the plugin, and whether OpenClaw's configuration
// lets it work.
func (e Env) openClawConnected() (bool, error) {
	state, err := e.openClawState()
	if err != nil {
		return false, nil //nolint:nilerr // there is no such OpenClaw
	}
	text, err := readFile(filepath.Join(state, "extensions", pluginID, "index.js"))
	if err != nil || !bytes.HasPrefix(text, []byte("// git-claw plugin, version ")) {
		return false, err
	}
	config := e.openClawConfig(state)
	if !config.known {
		return false, &ForeignError{filepath.Join(state, "openclaw.json")}
	}
	return len(config.enable("")) == 0, nil
}
