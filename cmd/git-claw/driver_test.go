//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDriver is the row of the merge driver of GIT.md section 5, and T45: wherever git
// merges, memory is merged by entry; where git-claw is gone, is not in PATH or dies, no line
// is lost, and doctor and the next sync mend it.
func TestDriver(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]driven{
		"odd names":       {sub: "an agent's folder", file: "memory/a b\n\"ü'$x%P.md"},
		"nothing in PATH": {path: "/usr/bin:/bin"},
		"gone":            {path: "/usr/bin:/bin", gone: true, sub: "sub"},
		"dies":            {dies: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.t = t
			p.prepare()
			for _, op := range driverOps {
				t.Run(op.name, func(t *testing.T) {
					p.t = t
					p.start(op.from)
					err := op.do(&p)
					p.judge(op, err)
				})
			}
			p.t = t
			p.mend()
		})
	}
}

// driven is a repository in which git calls the driver.
type driven struct {
	t          *testing.T
	sub, file  string
	path       string // PATH of git
	gone, dies bool
	base, top  string // of all, of the work tree
	vars       []string
	out        string // of the last command
}

// driverOp is a command of git that merges. from is where it begins: main has `one`, the
// branch two has `two`, wrong is a commit of main that is to go.
type driverOp struct {
	name, from string
	reverts    bool // `two` is not there then
	do         func(p *driven) error
}

var driverOps = []driverOp{
	{"merge", "main", false, func(p *driven) error { return p.git("merge", "-q", "--no-edit", "tags/two") }},
	{"pull", "main", false, func(p *driven) error { return p.git("pull", "-q", "--no-rebase", "--no-edit", ".", "tags/two") }},
	{"pull --rebase", "main", false, func(p *driven) error { return p.git("pull", "-q", "--rebase", ".", "tags/two") }},
	{"rebase", "tags/two", false, func(p *driven) error { return p.git("rebase", "-q", "one") }},
	{"rebase --apply", "tags/two", false, func(p *driven) error { return p.git("rebase", "-q", "--apply", "one") }},
	{"cherry-pick", "main", false, func(p *driven) error { return p.git("cherry-pick", "tags/two") }},
	{"revert", "more", true, func(p *driven) error { return p.git("revert", "--no-edit", "wrong") }},
	{"stash pop", "tags/two~1", false, func(p *driven) error {
		p.write(driverTwo)
		p.must("stash", "-q")
		p.must("checkout", "-q", "main")
		return p.git("stash", "pop")
	}},
	{"checkout -m", "tags/two~1", false, func(p *driven) error {
		p.write(driverTwo)
		return p.git("checkout", "-q", "-m", "main")
	}},
	{"switch -m", "tags/two~1", false, func(p *driven) error {
		p.write(driverTwo)
		return p.git("switch", "-q", "-m", "main")
	}},
	{"am -3", "main", false, func(p *driven) error {
		p.must("format-patch", "-q", "-1", "-o", p.base, "tags/two")
		mails, err := filepath.Glob(filepath.Join(p.base, "*.patch"))
		if err != nil || len(mails) != 1 {
			p.t.Fatal(mails, err)
		}
		return p.git("am", "-q", "-3", mails[0])
	}},
	{"merge-tree", "main", false, func(p *driven) error { return p.mergeTree(p.top) }},
	{"merge-tree, bare", "main", false, func(p *driven) error {
		bare := filepath.Join(p.base, "bare.git")
		p.must("clone", "-q", "--bare", p.top, bare)
		for name, file := range map[string]string{"info/attributes": "info/attributes", "config": "config"} {
			b, err := os.ReadFile(filepath.Join(p.top, ".git", name))
			if err == nil {
				err = os.WriteFile(filepath.Join(bare, file), b, 0o666)
			}
			if err != nil {
				p.t.Fatal(err)
			}
		}
		p.must("--git-dir="+bare, "config", "core.bare", "true")
		return p.mergeTree(bare)
	}},
}

const (
	driverBase = "# Day\n\n- first thing\n"
	driverOne  = driverBase + "- 10:00 one\n"
	driverTwo  = driverBase + "- 09:00 two\n"
)

func (p *driven) prepare() {
	dir, err := filepath.EvalSymlinks(p.t.TempDir())
	if err != nil {
		p.t.Fatal(err)
	}
	p.base, p.top = dir, filepath.Join(dir, "w")
	if p.file == "" {
		p.file = "memory/2026-05-02.md"
	}
	se := &testscript.Env{WorkDir: dir}
	if err := scriptHome(se); err != nil {
		p.t.Fatal(err)
	}
	p.vars = se.Vars
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := linkBinary(p.binary()); err != nil {
		p.t.Fatal(err)
	}
	path := p.path
	p.path = filepath.Join(dir, "bin") + ":" + plainPath()
	p.must("init", "-q", p.top)
	p.write(driverBase)
	p.must("-C", filepath.Join(p.top, p.sub), "claw", "init", "-q", "--no-hooks")
	p.must("claw", "-w", filepath.Join(p.top, p.sub), "save", "-q")
	p.must("branch", "two")
	p.write(driverBase + "- wrong\n")
	p.must("commit", "-qam", "wrong")
	p.must("tag", "wrong")
	p.write(driverBase + "- wrong\n- 10:00 one\n")
	p.must("commit", "-qam", "more")
	p.must("tag", "more")
	p.must("reset", "-q", "--hard", "two")
	p.write(driverOne)
	p.must("commit", "-qam", "one")
	p.must("tag", "one")
	p.must("checkout", "-q", "two")
	p.write(driverTwo)
	p.must("commit", "-qam", "two")
	p.must("tag", "two")
	p.must("init", "-q", "--bare", filepath.Join(dir, "r.git"))
	p.must("remote", "add", "origin", filepath.Join(dir, "r.git"))
	p.must("push", "-q", "origin", "tags/two:refs/heads/main")
	if path != "" {
		p.path = path
	}
	switch {
	case p.gone:
		err = os.Remove(p.binary())
	case p.dies:
		err = os.Remove(p.binary())
		if err == nil {
			err = os.WriteFile(p.binary(), []byte("#!/bin/sh\nkill -9 $$\n"), 0o755)
		}
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *driven) binary() string { return filepath.Join(p.base, "bin", "git-claw") }

func (p *driven) name() string { return filepath.Join(p.top, p.sub, filepath.FromSlash(p.file)) }

func (p *driven) write(text string) {
	err := os.MkdirAll(filepath.Dir(p.name()), 0o777)
	if err == nil {
		err = os.WriteFile(p.name(), []byte(text), 0o666)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *driven) git(args ...string) error {
	cmd := exec.Command("git", args...)
	if cmd.Dir = p.top; args[0] == "init" {
		cmd.Dir = p.base
	}
	cmd.Env = append(slices.Clone(p.vars), "PATH="+p.path)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if p.out = string(out); err != nil {
		return fmt.Errorf("git %v: %w: %s%s", args, err, out, said.Bytes())
	}
	return nil
}

func (p *driven) must(args ...string) string {
	p.t.Helper()
	if err := p.git(args...); err != nil {
		p.t.Fatal(err)
	}
	return p.out
}

// start goes to where an operation begins, whatever the one before left.
func (p *driven) start(from string) {
	for _, verb := range []string{"merge", "rebase", "cherry-pick", "revert", "am"} {
		_ = p.git(verb, "--abort")
	}
	_ = p.git("stash", "clear")
	p.must("reset", "-q", "--hard")
	p.must("checkout", "-q", "-B", "main", "one")
	p.must("checkout", "-q", from)
}

// mergeTree puts what a merge without a work tree makes into the file.
func (p *driven) mergeTree(dir string) error {
	merr := p.git("-C", dir, "merge-tree", "--write-tree", "-z", "main", "tags/two")
	tree, _, _ := strings.Cut(p.out, "\x00")
	rel, err := filepath.Rel(p.top, p.name())
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(p.must("-C", dir, "cat-file", "-p", tree+":"+filepath.ToSlash(rel)))
	return merr
}

// judge looks at what an operation left.
func (p *driven) judge(op driverOp, failed error) {
	b, err := os.ReadFile(p.name())
	if err != nil {
		p.t.Fatal(err)
	}
	text := string(b)
	has := func(line string) bool { return strings.Count(text, line+"\n") == 1 }
	marked := strings.Contains(text, "<<<<<<<")
	switch {
	case p.dies: // git has one side in the file, and says that it is not merged
		if unmerged := p.must("ls-files", "-u"); failed == nil && unmerged == "" {
			p.t.Errorf("nobody is told: %q", text)
		}
		return
	case p.gone:
		if !marked || !has("- 10:00 one") || !op.reverts && !has("- 09:00 two") {
			p.t.Errorf("a side is lost: %q, %v", text, failed)
		}
		return
	}
	if failed != nil || marked || !has("- 10:00 one") || has("- 09:00 two") == op.reverts || has("- wrong") || !has("- first thing") {
		p.t.Errorf("%q, %v", text, failed)
	}
}

// mend brings git-claw back, at another place, and has it end a merge that was left.
func (p *driven) mend() {
	if !p.gone && !p.dies {
		return
	}
	p.start("main")
	if err := p.git("merge", "tags/two"); err == nil {
		p.t.Errorf("a merge without the driver is clean: %s", p.out)
	}
	bin := filepath.Join(p.base, "other bin")
	err := os.Mkdir(bin, 0o777)
	if err == nil {
		err = linkBinary(filepath.Join(bin, "git-claw"))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.path = bin + ":" + plainPath()
	sub := filepath.Join(p.top, p.sub)
	if p.must("claw", "-w", sub, "doctor", "--json"); !strings.Contains(p.out, `"name":"merging","verdict":"warn"`) {
		p.t.Errorf("doctor does not tell: %s", p.out)
	}
	if p.must("claw", "-w", sub, "doctor", "--fix"); !strings.Contains(p.out, "fixed merging") {
		p.t.Errorf("doctor does not mend: %s", p.out)
	}
	p.must("claw", "-w", sub, "sync")
	p.judgeMended()
	p.must("reset", "-q", "--hard", "one")
	p.must("merge", "-q", "--no-edit", "tags/two")
	p.judgeMended()
}

func (p *driven) judgeMended() {
	p.t.Helper()
	p.gone, p.dies = false, false
	p.judge(driverOp{}, nil)
	if left := p.must("status", "--porcelain"); left != "" {
		p.t.Errorf("left: %s", left)
	}
}
