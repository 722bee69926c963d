//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestChaos has several machines write, save, sync, merge with plain git, archive and die
// while the remote refuses, breaks off or is away, and the clocks differ. When all is quiet
// and they have synced, they are the same, and nothing that was written is lost. See `make
// chaos`: CLAW_CHAOS_SEEDS is how many histories, CLAW_CHAOS_FIRST the first of them.
func TestChaos(t *testing.T) {
	t.Parallel()
	first, seeds, steps := number("CLAW_CHAOS_FIRST", 1), number("CLAW_CHAOS_SEEDS", 2), number("CLAW_CHAOS_STEPS", 30)
	for seed := first; seed < first+seeds; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			c := newChaos(t, uint64(seed), 3)
			c.run(steps)
			for _, v := range c.settle() {
				t.Errorf("seed %d: %s", seed, v)
			}
			t.Logf("seed %d: %s", seed, c.told())
			if t.Failed() {
				t.Logf("the last steps:\n%s", strings.Join(c.log[max(0, len(c.log)-60):], "\n"))
			}
		})
	}
}

// TestChaosNotices: where git keeps one side alone, entries are lost, and the test says so.
func TestChaosNotices(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		c := newChaos(t, seed+1, 3)
		c.broken = true
		c.run(30)
		if lost := c.settle(); len(lost) > 0 {
			t.Logf("seed %d: %s", seed+1, lost[0])
			return
		}
	}
	t.Error("a driver that drops one side was not noticed")
}

func number(variable string, def int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return def
}

// chaos is some machines and their remote.
type chaos struct {
	t      *testing.T
	rnd    *rand.Rand
	dir    string
	vars   []string
	m      []*machine
	tokens map[string]bool // what was written and has to be somewhere
	next   int
	log    []string
	counts map[string]int
	now    time.Time
	broken bool // git's merges drop what is theirs
}

type machine struct {
	dir  string
	skew time.Duration
	away int // steps for which the remote cannot be reached
}

const chaosFiles = 5

func newChaos(t *testing.T, seed uint64, machines int) *chaos {
	c := &chaos{
		t: t, rnd: rand.New(rand.NewPCG(seed, 3)), dir: t.TempDir(), tokens: map[string]bool{}, counts: map[string]int{},
		now: time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC),
	}
	se := &testscript.Env{WorkDir: c.dir, Vars: []string{"PATH=" + processPath()}}
	if err := scriptHome(se); err != nil {
		t.Fatal(err)
	}
	c.vars = se.Vars
	c.must(c.dir, "init", "-q", "--bare", "-b", "main", "r.git")
	for i := range machines {
		m := &machine{dir: filepath.Join(c.dir, "m"+strconv.Itoa(i)), skew: time.Duration(c.rnd.IntN(7200)-3600) * time.Second}
		c.m = append(c.m, m)
		if i > 0 {
			c.must(c.dir, "clone", "-q", "r.git", m.dir)
			c.must(m.dir, "claw", "init", "-q")
			continue
		}
		c.must(c.dir, "init", "-q", "-b", "main", m.dir)
		for n := range chaosFiles {
			c.write(m, c.file(n), fmt.Sprintf("# File %d\n\n## Notes\n\n- first line of file %d\n", n, n))
		}
		c.must(m.dir, "claw", "init", "-q")
		c.must(m.dir, "claw", "save", "-q")
		c.must(m.dir, "remote", "add", "origin", "../r.git")
		c.must(m.dir, "claw", "sync", "-q")
		c.must(m.dir, "branch", "-q", "--set-upstream-to=origin/main")
	}
	return c
}

// file is one of those that are edited: rules, notes of a day, lessons, a note.
func (c *chaos) file(n int) string {
	return [chaosFiles]string{"MEMORY.md", "memory/2026-03-04.md", ".learnings/LEARNINGS.md", "memory/topic.md", "memory/project.md"}[n]
}

func (c *chaos) write(m *machine, name, text string) {
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

func (c *chaos) command(m *machine, dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	now := c.now
	if m != nil {
		now = now.Add(m.skew)
	}
	stamp := now.Format(time.RFC3339)
	cmd.Env = append(append([]string{}, c.vars...), "GIT_CLAW_NOW="+stamp)
	if args[0] != "claw" { // which gives its own clock to git
		cmd.Env = append(cmd.Env, "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func (c *chaos) must(dir string, args ...string) string {
	c.t.Helper()
	out, err := c.command(nil, dir, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// do runs a command on a machine and notes how it ended.
func (c *chaos) do(m *machine, args ...string) (string, bool) {
	cmd := c.command(m, m.dir, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	killed := false
	if c.rnd.IntN(12) == 0 && !c.quiet() {
		wait, whole := time.Duration(c.rnd.IntN(120))*time.Millisecond, c.rnd.IntN(2) == 0
		if args[0] == "claw" { // git itself leaves locks behind
			time.Sleep(wait)
			pid := cmd.Process.Pid
			if whole {
				pid = -pid
			}
			killed = syscall.Kill(pid, syscall.SIGKILL) == nil
		}
	}
	err := cmd.Wait()
	verb := args[0]
	if verb == "claw" {
		verb = "claw " + args[1]
	}
	end := "ok"
	if err != nil {
		end = err.Error()
	}
	if killed {
		c.counts["killed"]++
	}
	c.counts[verb]++
	c.log = append(c.log, fmt.Sprintf("%s %s: %s %s", filepath.Base(m.dir), strings.Join(args, " "), end, strings.TrimSpace(out.String())))
	return out.String(), err == nil
}

// quiet reports whether the storm is over.
func (c *chaos) quiet() bool { return c.counts["settle"] > 0 }

func (c *chaos) token() string {
	c.next++
	return fmt.Sprintf("entry%04d", c.next)
}

func (c *chaos) run(steps int) {
	if c.broken {
		for _, m := range c.m {
			c.must(m.dir, "config", "merge.claw.driver", "true")
		}
	}
	for range steps {
		c.now = c.now.Add(time.Duration(1+c.rnd.IntN(600)) * time.Second)
		m := c.m[c.rnd.IntN(len(c.m))]
		if m.away > 0 {
			if m.away--; m.away == 0 {
				c.must(m.dir, "remote", "set-url", "origin", "../r.git")
			}
		}
		c.step(m)
	}
}

func (c *chaos) step(m *machine) {
	switch k := c.rnd.IntN(100); {
	case k < 40:
		c.edit(m)
	case k < 50:
		c.do(m, "claw", "save")
	case k < 58:
		token := c.token()
		if _, ok := c.do(m, "claw", "note", "noted "+token); ok {
			c.tokens[token] = true
		}
	case k < 62:
		token := c.token()
		if _, ok := c.do(m, "claw", "learn", "lesson", "learned "+token); ok {
			c.tokens[token] = true
		}
	case k < 80:
		if !c.broken {
			c.do(m, "claw", "sync")
			return
		}
		c.plain(m)
	case k < 88:
		c.plain(m)
	case k < 91:
		c.archive(m)
	case k < 95:
		m.away = 3
		c.must(m.dir, "remote", "set-url", "origin", "../away.git")
		c.log = append(c.log, filepath.Base(m.dir)+" is away")
	default:
		c.mood()
	}
}

// mood has the remote refuse, break off, or behave.
func (c *chaos) mood() {
	hook := filepath.Join(c.dir, "r.git", "hooks", "pre-receive")
	script := [...]string{"exit 1", "kill -9 $PPID", "", ""}[c.rnd.IntN(4)]
	c.log = append(c.log, "remote: "+script)
	if script == "" {
		_ = os.Remove(hook)
		return
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		c.t.Fatal(err)
	}
}

// plain is somebody who knows git only.
func (c *chaos) plain(m *machine) {
	c.do(m, "add", "-A")
	c.do(m, "commit", "-q", "-m", "by hand")
	if _, ok := c.do(m, "pull", "-q", "--no-rebase", "--no-edit"); !ok {
		c.do(m, "merge", "--abort")
		return
	}
	if c.rnd.IntN(2) == 0 {
		c.do(m, "push", "-q")
	}
}

// edit adds an entry somewhere, or changes one and keeps its token.
func (c *chaos) edit(m *machine) {
	name := c.file(c.rnd.IntN(chaosFiles))
	b, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
	if err != nil {
		return // it is in the archive
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	var bullets []int
	for i, l := range lines {
		if strings.HasPrefix(l, "- ") {
			bullets = append(bullets, i)
		}
	}
	if len(bullets) == 0 {
		return
	}
	i := bullets[c.rnd.IntN(len(bullets))]
	if c.rnd.IntN(3) == 0 {
		lines[i] += fmt.Sprintf(" and %d", c.rnd.IntN(1000))
	} else {
		token := c.token()
		c.tokens[token] = true
		line := fmt.Sprintf("- %s about %d things", token, c.rnd.IntN(100))
		lines = append(lines[:i+1], append([]string{line}, lines[i+1:]...)...)
	}
	c.write(m, name, strings.Join(lines, "\n")+"\n")
	c.counts["edit"]++
	c.log = append(c.log, fmt.Sprintf("%s edits %s", filepath.Base(m.dir), name))
}

// archive moves a note away.
func (c *chaos) archive(m *machine) {
	from, to := filepath.Join(m.dir, "memory/project.md"), filepath.Join(m.dir, "memory/archive/project.md")
	if _, err := os.Stat(to); err == nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if os.Rename(from, to) == nil {
		c.counts["archive"]++
		c.log = append(c.log, filepath.Base(m.dir)+" archives")
	}
}

// settle ends the storm, syncs, and says what is wrong.
func (c *chaos) settle() []string {
	c.counts["settle"]++
	_ = os.Remove(filepath.Join(c.dir, "r.git", "hooks", "pre-receive"))
	var wrong []string
	for _, m := range c.m {
		c.must(m.dir, "remote", "set-url", "origin", "../r.git")
	}
	for range 2 {
		for _, m := range c.m {
			c.now = c.now.Add(time.Second)
			if out, ok := c.do(m, "claw", "sync", "--with-foreign"); !ok {
				wrong = append(wrong, filepath.Base(m.dir)+" does not sync: "+out)
			}
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	tree := c.must(c.m[0].dir, "rev-parse", "HEAD^{tree}")
	for _, m := range c.m {
		if got := c.must(m.dir, "rev-parse", "HEAD^{tree}"); got != tree {
			wrong = append(wrong, "the machines differ: "+c.must(m.dir, "diff", tree, got))
		}
		if got := c.must(m.dir, "status", "--porcelain"); got != "" {
			wrong = append(wrong, filepath.Base(m.dir)+" is not clean: "+got)
		}
		c.must(m.dir, "fsck", "--strict", "--no-dangling")
	}
	c.must(filepath.Join(c.dir, "r.git"), "fsck", "--strict", "--no-dangling")
	return append(wrong, c.judge(c.m[0].dir)...)
}

var tokenForm = regexp.MustCompile(`entry\d{4}`)

// judge looks for what is lost, twice there, or between markers.
func (c *chaos) judge(dir string) []string {
	var wrong []string
	found, lines := map[string]int{}, map[string]int{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(b)) {
			if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
				wrong = append(wrong, "a marker in "+path)
			}
			if lines[line]++; lines[line] == 2 && tokenForm.MatchString(line) {
				wrong = append(wrong, "twice there: "+line)
			}
		}
		for _, token := range tokenForm.FindAllString(string(b), -1) {
			found[token]++
		}
		c.counts["contradictions"] += bytes.Count(b, []byte("claw:conflict"))
		return nil
	})
	for token := range c.tokens {
		if found[token] == 0 {
			wrong = append(wrong, token+" is lost")
		}
	}
	c.counts["entries"] = len(found)
	return wrong
}

func (c *chaos) told() string {
	var parts []string
	for _, k := range []string{"edit", "claw save", "claw note", "claw learn", "claw sync", "pull", "archive", "killed", "entries", "contradictions"} {
		parts = append(parts, fmt.Sprintf("%d %s", c.counts[k], k))
	}
	return strings.Join(parts, ", ")
}
