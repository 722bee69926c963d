//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestKilledCommands kills every command that writes, at any moment of its life, and
// looks at what the next command makes of it: what was acknowledged is there, no lock
// is left, nothing is half written, and what a person typed meanwhile stays.
// CLAW_TEST_BIG kills ten times as many, see the Makefile.
func TestKilledCommands(t *testing.T) {
	t.Parallel()
	kills := 5
	if os.Getenv("CLAW_TEST_BIG") != "" {
		kills = 56
	}
	var all atomic.Int64
	t.Cleanup(func() { t.Logf("%d processes were killed", all.Load()) })
	for name, rounds := range killedCommands() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, name)
			round := rounds(v)
			for i := 0; v.killed < kills; i++ {
				if i == 20*kills {
					t.Fatalf("only %d of %d processes were killed", v.killed, i)
				}
				round(i)
			}
			v.finish()
			all.Add(int64(v.killed))
			t.Logf("%d killed, %d ended before", v.killed, v.ended)
		})
	}
}

// The harness must notice a lock that is left, and a line that is lost.
func TestKilledCommandsNotices(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(v *victim){
		"a lock": func(v *victim) {
			if err := os.WriteFile(v.GitPath("refs/heads/other.lock"), nil, 0o666); err != nil {
				v.t.Fatal(err)
			}
		},
		"a line": func(v *victim) { v.lines = append(v.lines, "- acknowledged") },
		"a save": func(v *victim) {
			v.Append("MEMORY.md", "- typed\n")
			v.Git("add", "MEMORY.md")
			v.Append("MEMORY.md", "- more\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := gittest.Probe(t, func(t testing.TB) {
				v := newVictim(t, name)
				spoil(v)
				v.finish()
			})
			if len(said) == 0 {
				t.Error("nothing was noticed")
			}
			t.Logf("noticed: %.200q", said)
		})
	}
}

// killedCommands are the commands that write. Each makes ready, then gives a round: the
// command, and what has to be true of it at whatever moment it died.
func killedCommands() map[string]func(v *victim) func(i int) {
	all := map[string]func(v *victim) func(i int){
		"save": killSave, "note": killNote, "undo": killUndo, "init": killInit, "index update": killIndex, "health fix": killHealth,
		"learn": killLearn, "promote": killPromote, "trim": killTrim,
		"merge-driver": killMerge, "hooks install": killHooks, "connect": killConnect, "connect user": killConnectUser,
		"learn correction": killCorrection, "candidate confirm": killConfirm, "tick": killTick,
	}
	maps.Copy(all, killedProposals())
	return all
}

// victim is a workspace in which commands die.
type victim struct {
	*gittest.Repo
	t             testing.TB
	rnd           *rand.Rand
	env           []string
	alone         bool   // git that the command started is left alive
	aim           string // a file that is filled at the moments that matter most
	forgets       bool   // what it intended with refs, to show that this is seen
	span          time.Duration
	killed, ended int
	lines         []string // they have to be in the log, and in HEAD, at the end
}

const killedLog = "memory/log.md"

func newVictim(t testing.TB, name string) *victim {
	t.Helper()
	v := &victim{t: t, rnd: rand.New(gittest.Rand(name)), span: time.Millisecond}
	v.fresh()
	v.must("init")
	v.Write(killedLog, "# Log\n")
	v.must("save")
	return v
}

// fresh takes another repository.
func (v *victim) fresh() {
	v.Repo = gittest.New(v.t, gittest.Files(map[string]string{
		"SOUL.md": "# Soul\n\nCalm.\n", "AGENTS.md": "# Agents\n", "MEMORY.md": "# Memory\n\n- one fact\n",
	}))
}

func (v *victim) command(args ...string) *exec.Cmd {
	v.t.Helper()
	self, err := exec.LookPath("git-claw")
	if err != nil {
		v.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = v.Dir
	cmd.Env = append(append([]string{}, v.Environ...), v.env...)
	return cmd
}

// run is a command to its end.
func (v *victim) run(args ...string) (out string, err error) {
	v.t.Helper()
	cmd := v.command(args...)
	var errb bytes.Buffer
	cmd.Stderr = &errb
	b, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git claw %s: %w: %s", strings.Join(args, " "), err, errb.String())
	}
	return string(b), err
}

func (v *victim) must(args ...string) string {
	v.t.Helper()
	out, err := v.run(args...)
	if err != nil {
		v.t.Fatal(err)
	}
	return out
}

// kill runs a command and kills it at a random moment of its life, which is about as
// long as those before. acknowledged: it ended before, with a code that says so.
func (v *victim) kill(args ...string) (acknowledged bool) {
	v.t.Helper()
	cmd := v.command(args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	whom := cmd.Process.Pid
	if !v.alone && v.rnd.IntN(2) == 0 {
		whom = -whom // with all programs of git that it started
	}
	wait := time.Minute
	if v.ended >= 2 { // how long it lives is known
		wait = time.Duration(v.rnd.Int64N(int64(v.span)))
	}
	kill := func() { _ = syscall.Kill(whom, syscall.SIGKILL) }
	timer := time.AfterFunc(wait, kill)
	ended := make(chan bool)
	if v.aim != "" && (v.forgets || v.rnd.IntN(2) == 0) {
		timer.Stop()
		timer = time.AfterFunc(0, v.aimed(kill, ended))
	}
	err := cmd.Wait()
	timer.Stop()
	close(ended)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		v.killed++
		time.Sleep(20 * time.Millisecond) // what it started lives on for a moment
		return false
	}
	v.ended++
	v.span = (v.span + time.Since(start)*9/8) / 2 // a machine is busy at times
	return err == nil
}

// aimed kills a moment after the file that is aimed at has something in it.
func (v *victim) aimed(kill func(), ended chan bool) func() {
	wait := time.Duration(v.rnd.Int64N(int64(10 * time.Millisecond)))
	return func() {
		for next := 50 * time.Microsecond; ; {
			select {
			case <-ended:
				return
			case <-time.After(next):
			}
			if next == wait {
				kill()
				return
			}
			if fi, err := os.Stat(v.aim); err == nil && fi.Size() > 0 {
				next = wait
			}
		}
	}
}

// typed is a line that a person adds, at the worst moment.
func (v *victim) typed(i int) {
	v.t.Helper()
	v.add(fmt.Sprintf("- typed %d", i))
}

func (v *victim) add(line string) {
	v.t.Helper()
	v.Append(killedLog, line+"\n")
	v.lines = append(v.lines, line)
}

// next is the command after the kill.
func (v *victim) next(i int) {
	v.t.Helper()
	v.typed(i)
	v.must("save")
	v.locks()
}

func (v *victim) locks() {
	v.t.Helper()
	err := filepath.WalkDir(v.GitPath("."), func(p string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(p, ".lock") {
			v.t.Errorf("'%s' is left", p)
		}
		return nil //nolint:nilerr // what vanishes meanwhile is no lock
	})
	if err != nil {
		v.t.Error(err)
	}
}

// inHead looks for a line of an acknowledged command.
func (v *victim) inHead(name, line string) {
	v.t.Helper()
	if !strings.Contains(v.InHead(name), line+"\n") {
		v.t.Errorf("%q was acknowledged and is not in HEAD", line)
	}
}

func (v *victim) finish() {
	v.t.Helper()
	v.next(-1)
	v.must("index", "drop")
	for _, line := range v.lines {
		if !strings.Contains(v.InHead(killedLog), line+"\n") || !strings.Contains(v.Read(killedLog), line+"\n") {
			v.t.Errorf("%q is lost", line)
		}
	}
	v.CheckClean()
}

func killSave(v *victim) func(i int) {
	return func(i int) {
		line := fmt.Sprintf("- saved %d", i)
		v.add(line)
		v.Write(fmt.Sprintf("memory/new-%d.md", i), line+"\n")
		if v.kill("save") {
			v.inHead(killedLog, line)
			v.inHead(fmt.Sprintf("memory/new-%d.md", i), line)
		}
		v.next(i)
	}
}

func killNote(v *victim) func(i int) {
	const day = "memory/2026-03-04.md"
	v.env = []string{"GIT_CLAW_NOW=2026-03-04T05:06:07Z"}
	return func(i int) {
		line := fmt.Sprintf("noted %d", i)
		if v.kill("note", line) {
			v.inHead(day, line)
			if !strings.Contains(v.Read(day), line+"\n") {
				v.t.Errorf("%q is not in the file", line)
			}
		}
		v.next(i)
	}
}

func killUndo(v *victim) func(i int) {
	return func(i int) {
		wrong := fmt.Sprintf("- wrong %d", i)
		v.Append(killedLog, wrong+"\n")
		v.must("save")
		target := v.Git("rev-parse", "HEAD")
		v.add(fmt.Sprintf("- right %d", i))
		v.must("save")
		if v.kill("undo", target, "--as", "user") && strings.Contains(v.InHead(killedLog)+v.Read(killedLog), wrong+"\n") {
			v.t.Errorf("%q was taken back and is still there", wrong)
		}
		v.next(i)
	}
}

// A lock on git's configuration is git's own: programs of git are not killed here.
func killInit(v *victim) func(i int) {
	v.alone = true
	return func(i int) {
		v.fresh()
		v.lines = nil
		v.Append("MEMORY.md", "- not committed\n")
		v.Write(".gitignore", "*.log\n")
		before := v.Read("MEMORY.md") + v.Read("SOUL.md")
		acknowledged := v.kill("init")
		if acknowledged {
			v.inHead(".claw/config", "[claw]")
		}
		v.must("init")
		if got := v.Read(".gitignore"); !strings.HasPrefix(got, "*.log\n") || strings.Count(got, ">>> git claw") != 1 {
			v.t.Errorf(".gitignore is %q", got)
		}
		if v.Read("MEMORY.md")+v.Read("SOUL.md") != before {
			v.t.Error("init changed what was there")
		}
		v.Write(killedLog, "# Log\n")
		v.next(i)
		v.CheckClean()
	}
}

func killIndex(v *victim) func(i int) {
	return func(i int) {
		word := fmt.Sprintf("quokka%d", i)
		v.add("- seen a " + word)
		v.must("save")
		v.kill("index", "update")
		if out := v.must("search", word); !strings.Contains(out, killedLog) {
			v.t.Errorf("search finds %q", out)
		}
		v.next(i)
	}
}

// One check mends what nobody saved for long.
func killHealth(v *victim) func(i int) {
	return func(i int) {
		line := fmt.Sprintf("- forgotten %d", i)
		v.add(line)
		v.env = []string{"GIT_CLAW_NOW=" + time.Date(2030, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)}
		v.must("health", "--only", "GIT-002")
		v.env = []string{"GIT_CLAW_NOW=" + time.Date(2030, 1, 1+i, 3, 0, 0, 0, time.UTC).Format(time.RFC3339)}
		ended := v.ended
		v.kill("health", "--fix", "--only", "GIT-002", "--as", "user")
		if v.ended > ended { // its code tells of other findings
			v.inHead(killedLog, line)
		}
		v.next(i)
	}
}

// The file that git hands to the driver is ours, or both sides between markers, or the
// whole merge.
func killMerge(v *victim) func(i int) {
	var many strings.Builder
	for i := range 400 {
		fmt.Fprintf(&many, "- line %d\n", i)
	}
	sides := map[string]string{"base": many.String(), "ours": "- mine\n" + many.String(), "theirs": many.String() + "- yours\n"}
	merged := ""
	at := func(side string) string { return filepath.Join(v.Base, side+".md") }
	args := []string{"merge-driver", "--marker-size=7", "--", at("base"), at("ours"), at("theirs"), killedLog}
	return func(i int) {
		for side, text := range sides {
			if err := os.WriteFile(at(side), []byte(text), 0o666); err != nil {
				v.t.Fatal(err)
			}
		}
		acknowledged := v.kill(args...)
		got := gittest.ReadFile(v.t, at("ours"))
		if merged == "" && acknowledged && strings.Contains(got, "- mine\n") && strings.Contains(got, "- yours\n") {
			merged = got
		}
		both := strings.HasPrefix(got, "<<<<<<< ") && strings.Contains(got, sides["ours"]) && strings.Contains(got, sides["theirs"])
		if got != merged && (acknowledged || got != sides["ours"] && !both) {
			v.t.Errorf("the driver left %d bytes that are no whole answer", len(got))
		}
		if gittest.ReadFile(v.t, at("theirs")) != sides["theirs"] || gittest.ReadFile(v.t, at("base")) != sides["base"] {
			v.t.Error("the driver changed another side")
		}
		v.next(i)
	}
}

// A hook is what it was or whole, and what was installed before comes back.
func killHooks(v *victim) func(i int) {
	v.alone = true
	return func(i int) {
		v.must("hooks", "uninstall")
		v.Hook("pre-commit", "# somebody's\nexit 0")
		before := gittest.ReadFile(v.t, v.GitPath("hooks/pre-commit"))
		v.kill("hooks", "install")
		v.Git("commit", "-q", "--allow-empty", "-m", "hooks that are half written would refuse")
		v.must("hooks", "install")
		v.must("hooks", "uninstall")
		if got := gittest.ReadFile(v.t, v.GitPath("hooks/pre-commit")); got != before {
			v.t.Errorf("the hook of somebody is %q", got)
		}
		v.next(i)
		if err := os.Remove(v.GitPath("hooks/pre-commit")); err != nil {
			v.t.Fatal(err)
		}
	}
}

func killConnect(v *victim) func(i int) {
	return connects(v, filepath.Join(v.Dir, ".claude", "settings.local.json"))
}

func killConnectUser(v *victim) func(i int) {
	home := ""
	for _, kv := range v.Environ {
		if h, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = h
		}
	}
	return connects(v, filepath.Join(home, ".claude", "settings.json"), "--user")
}

// connects: the settings of the host are whole at any moment, and come back.
func connects(v *victim, file string, options ...string) func(i int) {
	const mine = "{\n  \"permissions\": { \"allow\": [\"Bash(ls)\"] }\n}\n"
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		v.t.Fatal(err)
	}
	v.Append(".gitignore", ".claude/\n")
	v.Git("commit", "-q", "-m", "ignore", "--", ".gitignore")
	return func(i int) {
		if err := os.WriteFile(file, []byte(mine), 0o666); err != nil {
			v.t.Fatal(err)
		}
		acknowledged := v.kill(append([]string{"connect", "claude-code", "--yes"}, options...)...)
		text := gittest.ReadFile(v.t, file)
		var got struct {
			Permissions struct{ Allow []string }
			Hooks       map[string]any
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Permissions.Allow) != 1 {
			v.t.Errorf("the settings are %q: %v", text, err)
		}
		if acknowledged && len(got.Hooks) == 0 {
			v.t.Error("it was acknowledged and is not connected")
		}
		v.must(append([]string{"connect", "claude-code", "--yes"}, options...)...)
		v.must(append([]string{"connect", "claude-code", "--remove", "--yes"}, options...)...)
		if text := gittest.ReadFile(v.t, file); text != mine {
			v.t.Errorf("without us the settings are %q", text)
		}
		v.next(i)
	}
}
