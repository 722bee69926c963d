package skills

import (
	"path"
	"strings"

	"github.com/git-claw/git-claw/memory/frontmatter"
)

// Skill is what a SKILL.md says of itself.
type Skill struct {
	Name        string // the folder's where the file gives none
	Named       bool   // the file gives a name
	Description string
	Version     string
	// Err says why the frontmatter is not valid; then its fields were read line by line.
	Err error
	// Front reports that there is frontmatter. Line is its first line.
	Front bool
	Line  int

	// Hidden from the model, though listed for the user: disable-model-invocation.
	Hidden bool
	Gates
}

// Gates are what a host asks before it shows a skill to a model (SPEC SK-05).
type Gates struct {
	Key      string // in skills.entries of the host's configuration; the name where it says none
	Always   bool   // no other gate but OS counts
	OS       []string
	Bins     []string // all of them must be there
	AnyBins  []string // one of them
	Env      []string
	Config   []string
	Homepage string
}

// Parse reads a SKILL.md in a folder. No input is an error.
func Parse(src []byte, dir string) *Skill {
	b := frontmatter.Parse(src)
	s := &Skill{
		Name: strings.TrimSpace(b.Text("name")), Description: strings.TrimSpace(b.Text("description")), Version: b.Text("version"),
		Err: b.Err, Front: b.Present(), Line: b.Line,
	}
	s.Named = s.Name != ""
	if !s.Named {
		s.Name = path.Base(dir)
	}
	if f := b.Field("disable-model-invocation"); f != nil {
		s.Hidden = truth(f.Value)
	}
	s.Homepage = b.Text("homepage")
	if f := b.Field("metadata"); f != nil {
		s.gates(f.Value)
	}
	if s.Key == "" {
		s.Key = s.Name
	}
	return s
}

// gates reads metadata: a map, or one line of JSON that holds one. The gates lie in the part of the
// host, or right in it.
func (s *Skill) gates(value any) {
	if text, ok := value.(string); ok {
		b := frontmatter.Parse([]byte("---\nv: " + strings.Join(strings.Fields(text), " ") + "\n---\n"))
		if f := b.Field("v"); f != nil {
			value = f.Value
		}
	}
	m, _ := value.(map[string]any)
	for _, host := range []string{"openclaw", "clawdbot"} {
		if own, ok := m[host].(map[string]any); ok {
			m = own
			break
		}
	}
	if m == nil {
		return
	}
	s.Key, _ = m["skillKey"].(string)
	s.Always = truth(m["always"])
	s.OS = list(m["os"])
	if h, ok := m["homepage"].(string); ok && s.Homepage == "" {
		s.Homepage = h
	}
	if r, ok := m["requires"].(map[string]any); ok {
		s.Bins, s.AnyBins, s.Env, s.Config = list(r["bins"]), list(r["anyBins"]), list(r["env"]), list(r["config"])
	}
}

// truth reads a flag, which may be quoted.
func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		switch strings.ToLower(v) {
		case "true", "yes", "on", "1":
			return true
		}
	}
	return false
}

// list reads a list, or words parted by commas.
func list(v any) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	switch v := v.(type) {
	case string:
		for s := range strings.SplitSeq(v, ",") {
			add(s)
		}
	case []any:
		for _, item := range v {
			if s, ok := item.(string); ok {
				add(s)
			}
		}
	}
	return out
}
