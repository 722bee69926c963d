package connect

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// claudeHost is the name in the command that Claude Code runs.
const claudeHost = "claude-code"

// claudeTimeout is how many seconds Claude Code waits for a hook. A save takes
// a fraction of one; it waits longer only for a lock.
const claudeTimeout = 60

// claudeEvents returns the events that are wired: the start of a session and of
// a turn, the end of a turn, before the context is compacted, the end of a
// session. Tool events are not: a shell command or the host writes files too,
// and the end of the turn sees all of it.
func claudeEvents() []string {
	return []string{"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
}

// claudeCode plans hooks in Claude Code's settings. The default is the file of
// this project and this machine, .claude/settings.local.json: the command holds
// a path of this machine, and .claude/settings.json is committed and shared.
func claudeCode(env Env, opt Options) (*Plan, error) {
	p := &Plan{Host: claudeHost}
	local := filepath.Join(env.Workspace, ".claude", "settings.local.json")
	user := env.claudeUserSettings()
	path := local
	if opt.User {
		var err error
		if path, err = follow(user); err != nil {
			return nil, err
		}
	} else if err := noLinks(env.Workspace, local); err != nil {
		return nil, err
	}
	before, err := readFile(path)
	if err != nil {
		return nil, err
	}
	e := Edit{Path: path, Before: before, Mode: 0o644, Outside: opt.User}
	s := settings{command: shellCommand(env.Binary), timeout: claudeTimeout, events: claudeEvents()}
	if opt.Remove {
		e.Why = "hooks that connect wrote"
		if before != nil {
			e.After, err = s.remove(before)
			e.Folders = removable(before, filepath.Dir(path))
		}
	} else {
		e.Why = "hooks that tell git claw when a session and a turn begin and end"
		e.Folders = missing(path, filepath.Dir(filepath.Dir(path)))
		e.After, err = s.add(before, len(e.Folders) > 0)
	}
	if err != nil {
		return nil, &ParseError{path, err}
	}
	if (e.Before == nil) != (e.After == nil) || string(e.Before) != string(e.After) {
		p.Edits = append(p.Edits, e)
	}
	if !opt.User {
		if err := p.exclude(env, opt.Remove); err != nil {
			return nil, err
		}
	}
	p.claudeNotes(env, opt, before, local, user)
	return p, nil
}

// claudeNotes says what the user should know besides the edits.
func (p *Plan) claudeNotes(env Env, opt Options, before []byte, local, user string) {
	if opt.Remove {
		return
	}
	other := user
	if opt.User {
		other = local
	} else {
		p.Notes = append(p.Notes, fmt.Sprintf("the hooks run when Claude Code is started in '%s'; with --user they run everywhere, and only in adopted workspaces do anything", env.Workspace))
	}
	if text, err := gitops.ReadSmall(other, maxSettings); err == nil && len(claudeHooks(text)) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("'%s' has the hooks too: one of the two is enough", other))
	}
	if switchedOff(before) {
		p.Notes = append(p.Notes, "disableAllHooks is set, so Claude Code runs no hook")
	}
	p.Notes = append(p.Notes, "a session that is running takes the hooks over when it is started again")
}

// claudeUserSettings is the file of the user, for all projects.
func (e Env) claudeUserSettings() string {
	dir := strings.TrimSpace(e.get("CLAUDE_CONFIG_DIR"))
	if dir == "" {
		dir = filepath.Join(e.Home, ".claude")
	}
	return filepath.Join(e.expand(dir, e.Home), "settings.json")
}

// follow resolves links to a file of the user's own: dotfiles are often kept
// elsewhere, and a rename must not put a file in the place of the link.
func follow(path string) (string, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		to, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", fmt.Errorf("read '%s': %w", path, err)
		}
		return to, nil
	}
	return path, nil
}

// noLinks refuses a link on the way from the workspace to the file: a cloned
// repository could lead the edit anywhere with one.
func noLinks(root, path string) error {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return &LinkError{path}
	}
	at := root
	for _, part := range strings.Split(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return nil // not there yet
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{at}
		}
	}
	return nil
}
