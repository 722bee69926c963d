package gittest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// Crash kills writers (SIGKILL) and looks at what the next command makes of it.
type Crash struct {
	Make   Factory // of the next command, in this process
	Rounds int
	// Environ tells the factory of the killed process where to die; without it
	// the process is killed from outside at a random moment.
	Environ func(round int) []string
	Random  []string // environment of a process that is killed at random
	Options []Option
}

// crashFiles are saved by the killed process; the first is placed as well.
var crashFiles = []string{"memory/2026-03-01.md", "notes/b.md"}

// Run makes one repository and kills writers in it. After each kill somebody
// edits the files by hand, and then one command must work: no stale lock, no
// edit lost, every acknowledged commit in HEAD's history, the index right.
func (c Crash) Run(t testing.TB) {
	t.Helper()
	r := New(t, c.Options...)
	r.Append("AGENTS.md", "- staged by a person\n")
	r.Git("add", "AGENTS.md")
	rnd := rand.New(rand.NewPCG(7, uint64(c.Rounds)))
	var acked []string
	for i := range c.Rounds {
		j := job{Who: fmt.Sprintf("r%d", i), Files: crashFiles, Rounds: 1000, Place: i%2 == 1, Timeout: 10 * time.Second}
		env := c.Random
		if c.Environ != nil {
			env = c.Environ(i)
		}
		h := r.start(j, env)
		if c.Environ == nil {
			if i%2 == 0 {
				h.next() // on a busy machine a process needs its time to begin
			}
			time.AfterFunc(time.Duration(10+rnd.IntN(120))*time.Millisecond, func() { _ = h.cmd.Process.Kill() })
		}
		said, err := h.wait()
		if err == nil || !strings.Contains(err.Error(), "signal: killed") {
			t.Fatalf("round %d: the process was not killed: %v", i, err)
		}
		acked = append(acked, said...)
		c.next(t, r, i)
	}
	if len(acked) == 0 && c.Environ == nil {
		t.Error("no process lived long enough to acknowledge a commit")
	}
	subjects := "\n" + r.Git("log", "--format=%s") + "\n"
	for _, line := range acked {
		if !strings.Contains(subjects, " "+line+"\n") {
			t.Errorf("the commit of %q was acknowledged and is not in the history", line)
		}
	}
	r.CheckClean("M  AGENTS.md")
}

// next is the command after the crash.
func (c Crash) next(t testing.TB, r *Repo, round int) {
	t.Helper()
	human := fmt.Sprintf("- by hand %d", round)
	for _, f := range crashFiles {
		r.Append(f, human+"\n")
	}
	repo := r.Open()
	defer func() { _ = repo.Close() }()
	w := c.Make(repo, gitops.WriterOptions{LockTimeout: 3 * time.Second})
	if _, err := Save(context.Background(), repo, w, "next\n", crashFiles...); err != nil {
		t.Fatalf("round %d: the next command fails: %v", round, err)
	}
	for _, f := range crashFiles {
		if !strings.Contains(r.InHead(f), human) || !strings.Contains(r.Read(f), human) {
			t.Errorf("round %d: the edit by hand of '%s' is lost", round, f)
		}
	}
	got := r.Status()
	if len(got) != 1 || got[0] != "M  AGENTS.md" {
		t.Errorf("round %d: status is %q", round, got)
	}
	r.checkIndex(got)
	r.checkLeftovers()
}
