//go:build unix

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// sync is the whole of it, on one machine.
func (c *chaos) sync(m *machine) {
	c.counts["sync"]++
	c.watch(m, must, func() {
		if _, ok := c.do(m, "claw", "sync"); ok {
			c.counts["synced"]++
		}
	})
}

// both has an agent write while a sync runs.
func (c *chaos) both(m *machine) {
	c.watch(m, must, func() {
		r := c.start(m, "claw", "sync")
		c.busy = true
		defer func() { c.busy = false }()
		for range 1 + c.rnd.IntN(3) {
			time.Sleep(time.Duration(c.rnd.IntN(15)) * time.Millisecond)
			c.capture(m)
		}
		c.kill(r)
		c.ended(r)
	})
}

// plain is somebody who knows git only.
func (c *chaos) plain(m *machine) {
	what := c.rnd.IntN(14)
	if what < 8 || what > 10 {
		c.commit(m)
	}
	c.watch(m, must, func() {
		switch what {
		case 0, 1, 2, 3:
			c.finish(m, "merge", "pull", "-q", "--no-rebase", "--no-edit")
			c.push(m)
		case 4, 5:
			was := c.head(m)
			c.finish(m, "rebase", "pull", "-q", "--rebase")
			c.rebased = c.rebased || c.command(m, m.dir, "merge-base", "--is-ancestor", was, "HEAD").Run() != nil
			c.push(m)
		case 6:
			c.pick(m)
		case 7:
			c.side(m)
		case 8, 9:
			c.unstash(m)
		case 10:
			c.do(m, "gc", "-q", "--auto")
			c.do(m, "pack-refs", "--all")
		case 11:
			c.revert(m)
		default:
			c.push(m)
		}
	})
	if what > 11 && !c.stashed(m) {
		c.do(m, "stash", "push", "-q") // what is not committed is gone until it is taken out
	}
}

func (c *chaos) push(m *machine) {
	if c.rnd.IntN(2) == 0 {
		c.do(m, "push", "-q")
	}
}

func (c *chaos) commit(m *machine) {
	if c.rnd.IntN(4) > 0 || m.gone > 0 {
		c.do(m, "add", "-A")
		c.do(m, "commit", "-q", "-m", "by hand")
	}
}

// finish runs a command of git, and ends what it began when it does not come to an end.
// Without git claw somebody commits the markers, or leaves the merge as it is.
func (c *chaos) finish(m *machine, verb string, args ...string) bool {
	left := there(filepath.Join(m.dir, ".git", "MERGE_HEAD"))
	if _, ok := c.do(m, args...); ok {
		return true
	}
	if left { // a merge that waited: what was written meanwhile is thrown away with it
		diff, _ := c.command(m, m.dir, "diff", "HEAD").Output()
		c.fated(string(diff), may)
	}
	if verb == "merge" && m.gone > 0 {
		c.textual = true
		switch c.rnd.IntN(3) {
		case 0:
			c.do(m, "commit", "-qam", "merged somehow")
			return true
		case 1:
			return true
		}
	}
	if _, ok := c.do(m, verb, "--abort"); !ok && m.gone == 0 && there(filepath.Join(m.dir, ".git", "MERGE_HEAD")) {
		// A lock that was left; git has half of a merge then, which must not become a commit.
		c.do(m, "claw", "doctor", "--fix")
		c.do(m, verb, "--abort")
	}
	return false
}

// pick takes one commit of what the remote had.
func (c *chaos) pick(m *machine) {
	c.do(m, "fetch", "-q")
	out, _ := c.command(m, m.dir, "rev-list", "--no-merges", "-n", "5", "HEAD..origin/main").Output()
	if ids := strings.Fields(string(out)); len(ids) > 0 {
		id := ids[c.rnd.IntN(len(ids))]
		diff, _ := c.command(m, m.dir, "diff", id+"^", id).Output()
		c.moved(string(diff)) // what both have of it is no base of a merge
		c.finish(m, "cherry-pick", "cherry-pick", "--allow-empty", id)
	}
}

// side makes a branch and merges it.
func (c *chaos) side(m *machine) {
	name := fmt.Sprintf("side-%d", len(c.tokens))
	if _, ok := c.do(m, "switch", "-q", "-c", name); !ok {
		return
	}
	c.editNote(m, "memory/side.md")
	c.edit(m)
	_, _ = c.do(m, "add", "-A")
	c.do(m, "commit", "-q", "-m", "beside")
	if _, ok := c.do(m, "switch", "-q", "main"); !ok {
		c.do(m, "branch", "-f", "main", name)
		c.do(m, "switch", "-q", "main")
		return
	}
	if !c.finish(m, "merge", "merge", "-q", "--no-ff", "--no-edit", name) {
		diff, _ := c.command(m, m.dir, "diff", "main..."+name).Output()
		c.fated(string(diff), may)
	}
}

func (c *chaos) revert(m *machine) {
	out, _ := c.command(m, m.dir, "rev-list", "--no-merges", "-n", "5", "HEAD", "^"+c.first).Output()
	ids := strings.Fields(string(out))
	if len(ids) == 0 {
		return
	}
	id := ids[c.rnd.IntN(len(ids))]
	c.takenBack(m, id)
	c.finish(m, "revert", "revert", "--no-edit", id)
}

func (c *chaos) stashed(m *machine) bool {
	return c.command(m, m.dir, "rev-parse", "-q", "--verify", "refs/stash").Run() == nil
}

// unstash takes out what was put aside. Where that does not go, it stays there.
func (c *chaos) unstash(m *machine) {
	if !c.stashed(m) {
		return
	}
	c.values(m)
	if _, ok := c.do(m, "stash", "pop", "-q"); !ok {
		c.do(m, "reset", "-q", "--merge")
	}
}

// values notes that those of a stash may be dropped for newer ones: git tells so.
func (c *chaos) values(m *machine) {
	diff, _ := c.command(m, m.dir, "stash", "show", "-p").Output()
	for _, name := range tokenForm.FindAllString(string(diff), -1) {
		if t := c.tokens[name]; t != nil && t.fate == value {
			t.fate = may
		}
	}
}

// mood has the remote refuse, hang, die, break off, or behave.
func (c *chaos) mood() {
	hook, receive, upload := "", "", ""
	c.hangs = false
	what := "behaves"
	if k := c.rnd.IntN(8); k < 5 {
		what = [...]string{"refuses", "dies", "hangs", "stops reading", "stops writing"}[k]
	}
	switch what {
	case "refuses":
		hook = "exit 1"
	case "dies":
		hook = "kill -9 $PPID"
	case "hangs":
		c.hangs = true
		if hook = "sleep 0.6"; c.rnd.IntN(2) == 0 {
			hook, upload = "", "sleep 0.4;"
		}
	case "stops reading":
		receive = fmt.Sprintf("(dd bs=1 count=%d 2>/dev/null; kill -9 $$) |", 100+c.rnd.IntN(3000))
	case "stops writing":
		upload = "cut"
	}
	c.tell("the remote %s", what)
	c.remote(hook, receive, upload)
}

// remote sets how the remote behaves: its hook, and what git starts there.
func (c *chaos) remote(hook, receive, upload string) {
	put := func(name, script string) {
		if err := os.WriteFile(name+".new", []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			c.t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			c.t.Fatal(err)
		}
	}
	put(filepath.Join(c.dir, "r.git", "hooks", "pre-receive"), hook)
	// A remote that is away says so at once: plain git would wait for ever for one that
	// neither reads nor ends.
	put(filepath.Join(c.dir, "receive"), `test -d "$1" || exec git receive-pack "$@"`+"\n"+receive+` git receive-pack "$@"`)
	if upload == "cut" {
		put(filepath.Join(c.dir, "upload"), fmt.Sprintf(`exec 3<&0; git upload-pack "$@" <&3 | (dd bs=1 count=%d 2>/dev/null; kill -9 $$)`, 100+c.rnd.IntN(3000)))
	} else {
		put(filepath.Join(c.dir, "upload"), upload+` git upload-pack "$@"`)
	}
}

// serve says where the remote is: a folder, and for some seeds a server on loopback.
func (c *chaos) serve() string {
	c.remote("", "", "")
	for try := 0; c.seed%4 == 0 && try < 5; try++ {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			break
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		_ = l.Close()
		if c.daemon(port) {
			return "git://127.0.0.1:" + port + "/" + filepath.Base(c.dir) + "/r.git"
		}
	}
	return "../r.git"
}

// daemon starts a server that lives as long as the test; false where another one was quicker.
func (c *chaos) daemon(port string) bool {
	base := filepath.Dir(c.dir)
	cmd := exec.Command("git", "daemon", "--export-all", "--enable=receive-pack", "--reuseaddr", "--listen=127.0.0.1", "--port="+port, "--base-path="+base, c.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return false
	}
	ended := make(chan bool)
	go func() { _ = cmd.Wait(); close(ended) }()
	c.t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); <-ended })
	for range 200 {
		select {
		case <-ended:
			return false
		case <-time.After(10 * time.Millisecond):
		}
		if conn, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Second); err == nil {
			_ = conn.Close()
			return !there(filepath.Join(c.dir, "r.git")) || c.command(c.m[0], c.dir, "ls-remote", "git://127.0.0.1:"+port+"/"+filepath.Base(c.dir)+"/r.git").Run() == nil
		}
	}
	return false
}
