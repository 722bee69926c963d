package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// RunDiskSuite writes to a disk that is full and to one that is read-only: a clear
// error, nothing changed, nothing left behind. The writers run in processes of
// their own, see Helper.
func RunDiskSuite(t *testing.T) {
	for _, place := range []bool{false, true} {
		t.Run(fmt.Sprintf("full disk, place %v", place), func(t *testing.T) {
			t.Parallel()
			fullDisk(t, place)
		})
	}
	t.Run("read-only repository", func(t *testing.T) {
		t.Parallel()
		readOnly(t)
	})
}

// fullDisk lets writes fail beyond more and more bytes, so that another step of
// the writer is the first to fail each time.
func fullDisk(t *testing.T, place bool) {
	r := New(t)
	const name = "memory/2026-03-01.md"
	for range 40 { // a reflog that is larger than the index and the note
		r.Git("commit", "-q", "--allow-empty", "-m", "a subject of some length, so that the reflog grows")
	}
	noise := make([]byte, 1500)
	_, _ = Rand("noise").Read(noise)
	failed := map[string]bool{}
	done := 0
	for size := int64(60); size < 100_000; size = size*5/4 + 20 {
		before, text := r.Head(), r.Read(name)
		if !place {
			text = fmt.Sprintf("- size %d\n%x\n", size, noise)
			r.Write(name, text)
		}
		h := r.start(job{Who: "w", Files: []string{name}, Rounds: 1, Place: place, AsIs: !place, Size: size, Timeout: time.Second}, nil)
		_, err := h.wait()
		if err == nil {
			done++
			r.CheckClean()
			continue
		}
		if !strings.Contains(strings.ToLower(err.Error()), "too large") && !strings.Contains(err.Error(), "git ") {
			t.Errorf("size %d: error does not say what is wrong: %v", size, err)
		}
		for _, step := range []string{"journal", "update-index", "unpack-objects", "update-ref"} {
			failed[step] = failed[step] || strings.Contains(err.Error(), step)
		}
		if r.Head() != before || r.Read(name) != text {
			t.Errorf("size %d: HEAD or the file changed", size)
		}
		if place {
			r.CheckClean()
		} else {
			r.CheckClean(" M " + name)
		}
	}
	if len(failed) < 4 || done < 3 {
		t.Errorf("%d writes were made and these steps failed: %v; the test tries too little", done, failed)
	}
}

func readOnly(t *testing.T) {
	r := New(t)
	before := r.Head()
	r.Append("MEMORY.md", "- x\n")
	text := r.Read("MEMORY.md")
	var change []func(*exec.Cmd)
	if os.Getuid() == 0 {
		// Permissions bind everybody but root.
		r.Git("config", "--global", "safe.directory", "*")
		for dir := r.Base; dir != filepath.Dir(dir) && dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
			must(t, os.Chmod(dir, 0o755)) //nolint:gosec // so that the other user gets in
		}
		change = append(change, asNobody, runCopy(t, r.Base))
	}
	chmodAll(t, r.Dir, 0o555, 0o444)
	h := r.start(job{Who: "w", Files: []string{"MEMORY.md"}, Rounds: 1, AsIs: true, Timeout: time.Second}, nil, change...)
	_, err := h.wait()
	chmodAll(t, r.Dir, 0o755, 0o644)
	r.Chmod("bin/run.sh", 0o755)
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("error is %v", err)
	}
	if r.Head() != before || r.Read("MEMORY.md") != text {
		t.Error("HEAD or the file changed")
	}
	r.CheckClean(" M MEMORY.md")
}

// runCopy runs a copy of the test binary, whose own folder is closed to others.
func runCopy(t *testing.T, dir string) func(*exec.Cmd) {
	self, err := os.Executable()
	must(t, err)
	name := filepath.Join(dir, "helper")
	// A copy made here could be open for writing in a process that another test
	// starts at the same moment, and could not be run then.
	if out, err := exec.Command("cp", self, name).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	return func(cmd *exec.Cmd) { cmd.Path, cmd.Args[0] = name, name }
}

func chmodAll(t *testing.T, dir string, dirs, files os.FileMode) {
	t.Helper()
	var list []string
	must(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			list = append(list, p)
		} else if err == nil {
			err = os.Chmod(p, files)
		}
		return err
	}))
	for _, p := range list {
		must(t, os.Chmod(p, dirs))
	}
}
