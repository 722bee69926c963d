package health

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/frontmatter"
	"github.com/git-claw/git-claw/skills"
)

// skillsFamily looks at skills as their host will.
func skillsFamily() Family {
	sk := on(memory.Skills)
	return Family{
		Name: "skills",
		Checks: []Check{
			{
				ID: "SKL-001", Severity: Failure, Profiles: sk, Rule: "SK-03", Meaning: "a SKILL.md has at most claw.skills.maxFileBytes bytes",
				Fix: "move detail to files beside it, and name them in it",
			},
			{
				ID: "SKL-002", Severity: Warning, Profiles: sk, Rule: "SK-04", Meaning: "a skill has valid frontmatter with a name and a description",
				Fix: "begin the file with '---', 'name: <name>', 'description: <what it is for>' and '---'",
			},
			{
				ID: "SKL-003", Severity: Failure, Profiles: sk, Rule: "SK-08", Meaning: "a skill lies inside its root",
				Fix: "put a copy in the place of the link",
			},
			{ID: "SKL-004", Severity: Info, Profiles: sk, Rule: "SK-01", Meaning: "skills that have one name", Fix: "give one of them another name"},
			{
				ID: "SKL-005", Severity: Warning, Profiles: sk, Rule: "SK-07", Absent: noCatalogue, Meaning: "the list of skills fits into the prompt of the host",
				Fix: "shorten descriptions, or take out skills that nobody uses",
			},
			{
				ID: "SKL-006", Severity: Warning, Profiles: sk, Rule: "SK-09", Meaning: "no skill runs what it fetches, or hides what it needs",
				Fix: "fetch a fixed version to a file and look at it before it runs; name what is needed in the frontmatter",
			},
		},
		Look:  Over(isSkill, readSkill, judgeSkills),
		Whole: whenAny(isSkill),
		Enter: func(dir string) bool {
			return slices.ContainsFunc(skillRoots, func(root string) bool { return strings.HasPrefix(root, dir) || strings.HasPrefix(dir, root) })
		},
	}
}

// skillRoots are the roots of all hosts.
var skillRoots = []string{"skills/", ".agents/skills/", ".claude/skills/"}

// isSkill: the files of skills, what they tell a shell to run, and links, which may be
// a skill's folder.
func isSkill(_ *Run, f File) bool {
	return f.Kind == memory.KindSkill && (f.Mode == gitops.ModeSymlink || isSkillFile(f.Path) || isScript(f.Path))
}

func isSkillFile(rel string) bool {
	base := strings.ToLower(path.Base(rel))
	return base == "skill.md" || base == "skills.md"
}

// isOpenClaw recognises the host whose limits are known.
func isOpenClaw(r *Run) bool {
	return r.WS.Host.Name == memory.OpenClaw || r.WS.Host.Name == memory.OpenClawClassic
}

func noCatalogue(r *Run) string {
	if !isOpenClaw(r) {
		return "the limits of the host are not known"
	}
	return ""
}

// skillFact is what a SKILL.md says.
type skillFact struct {
	*skills.Skill

	invalid string // why the host does not read its frontmatter, or ""
	fetches []int  // lines that run what they fetch
	hides   int    // line that denies what the frontmatter declares, 0 for none
}

func readSkill(r *Run, n *Note, out *Out) skillFact {
	if !isSkillFile(n.Path) {
		addFetches(out, n.Path, fetchLines(n))
		return skillFact{}
	}
	f := skillFact{Skill: skills.Parse(n.Text, path.Dir(n.Path)), fetches: fetchLines(n)}
	f.invalid = invalid(r.WS.Host.Name, n.Text, f.Skill)
	f.hides = denies(f.Skill, n)
	return f
}

// denies is the line of a skill that denies what its frontmatter declares, 0 for none.
func denies(s *skills.Skill, n *Note) int {
	needs := len(s.Bins)+len(s.AnyBins) > 0
	key := slices.ContainsFunc(s.Env, func(name string) bool { return strings.Contains(name, "KEY") || strings.Contains(name, "TOKEN") })
	if !needs && !key {
		return 0
	}
	for i, line := range n.Lines() {
		text := strings.ToLower(string(line))
		if needs && noDependencies().MatchString(text) || key && noKey().MatchString(text) {
			return i + 1
		}
	}
	return 0
}

func addDenial(out *Out, rel string, s *skills.Skill, line int) {
	if line > 0 {
		out.Add(Finding{ID: "SKL-006", Path: rel, Line: line, Message: "the text denies what the frontmatter declares", Expected: "the same in both", Actual: strings.Join(slices.Concat(s.Bins, s.AnyBins, s.Env), ", ")})
	}
}

// invalid says why a host does not read the frontmatter of a skill, or "". OpenClaw
// reads it from the first line on only, and mends a colon in a description; before
// that it took any frontmatter line by line.
func invalid(host string, text []byte, s *skills.Skill) string {
	switch {
	case !s.Front:
		return "it has no frontmatter"
	case s.Line > 1 && (host == memory.OpenClaw || host == memory.OpenClawClassic):
		return "its frontmatter does not begin on the first line"
	case s.Err == nil, host == memory.OpenClawClassic, host == memory.OpenClaw && frontmatter.Parse(mended(text)).Err == nil:
		return ""
	}
	return "its frontmatter is no valid YAML"
}

// mended quotes what OpenClaw quotes where YAML cannot be read: a description on one
// line, and two other fields when they hold a colon.
func mended(text []byte) []byte {
	b := frontmatter.Parse(text)
	lines := strings.Split(string(text[:b.To]), "\n")
	for _, f := range b.Fields {
		at := f.Line - 1
		if at >= len(lines) {
			continue
		}
		_, value, _ := strings.Cut(lines[at], ":")
		value = strings.TrimSpace(value)
		colon := f.Key == "description" || strings.Contains(value, ": ")
		if !slices.Contains([]string{"description", "read_when", "summary"}, f.Key) || !colon || value == "" || strings.Trim(value, "|>+-123456789") == "" {
			continue
		}
		if q := value[0]; len(value) > 1 && (q == '"' || q == '\'') && value[len(value)-1] == q {
			value = value[1 : len(value)-1]
		}
		lines[at] = f.Key + ": " + strconv.Quote(value)
	}
	return []byte(strings.Join(lines, "\n"))
}

var (
	noDependencies = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:no|zero) (?:external |other |extra |additional )?(?:dependencies|requirements|programs (?:are )?(?:needed|required))\b`)
	})
	noKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bno (?:api )?(?:key|token|credentials?)s? (?:is |are )?(?:needed|required|necessary)\b|\bwithout (?:an )?api key\b`)
	})
)

func judgeSkills(ctx context.Context, r *Run, facts []Fact[skillFact], out *Out) error {
	var paths []string
	byPath := map[string]Fact[skillFact]{}
	for _, f := range facts {
		if isSkillFile(f.File.Path) {
			paths = append(paths, f.File.Path)
		}
		byPath[f.File.Path] = f
	}
	found := skills.Find(paths, r.WS.Host.SkillRoots)
	var loaded []skills.Location
	for _, l := range found {
		if judgeSkill(r, byPath[l.Path], out) {
			loaded = append(loaded, l)
		}
	}
	of := func(l skills.Location) *skills.Skill { return byPath[l.Path].Value.Skill }
	first := map[string]skills.Location{}
	var listed []skills.Listed
	for _, l := range loaded {
		s := of(l)
		if other, ok := first[s.Name]; ok {
			message := fmt.Sprintf("'%s' has the name '%s', too", other.Path, clip(s.Name))
			if isOpenClaw(r) && other.Root != l.Root {
				message = fmt.Sprintf("'%s' has the name '%s', too, and is used in its place", other.Path, clip(s.Name))
			}
			out.Add(Finding{ID: "SKL-004", Path: l.Path, Message: message, Expected: "a name of its own", Actual: clip(s.Name)})
			continue
		}
		first[s.Name] = l
		if !s.Hidden {
			listed = append(listed, skills.Listed{Name: s.Name, Description: s.Description, Location: r.WS.Root + "/" + l.Path})
		}
	}
	judgeCatalogue(r, found, loaded, listed, out)
	return judgeLinks(ctx, r, facts, found, out)
}

// judgeSkill looks at one skill, and reports whether the host loads it.
func judgeSkill(r *Run, f Fact[skillFact], out *Out) bool {
	rel := f.File.Path
	most, size := r.Int("skills.maxFileBytes"), f.File.Size
	if slices.ContainsFunc(r.Large(), func(l File) bool { return l.Path == rel }) {
		size = max(size, r.WS.MaxFileBytes()+1)
	}
	limited(out, "SKL-001", rel, 0, int(size), most, "bytes")
	s := f.Value
	if s.Skill == nil { // it is a link, or was not read
		return false
	}
	severity := Info
	if isOpenClaw(r) {
		severity = Warning
	}
	why, want := s.invalid, "frontmatter that the host reads"
	switch {
	case why != "":
	case s.Description == "":
		why, want = "it has no description", "description: <what it is for>"
	case !s.Named: // hosts take the folder's
		why, want, severity = "it has no name, so that of its folder is used", "name: <name>", Info
	}
	if why != "" {
		out.Add(Finding{ID: "SKL-002", Path: rel, Severity: severity, Message: why, Expected: want, Actual: "none"})
	}
	addFetches(out, rel, s.fetches)
	addDenial(out, rel, s.Skill, s.hides)
	return size <= int64(most) && (!isOpenClaw(r) || s.invalid == "" && s.Description != "")
}

// judgeCatalogue compares with the limits of the host. What it brings along itself
// counts, too, and is not seen here.
func judgeCatalogue(r *Run, found, loaded []skills.Location, listed []skills.Listed, out *Out) {
	for _, root := range r.WS.Host.SkillRoots {
		count := func(list []skills.Location) (n int) {
			for _, l := range list {
				if l.Root == root {
					n++
				}
			}
			return n
		}
		limited(out, "SKL-005", root, 0, count(found), r.Int("skills.maxPerRoot"), "folders of skills")
		limited(out, "SKL-005", root, 0, count(loaded), r.Int("skills.maxPerSource"), "skills")
	}
	limited(out, "SKL-005", "", 0, len(listed), r.Int("skills.maxInPrompt"), "skills in the prompt")
	limited(out, "SKL-005", "", 0, skills.CatalogueChars(listed), r.Int("skills.maxPromptChars"), "characters of names, descriptions and places")
}

// judgeLinks looks for skills that lie elsewhere: a link in the place of a SKILL.md
// leads out of the skill's folder, or one in the place of a folder out of the root.
func judgeLinks(ctx context.Context, r *Run, facts []Fact[skillFact], found []skills.Location, out *Out) error {
	for _, f := range facts {
		rel := f.File.Path
		if f.File.Mode != gitops.ModeSymlink {
			continue
		}
		text, err := r.Snapshot.Read(ctx, f.File)
		if unreadable(err) {
			continue
		}
		if err != nil {
			return err
		}
		homes := r.WS.Host.SkillRoots
		if isOpenClaw(r) { // other hosts load a skill from whatever root
			homes = slices.DeleteFunc(slices.Clone(homes), func(root string) bool { return !strings.HasPrefix(rel, root) })
		}
		if isSkillFile(rel) {
			homes = []string{path.Dir(rel) + "/"}
		} else {
			target := string(text)
			inside := slices.ContainsFunc(found, func(l skills.Location) bool { return strings.HasPrefix(rel, l.Dir+"/") })
			file, err := r.Has(ctx, path.Join(path.Dir(rel), target))
			if err != nil {
				return err
			}
			if inside || file || path.Ext(target) != "" && !strings.HasSuffix(target, "/") {
				continue // a file of a skill, or beside skills
			}
		}
		if to := linkTarget(r, rel, string(text)); !slices.ContainsFunc(homes, func(home string) bool { return strings.HasPrefix(to+"/", home) }) {
			out.Add(Finding{ID: "SKL-003", Path: rel, Message: "a link that leads out of '" + strings.TrimSuffix(homes[0], "/") + "'", Expected: "a path inside", Actual: clip(string(text))})
		}
	}
	return nil
}

// linkTarget is where a link leads, relative to the root where it lies below it.
func linkTarget(r *Run, rel, target string) string {
	if !path.IsAbs(target) {
		return path.Join(path.Dir(rel), target)
	}
	if below, ok := strings.CutPrefix(path.Clean(target), r.WS.Root+"/"); ok {
		return below
	}
	return path.Clean(target)
}
