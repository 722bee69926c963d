package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// reflogLine is an entry as git writes it (gitrepository-layout(5), logs/).
func reflogLine(old, new ID, who, reason string) string {
	return fmt.Sprintf("%s %s %s\t%s\n", old, new, who, OneLine(reason))
}

// reflogs are the logs that follow a branch which HEAD names, and whether each is
// made where it is not there (core.logAllRefUpdates).
func (r *Repo) reflogs(cfg *Config, ref string) (paths []string, create bool) {
	create = true
	if v, ok := cfg.Get("core.logallrefupdates"); ok && v != "always" {
		create = cfg.Bool("core.logallrefupdates", true)
	}
	return []string{filepath.Join(r.CommonDir, "logs", filepath.FromSlash(ref)), filepath.Join(r.GitDir, "logs", "HEAD")}, create
}

// appendReflog adds a line to a log. The ref's lock is held.
func (r *Repo) appendReflog(d *disk, path, line string, create bool, bits fs.FileMode) error {
	open := func(flag int) (*os.File, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|openNoFollow|flag, 0o666)
	}
	f, err := open(0)
	if errors.Is(err, fs.ErrNotExist) {
		if !create {
			return nil
		}
		var made []string
		if made, err = d.mkdirAll(filepath.Dir(path)); err != nil {
			return fmt.Errorf("write reflog: %w", err)
		}
		for _, dir := range made {
			shareMode(dir, bits|bits&0o444>>2)
		}
		if f, err = open(os.O_CREATE); err == nil {
			shareMode(path, bits)
		}
	}
	if err != nil {
		return fmt.Errorf("write reflog: %w", err)
	}
	err = d.append(f, []byte(line))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write reflog: %w", err)
	}
	return nil
}
