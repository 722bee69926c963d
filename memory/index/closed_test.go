//go:build unix

package index

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What stands in the place of a file of the index and is none is put aside like any
// other damage, and nobody waits for it.
func TestNoFileInTheIndex(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"directory": func(path string) error { return os.Mkdir(path, 0o777) },
		"pipe":      func(path string) error { return unix.Mkfifo(path, 0o666) },
		"link":      func(path string) error { return os.Symlink(filepath.Base(path), path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := several(t)
			for _, f := range w.files() {
				if f == lockName || f == queueName {
					continue
				}
				path := filepath.Join(w.dir(), f)
				if _, err := os.Lstat(path); err != nil {
					continue // built anew since
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if err := make(path); err != nil {
					t.Fatal(err)
				}
				warned := 0
				got := w.refresh(Options{Warn: func(string, ...any) { warned++ }})
				if d := w.fresh().differs(got); d != "" || warned != 1 {
					t.Errorf("%s: %d warnings\n%s", f, warned, d)
				}
				if !w.refresh(Options{}).saved {
					t.Log("not saved twice")
				}
			}
		})
	}
}

// A folder that could not be read is looked at again.
func TestClosedFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("nothing is closed to root; the walk is tried with a folder that fails below")
	}
	w := newWorld(t, "")
	w.note("memory/sub/a.md", "- amber\n")
	w.note("memory/b.md", "- birch\n")
	w.commit()
	w.same("open")
	dir := w.Path("memory/sub")
	for _, mode := range []os.FileMode{0, 0o311, 0o644} {
		time.Sleep(15 * time.Millisecond)
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Millisecond)
		w.refresh(Options{})
		w.with(Options{}, func(s *Snapshot) {
			if mode&0o400 == 0 && len(s.Closed) != 1 {
				t.Errorf("mode %o: closed %q", mode, s.Closed)
			}
		})
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		w.same("open again")
	}
}
