package githook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// The git hooks that git claw installs.
const (
	PreCommit  = "pre-commit"         // may stop a commit
	PrepareMsg = "prepare-commit-msg" // never does

	// After something was done: they cannot stop it, and do not hold it up.
	PostCommit   = "post-commit"
	PostMerge    = "post-merge"
	PostCheckout = "post-checkout"
	PostRewrite  = "post-rewrite"
)

// Names returns their names.
func Names() []string {
	return []string{PreCommit, PrepareMsg, PostCommit, PostMerge, PostCheckout, PostRewrite}
}

// After reports whether a hook runs when what it is about is done.
func After(name string) bool {
	switch name {
	case PostCommit, PostMerge, PostCheckout, PostRewrite:
		return true
	}
	return false
}

// Target is the place hooks are installed in. All paths are absolute.
type Target struct {
	Dir      string // the hooks directory git uses: `git rev-parse --git-path hooks`
	GitDir   string // the common git directory; only a hooks directory inside it is written
	WorkTree string // top of the work tree, where hook managers keep their files; "" if bare
	Binary   string // the git-claw to record; "" for Status and Uninstall: any
}

// State says what is at the place of one hook.
type State string

// The states. Only Missing, Outdated and a Foreign one without Reason are
// changed by an install.
const (
	Missing  State = "missing"  // no hook
	Current  State = "current"  // our block, recording this binary
	Outdated State = "outdated" // our block, of an older version or recording another binary
	ByHand   State = "by hand"  // somebody else's hook, which calls git-claw
	Edited   State = "edited"   // our block, changed by somebody
	Foreign  State = "foreign"  // somebody else's hook
	Managed  State = "managed"  // written by a hook manager, which would overwrite a change
	Shared   State = "shared"   // the hooks directory is not the repository's own
	Disabled State = "disabled" // a hook that is not executable: git passes it over
)

// Status is one hook as it stands.
type Status struct {
	Hook    string // its name
	Path    string // its file
	State   State
	Chained bool   // our block stands in somebody else's script
	Binary  string // the path our block records
	Manager string // for Managed, and where known for Shared and ByHand
	Reason  string // why an install leaves it alone; "" if it does not
	Next    string // the command to run; "" if there is none or nothing to do
	Add     string // what to add by hand, lines; "" if there is nothing to do
	AddTo   string // the file to add it to
}

// Action says what an install or uninstall did to one hook.
type Action string

// The actions.
const (
	Unchanged Action = "unchanged"
	Created   Action = "created" // a script of our own
	Chained   Action = "chained" // a block in somebody else's script
	Updated   Action = "updated" // our block, to this version and binary
	Removed   Action = "removed" // the script or the block
	Skipped   Action = "skipped" // left alone; see Status.Reason and Status.Add
)

// Result is one hook after an install or uninstall.
type Result struct {
	Status
	Action Action
}

// BinaryError says that a path cannot be recorded in a hook.
type BinaryError struct{ Path string }

func (e *BinaryError) Error() string {
	return fmt.Sprintf("cannot record '%s' in a hook: not an absolute path of one line", e.Path)
}

// ChangedError says that a hook changed while it was being written.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("hook '%s' changed meanwhile", e.Path)
}

// Status looks at every hook.
func (t Target) Status() ([]Status, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var out []Status
	for _, name := range Names() {
		h, err := t.look(name)
		if err != nil {
			return out, err
		}
		out = append(out, h.Status)
	}
	return out, nil
}

// Install puts the hooks in place and says what it did with each. It is safe to
// repeat. The error is one of writing; a hook that was left alone is none.
func (t Target) Install() ([]Result, error) {
	if t.Binary == "" {
		return nil, &BinaryError{}
	}
	return t.each(t.install)
}

// Uninstall takes out what Install put in, byte for byte. It leaves alone what
// it does not recognise.
func (t Target) Uninstall() ([]Result, error) { return t.each(t.uninstall) }

func (t Target) each(do func(*hook) (Action, error)) ([]Result, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var out []Result
	for _, name := range Names() {
		h, err := t.look(name)
		if err != nil {
			return out, err
		}
		action, err := do(h)
		if err != nil {
			return out, err
		}
		if action != Unchanged && action != Skipped {
			if h, err = t.look(name); err != nil {
				return out, err
			}
		}
		out = append(out, Result{h.Status, action})
	}
	return out, nil
}

func (t Target) check() error {
	if t.Binary == "" {
		return nil // only to look or to take out; Install asks for one
	}
	if !filepath.IsAbs(t.Binary) || strings.ContainsAny(t.Binary, "\x00\r\n") {
		return &BinaryError{t.Binary}
	}
	return nil
}

// hook is a Status with what is needed to change it.
type hook struct {
	Status

	text []byte      // the file; nil if there is none
	mode fs.FileMode // its permissions
	at   int         // offset of our block
	size int         // its length
	own  bool        // we made the file
}

// look reads one hook and judges it.
func (t Target) look(name string) (*hook, error) {
	h := &hook{Status: Status{Hook: name, Path: filepath.Join(t.Dir, name)}}
	info, err := os.Lstat(h.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.State, h.Next = Missing, installCommand
	case err != nil:
		return nil, fmt.Errorf("read hook '%s': %w", h.Path, err)
	case !info.Mode().IsRegular():
		h.State, h.Reason = Foreign, notAFile(info.Mode())
	default:
		if h.text, err = gitops.ReadSmall(h.Path, maxHook); err != nil {
			return nil, fmt.Errorf("read hook '%s': %w", h.Path, err)
		}
		h.mode = info.Mode().Perm()
		t.judge(h)
	}
	if !t.ours() {
		t.shared(h)
	}
	if h.State == Foreign && h.Reason != "" {
		t.advise(h)
	}
	return h, nil
}

// advise says what to add to a hook that is left alone: a line where it is a
// shell script, else the command to run. A link is followed, because the line
// belongs into the file it names.
func (t Target) advise(h *hook) {
	h.AddTo = resolve(h.Path)
	h.Add = quote(filepath.ToSlash(t.Binary)) + " hooks run " + h.Hook
	text := h.text
	if text == nil {
		text, _ = gitops.ReadSmall(h.AddTo, maxHook) // a dangling link has no text, and gets the command
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if notChainable(bytes.TrimSuffix(first, []byte("\r"))) == "" {
		h.Add = scriptLine(t.Binary, h.Hook)
	}
}

// maxHook is the size up to which a hook or a manager's settings are read.
const maxHook = 1 << 20

const installCommand = "git claw hooks install"

// judge sets the state of a file that was read.
func (t Target) judge(h *hook) {
	if t.findBlock(h) {
		return
	}
	if bytes.Contains(h.text, []byte("git-claw hooks run "+h.Hook)) || bytes.Contains(h.text, []byte("git claw hooks run "+h.Hook)) {
		h.State = ByHand
		return
	}
	if m := managerOf(h.text); m != nil {
		h.State, h.Manager = Managed, m.name
		if m.calls(t.WorkTree, h.Hook) {
			h.State = ByHand
			return
		}
		h.Reason = "written by '" + m.name + "', which would undo a change"
		h.Add, h.AddTo = m.add(h.Hook), m.addTo(t.WorkTree, h.Hook)
		return
	}
	h.State = Foreign
	if reason := notChainable(h.text); reason != "" {
		h.Reason = reason
		return
	}
	if !h.executable() {
		h.State, h.Reason, h.Next = Disabled, "not executable, so git does not run it", "chmod +x "+quote(h.Path)
		return
	}
	h.Next = installCommand
}

// executable reports whether git runs the hook; Windows has no such bit.
func (h *hook) executable() bool { return runtime.GOOS == "windows" || h.mode&0o111 != 0 }

// findBlock looks for our block and sets the state if there is one.
func (t Target) findBlock(h *hook) bool {
	b, ok := parseBlock(h.text, h.Hook)
	if !ok {
		return false
	}
	h.at, h.size, h.own, h.Binary = b.at, b.size, b.own, b.binary
	h.Chained = !b.own
	switch {
	case b.edited:
		h.State, h.Reason = Edited, "the lines of git claw in it were changed; take them out by hand"
	case b.version != version || !t.records(b.binary) || b.own && !h.executable():
		h.State, h.Next = Outdated, installCommand
	case !h.executable():
		h.State, h.Reason, h.Next = Disabled, "not executable, so git does not run it", "chmod +x "+quote(h.Path)
	default:
		h.State = Current
	}
	return true
}

// records reports whether a recorded path is the binary asked for; where none is,
// any that can be run.
func (t Target) records(binary string) bool {
	if t.Binary != "" {
		return binary == filepath.ToSlash(t.Binary)
	}
	info, err := os.Stat(filepath.FromSlash(binary))
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// ours reports whether the hooks directory is inside the git directory, links
// resolved. One elsewhere is tracked by the work tree or shared by repositories.
func (t Target) ours() bool {
	dir, git := resolve(t.Dir), resolve(t.GitDir)
	rel, err := filepath.Rel(git, dir)
	return err == nil && filepath.IsLocal(rel)
}

// resolve follows links of the longest part of a path that exists.
func resolve(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolve(dir), filepath.Base(path))
}

// shared judges a hook in a directory that is not the repository's own.
func (t Target) shared(h *hook) {
	switch h.State {
	case ByHand, Current, Outdated, Edited:
		return // somebody wanted it there; an outdated one is still ours to update
	}
	m := managerOf([]byte(t.Dir))
	if m == nil {
		m = managerOf(h.text)
	}
	*h = hook{Status: Status{
		Hook: h.Hook, Path: h.Path, State: Shared, AddTo: h.Path, Add: sharedLine(h.Hook),
		Reason: "core.hooksPath is '" + t.Dir + "', which is not this repository's own",
	}}
	if m != nil {
		h.Manager, h.Add, h.AddTo = m.name, m.add(h.Hook), m.addTo(t.WorkTree, h.Hook)
		if m.calls(t.WorkTree, h.Hook) {
			h.State, h.Reason, h.Add, h.AddTo = ByHand, "", "", ""
		}
	}
}

func notAFile(mode fs.FileMode) string {
	if mode&fs.ModeSymlink != 0 {
		return "a symbolic link"
	}
	return "not a regular file"
}
