package agent

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/testdata/shapes"
)

const binary = "/opt/claw/git-claw"

// doctor looks and returns the findings of one name.
func (s *space) doctor(name string, fix bool) []Finding {
	s.t.Helper()
	ws := s.open()
	all, err := Doctor(context.Background(), ws.Repo.Git, ws, DoctorOptions{Fix: fix, Binary: binary})
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(f Finding) bool { return f.Name != name })
}

// run runs a command that was printed.
func (s *space) run(command string) {
	s.t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = s.dir(), s.Environ
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// A branch that blocks proposals is named by init and doctor, loose or packed, and
// the command that is printed mends it.
func TestDoctorBlockers(t *testing.T) {
	t.Parallel()
	for _, branch := range []string{"claw", "claw/l1"} {
		s := newSpace(t, nil)
		s.Git("branch", branch)
		s.Git("branch", "main-2") // no conflict copy
		s.Git("pack-refs", "--all")
		res := s.adopt()
		if !slices.ContainsFunc(res.Notices, func(n string) bool { return strings.Contains(n, "'"+branch+"'") }) {
			t.Errorf("init does not name '%s': %q", branch, res.Notices)
		}
		found := s.doctor("branches", false)
		if len(found) != 1 || found[0].Verdict != Warn {
			t.Fatalf("doctor on '%s': %+v", branch, found)
		}
		s.run(found[0].Command)
		if found := s.doctor("branches", false); len(found) > 0 {
			t.Errorf("after '%s': %+v", branch, found)
		}
		s.CheckClean()
	}
}

// What a killed command left is mended, a lock of somebody else is explained and
// left.
func TestDoctorLeftovers(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	if f := s.doctor("locks", true); len(f) > 0 {
		t.Errorf("locks: %+v", f)
	}
	lock := s.GitPath("index.lock")
	must(t, os.WriteFile(lock, nil, 0o666))
	if f := s.doctor("locks", true); len(f) != 1 || f[0].Verdict != OK || f[0].Command != "" {
		t.Errorf("a fresh lock: %+v", f)
	}
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(lock, old, old))
	f := s.doctor("locks", true)
	if len(f) != 1 || f[0].Verdict != Warn {
		t.Fatalf("an old lock: %+v", f)
	}
	s.run(f[0].Command)
	s.CheckClean()
}

// --fix installs what is ours beside what is there, and nothing else changes.
func TestDoctorFix(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("MEMORY.md", "- unsaved\n")
	ran := filepath.Join(s.Base, "ran")
	s.Hook("pre-commit", "echo x >>'"+ran+"'\n")
	check := func(what string, fix bool, ok func(Finding) bool) {
		t.Helper()
		found := s.doctor("hooks", fix)
		if len(found) == 0 || slices.ContainsFunc(found, func(f Finding) bool { return !ok(f) }) {
			t.Errorf("%s: %+v", what, found)
		}
	}
	check("before", false, func(f Finding) bool { return f.Verdict == Warn && f.Command != "" })
	files, state := s.files(), s.state()
	check("--fix", true, func(f Finding) bool { return f.Verdict == OK && f.Fixed })
	check("--fix again", true, func(f Finding) bool { return f.Verdict == OK && !f.Fixed })
	sameFiles(t, "doctor --fix", files, s.files(), nil)
	if s.state() != state {
		t.Error("doctor --fix changed HEAD, refs or index")
	}
	s.saveAs(Agent, SaveOptions{})
	if _, err := os.Stat(ran); err != nil {
		t.Error("the foreign hook did not run")
	}
	ws := s.open()
	if _, err := RemoveHooks(context.Background(), ws); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(s.GitPath("hooks/pre-commit")); err != nil || string(b) != "#!/bin/sh\necho x >>'"+ran+"'\n" {
		t.Errorf("after removal the hook is %q (%v)", b, err)
	}
}

// Each of the doctor's warnings appears where it should, and none in a workspace
// in which all is well.
func TestDoctorFindings(t *testing.T) {
	t.Parallel()
	well := newAdopted(t, nil)
	ws := well.open()
	all, err := Doctor(context.Background(), ws.Repo.Git, ws, DoctorOptions{Fix: true, Binary: binary})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Verdict != OK {
			t.Errorf("in a good workspace: %+v", f)
		}
	}
	for shape, name := range map[string]string{
		"daily notes ignored": "ignored", "merge in progress": "progress", "no identity": "identity", "case and form": "names",
		"hostile settings": "settings", "notes elsewhere": "unmanaged",
	} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
			shapes.Named(t, shape).Make(t, s.Dir)
			if found := s.doctor(name, false); len(found) == 0 || found[0].Verdict == OK && name != "unmanaged" {
				t.Errorf("the doctor does not warn: %+v", found)
			}
		})
	}
	out, err := Doctor(context.Background(), gitops.NewGit(well.Env()), nil, DoctorOptions{})
	if err != nil || !slices.ContainsFunc(out, func(f Finding) bool { return f.Name == "repository" && f.Verdict == Fail }) {
		t.Errorf("outside of git: %+v, %v", out, err)
	}
}
