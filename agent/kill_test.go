package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A process that is killed at any moment leaves nothing behind that the next
// command does not mend: no lock, no half-written file, no lost line. What
// somebody else edits meanwhile is never written over.
func TestKill(t *testing.T) {
	t.Parallel()
	for name, round := range map[string]func(k *killer, i int){
		"save": (*killer).save, "note": (*killer).note, "undo": (*killer).undo,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &killer{space: newAdopted(t, nil), rand: rand.New(rand.NewPCG(7, uint64(len(name))))}
			k.Write("memory/log.md", "# Log\n\n")
			k.saveAs(User, SaveOptions{})
			// Until enough were killed: how soon one is depends on the machine.
			for i := 0; i < 20 || k.killed < enoughKills && i < 100; i++ {
				round(k, i)
			}
			k.after()
		})
	}
}

// enoughKills is how many processes have to die for a test to show something.
const enoughKills = 5

// killer kills one process after the other.
type killer struct {
	*space
	rand   *rand.Rand
	lines  []string // every one of them has to be in HEAD at the end
	killed int
	typed  int
}

// run starts a job and kills it after a random time, unless it ends before. It
// returns what it answered, nil when it was killed.
func (k *killer) run(j job) *done {
	k.t.Helper()
	cmd := k.process(j)
	out, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	kill := cmd.Process.Kill
	if k.rand.IntN(2) == 0 { // with all programs of git that it started
		kill = func() error { return killGroup(cmd) }
	}
	timer := time.AfterFunc(time.Duration(k.rand.IntN(90_000))*time.Microsecond, func() { _ = kill() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	timer.Stop()
	_ = cmd.Wait()
	var d done
	if json.Unmarshal([]byte(line), &d) != nil {
		k.killed++
		return nil
	}
	return &d
}

// type adds a line the way a person does, at the worst moment.
func (k *killer) typeLine(name string) {
	k.t.Helper()
	k.typed++
	line := fmt.Sprintf("- typed by a person %d", k.typed)
	k.Append(name, line+"\n")
	k.lines = append(k.lines, line)
}

func (k *killer) save(i int) {
	line := fmt.Sprintf("- saved line %d", i)
	k.Append("memory/log.md", line+"\n")
	k.Write(fmt.Sprintf("memory/new-%d.md", i), line+"\n")
	k.lines = append(k.lines, line)
	d := k.run(job{Do: "save", Actor: Agent})
	if d != nil && d.Err == "" && !strings.Contains(k.InHead("memory/log.md"), line) {
		k.t.Errorf("round %d was acknowledged and is not in HEAD", i)
	}
	if i%3 == 0 {
		k.typeLine("memory/log.md")
	}
	if i%2 == 0 {
		k.next()
	}
}

func (k *killer) note(i int) {
	line := fmt.Sprintf("noted line %d", i)
	d := k.run(job{Do: "note", Actor: Agent, Text: line})
	day := "memory/" + time.Now().Format(time.DateOnly) + ".md"
	if d != nil && d.Err == "" {
		k.lines = append(k.lines, line)
		if !strings.Contains(k.InHead(day), line) || !strings.Contains(k.Read(day), line) {
			k.t.Errorf("round %d was acknowledged and is not in HEAD and file", i)
		}
	}
	if i%3 == 0 {
		k.typeLine(day)
	}
	if i%2 == 0 {
		k.next()
	}
}

func (k *killer) undo(i int) {
	wrong, right := fmt.Sprintf("- wrong line %d", i), fmt.Sprintf("- right line %d", i)
	k.Append("memory/log.md", wrong+"\n")
	target := k.saveAs(Agent, SaveOptions{}).Commits[0].ID
	k.Append("memory/log.md", right+"\n")
	k.lines = append(k.lines, right)
	k.saveAs(Agent, SaveOptions{})
	d := k.run(job{Do: "undo", Actor: User, Target: target})
	if d != nil && d.Err == "" && (strings.Contains(k.InHead("memory/log.md"), wrong+"\n") || strings.Contains(k.Read("memory/log.md"), wrong+"\n")) {
		k.t.Errorf("round %d was acknowledged and the line is still there", i)
	}
	if i%3 == 0 {
		k.typeLine("memory/log.md")
	}
	k.next()
}

// next is a command after the kill: it works, and no lock is left when it is
// done. Programs of git that the dead process started live on for a moment.
func (k *killer) next() {
	k.t.Helper()
	time.Sleep(20 * time.Millisecond)
	res := k.saveAs(Unknown, SaveOptions{})
	if res.Held() {
		k.t.Errorf("the next save held back %q", reasons(res.Skipped))
	}
	for _, lock := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
		if _, err := os.Lstat(k.GitPath(lock)); err == nil {
			k.t.Errorf("'%s' is left", lock)
		}
	}
}

// after checks the end of it all.
func (k *killer) after() {
	k.t.Helper()
	k.typeLine("memory/log.md") // so that the last command writes: that one sweeps
	k.next()
	var head strings.Builder
	for name := range strings.SplitSeq(k.Git("ls-files", "memory"), "\n") {
		head.WriteString(k.InHead(name))
		if text := k.Read(name); text != k.InHead(name) {
			k.t.Errorf("'%s' is %q in the work tree and %q in HEAD", name, text, k.InHead(name))
		}
	}
	for _, line := range k.lines {
		if !strings.Contains(head.String(), line+"\n") {
			k.t.Errorf("%q is lost", line)
		}
	}
	if k.killed < enoughKills {
		k.t.Errorf("%d processes were killed: the test kills too late", k.killed)
	}
	k.CheckClean()
}

// An adoption that is killed is done by the next one, and no file changes.
func TestKillInit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	k := &killer{rand: rand.New(rand.NewPCG(7, 99))}
	for i := 0; i < 12 || k.killed < enoughKills && i < 60; i++ {
		k.space = newSpace(t, nil)
		k.Append("MEMORY.md", "- not committed\n")
		k.Write(".gitignore", "*.log\n")
		before := k.files()
		k.run(job{Do: "init", Actor: User})
		res := k.adopt()
		if !res.Workspace.Adopted {
			t.Error("not adopted after the second init")
		}
		sameFiles(t, "a killed init", before, k.files(), func(p string) bool {
			return p == ".claw/config" || p == ".gitattributes" || p == ".gitignore"
		})
		if got := k.Read(".gitignore"); !strings.HasPrefix(got, "*.log\n") || strings.Count(got, ">>> git claw") != 1 {
			t.Errorf(".gitignore is %q", got)
		}
		if left, _ := filepath.Glob(k.Path("*.tmp*")); len(left) > 0 {
			t.Errorf("left in the work tree: %q", left)
		}
		if third := k.adopt(); !third.Commit.IsZero() {
			t.Error("a third init made a commit")
		}
		k.CheckClean()
	}
	if k.killed < enoughKills {
		t.Errorf("%d processes were killed: the test kills too late", k.killed)
	}
}
