package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
)

// longestName bounds the name of a skill.
const longestName = 64

// skill is the SKILL.md that holds the lesson.
func (p *promoter) skill() (proposal.Edit, error) {
	name := p.opt.Skill
	if p.opt.To != "" {
		return proposal.Edit{}, &agent.UsageError{Problem: "--skill and --to exclude each other"}
	}
	if name == "" || len(name) > longestName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.Trim(name, "-") != name {
		return proposal.Edit{}, &agent.UsageError{Problem: fmt.Sprintf("'%s' is no name of a skill", name), Hint: "use a-z, 0-9 and hyphens, such as slow-kiln"}
	}
	roots := p.ws.Host.SkillRoots
	if len(roots) == 0 {
		return proposal.Edit{}, &agent.RefusedError{Problem: "this host has no folder for skills"}
	}
	root := roots[0]
	for _, r := range roots {
		rel := r + name + "/SKILL.md"
		if _, ok, err := p.read(rel); err != nil || ok {
			if err == nil {
				err = &agent.RefusedError{Problem: fmt.Sprintf("there is a skill '%s' in '%s'", name, rel), Advice: []string{"choose another name"}}
			}
			return proposal.Edit{}, err
		}
	}
	if i := slices.IndexFunc(roots, func(r string) bool { ok, err := p.ws.Exists(r); return err == nil && ok }); i >= 0 {
		root = roots[i]
	}
	first, _, _ := strings.Cut(p.l.Text, ". ")
	// A quoted string of Go is one of YAML as well, but for escapes that no lesson needs.
	text := "---\nname: " + name + "\ndescription: " + strconv.Quote(clip(first)) + "\n---\n\n# " + strings.ReplaceAll(name, "-", " ") + "\n\n" + p.l.Text + "\n"
	if p.l.Block {
		text += "\n" + string(p.l.Source()) + "\n"
	}
	return proposal.Edit{Path: root + name + "/SKILL.md", Content: []byte(text)}, nil
}
