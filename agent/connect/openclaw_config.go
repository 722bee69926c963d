package connect

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// openClawConfig is what OpenClaw's configuration says about plugins. OpenClaw
// edits that file itself, with its own checks and backups and while its gateway
// runs; it is only read here, to name the commands that are needed.
//
// Its command `plugins enable` is not among them: a running gateway refuses it
// for a plugin that appeared after the start, while `config set` makes it look.
type openClawConfig struct {
	known   bool                       // it could be read
	top     map[string]json.RawMessage // the members of "plugins"
	allow   []string
	entries map[string]struct {
		Enabled *bool
		Hooks   struct{ AllowConversationAccess bool }
	}
}

// openClawConfig reads the configuration. One that is not there or uses more of
// JSON5 than comments and trailing commas is not known.
func (e Env) openClawConfig(state string) openClawConfig {
	path := filepath.Join(state, "openclaw.json")
	if p := strings.TrimSpace(e.get("OPENCLAW_CONFIG_PATH")); p != "" {
		path = e.expand(p, e.Home)
	}
	var c openClawConfig
	text, err := readFile(path)
	if err != nil || text == nil {
		return c
	}
	if text, err = hujson.Standardize(text); err != nil {
		return c
	}
	var root struct{ Plugins json.RawMessage }
	if json.Unmarshal(text, &root) != nil {
		return c
	}
	c.known = true
	if len(root.Plugins) > 0 && json.Unmarshal(root.Plugins, &c.top) == nil {
		c.known = (c.top["allow"] == nil || json.Unmarshal(c.top["allow"], &c.allow) == nil) &&
			(c.top["entries"] == nil || json.Unmarshal(c.top["entries"], &c.entries) == nil)
	}
	return c
}

// enable names the commands that let the plugin work, apart from those whose
// work was done.
func (c openClawConfig) enable(cli string) []string {
	var out []string
	if len(c.allow) > 0 && !slices.Contains(c.allow, pluginID) {
		out = append(out, cli+" config set plugins.allow."+strconv.Itoa(len(c.allow))+" "+pluginID)
	}
	entry := c.entries[pluginID]
	if !entry.Hooks.AllowConversationAccess {
		out = append(out, cli+" config set plugins.entries."+pluginID+".hooks.allowConversationAccess true")
	}
	if entry.Enabled == nil || !*entry.Enabled {
		out = append(out, cli+" config set plugins.entries."+pluginID+".enabled true")
	}
	return out
}

// disable names the commands that take out what enable's put in, down to the
// objects that hold nothing else.
func (c openClawConfig) disable(cli string) []string {
	var out []string
	if i := slices.Index(c.allow, pluginID); i >= 0 {
		out = append(out, cli+" config unset plugins.allow."+strconv.Itoa(i))
	}
	_, there := c.entries[pluginID]
	switch {
	case c.known && !there:
	case len(c.entries) != 1:
		out = append(out, cli+" config unset plugins.entries."+pluginID)
	case len(c.top) != 1:
		out = append(out, cli+" config unset plugins.entries")
	default:
		out = append(out, cli+" config unset plugins")
	}
	return out
}
