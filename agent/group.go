package agent

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/prefs"
)

// Events of commits made here (SPEC 10.2).
const (
	eventWriteback = "writeback"
	eventL1Edit    = "l1.edit"
	eventSkillEdit = "skill.edit"
	eventBootstrap = "bootstrap.complete"
	eventUndo      = "undo"
	eventInit      = "workspace.init"
	eventAdopt     = "workspace.adopt"
)

// editGroup becomes one commit.
type editGroup struct {
	event  string
	area   string
	source string
	edits  []edit
}

func (g editGroup) paths() []string {
	out := make([]string, len(g.edits))
	for i, e := range g.edits {
		out[i] = e.rel
	}
	return out
}

// group cuts edits into commits: rule files, configuration and skills each by
// themselves, a finished bootstrap with what it filled in, a host's own rewrite
// of MEMORY.md, and the rest as one write-back, which comes last.
func group(ws *memory.Workspace, edits []edit) []editGroup {
	var groups []editGroup
	rest := editGroup{event: eventWriteback, area: "memory"}
	bootstrap := slices.IndexFunc(edits, func(e edit) bool { return e.kind == memory.KindBootstrap && e.change.Delete }) >= 0
	setup := editGroup{event: eventBootstrap, area: "workspace"}
	dreamt := editGroup{event: eventWriteback, area: "memory", source: "openclaw-dreaming"}
	skills := map[string]int{}
	for _, e := range edits {
		switch {
		case bootstrap && (e.kind == memory.KindBootstrap || isSetup(e.rel)):
			setup.edits = append(setup.edits, e)
		case e.kind == memory.KindL1, e.kind == memory.KindBootstrap:
			groups = append(groups, editGroup{event: eventL1Edit, area: "rules", edits: []edit{e}})
		case e.kind == memory.KindClaw:
			groups = append(groups, editGroup{event: eventL1Edit, area: "config", edits: []edit{e}})
		case e.kind == memory.KindSkill:
			dir := ws.SkillDir(e.rel)
			i, ok := skills[dir]
			if !ok {
				i = len(groups)
				skills[dir] = i
				groups = append(groups, editGroup{event: eventSkillEdit, area: "skills"})
			}
			groups[i].edits = append(groups[i].edits, e)
		case e.rel == ws.SIRoot()+prefs.Hot:
			// Each entry of it has to be a person's: what came in otherwise is looked at alone.
			groups = append(groups, editGroup{event: eventWriteback, area: "prefs", edits: []edit{e}})
		case e.kind == memory.KindMemory && promotedByDreaming(e), strings.HasPrefix(e.rel, "memory/dreaming/"):
			dreamt.edits = append(dreamt.edits, e)
		default:
			rest.edits = append(rest.edits, e)
		}
	}
	if len(dreamt.edits) > 0 {
		groups = append(groups, dreamt)
	}
	if len(setup.edits) > 0 {
		groups = append([]editGroup{setup}, groups...)
	}
	if len(rest.edits) > 0 {
		groups = append(groups, rest)
	}
	return groups
}

// isSetup names the files that a bootstrap conversation fills in.
func isSetup(rel string) bool { return rel == "IDENTITY.md" || rel == "USER.md" || rel == "SOUL.md" }

var dreamingMark = []byte("<!-- openclaw-memory-promotion:")

// promotedByDreaming recognises the blocks that OpenClaw's nightly job adds to
// MEMORY.md.
func promotedByDreaming(e edit) bool {
	text := e.change.Content
	if !bytes.Contains(text, dreamingMark) {
		return false
	}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	for _, h := range doc.LineDiff(e.old, text) {
		for i := h.NewFrom; i < h.NewTo && i < len(lines); i++ {
			if bytes.Contains(lines[i], dreamingMark) {
				return true
			}
		}
	}
	return false
}

// checkWords leaves out what was said along with the save, when it holds a
// secret: all of it would be in the commit.
func (s *saver) checkWords() {
	for _, w := range []struct {
		name string
		text *string
	}{
		{"message", &s.opt.Message}, {"source", &s.opt.Source},
	} {
		if *w.text != "" && len(s.scan.Scan([]byte(*w.text))) > 0 {
			*w.text = ""
			s.skip("", 0, "the "+w.name+" holds a secret and is left out", true)
		}
	}
}

// message gives the subject and body of a group's commit.
func (s *saver) message(g editGroup) (subject, body string) {
	summary, body, _ := cutLine(strings.TrimSpace(s.opt.Message))
	if summary == "" {
		summary = summarise(g.edits)
		if len(s.scan.Scan([]byte(summary))) > 0 { // of a name that was in HEAD before
			summary = "save " + plural(len(g.edits), "file")
		}
	}
	return fmt.Sprintf("claw(%s): %s", g.area, summary), body
}

func cutLine(s string) (first, rest string, more bool) { return strings.Cut(s, "\n") }

// summarise says what happened to which files in a few words.
func summarise(edits []edit) string {
	verb := "update"
	switch {
	case all(edits, func(e edit) bool { return e.change.Delete }):
		verb = "remove"
	case all(edits, func(e edit) bool { return e.added }):
		verb = "add"
	}
	var names []string
	for _, e := range edits {
		name := path.Base(e.rel)
		if name == "SKILL.md" {
			name = path.Base(path.Dir(e.rel))
		}
		names = append(names, name)
	}
	const shown = 2
	if len(names) <= shown+1 {
		return verb + " " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s %s and %d more", verb, strings.Join(names[:shown], ", "), len(names)-shown)
}

func all(edits []edit, f func(edit) bool) bool {
	return !slices.ContainsFunc(edits, func(e edit) bool { return !f(e) })
}
