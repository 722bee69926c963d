package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// Hosts returns the names of the hosts that can be connected.
func Hosts() []string { return []string{"claude-code", "openclaw"} }

// Env is what a plan needs to know of the machine. Paths are absolute.
type Env struct {
	Environ   []string // variables as name=value
	Home      string   // the user's home directory
	Binary    string   // the git-claw to record
	Workspace string   // root of the workspace

	// For Claude Code's local settings, which are of this machine and must not
	// be committed. Exclude is git's local ignore file (info/exclude of the
	// common directory), "" to leave it alone; Prefix is the workspace's path
	// below the top level, "" or ending in a slash; Ignored says that git
	// ignores the settings file already.
	Exclude string
	Prefix  string
	Ignored bool
}

// get returns a variable, the last one of its name.
func (e Env) get(name string) string {
	for _, kv := range slices.Backward(e.Environ) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// Options of a plan.
type Options struct {
	Remove bool // take out what a connect put in
	User   bool // Claude Code: the user's settings, for all projects
}

// Make plans the connection of a host. A plan without edits means that nothing
// is to do.
func Make(host string, env Env, opt Options) (*Plan, error) {
	if !filepath.IsAbs(env.Binary) || strings.ContainsAny(env.Binary, "\x00\r\n") {
		return nil, &BinaryError{env.Binary}
	}
	switch host {
	case "claude-code":
		return claudeCode(env, opt)
	case "openclaw":
		return openClaw(env, opt)
	}
	return nil, &UnknownHostError{host}
}

// Plan is what a connect or its removal changes.
type Plan struct {
	Host  string
	Edits []Edit
	Next  []string // commands for the user to run afterwards, in order
	Notes []string // sentences that the user should read
}

// Edit is one file before and after. A nil Before means that the file is not
// there, a nil After that it goes.
type Edit struct {
	Path    string
	Before  []byte
	After   []byte
	Mode    fs.FileMode // permissions of a new file
	Why     string      // for the user, lower case, no full stop
	Outside bool        // not in the workspace's repository: has to be asked for

	// Folders, innermost first: made before the file is written where they are
	// missing, or removed after the file went where they are empty.
	Folders []string
}

// UnknownHostError names a host that cannot be connected.
type UnknownHostError struct{ Host string }

func (e *UnknownHostError) Error() string { return fmt.Sprintf("unknown host '%s'", e.Host) }

// BinaryError says that a path cannot be recorded.
type BinaryError struct{ Path string }

func (e *BinaryError) Error() string {
	return fmt.Sprintf("cannot record '%s': not an absolute path of one line", e.Path)
}

// NotFoundError says that a host is not set up where it should be.
type NotFoundError struct{ Host, Path string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("cannot find %s: no folder '%s'", e.Host, e.Path)
}

// Hints tells how to name the folder. Only OpenClaw has one that is looked for.
func (e *NotFoundError) Hints() []string {
	return []string{
		"where its state lies elsewhere: OPENCLAW_STATE_DIR=<folder> git claw connect openclaw",
		"for a profile of it: OPENCLAW_PROFILE=<name> git claw connect openclaw",
	}
}

// ParseError says that a file of the host cannot be read as what it should be.
type ParseError struct {
	Path string
	Err  error
}

func (e *ParseError) Error() string { return fmt.Sprintf("cannot read '%s': %v", e.Path, e.Err) }
func (e *ParseError) Unwrap() error { return e.Err }

// ForeignError says that a file is in the place of one of ours, or that ours
// was changed; it is not overwritten or removed.
type ForeignError struct{ Path string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("file '%s' was not written by git claw, or was changed", e.Path)
}

// LinkError says that a path leads through a symbolic link where a workspace
// must have none.
type LinkError struct{ Path string }

func (e *LinkError) Error() string { return fmt.Sprintf("'%s' is a symbolic link", e.Path) }

// ChangedError says that a file is not what the plan saw.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string { return fmt.Sprintf("file '%s' changed meanwhile", e.Path) }

// Apply makes the edits. Nothing is written if any file changed since the plan
// was made. A fault in the middle leaves whole files, old or new; planning and
// applying again completes the work.
func (p *Plan) Apply() error {
	for _, e := range p.Edits {
		if err := e.unchanged(); err != nil {
			return err
		}
	}
	for _, e := range p.Edits {
		if err := e.apply(); err != nil {
			return err
		}
	}
	return nil
}

func (e Edit) unchanged() error {
	now, err := readFile(e.Path)
	if err != nil {
		return err
	}
	if (now == nil) != (e.Before == nil) || !bytes.Equal(now, e.Before) {
		return &ChangedError{e.Path}
	}
	return nil
}

func (e Edit) apply() error {
	if err := e.unchanged(); err != nil {
		return err
	}
	if e.After == nil {
		if err := os.Remove(e.Path); err != nil {
			return fmt.Errorf("remove '%s': %w", e.Path, err)
		}
		for _, dir := range e.Folders {
			if os.Remove(dir) != nil {
				break // not empty: somebody else uses it
			}
		}
		return nil
	}
	for _, dir := range slices.Backward(e.Folders) {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make folder '%s': %w", dir, err)
		}
	}
	mode := e.Mode
	if e.Before != nil {
		info, err := os.Lstat(e.Path)
		if err != nil {
			return fmt.Errorf("write '%s': %w", e.Path, err)
		}
		mode = info.Mode().Perm()
	}
	if err := writeFile(e.Path, e.After, mode); err != nil {
		return fmt.Errorf("write '%s': %w", e.Path, err)
	}
	return nil
}

// readFile reads a regular file; nil means that it is not there.
func readFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read '%s': %w", path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &LinkError{path}
	case !info.Mode().IsRegular():
		return nil, &ForeignError{path}
	}
	text, err := gitops.ReadSmall(path, maxSettings)
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", path, err)
	}
	if text == nil {
		text = []byte{}
	}
	return text, nil
}

// maxSettings is the size up to which settings of a host are read.
const maxSettings = 16 << 20

// writeFile replaces a file as a whole or not at all.
func writeFile(path string, text []byte, mode fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".tmp.*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(text); err != nil {
		return err
	}
	if err = tmp.Chmod(mode); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a rename last. Windows cannot sync a directory, and needs not.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// missing returns the folders on the way to path that are not there, innermost
// first, below and without root.
func missing(path, root string) []string {
	var out []string
	for dir := filepath.Dir(path); dir != root && len(dir) > len(root); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
		out = append(out, dir)
	}
	return out
}
