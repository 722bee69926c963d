package mergesetup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// The names in git's configuration.
const (
	DriverName = "merge.claw.driver"
	titleName  = "merge.claw.name"
	title      = "merge memory by entry"
)

// State says what the configuration names as the driver.
type State string

// The states. An install changes Missing and Outdated.
const (
	Missing  State = "missing"
	Current  State = "current"  // our line, with this binary
	Outdated State = "outdated" // our line, with another binary
	Foreign  State = "foreign"  // somebody else's line
)

// Status is how the repository is set up.
type Status struct {
	State    State
	Binary   string // the path our line records
	Runnable bool   // it can be run; else git looks in PATH, and then merges by itself
	// Attributes is false when info/attributes does not name all files of this workspace, Committed when
	// the workspace's own .gitattributes does not.
	Attributes, Committed bool
}

// Done reports whether there is nothing left to set up on this machine.
func (s Status) Done() bool { return s.State == Current && s.Attributes }

// Setup is a workspace and the binary to record.
type Setup struct {
	Workspace *memory.Workspace
	Binary    string // absolute
}

// BinaryError says that a path cannot be recorded in the configuration.
type BinaryError struct{ Path string }

func (e *BinaryError) Error() string {
	return fmt.Sprintf("cannot record '%s' in the configuration: not an absolute path of one line", e.Path)
}

// ForeignError: another driver has our name.
type ForeignError struct{}

func (e *ForeignError) Error() string {
	return "'" + DriverName + "' names another driver; memory is merged by that"
}

// Hints is a command that can be pasted.
func (e *ForeignError) Hints() []string {
	return []string{"to have git claw merge memory: git config --local --remove-section merge.claw, then git claw doctor --fix"}
}

// Look says how the repository stands, without changing it.
func (s Setup) Look(ctx context.Context) (Status, error) {
	var st Status
	conf, err := s.Workspace.Repo.LocalConfig(ctx, "merge.claw.")
	if err != nil {
		return st, err
	}
	line, ok := conf.Get(DriverName)
	switch binary, ours := recorded(line); {
	case !ok:
		st.State = Missing
	case !ours:
		st.State = Foreign
	default:
		st.State, st.Binary, st.Runnable = Outdated, binary, runnable(binary)
		if s.Binary == "" || binary == filepath.ToSlash(s.Binary) {
			st.State = Current
		}
	}
	old, err := readAttributes(s.attributesFile())
	if err != nil {
		return st, err
	}
	st.Attributes = bytes.Equal(s.Workspace.MergeAttributes(old, true), old)
	committed, err := readAttributes(filepath.Join(s.Workspace.Root, ".gitattributes"))
	st.Committed = err == nil && bytes.Equal(s.Workspace.MergeAttributes(committed, false), committed)
	return st, nil
}

// Install sets up what is not, and says what it changed, one short phrase each. A second one changes
// nothing. Errors: *BinaryError, *ForeignError, *gitops.ConfigWriteError.
func (s Setup) Install(ctx context.Context) ([]string, error) {
	if !filepath.IsAbs(s.Binary) || strings.ContainsAny(s.Binary, "\x00\r\n") {
		return nil, &BinaryError{s.Binary}
	}
	st, err := s.Look(ctx)
	if err != nil {
		return nil, err
	}
	var changed []string
	if !st.Attributes { // first: without the driver they change nothing
		if err := s.writeAttributes(); err != nil {
			return nil, err
		}
		changed = append(changed, s.phrase(false))
	}
	switch st.State {
	case Current:
		return changed, nil
	case Foreign:
		return changed, &ForeignError{}
	}
	// In this order: a name without a driver makes git refuse every merge.
	for _, kv := range [][2]string{{DriverName, Line(s.Binary)}, {titleName, title}} {
		if err := s.Workspace.Repo.SetLocalConfig(ctx, kv[0], kv[1]); err != nil {
			return changed, err
		}
	}
	return append(changed, s.phrase(true)), nil
}

// Changes says in the same words what an install would change.
func (s Setup) Changes(st Status) []string {
	var out []string
	if !st.Attributes {
		out = append(out, s.phrase(false))
	}
	if st.State == Missing || st.State == Outdated {
		out = append(out, s.phrase(true))
	}
	return out
}

func (s Setup) phrase(driver bool) string {
	if driver {
		return "merge driver 'claw' in the configuration of the repository"
	}
	return "merge attributes in info/attributes of the repository"
}

// Line is the value of merge.claw.driver. git puts the words with a percent sign into it and gives it to
// a shell.
func Line(binary string) string {
	return "b=" + quote(filepath.ToSlash(binary)) + lineRest
}

const lineRest = `; test -x "$b" || b=$(command -v git-claw); if test -n "$b"; then "$b" merge-driver --marker-size=%L -- %O %A %B %P; else git merge-file --marker-size=%L %A %O %B; fi`

// recorded reads the binary out of a line that is ours.
func recorded(line string) (string, bool) {
	word, ok := strings.CutSuffix(line, lineRest)
	if !ok || len(word) < len("b=''") || !strings.HasPrefix(word, "b='") || word[len(word)-1] != '\'' {
		return "", false
	}
	inner := word[len("b='") : len(word)-1]
	path := strings.ReplaceAll(strings.ReplaceAll(inner, `'\''`, "'"), "%%", "%")
	return path, Line(path) == line
}

// quote writes a word for a POSIX shell in a value in which git replaces what a percent sign begins.
func quote(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "'", `'\''`), "%", "%%") + "'"
}

func runnable(binary string) bool {
	fi, err := os.Stat(filepath.FromSlash(binary))
	return err == nil && fi.Mode().IsRegular() && (fi.Mode()&0o111 != 0 || os.PathSeparator == '\\')
}

func (s Setup) attributesFile() string {
	return filepath.Join(s.Workspace.Repo.CommonDir, "info", "attributes")
}

// maxAttributes is far more than any file of attributes holds.
const maxAttributes = 1 << 20

func readAttributes(name string) ([]byte, error) {
	b, err := gitops.ReadSmall(name, maxAttributes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", name, err)
	}
	return b, nil
}

// writeAttributes adds our block to info/attributes; what else stands there stays.
func (s Setup) writeAttributes() error {
	name := s.attributesFile()
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // the link stays one
	}
	old, err := readAttributes(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("write '%s': %w", name, err)
	}
	perm := fs.FileMode(0o644)
	if fi, err := os.Stat(name); err == nil {
		perm = fi.Mode().Perm()
	}
	if err := gitops.WriteFileAtomic(name, s.Workspace.MergeAttributes(old, true), perm); err != nil {
		return fmt.Errorf("write '%s': %w", name, err)
	}
	return nil
}
