package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// addAll watches the root, every folder that holds managed files, and the folders
// on the way to those, in which a managed folder may appear. Adding one that is
// watched already does nothing.
func (w *watcher) addAll() error {
	if err := w.add(w.ws.Root); err != nil {
		return err
	}
	for _, root := range w.ws.ManagedRoots() {
		for dir := path.Dir(strings.TrimSuffix(root, "/")); dir != "."; dir = path.Dir(dir) {
			if err := w.addFolder(dir); err != nil {
				return err
			}
		}
		if strings.HasSuffix(root, "/") {
			if err := w.addTree(strings.TrimSuffix(root, "/")); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBelow watches a folder that appeared: whole when it is managed, else what of
// it leads to managed files.
func (w *watcher) addBelow(rel string) error {
	if w.ws.Managed(rel + "/") {
		return w.addTree(rel)
	}
	if len(w.ws.ManagedBelow(rel)) > 0 {
		return w.addAll()
	}
	return nil
}

// addTree watches a folder and those below it. Links are not followed.
func (w *watcher) addTree(rel string) error {
	return filepath.WalkDir(w.abs(rel), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if passing(err) {
				return nil
			}
			return fmt.Errorf("watch '%s': %w", p, err)
		}
		if !d.IsDir() {
			return nil
		}
		if below, err := filepath.Rel(w.ws.Root, p); err == nil && w.ws.NeverManaged(filepath.ToSlash(below)+"/") {
			return fs.SkipDir
		}
		return w.add(p)
	})
}

// addFolder watches one folder, unless a link leads there.
func (w *watcher) addFolder(rel string) error {
	real, err := filepath.EvalSymlinks(w.abs(rel))
	if err != nil || real != w.abs(rel) {
		return nil //nolint:nilerr // it is not there yet
	}
	return w.add(real)
}

func (w *watcher) abs(rel string) string { return filepath.Join(w.ws.Root, filepath.FromSlash(rel)) }

func (w *watcher) add(dir string) error {
	if err := w.sys.Add(dir); err != nil && !passing(err) {
		return fmt.Errorf("watch '%s': %w", dir, err)
	}
	return nil
}

// passing: the folder vanished meanwhile, or is not ours to read.
func passing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}
