package connect

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The plugin. A HOOK.md hook, OpenClaw's simpler form, has no event at the end
// of a turn, so what an agent wrote would be taken for unknown work at the start
// of its next one. A plugin has both, and all events of such a hook as well.
//
//go:embed openclaw/index.js openclaw/openclaw.plugin.json openclaw/package.json
var plugin embed.FS

const (
	pluginID = "git-claw"

	// binaryMark stands for the recorded path in index.js, as a JSON string.
	binaryMark = `"@BINARY@"`

	// folderMark says in package.json that we made the folder of all plugins.
	folderMark = ",\n  \"gitClaw\": { \"madeFolder\": true }\n}\n"
)

// pluginFiles returns the names of the plugin's files. index.js is last, so that
// a plugin is whole when the file that makes it work appears.
func pluginFiles() []string { return []string{"package.json", "openclaw.plugin.json", "index.js"} }

// openClaw plans the plugin in OpenClaw's state directory.
func openClaw(env Env, opt Options) (*Plan, error) {
	state, err := env.openClawState()
	if err != nil {
		return nil, err
	}
	p := &Plan{Host: "openclaw"}
	if _, err := os.Stat(state); err != nil {
		if opt.Remove {
			return p, nil
		}
		return nil, &NotFoundError{"OpenClaw", state}
	}
	extensions := filepath.Join(state, "extensions")
	dir := filepath.Join(extensions, pluginID)
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return nil, &LinkError{dir}
	}
	cli, config := env.openClawCommand(), env.openClawConfig(state)
	if opt.Remove {
		if err := p.removePlugin(dir, extensions); err != nil {
			return nil, err
		}
		if config.known || len(p.Edits) > 0 {
			p.Next = config.disable(cli)
		}
	} else {
		if err := p.addPlugin(env, dir, state); err != nil {
			return nil, err
		}
		if config.known || len(p.Edits) > 0 {
			p.Next = config.enable(cli)
		}
	}
	if len(p.Next) > 0 || len(p.Edits) > 0 {
		p.Next = append(p.Next, cli+" gateway restart")
		p.Notes = append(p.Notes, "the restart is needed only if a gateway runs")
	}
	if len(p.Edits) > 0 && !opt.Remove {
		p.Notes = append(p.Notes, "at the first command OpenClaw may warn that it does not find the plugin: it looks again after it")
		p.Notes = append(p.Notes, "OpenClaw tells the end of a turn only to plugins with allowConversationAccess; this one reads neither prompts nor answers")
	}
	return p, nil
}

// addPlugin plans the plugin's files.
func (p *Plan) addPlugin(env Env, dir, state string) error {
	made := false
	if old, err := readFile(filepath.Join(dir, "package.json")); err != nil {
		return err
	} else if old != nil {
		made = bytes.HasSuffix(old, []byte(folderMark))
	} else if _, err := os.Lstat(filepath.Dir(dir)); err != nil {
		made = true
	}
	for _, name := range pluginFiles() {
		e := Edit{Path: filepath.Join(dir, name), Mode: 0o644, Outside: true}
		e.Folders = missing(e.Path, state)
		e.Why = "plugin of OpenClaw that tells git claw when a turn begins and ends"
		var err error
		if e.Before, err = readFile(e.Path); err != nil {
			return err
		}
		if e.Before != nil && !writtenByUs(name, e.Before) {
			return &ForeignError{e.Path}
		}
		if e.After, err = pluginFile(name, env.Binary, made); err != nil {
			return err
		}
		if e.Before == nil || !bytes.Equal(e.Before, e.After) {
			p.Edits = append(p.Edits, e)
		}
	}
	return nil
}

// removePlugin plans the end of the plugin's files.
func (p *Plan) removePlugin(dir, extensions string) error {
	// Backwards, so that what makes it work goes first.
	files := pluginFiles()
	made := false
	for i := len(files) - 1; i >= 0; i-- {
		e := Edit{Path: filepath.Join(dir, files[i]), Outside: true, Why: "plugin of OpenClaw that connect wrote"}
		var err error
		if e.Before, err = readFile(e.Path); err != nil {
			return err
		}
		if e.Before == nil {
			continue
		}
		if !writtenByUs(files[i], e.Before) {
			return &ForeignError{e.Path}
		}
		made = made || files[i] == "package.json" && bytes.HasSuffix(e.Before, []byte(folderMark))
		p.Edits = append(p.Edits, e)
	}
	if n := len(p.Edits); n > 0 {
		p.Edits[n-1].Folders = []string{dir}
		if made {
			p.Edits[n-1].Folders = []string{dir, extensions}
		}
	}
	return nil
}

// pluginFile renders a file of the plugin.
func pluginFile(name, binary string, madeFolder bool) ([]byte, error) {
	text, err := plugin.ReadFile("openclaw/" + name)
	if err != nil {
		return nil, fmt.Errorf("read plugin: %w", err)
	}
	switch {
	case name == "index.js":
		word, err := json.Marshal(binary)
		if err != nil {
			return nil, fmt.Errorf("record '%s': %w", binary, err)
		}
		text = bytes.Replace(text, []byte(binaryMark), word, 1)
	case name == "package.json" && madeFolder:
		text = append(bytes.TrimSuffix(text, []byte("\n}\n")), folderMark...)
	}
	return text, nil
}

// writtenByUs reports whether a file is one that pluginFile renders, for any
// binary. A later version of the plugin keeps the older texts for this.
func writtenByUs(name string, text []byte) bool {
	binary := ""
	if name == "index.js" {
		_, rest, _ := bytes.Cut(text, []byte("\nconst binary = "))
		word, _, _ := bytes.Cut(rest, []byte(";\n"))
		if json.Unmarshal(word, &binary) != nil {
			return false
		}
	}
	for _, made := range []bool{false, true} {
		if want, err := pluginFile(name, binary, made); err == nil && bytes.Equal(text, want) {
			return true
		}
	}
	return false
}

// openClawState returns OpenClaw's state directory as OpenClaw finds it.
func (e Env) openClawState() (string, error) {
	home := e.Home
	if h := strings.TrimSpace(e.get("OPENCLAW_HOME")); h != "" {
		home = e.expand(h, e.Home)
	}
	dir := filepath.Join(home, ".openclaw")
	if profile := e.openClawProfile(); profile != "" {
		if strings.ContainsAny(profile, `/\`) || strings.HasPrefix(profile, ".") {
			return "", &NotFoundError{"OpenClaw", dir + "-" + profile}
		}
		dir += "-" + profile
	}
	if s := strings.TrimSpace(e.get("OPENCLAW_STATE_DIR")); s != "" {
		dir = e.expand(s, home)
	}
	if !filepath.IsAbs(dir) {
		return "", &NotFoundError{"OpenClaw", dir}
	}
	return filepath.Clean(dir), nil
}

func (e Env) openClawProfile() string {
	if p := strings.TrimSpace(e.get("OPENCLAW_PROFILE")); !strings.EqualFold(p, "default") {
		return p
	}
	return ""
}

// openClawCommand is how the user calls the OpenClaw that was found.
func (e Env) openClawCommand() string {
	if p := e.openClawProfile(); p != "" {
		return "openclaw --profile " + shellQuote(p)
	}
	return "openclaw"
}

func (e Env) expand(path, home string) string {
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) {
		return filepath.Join(home, path[1:])
	}
	return path
}
