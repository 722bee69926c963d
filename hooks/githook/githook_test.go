package githook

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// repo is a real repository and a stand-in for the binary: a script that writes
// its arguments to a file and ends with the status in another.
type repo struct {
	t    *testing.T
	name string // the hook that a test is about
	top  string
	home string
	bin  string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	base := t.TempDir()
	r := &repo{t: t, name: PreCommit, top: filepath.Join(base, "work tree"), home: base, bin: filepath.Join(base, "it's here", "git-claw")}
	for _, dir := range []string{r.top, filepath.Dir(r.bin)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.write(r.bin, "#!/bin/sh\necho \"$@\" >>"+quote(r.log())+"\nif test -f "+quote(r.status())+"; then exit $(cat "+quote(r.status())+"); fi\n", 0o755)
	if out, err := r.git("init", "-q", "-b", "main"); err != nil {
		t.Fatal(out)
	}
	return r
}

func (r *repo) log() string    { return filepath.Join(r.home, "log") }
func (r *repo) status() string { return filepath.Join(r.home, "status") }
func (r *repo) hook() string   { return filepath.Join(r.top, ".git", "hooks", r.name) }

func (r *repo) target() Target {
	return Target{Dir: filepath.Dir(r.hook()), GitDir: filepath.Join(r.top, ".git"), WorkTree: r.top, Binary: r.bin}
}

func (r *repo) write(path, text string, mode fs.FileMode) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	// A process started meanwhile would inherit the open file and make a script
	// "text file busy".
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) read(path string) string {
	r.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r *repo) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.top
	cmd.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=" + r.home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// commit makes a commit and returns its output, whether it was made, and what
// the stand-in was called with for the hook.
func (r *repo) commit() (out string, ok bool, calls string) {
	r.t.Helper()
	_ = os.Remove(r.log())
	out, err := r.git("commit", "-q", "--allow-empty", "-m", "x")
	if After(r.name) {
		r.waitForCall()
	}
	for line := range strings.Lines(r.read(r.log())) {
		if strings.HasPrefix(line, "hooks run "+r.name) {
			calls += line
		}
	}
	return out, err == nil, calls
}

// waitForCall waits for a hook that nobody waits for.
func (r *repo) waitForCall() {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if text := r.read(r.log()); strings.Contains(text, "hooks run "+r.name) && strings.HasSuffix(text, "\n") {
			return
		}
	}
}

// one picks the hook that the test is about.
func one[T any](r *repo, list []T, err error) T {
	r.t.Helper()
	if err != nil || len(list) != len(Names()) {
		r.t.Fatalf("%+v, %v", list, err)
	}
	return list[slices.Index(Names(), r.name)]
}

func (r *repo) install() Result {
	r.t.Helper()
	res, err := r.target().Install()
	return one(r, res, err)
}

func (r *repo) uninstall() Result {
	r.t.Helper()
	res, err := r.target().Uninstall()
	return one(r, res, err)
}

func (r *repo) state() Status {
	r.t.Helper()
	st, err := r.target().Status()
	return one(r, st, err)
}

// called is what the stand-in is called with.
func (r *repo) called() string {
	if r.name == PrepareMsg {
		return "hooks run prepare-commit-msg .git/COMMIT_EDITMSG message\n"
	}
	return "hooks run " + r.name + "\n"
}

// indexed gives the repository what the hooks that run after the fact look for.
func (r *repo) indexed() {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Join(r.top, ".git", "claw", "index"), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	if st := r.state(); st.State != Missing || st.Next != installCommand {
		t.Errorf("before: %+v", st)
	}
	if res := r.install(); res.Action != Created || res.State != Current || res.Chained || res.Binary != r.bin || res.Next != "" {
		t.Errorf("install: %+v", res)
	}
	text := r.read(r.hook())
	if res := r.install(); res.Action != Unchanged || r.read(r.hook()) != text {
		t.Errorf("second install: %+v", res)
	}
	if _, ok, calls := r.commit(); !ok || calls != "hooks run pre-commit\n" {
		t.Errorf("commit: %v, called with %q", ok, calls)
	}
	r.write(r.status(), "1", 0o600)
	if _, ok, _ := r.commit(); ok {
		t.Error("committed though the check failed")
	}
	if res := r.uninstall(); res.Action != Removed || res.State != Missing {
		t.Errorf("uninstall: %+v", res)
	}
	if res := r.uninstall(); res.Action != Unchanged {
		t.Errorf("second uninstall: %+v", res)
	}
	entries, err := os.ReadDir(filepath.Dir(r.hook()))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// TestOtherBinary: the recorded path first, PATH second, and a commit goes
// through where there is neither.
func TestOtherBinary(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.install()
	moved := r.bin + "-moved"
	if err := os.Rename(r.bin, moved); err != nil {
		t.Fatal(err)
	}
	out, ok, _ := r.commit()
	if !ok || !strings.Contains(out, "warning: cannot find 'git-claw'") || strings.Count(out, "\n") != 1 {
		t.Errorf("without the binary: %v, %q", ok, out)
	}
	other := r.target()
	other.Binary = moved
	st, err := other.Status()
	if err != nil || st[0].State != Outdated || st[1].State != Outdated || st[0].Binary != r.bin || st[0].Next != installCommand {
		t.Errorf("another binary: %+v, %v", st, err)
	}
	res, err := other.Install()
	if err != nil || res[0].Action != Updated || res[0].State != Current {
		t.Errorf("install again: %+v, %v", res, err)
	}
	if _, ok, calls := r.commit(); !ok || calls == "" {
		t.Errorf("after the update: %v, %q", ok, calls)
	}
	if err := os.Chmod(r.hook(), 0o644); err != nil {
		t.Fatal(err)
	}
	if res, err := other.Install(); err != nil || res[0].Action != Updated || res[0].State != Current {
		t.Errorf("our script was not executable: %+v, %v", res, err)
	}
}

// TestChained: both run, either can stop the commit, and an uninstall gives the
// script back as it was.
func TestChained(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{
		"plain":             "#!/bin/sh\necho foreign ran\n",
		"exits early":       "#!/bin/sh\nset -eu\necho foreign ran\nexit 0\n",
		"exec":              "#!/bin/sh -e\nexec echo foreign ran\n",
		"no newline":        "#!/bin/sh\necho foreign ran",
		"env bash":          "#!/usr/bin/env bash\nset -euo pipefail\nb=mine\n[[ $b == mine ]] && echo foreign ran\n",
		"reads its input":   "#!/bin/bash\ncat\necho foreign ran\n",
		"bytes":             "#! /bin/sh\n# caf\xe9 \xe2\x80\xae\necho foreign ran\n\n\n",
		"only a first line": "#!/bin/sh",
		"ours once":         "#!/bin/sh\n",
	}
	for name, script := range scripts {
		for _, hook := range []string{PreCommit, PrepareMsg, PostCommit} {
			t.Run(hook+" "+name, func(t *testing.T) {
				t.Parallel()
				testChained(t, hook, script)
			})
		}
	}
}

func testChained(t *testing.T, hook, script string) {
	r := newRepo(t)
	r.name = hook
	r.indexed()
	r.write(r.hook(), script, 0o750)
	if st := r.state(); st.State != Foreign || st.Reason != "" || st.Next != installCommand {
		t.Fatalf("before: %+v", st)
	}
	if res := r.install(); res.Action != Chained || res.State != Current || !res.Chained {
		t.Fatalf("install: %+v", res)
	}
	if res := r.install(); res.Action != Unchanged {
		t.Errorf("second install: %+v", res)
	}
	out, ok, calls := r.commit()
	if !ok || calls != r.called() || strings.Contains(script, "foreign") && !strings.Contains(out, "foreign ran") {
		t.Errorf("commit: %v, %q, called with %q", ok, out, calls)
	}
	moved := r.target()
	moved.Binary = filepath.Join(r.home, "other")
	if res, err := moved.Install(); err != nil || res[0].Action != Updated {
		t.Errorf("update: %+v, %v", res, err)
	}
	if res := r.install(); res.Action != Updated || res.State != Current {
		t.Errorf("update back: %+v", res)
	}
	r.write(r.status(), "7", 0o600)
	if hook != PreCommit { // the only one that stops a commit
		if err := os.Remove(filepath.Join(r.target().Dir, PreCommit)); err != nil {
			t.Fatal(err)
		}
	}
	out, ok, _ = r.commit()
	if stops := hook == PreCommit; ok == stops || stops && strings.Contains(out, "foreign ran") {
		t.Errorf("our check failed: %v, %q", ok, out)
	}
	if res := r.uninstall(); res.Action != Removed {
		t.Errorf("uninstall: %+v", res)
	}
	if got := r.read(r.hook()); got != script {
		t.Errorf("after the uninstall %q, before the install %q", got, script)
	}
	info, err := os.Stat(r.hook())
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestForeignFailureIsKept(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(r.hook(), "#!/bin/sh\necho no; exit 3\n", 0o755)
	r.install()
	if out, ok, calls := r.commit(); ok || !strings.Contains(out, "no") || calls == "" {
		t.Errorf("commit: %v, %q, %q", ok, out, calls)
	}
}

// TestPrepareMsg: it costs our own commits nothing, says nothing where git-claw is
// gone, and is no more in the way of a commit then.
func TestPrepareMsg(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"", "#!/bin/sh -eu\necho foreign ran\n"} {
		r := newRepo(t)
		r.name = PrepareMsg
		if script != "" {
			r.write(r.hook(), script, 0o755)
		}
		r.install()
		if !Own([]byte(r.read(r.hook()))) != (script != "") {
			t.Errorf("own: %q", r.read(r.hook()))
		}
		for _, saving := range []string{"", "1"} {
			cmd := exec.Command(r.hook(), ".git/COMMIT_EDITMSG", "message")
			cmd.Env = []string{"PATH=/usr/bin:/bin"}
			if saving != "" {
				cmd.Env = append(cmd.Env, "GIT_CLAW_SAVING="+saving)
			}
			_ = os.Remove(r.log())
			out, err := cmd.CombinedOutput()
			if err != nil || (r.read(r.log()) == "") != (saving != "") || (script == "") != (len(out) == 0) {
				t.Errorf("saving %q: %v, %q, called with %q", saving, err, out, r.read(r.log()))
			}
		}
		if err := os.Remove(r.bin); err != nil {
			t.Fatal(err)
		}
		if out, ok, _ := r.commit(); !ok || strings.Count(out, "warning") != 1 {
			t.Errorf("without the binary: %v, %q", ok, out)
		}
	}
}

// TestAfter: the hooks that run after the fact start git-claw where there is an
// index, not between the steps of a rebase, and wait for nothing.
func TestAfter(t *testing.T) {
	t.Parallel()
	for _, name := range []string{PostCommit, PostMerge, PostCheckout, PostRewrite} {
		r := newRepo(t)
		r.name = name
		r.install()
		if !Own([]byte(r.read(r.hook()))) {
			t.Errorf("%s: not our own", name)
		}
		run := func(env ...string) {
			cmd := exec.Command(r.hook(), "some", "argument")
			cmd.Dir = r.top
			cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
			_ = os.Remove(r.log())
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 || time.Since(start) > 4*time.Second {
				t.Errorf("%s %q: %v after %v, %q", name, env, err, time.Since(start), out)
			}
		}
		called := func(want bool, why string, env ...string) {
			run(env...)
			if want {
				r.waitForCall()
			}
			if got := r.read(r.log()); (got == "hooks run "+name+" some argument\n") != want || !want && got != "" {
				t.Errorf("%s, %s: called with %q", name, why, got)
			}
		}
		called(false, "no index")
		r.indexed()
		called(true, "an index")
		for _, dir := range []string{"rebase-merge", "rebase-apply"} {
			during := filepath.Join(r.top, ".git", dir)
			if err := os.Mkdir(during, 0o755); err != nil {
				t.Fatal(err)
			}
			called(name == PostRewrite, "during "+dir)
			if err := os.Remove(during); err != nil {
				t.Fatal(err)
			}
		}
		called(false, "another git directory", "GIT_DIR="+r.home)
		// A slow one that says much holds up nobody, and none is no problem.
		r.write(r.bin, "#!/bin/sh\necho noise; echo noise >&2\nexec sleep 5\n", 0o755)
		run()
		if err := os.Remove(r.bin); err != nil {
			t.Fatal(err)
		}
		run()
	}
}

// TestGrown: what is written below our own script stays when ours goes.
func TestGrown(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.install()
	r.write(r.hook(), r.read(r.hook())+"echo mine\n", 0o755)
	if st := r.state(); st.State != Current {
		t.Errorf("status: %+v", st)
	}
	if res := r.uninstall(); res.Action != Removed || r.read(r.hook()) != "#!/bin/sh\necho mine\n" {
		t.Errorf("uninstall: %+v, left %q", res, r.read(r.hook()))
	}
}

func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit()
	if out, err := r.git("worktree", "add", "-q", "../second"); err != nil {
		t.Fatal(out)
	}
	r.install()
	second := *r
	second.top = filepath.Join(filepath.Dir(r.top), "second")
	if _, ok, calls := second.commit(); !ok || calls == "" {
		t.Errorf("commit in a linked worktree: %v, %q", ok, calls)
	}
}
