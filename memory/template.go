package memory

import (
	"embed"
	"strings"
	"time"
)

//go:embed templates
var templates embed.FS

// noDomain stands where nobody was asked what the agent is for.
const noDomain = "(what this agent is for: fill this in)"

// rendering fills templates in.
type rendering struct {
	domain string
	now    time.Time // in the workspace's time zone
}

// file returns a template; pairs are further placeholders and their values.
func (r rendering) file(name string, pairs ...string) []byte {
	b, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(err) // the name is in this package's own source; a test renders every one
	}
	domain := strings.Join(strings.Fields(r.domain), " ")
	if domain == "" {
		domain = noDomain
	}
	date := r.now.Format("2006-01-02")
	pairs = append([]string{"{{domain}}", domain, "{{date}}", date}, pairs...)
	return []byte(strings.NewReplacer(pairs...).Replace(string(b)))
}

// rootTemplates lists the root files of a new workspace of a host.
func (h Host) rootTemplates() []string {
	switch h.Name {
	case OpenClaw:
		return []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md"}
	case OpenClawClassic:
		return []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"}
	case ClaudeCode:
		return []string{"CLAUDE.md", "MEMORY.md"}
	}
	return []string{"AGENTS.md", "MEMORY.md"}
}

// warmFiles are the canonical semantic and procedural files (SPEC OM-03) with
// title and tags, all of them tags of templates/tags.txt.
var warmFiles = []struct{ path, title, tags string }{
	{"memory/semantic/infrastructure.md", "Infrastructure", "networking ssh docker"},
	{"memory/semantic/preferences.md", "Preferences", "style habits rules"},
	{"memory/semantic/projects.md", "Projects", "tasks workflow"},
	{"memory/semantic/decisions.md", "Decisions", "review rules"},
	{"memory/procedural/lessons-learned.md", "Lessons learned", "postmortem errors fixes"},
}
