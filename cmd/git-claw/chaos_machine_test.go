//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// linkBinary makes a git-claw of the one that runs the tests.
func linkBinary(name string) error {
	self, err := exec.LookPath("git-claw")
	if err != nil {
		return err
	}
	if err := os.Link(self, name); err == nil {
		return nil
	}
	in, err := os.Open(self)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// running is a process of a machine.
type running struct {
	m      *machine
	args   []string
	cmd    *exec.Cmd
	out    bytes.Buffer
	killed bool
}

func (c *chaos) command(m *machine, dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	if args[0] == "claw" { // without git in between, which would be killed in its place
		cmd = exec.Command(filepath.Join(m.bin, "git-claw"), args[1:]...)
	}
	cmd.Dir = dir
	stamp := c.now.Add(m.skew).Format(time.RFC3339)
	cmd.Env = append(append([]string{}, c.vars...), "GIT_CLAW_NOW="+stamp, "PATH="+m.bin+":"+plainPath())
	if args[0] != "claw" { // which gives its own clock to git
		cmd.Env = append(cmd.Env, "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// plainPath is the PATH without any git-claw.
func plainPath() string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(processPath()), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "git-claw"))
		return err == nil
	}), ":")
}

func (c *chaos) must(m *machine, dir string, args ...string) string {
	c.t.Helper()
	out, err := c.command(m, dir, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("seed %d, %s: git %v: %v\n%s", c.seed, m.name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// set changes the configuration, which something that was left alive may hold.
func (c *chaos) set(m *machine, name, value string) {
	for range 100 {
		if c.command(m, m.dir, "config", name, value).Run() == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatalf("seed %d, %s: cannot set %s", c.seed, m.name, name)
}

func (c *chaos) start(m *machine, args ...string) *running {
	r := &running{m: m, args: args, cmd: c.command(m, m.dir, args...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	r.cmd.WaitDelay = 100 * time.Millisecond // what was left alive holds the pipe
	if err := r.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// kill ends it at some moment, alone or with all that it started; often it is that moment in
// which it holds a lock of git.
func (c *chaos) kill(r *running) {
	often, wait := 7, time.Duration(c.rnd.IntN(100))*time.Millisecond
	whole, aims := c.rnd.IntN(2) == 0, c.rnd.IntN(3) == 0
	switch {
	case c.off == "journal":
		often, aims = 3, true
	case c.hangs:
		often, wait = 2, 50*time.Millisecond+3*wait
	}
	if c.rnd.IntN(often) > 0 || c.over || r.args[0] != "claw" { // git itself leaves locks behind
		return
	}
	if !aims {
		time.Sleep(wait)
	}
	for end := time.Now().Add(wait); aims && time.Now().Before(end); time.Sleep(50 * time.Microsecond) {
		aims = !there(filepath.Join(r.m.dir, ".git", "index.lock")) && !there(filepath.Join(r.m.dir, ".git", "HEAD.lock"))
	}
	pid := r.cmd.Process.Pid
	if whole {
		pid = -pid
	} else {
		c.orphans = append(c.orphans, pid)
	}
	r.killed = syscall.Kill(pid, syscall.SIGKILL) == nil
}

// fits are the codes that commands end with.
var fits = []int{0, 1, 3, 4, 128}

// end waits for a process and notes how it ended.
func (c *chaos) ended(r *running) (string, bool) {
	limit := time.AfterFunc(2*time.Minute, func() {
		_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	})
	err := r.cmd.Wait()
	if !limit.Stop() {
		c.wrong = append(c.wrong, r.m.name+" "+strings.Join(r.args, " ")+" does not come to an end")
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	code := r.cmd.ProcessState.ExitCode()
	died := r.killed && code < 0
	end, out := "ok", strings.TrimSpace(r.out.String())
	switch {
	case died:
		end = "killed"
		c.counts["killed"]++
		c.forget(r.m)
	case err != nil:
		end = err.Error()
		c.counts["failed"]++
		if r.args[0] == "claw" && (!slices.Contains(fits, code) || strings.Contains(out, "panic:")) {
			c.wrong = append(c.wrong, r.m.name+" "+strings.Join(r.args, " ")+": "+end+": "+out)
		}
	}
	if c.counts["git"]++; r.args[0] == "claw" {
		c.counts["claw"]++
	}
	c.tell("%s %s: %s %s", r.m.name, strings.Join(r.args, " "), end, out)
	if err == nil && !died {
		if id := c.head(r.m); id != "" {
			r.m.acked = append(r.m.acked, id)
		}
	}
	return r.out.String(), err == nil && !died
}

// do runs a command on a machine, to its end or to a sudden one.
func (c *chaos) do(m *machine, args ...string) (string, bool) {
	r := c.start(m, args...)
	c.kill(r)
	return c.ended(r)
}

// forget drops what a dead writer noted, so that nobody can end what it began.
func (c *chaos) forget(m *machine) {
	if c.off == "journal" {
		for _, name := range []string{"journal", "redo", "refs"} {
			_ = os.Remove(filepath.Join(m.dir, ".git", "claw", name))
		}
	}
}

func (c *chaos) head(m *machine) string {
	b, err := os.ReadFile(filepath.Join(m.dir, ".git", "refs", "heads", "main"))
	if err != nil {
		out, _ := c.command(m, m.dir, "rev-parse", "-q", "--verify", "refs/heads/main").Output()
		b = out
	}
	return strings.TrimSpace(string(b))
}

// await waits for what was left alive.
func (c *chaos) await() {
	for _, pid := range c.orphans {
		for range 400 {
			if syscall.Kill(-pid, 0) != nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	c.orphans = nil
}

// take removes the git claw of a machine, bring gives it back.
func (c *chaos) take(m *machine) {
	_ = os.Rename(filepath.Join(m.bin, "git-claw"), filepath.Join(m.bin, "away"))
	c.tell("%s has no git claw", m.name)
}

func (c *chaos) bring(m *machine) {
	_ = os.Rename(filepath.Join(m.bin, "away"), filepath.Join(m.bin, "git-claw"))
	c.tell("%s has git claw again", m.name)
}

// token is a word that was written once, and what has to become of it.
type token struct {
	fate  fate
	moved bool // it was put into another file
}

type fate int

const (
	must     fate = iota // it is in a file
	may                  // somebody took it back, or nobody heard that it was written
	deleted              // it is in no file, or below a contradiction
	proposed             // it is in a file, or in a proposal
	value                // it is in a file, or in the history: the newer one holds
)

var tokenForm = regexp.MustCompile(`entry\d{4}`)

// token makes a new one.
func (c *chaos) token(f fate) string {
	name := "entry" + string([]byte{
		byte('0' + len(c.tokens)/1000%10), byte('0' + len(c.tokens)/100%10), byte('0' + len(c.tokens)/10%10), byte('0' + len(c.tokens)%10),
	})
	c.tokens[name] = &token{fate: f}
	c.tell("        %s", name)
	return name
}

// fated gives all tokens of a text a fate.
func (c *chaos) fated(text string, f fate) {
	for _, name := range tokenForm.FindAllString(text, -1) {
		if t := c.tokens[name]; t != nil && (t.fate != may || f == deleted) {
			t.fate = f
		}
	}
}

// files reads all of a work tree.
func files(dir string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() && d.Name() != "heartbeat-state.md" { // which git ignores
			if b, err := os.ReadFile(path); err == nil {
				rel, _ := filepath.Rel(dir, path)
				all[filepath.ToSlash(rel)] = string(b)
			}
		}
		return nil
	})
	return all
}

func (m *machine) have() map[string]bool {
	found := map[string]bool{}
	for _, text := range files(m.dir) {
		for _, name := range tokenForm.FindAllString(text, -1) {
			found[name] = true
		}
	}
	return found
}

// watch looks at the files of a machine before and after f: what is gone without a reason
// gets the fate lost, or is wrong where that is must.
func (c *chaos) watch(m *machine, lost fate, f func()) {
	if c.busy { // files are written beside us
		f()
		return
	}
	before := m.have()
	f()
	after := m.have()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		t := c.tokens[name]
		if after[name] || t == nil || t.fate != must {
			continue
		}
		if t.fate = lost; lost == must {
			c.wrong = append(c.wrong, m.name+" has no "+name+" any more after: "+c.log[len(c.log)-1])
			t.fate = may
		}
	}
}

func there(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
