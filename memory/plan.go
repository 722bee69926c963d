package memory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// InitRequest says how a folder is to become a workspace.
type InitRequest struct {
	Dir       string     // absolute; it may not exist yet
	Workspace *Workspace // the folder as it is; nil where there is no repository yet
	Host      string     // a host's name; "" or auto: what claw.host or the folder says
	Canonical bool       // the layout of SPEC LY-01
	Team      bool       // personal memory stays out of the repository (SPEC RC-17)
	NoTags    bool       // no tag vocabulary with the canonical layout
	Import    string     // absolute folder to copy memory from, or ""
	Domain    string     // what the agent is for, written into a new workspace
	Now       time.Time  // for the dates of templates; the workspace's own zone is used where there is one
}

// PlannedFile is one file that a plan writes, below the root. Old is nil and
// Existed false for a new one. Why is one short phrase for a person.
type PlannedFile struct {
	Path     string
	Old, New []byte
	Existed  bool
	Imported bool // a copy of a file from elsewhere
	Why      string
}

// InitPlan is what `init` would write. It is data: making one changes nothing.
type InitPlan struct {
	Fresh    bool // the folder was empty: a new workspace, not an adoption
	Host     string
	Profiles []Profile
	Files    []PlannedFile // by path; empty when there is nothing to do
	// Ignored lists below the root what `init --team` ignores. What git already
	// tracks of it stays tracked.
	Ignored []string
	// Skipped lists what an import leaves out, and why.
	Skipped []SkippedFile
}

// Ignores reports whether the plan's own rules keep a path below the root out of
// git: what it writes there is for this machine.
func (p *InitPlan) Ignores(rel string) bool {
	return slices.ContainsFunc(p.Ignored, func(ig string) bool {
		return rel == ig || strings.HasSuffix(ig, "/") && strings.HasPrefix(rel, ig)
	})
}

// NotRegularError: something is in the way of a file that git claw writes.
type NotRegularError struct{ Path string }

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("refuse '%s': it is not a regular file", e.Path)
}

// PlanInit plans how a folder becomes a workspace, or how a workspace is brought
// up to date (SPEC WS-33). No line that exists changes; no root file is added to
// a folder that has content; for a workspace that has everything the plan is
// empty. Errors: *LinkError, *NotRegularError, *ImportError.
func PlanInit(req InitRequest) (*InitPlan, error) {
	p := &planner{req: req, tree: tree{req.Dir}, siRoot: "self-improving/", plan: &InitPlan{}}
	if ws := req.Workspace; ws != nil {
		p.tree, p.siRoot, p.req.Now = tree{ws.Root}, ws.siRoot, ws.Now()
	}
	if p.req.Now.IsZero() {
		return nil, errors.New("plan a workspace: no clock was given")
	}
	var err error
	if p.plan.Fresh, err = p.tree.isEmpty(); err != nil {
		return nil, err
	}
	if p.host, err = p.chooseHost(); err != nil {
		return nil, err
	}
	p.plan.Host = p.host.Name
	steps := []func() error{p.roots, p.canonical, p.config, p.ignore, p.attributes, p.imports}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.plan.Files, func(a, b PlannedFile) int { return strings.Compare(a.Path, b.Path) })
	return p.plan, nil
}

type planner struct {
	req    InitRequest
	tree   tree
	host   Host
	siRoot string
	plan   *InitPlan
}

// isEmpty reports whether a folder holds nothing but what git and the system put
// there. A folder that does not exist is empty.
func (t tree) isEmpty() (bool, error) {
	entries, err := os.ReadDir(t.root)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at '%s': %w", t.root, err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{".git", ".gitignore", ".gitattributes", ".DS_Store"}, e.Name()) {
			return false, nil
		}
	}
	return true, nil
}

// chooseHost decides for whom the files are. An empty folder says nothing, and
// OpenClaw is whom most agents of such folders belong to.
func (p *planner) chooseHost() (Host, error) {
	name := p.req.Host
	if ws := p.req.Workspace; ws != nil && (name == "" || name == "auto") {
		if name = ws.Settings.String("host"); name == "auto" && !p.plan.Fresh {
			return ws.Host, nil
		}
	}
	if name == "" || name == "auto" {
		if p.plan.Fresh {
			name = OpenClaw
		} else {
			name, _ = p.tree.detectHost()
		}
	}
	h, ok := HostNamed(name)
	if !ok {
		return Host{}, fmt.Errorf("unknown host '%s'", name)
	}
	return h, nil
}

// old reads a file that may be there; nil and false when it is not.
func (p *planner) old(rel string) ([]byte, bool, error) {
	parts := strings.Split(rel, "/")
	for i := range parts {
		name := strings.Join(parts[:i+1], "/")
		fi, err := os.Lstat(p.tree.path(name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("look at '%s': %w", name, err)
		case fi.Mode()&os.ModeSymlink != 0:
			return nil, false, &LinkError{Path: name}
		case i < len(parts)-1 && !fi.IsDir() || i == len(parts)-1 && !fi.Mode().IsRegular():
			return nil, false, &NotRegularError{Path: name}
		}
	}
	b, err := os.ReadFile(p.tree.path(rel))
	if err != nil {
		return nil, false, fmt.Errorf("read '%s': %w", rel, err)
	}
	return b, true, nil
}

// edit plans a file whose new content depends on the old one.
func (p *planner) edit(rel, why string, change func(old []byte) []byte) error {
	old, existed, err := p.old(rel)
	if err != nil {
		return err
	}
	if now := change(old); !existed || !bytes.Equal(old, now) {
		p.plan.Files = append(p.plan.Files, PlannedFile{Path: rel, Old: old, New: now, Existed: existed, Why: why})
	}
	return nil
}

// create plans a file where there is none.
func (p *planner) create(rel, why string, content []byte) error {
	_, existed, err := p.old(rel)
	if err != nil || existed {
		return err
	}
	p.plan.Files = append(p.plan.Files, PlannedFile{Path: rel, New: content, Why: why})
	return nil
}

func (p *planner) render() rendering { return rendering{domain: p.req.Domain, now: p.req.Now} }

// roots adds the host's root files to an empty folder.
func (p *planner) roots() error {
	if !p.plan.Fresh {
		return nil
	}
	for _, name := range p.host.rootTemplates() {
		if err := p.create(name, "root file of "+p.host.Name, p.render().file(name)); err != nil {
			return err
		}
	}
	return nil
}

// canonical adds the files of the canonical layout that are missing.
func (p *planner) canonical() error {
	if !p.req.Canonical {
		return nil
	}
	if !p.tree.isDir("memory/episodic") {
		if err := p.create("memory/episodic/.gitkeep", "canonical layout: daily files go here", nil); err != nil {
			return err
		}
	}
	for _, f := range warmFiles {
		text := p.render().file("warm.md", "{{title}}", f.title, "{{tags}}", f.tags)
		if err := p.create(f.path, "canonical layout", text); err != nil {
			return err
		}
	}
	if p.req.NoTags {
		return nil
	}
	return p.create(".claw/tags.txt", "vocabulary of tags", p.render().file("tags.txt"))
}

// ignore plans our block in .gitignore.
func (p *planner) ignore() error {
	why := "host state, databases and credentials stay out of git"
	track := false
	if ws := p.req.Workspace; ws != nil {
		track = ws.Settings.String("buffer.track") == "branch"
	}
	if p.req.Team {
		why += ", and so does personal memory"
		p.plan.Ignored = teamFiles(p.siRoot)
	}
	return p.edit(".gitignore", why, func(old []byte) []byte {
		return withBlock(old, ignoreLines(p.siRoot, track, p.req.Team))
	})
}

// attributes plans our block in .gitattributes.
func (p *planner) attributes() error {
	return p.edit(".gitattributes", "says which files are memory, for merging them", func(old []byte) []byte {
		return withBlock(old, attributeLines(p.host, "", p.siRoot, p.tree.isFlat(p.host)))
	})
}

const configHead = `# Settings of this workspace that travel with it. Here they may tighten a limit
# or a check, never loosen it; what is local belongs in git's own configuration:
# git config claw.<name> <value>
`

// config plans .claw/config: new, or with what the canonical layout adds.
func (p *planner) config() error {
	old, existed, err := p.old(".claw/config")
	if err != nil {
		return err
	}
	have, err := gitops.ParseConfig(old)
	if err != nil {
		return fmt.Errorf("read '.claw/config': %w", err)
	}
	set := p.settings(have, existed)
	p.plan.Profiles = p.profiles(set)
	var b strings.Builder
	if !existed {
		b.WriteString(configHead)
	}
	section := ""
	for _, s := range set {
		if s.section != section || b.Len() == 0 {
			b.WriteString("[" + s.section + "]\n")
			section = s.section
		}
		b.WriteString("\t" + s.key + " = " + s.value + "\n")
	}
	if b.Len() == 0 {
		return nil
	}
	return p.edit(".claw/config", "the settings of this workspace", func(old []byte) []byte {
		return appendLines(old, b.String())
	})
}

// setting is one line of .claw/config.
type setting struct{ section, key, value string }

// settings lists what .claw/config lacks.
func (p *planner) settings(have *gitops.Config, existed bool) []setting {
	var set []setting
	core := func(key, value string) { set = append(set, setting{"claw", key, value}) }
	if !existed {
		core("version", configVersion)
	}
	if p.plan.Fresh && p.host.Name != p.detected() {
		core("host", p.host.Name)
	}
	switch listed, ok := have.Get("claw.profiles"); {
	case p.plan.Fresh && !existed:
		core("profiles", joinProfiles(AllProfiles))
	case p.req.Canonical && (!ok || !slices.Contains(strings.Fields(listed), string(OpenClawMemory))):
		// The last value counts: the list is written anew behind the old one.
		on, _ := parseProfiles(listed)
		if !ok || listed == "auto" {
			on = p.tree.detectProfiles(p.siRoot, p.host.SkillRoots)
		}
		if !slices.Contains(on, OpenClawMemory) {
			on = append(on, OpenClawMemory)
		}
		core("profiles", joinProfiles(on))
	}
	if _, ok := have.Get("claw.recall.gate"); p.req.Canonical && !ok {
		set = append(set, setting{`claw "recall"`, "gate", "integrity"})
	}
	return set
}

// detected is the host that the files of a new workspace alone would tell.
func (p *planner) detected() string {
	names := p.host.rootTemplates()
	switch {
	case slices.Contains(names, "SOUL.md"):
		return OpenClaw
	case slices.Contains(names, "CLAUDE.md"):
		return ClaudeCode
	}
	return Generic
}

// profiles are those that will be on.
func (p *planner) profiles(set []setting) []Profile {
	for _, s := range set {
		if s.key == "profiles" {
			on, _ := parseProfiles(s.value)
			return on
		}
	}
	if ws := p.req.Workspace; ws != nil {
		return ws.Profiles.On()
	}
	return p.tree.detectProfiles(p.siRoot, p.host.SkillRoots)
}

func joinProfiles(on []Profile) string { return strings.Join(listedProfiles(on).Names(), " ") }
