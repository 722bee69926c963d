package connect

import (
	"slices"
	"strings"
	"testing"
)

// TestOpenClawCommands: the commands that are printed fit the configuration.
func TestOpenClawCommands(t *testing.T) {
	t.Parallel()
	const (
		access  = "config set plugins.entries.git-claw.hooks.allowConversationAccess true"
		enabled = "config set plugins.entries.git-claw.enabled true"
		entry   = "config unset plugins.entries.git-claw"
		restart = "gateway restart"
		ours    = `"git-claw": {"hooks": {"allowConversationAccess": true}, "enabled": true}`
	)
	tests := []struct {
		name, config   string // "" for none
		after          string // the same when the commands were run
		connect, again []string
		remove, gone   []string // gone: the files went before
	}{
		{"no file", "", "", []string{access, enabled, restart}, nil, []string{entry, restart}, nil},
		{
			"nothing about plugins", `{}`, `{"plugins": {"entries": {` + ours + `}}}`,
			[]string{access, enabled, restart},
			nil,
			[]string{"config unset plugins", restart},
			[]string{"config unset plugins", restart},
		},
		{
			"other plugins", "{ // mine\n" + `"plugins": {"entries": {"x": {},}}}`, `{"plugins": {"entries": {"x": {}, ` + ours + `}}}`,
			[]string{access, enabled, restart},
			nil,
			[]string{entry, restart},
			[]string{entry, restart},
		},
		{
			"only some allowed", `{"plugins": {"allow": ["x", "y"]}}`, `{"plugins": {"allow": ["x", "y", "git-claw"], "entries": {` + ours + `}}}`,
			[]string{"config set plugins.allow.2 git-claw", access, enabled, restart},
			nil,
			[]string{"config unset plugins.allow.2", "config unset plugins.entries", restart},
			[]string{"config unset plugins.allow.2", "config unset plugins.entries", restart},
		},
		{
			"disabled, or half done", `{"plugins": {"entries": {"git-claw": {"enabled": false, "hooks": {"allowConversationAccess": true}}}}}`,
			`{"plugins": {"entries": {"git-claw": {"enabled": false}}}}`,
			[]string{enabled, restart},
			[]string{access, enabled, restart},
			[]string{"config unset plugins", restart},
			[]string{"config unset plugins", restart},
		},
		{"JSON5", `{plugins: {}}`, `{plugins: {}}`, []string{access, enabled, restart}, nil, []string{entry, restart}, nil},
		{"no object", `[]`, `[]`, []string{access, enabled, restart}, nil, []string{entry, restart}, nil},
		{"odd types", `{"plugins": {"allow": 1, "entries": []}}`, `{"plugins": 2}`, []string{access, enabled, restart}, []string{access, enabled, restart}, []string{restart}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write("x", "home", ".openclaw", "state")
			write := func(text string) {
				if text != "" {
					m.write(text, "home", ".openclaw", "openclaw.json")
				}
			}
			check := func(what string, p *Plan, want []string) {
				t.Helper()
				var got []string
				for _, command := range p.Next {
					got = append(got, strings.TrimPrefix(command, "openclaw "))
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			write(tt.config)
			p := m.make("openclaw", Options{})
			check("connect", p, tt.connect)
			m.apply(p)
			write(tt.after)
			check("again", m.make("openclaw", Options{}), tt.again)
			p = m.make("openclaw", Options{Remove: true})
			check("remove", p, tt.remove)
			m.apply(p)
			check("gone", m.make("openclaw", Options{Remove: true}), tt.gone)
		})
	}
	m := newMachine(t)
	m.write("x", "home", ".openclaw", "state")
	m.write(`{"plugins": {"allow": ["x"]}}`, "etc", "claw.json")
	m.env.Environ = []string{"OPENCLAW_CONFIG_PATH=" + m.base + "/etc/claw.json"}
	if p := m.make("openclaw", Options{}); p.Next[0] != "openclaw config set plugins.allow.1 git-claw" {
		t.Errorf("another place: %q", p.Next)
	}
}
