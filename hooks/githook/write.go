package githook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/git-claw/git-claw/gitops"
)

func (t Target) install(h *hook) (Action, error) {
	switch {
	case h.State == Missing:
		if err := os.MkdirAll(t.Dir, 0o777); err != nil {
			return "", fmt.Errorf("make hooks directory '%s': %w", t.Dir, err)
		}
		text := shebang + render(version, h.Hook, t.Binary, true)
		return Created, h.write([]byte(text), 0o755)
	case h.State == Outdated:
		text := append([]byte{}, h.text[:h.at]...)
		block := render(version, h.Hook, t.Binary, h.own)
		old := h.text[h.at : h.at+h.size]
		if old[0] == '\n' { // a script that had no newline at its end
			block = "\n" + block[:len(block)-1]
		}
		text = append(append(text, block...), h.text[h.at+h.size:]...)
		mode := h.mode
		if h.own {
			mode |= 0o111 // a script of our own is meant to run
		}
		return Updated, h.write(text, mode)
	case h.State == Foreign && h.Reason == "":
		return Chained, h.write(insert(h.text, render(version, h.Hook, t.Binary, false)), h.mode)
	case h.Reason != "":
		return Skipped, nil
	}
	return Unchanged, nil
}

func (t Target) uninstall(h *hook) (Action, error) {
	switch {
	case h.State == Edited:
		return Skipped, nil
	case h.size == 0:
		return Unchanged, nil
	}
	rest := parsed{at: h.at, size: h.size}.cut(h.text)
	if h.own && string(rest) == shebang {
		if err := h.unchanged(); err != nil {
			return "", err
		}
		if err := os.Remove(h.Path); err != nil {
			return "", fmt.Errorf("remove hook: %w", err)
		}
		return Removed, nil
	}
	return Removed, h.write(rest, h.mode)
}

// unchanged makes sure that the file still is what was judged.
func (h *hook) unchanged() error {
	now, err := gitops.ReadSmall(h.Path, maxHook)
	switch {
	case h.text == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read hook '%s': %w", h.Path, err)
	case err != nil || h.text == nil || !bytes.Equal(now, h.text):
		return &ChangedError{h.Path}
	}
	return nil
}

// write replaces the hook, or makes it, as a whole or not at all.
func (h *hook) write(text []byte, mode fs.FileMode) (err error) {
	defer func() {
		var changed *ChangedError
		if err != nil && !errors.As(err, &changed) {
			err = fmt.Errorf("write hook '%s': %w", h.Path, err)
		}
	}()
	// A process that we start meanwhile would inherit the open file, and running
	// the hook would fail as "text file busy" while it lives.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	// git runs hooks by exact name, so a left-over of this name never runs.
	tmp, err := os.CreateTemp(filepath.Dir(h.Path), "."+h.Hook+".git-claw.tmp.*")
	if err != nil {
		return err
	}
	defer func() {
		if tmp != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if _, err := tmp.Write(text); err != nil {
		return err
	}
	if err := tmp.Chmod(mode); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if h.text == nil {
		// A link fails where a file came into being meanwhile; a rename would
		// replace it.
		if err := os.Link(tmp.Name(), h.Path); err == nil {
			return syncDir(filepath.Dir(h.Path))
		} else if errors.Is(err, fs.ErrExist) {
			return &ChangedError{h.Path}
		}
	}
	if err := h.unchanged(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), h.Path); err != nil {
		return err
	}
	tmp = nil
	return syncDir(filepath.Dir(h.Path))
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
	err = d.Sync()
	return errors.Join(err, d.Close())
}
