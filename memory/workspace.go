package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// Workspace is the folder an agent lives in.
type Workspace struct {
	Repo       *gitops.Repo
	Root       string // absolute
	Prefix     string // from the repository's top level to the root, "" or ending in a slash
	Adopted    bool   // .claw/config is there
	Host       Host
	HostReason string
	Profiles   ProfileSet
	Settings   *Settings

	siRoot   string   // ending in a slash
	flat     bool     // an auto-memory folder: notes lie in the root itself
	managed  []string // managed roots below the root, folders ending in a slash
	zone     *time.Location
	maxBytes int64
}

// NotAdoptedError: a command that writes was called outside an adopted
// workspace.
type NotAdoptedError struct {
	Root  string
	Inner []string // folders below that are workspaces
}

func (e *NotAdoptedError) Error() string {
	return fmt.Sprintf("'%s' is not a workspace of git claw", e.Root)
}

// ExitCode is git's for "fatal".
func (e *NotAdoptedError) ExitCode() int { return 128 }

// Hints gives the command that adopts.
func (e *NotAdoptedError) Hints() []string {
	if len(e.Inner) == 0 {
		return []string{"run 'git claw init'"}
	}
	out := make([]string, len(e.Inner))
	for i, dir := range e.Inner {
		out[i] = "'" + filepath.Base(dir) + "' is one: git claw -C '" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return out
}

// innerWorkspaces looks for workspaces a few folders below one that is none.
func innerWorkspaces(root string) (found []string) {
	const depth, most, entries = 3, 5, 2000
	type folder struct {
		path  string
		below int
	}
	looked := 0
	for next := []folder{{root, 0}}; len(next) > 0 && len(found) < most; next = next[1:] {
		list, err := os.ReadDir(next[0].path)
		if err != nil {
			continue
		}
		for _, e := range list {
			if looked++; looked > entries {
				return found
			}
			if !e.IsDir() || e.Name() == ".git" || e.Name() == "node_modules" {
				continue
			}
			dir := filepath.Join(next[0].path, e.Name())
			if fi, err := os.Lstat(filepath.Join(dir, ".claw", "config")); err == nil && fi.Mode().IsRegular() {
				found = append(found, dir)
			} else if next[0].below+1 < depth {
				next = append(next, folder{dir, next[0].below + 1})
			}
		}
	}
	return found
}

// LinkError: a file that git claw reads or writes its settings in is a symbolic
// link, which could lead anywhere.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("refuse '%s': it is a symbolic link", e.Path)
}

// configVersion is the version of the form of .claw/config.
const configVersion = "1"

// maxConfigBytes bounds what is read of a file that anybody who can push writes.
const maxConfigBytes = 1 << 20

// VersionError: .claw/config was written by a newer git claw, whose settings this
// one might read wrongly.
type VersionError struct{ Have string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("cannot read '.claw/config': it has version %s, this git claw knows %s", e.Have, configVersion)
}

// ExitCode is git's for "fatal".
func (e *VersionError) ExitCode() int { return 128 }

// Hints gives the way on.
func (e *VersionError) Hints() []string { return []string{"install a newer git claw"} }

func checkVersion(c *gitops.Config) error {
	have, ok := c.Get("claw.version")
	if !ok || have == configVersion {
		return nil
	}
	return &VersionError{Have: have}
}

// ErrNoWorkTree: a bare repository holds no workspace.
var ErrNoWorkTree = errors.New("a bare repository holds no workspace")

// Open finds the repository and the workspace that dir lies in (SPEC WS-30).
// explicit is the folder given with -w, or "". Both are absolute.
func Open(ctx context.Context, git *gitops.Git, dir, explicit string) (*Workspace, error) {
	start := dir
	if explicit != "" {
		start = explicit
	}
	repo, err := gitops.Open(ctx, git, start)
	if err != nil {
		return nil, err
	}
	if explicit != "" {
		return At(ctx, repo, explicit)
	}
	return Find(ctx, repo)
}

// Find returns the workspace of the directory that repo was opened in: the
// nearest one upwards with .claw/config, else the nearest with a core file, else
// the top level.
func Find(ctx context.Context, repo *gitops.Repo) (*Workspace, error) {
	if repo.Bare {
		return openBare(ctx, repo)
	}
	named := ""
	prefix := repo.Prefix
	for {
		t := tree{filepath.Join(repo.TopLevel, filepath.FromSlash(prefix))}
		if t.isDir(".claw") && t.isFile(".claw/config") {
			return open(ctx, repo, prefix)
		}
		if named == "" && t.hasCoreFile() {
			named = "/" + prefix
		}
		if prefix == "" {
			break
		}
		prefix = strings.TrimSuffix(prefix, "/")
		prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]
	}
	return open(ctx, repo, strings.TrimPrefix(named, "/"))
}

// openBare gives what can be read without a work tree: history. Nothing is
// adopted there, so every command that writes refuses.
func openBare(ctx context.Context, repo *gitops.Repo) (*Workspace, error) {
	git, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Repo: repo, Root: repo.GitDir}
	w.Settings = newSettings(repo.Git.Env(), git, nil)
	w.load(tree{filepath.Join(repo.GitDir, "no work tree")})
	return w, nil
}

func (t tree) hasCoreFile() bool {
	for _, f := range []string{"AGENTS.md", "SOUL.md", "MEMORY.md", "CLAUDE.md"} {
		if t.isFile(f) {
			return true
		}
	}
	return false
}

// At returns the workspace whose root is dir.
func At(ctx context.Context, repo *gitops.Repo, dir string) (*Workspace, error) {
	if repo.Bare {
		return nil, ErrNoWorkTree
	}
	// git resolved links on the way to its top level; do the same with dir.
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace '%s': %w", dir, err)
	}
	rel, err := filepath.Rel(repo.TopLevel, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, fmt.Errorf("open workspace '%s': it lies outside the repository '%s'", dir, repo.TopLevel)
	}
	if rel == "." {
		return open(ctx, repo, "")
	}
	return open(ctx, repo, filepath.ToSlash(rel)+"/")
}

func open(ctx context.Context, repo *gitops.Repo, prefix string) (*Workspace, error) {
	w := &Workspace{Repo: repo, Prefix: prefix, Root: filepath.Join(repo.TopLevel, filepath.FromSlash(prefix))}
	t := tree{w.Root}
	tracked, err := w.trackedConfig(t)
	if err != nil {
		return nil, err
	}
	git, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	w.Settings = newSettings(repo.Git.Env(), git, tracked)
	w.load(t)
	if repo.Unite == nil { // the workspace a command is for; others are only looked at
		repo.Unite = w.unite
	}
	return w, nil
}

// trackedConfig reads .claw/config; nil when the workspace is not adopted.
func (w *Workspace) trackedConfig(t tree) (*gitops.Config, error) {
	for _, name := range []string{".claw", ".claw/config"} {
		fi, err := os.Lstat(t.path(name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read '%s': %w", name, err)
		}
		if fi.Mode()&os.ModeSymlink != 0 {
			return nil, &LinkError{Path: name}
		}
		if name == ".claw" && !fi.IsDir() {
			return nil, nil
		}
	}
	fi, err := os.Lstat(t.path(".claw/config"))
	if err != nil || !fi.Mode().IsRegular() {
		return nil, nil //nolint:nilerr // it went away, or is no file: not adopted
	}
	if fi.Size() > maxConfigBytes {
		return nil, fmt.Errorf("read '.claw/config': it is larger than %d bytes", maxConfigBytes)
	}
	b, err := os.ReadFile(t.path(".claw/config"))
	if err != nil {
		return nil, fmt.Errorf("read '.claw/config': %w", err)
	}
	w.Adopted = true
	c, err := gitops.ParseConfig(b)
	if err != nil {
		return nil, fmt.Errorf("read '.claw/config': %w", err)
	}
	return c, checkVersion(c)
}

// load derives from the settings what the workspace is.
func (w *Workspace) load(t tree) {
	s := w.Settings
	w.zone = time.Local
	if name := s.String("timezone"); name != "system" {
		if z, err := time.LoadLocation(name); err == nil {
			w.zone = z
		} else {
			s.warn("claw.timezone: unknown time zone '%s'", name)
		}
	}
	w.maxBytes = s.Int("maxFileBytes")
	name := s.String("host")
	w.HostReason = "claw.host says so"
	if name == "auto" {
		name, w.HostReason = t.detectHost()
	}
	host, ok := HostNamed(name)
	if !ok {
		s.warn("claw.host: unknown host '%s'", name)
		name, w.HostReason = t.detectHost()
		host, _ = HostNamed(name)
	}
	if _, mine := s.local(mustParameter("host"), "host"); !mine && s.String("host") != "auto" {
		host = w.notLooser(t, host)
	}
	w.Host = host
	w.Host.FileChars = s.limit("bootstrap.maxChars", host.FileChars)
	w.Host.UserChars = s.limit("bootstrap.userMaxChars", host.UserChars)
	w.Host.TotalChars = s.limit("bootstrap.totalMaxChars", host.TotalChars)
	w.Host.IndexLines = s.limit("bootstrap.indexLines", host.IndexLines)
	w.Host.IndexBytes = s.limit("bootstrap.indexBytes", host.IndexBytes)
	w.siRoot = w.safeFolder("si.root", s.String("si.root"), "self-improving/")
	if t.isFile(w.siRoot + "memory/memory.md") {
		w.siRoot += "memory/"
	}
	if list := s.String("profiles"); list != "auto" {
		on, unknown := parseProfiles(list)
		for _, u := range unknown {
			s.warn("claw.profiles: unknown profile '%s'", u)
		}
		w.Profiles = listedProfiles(on)
	} else {
		w.Profiles = ProfileSet{auto: true, on: sync.OnceValue(func() []Profile {
			return t.detectProfiles(w.siRoot, w.Host.SkillRoots)
		})}
	}
	w.flat = t.isFlat(w.Host)
	w.managed = w.managedRoots()
}

// notLooser returns the host that a tracked file names, unless the files are those of
// one that has limits where the named one has none: then checks would go away with a
// commit that anybody may have made.
func (w *Workspace) notLooser(t tree, named Host) Host {
	seen, why := t.detectHost()
	detected, _ := HostNamed(seen)
	unlimited := detected.FileChars > 0 && named.FileChars == 0 || detected.IndexLines > 0 && named.IndexLines+named.FileChars == 0
	if !unlimited || named.Name == ClaudeCode && t.hasClaudeMark() {
		return named
	}
	w.Settings.warn("'claw.host = %s' in '.claw/config' is ignored: a tracked file may tighten, not loosen, and %s; 'git config claw.host %s' makes it so here",
		named.Name, why, named.Name)
	w.HostReason = why
	return detected
}

// RequireAdopted fails with *NotAdoptedError when the workspace is not adopted.
func (w *Workspace) RequireAdopted() error {
	switch {
	case w.Adopted:
		return nil
	case w.Repo.Bare:
		return ErrNoWorkTree
	}
	return &NotAdoptedError{Root: w.Root, Inner: innerWorkspaces(w.Root)}
}

// Now is the one clock in the workspace's time zone; its calendar day is what
// the rules call today.
func (w *Workspace) Now() time.Time { return w.Repo.Git.Env().Now().In(w.zone) }

// MaxFileBytes is the size from which on a file is not managed.
func (w *Workspace) MaxFileBytes() int64 { return w.maxBytes }

// SIRoot is the folder of learned preferences below the root, ending in a slash.
func (w *Workspace) SIRoot() string { return w.siRoot }
