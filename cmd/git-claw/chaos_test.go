//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestChaos has several machines write by every command, by editors and by plain git, sync,
// die, and be without git claw, while the remote refuses, hangs, dies or is away, and the
// clocks differ. When all is quiet and they have synced, they are the same, and nothing that
// was written is lost. See `make chaos`: CLAW_CHAOS_SEEDS is how many histories,
// CLAW_CHAOS_FIRST the first of them. One that fails keeps its repositories and steps.
func TestChaos(t *testing.T) {
	t.Parallel()
	first, seeds, steps := number("CLAW_CHAOS_FIRST", 1), number("CLAW_CHAOS_SEEDS", 3), number("CLAW_CHAOS_STEPS", 40)
	for seed := first; seed < first+seeds; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			c := newChaos(t, uint64(seed), "")
			c.run(steps)
			for _, v := range c.settle() {
				t.Errorf("seed %d: %s", seed, v)
			}
			t.Logf("seed %d: %s", seed, c.told())
			if t.Failed() {
				t.Logf("the last steps:\n%s", strings.Join(c.log[max(0, len(c.log)-40):], "\n"))
			}
		})
	}
}

// TestChaosNotices: with a protection switched off something is lost, or left lying about,
// and the test says so.
func TestChaosNotices(t *testing.T) {
	t.Parallel()
	for _, off := range []string{"driver", "journal"} {
		t.Run(off, func(t *testing.T) {
			t.Parallel()
			const most = 12
			for seed := range uint64(most) {
				c := newChaos(t, seed+1, off)
				c.run(30)
				if wrong := c.settle(); len(wrong) > 0 {
					t.Logf("seed %d: %s", seed+1, wrong[0])
					return
				}
			}
			t.Errorf("%d histories without the %s, and nothing was noticed", most, off)
		})
	}
}

func number(variable string, def int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return def
}

// chaos is some machines and their remote.
type chaos struct {
	t       testing.TB
	seed    uint64
	rnd     *rand.Rand
	dir     string
	vars    []string
	url     string
	first   string // the commit that all begin with
	m       []*machine
	tokens  map[string]*token
	renamed map[string]bool   // notes that have another name somewhere
	without map[string]string // what was deleted from a note
	log     []string
	counts  map[string]int
	now     time.Time
	off     string // what is switched off, to show that it is missed
	hangs   bool   // the remote
	busy    bool   // a sync runs beside
	over    bool   // the storm is
	// What git alone does to memory, and to proposals, is not ours to judge.
	textual, rebased bool
	wrong            []string // what was seen on the way
	orphans          []int    // process groups of which one process was killed
}

type machine struct {
	name, dir string
	bin       string // folder of its git-claw
	skew      time.Duration
	away      int      // steps for which the remote cannot be reached
	gone      int      // steps for which there is no git claw
	acked     []string // commits that a command reported
}

func newChaos(t testing.TB, seed uint64, off string) *chaos {
	c := &chaos{
		t: t, seed: seed, off: off, rnd: rand.New(rand.NewPCG(seed, 3)), dir: chaosDir(t), tokens: map[string]*token{}, renamed: map[string]bool{}, without: map[string]string{}, counts: map[string]int{},
		now: time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC),
	}
	t.Cleanup(c.end)
	se := &testscript.Env{WorkDir: c.dir, Vars: []string{"GIT_CLAW_APPROVER=Test User <test@example.org>"}}
	if err := scriptHome(se); err != nil {
		t.Fatal(err)
	}
	c.vars = se.Vars
	for i := range 3 {
		c.m = append(c.m, c.machine(i))
	}
	c.must(c.m[0], c.dir, "init", "-q", "--bare", "-b", "main", "r.git")
	c.url = c.serve()
	for i, m := range c.m {
		if i > 0 {
			c.must(m, c.dir, "clone", "-q", "r.git", m.dir)
			c.must(m, m.dir, "claw", "init", "-q")
		} else {
			c.must(m, c.dir, "init", "-q", "-b", "main", m.dir)
			c.firstFiles(m)
			c.must(m, m.dir, "claw", "init", "-q")
			c.must(m, m.dir, "claw", "save", "-q")
			c.must(m, m.dir, "remote", "add", "origin", "../r.git")
			c.must(m, m.dir, "claw", "sync", "-q")
			c.must(m, m.dir, "branch", "-q", "--set-upstream-to=origin/main")
		}
		c.configure(m)
	}
	c.first = c.head(c.m[0])
	return c
}

// chaosDir is a folder that stays when the test fails.
func chaosDir(t testing.TB) string {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// end keeps what can tell why, and removes the rest.
func (c *chaos) end() {
	c.await()
	if c.t.Failed() && c.off == "" {
		_ = os.WriteFile(filepath.Join(c.dir, "steps.log"), []byte(strings.Join(c.log, "\n")+"\n"), 0o666)
		c.t.Logf("seed %d is kept in %s, what happened in steps.log", c.seed, c.dir)
		return
	}
	for range 20 {
		if os.RemoveAll(c.dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// machine makes a folder with a git-claw of its own, so that it can be taken away.
func (c *chaos) machine(i int) *machine {
	name := "m" + strconv.Itoa(i)
	skews := []time.Duration{0, 59 * time.Minute, -7 * time.Minute, 26 * time.Hour, -40 * time.Hour}
	m := &machine{name: name, dir: filepath.Join(c.dir, name), bin: filepath.Join(c.dir, "bin-"+name), skew: skews[c.rnd.IntN(len(skews))]}
	if err := os.Mkdir(m.bin, 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := linkBinary(filepath.Join(m.bin, "git-claw")); err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *chaos) configure(m *machine) {
	c.must(m, m.dir, "config", "remote.origin.url", c.url)
	c.must(m, m.dir, "config", "claw.l1.fileTokensMax", "400")
	if !strings.HasPrefix(c.url, "git:") { // which asks the server for programs by their names
		c.must(m, m.dir, "config", "remote.origin.uploadpack", filepath.Join(c.dir, "upload"))
		c.must(m, m.dir, "config", "remote.origin.receivepack", filepath.Join(c.dir, "receive"))
	}
	switch c.off {
	case "driver":
		c.must(m, m.dir, "config", "merge.claw.driver", "true")
	case "journal":
		c.must(m, m.dir, "config", "claw.lockTimeout", "100ms") // nobody takes the locks away
	}
}

func (c *chaos) run(steps int) {
	for range steps {
		c.now = c.now.Add(time.Duration(1+c.rnd.IntN(900)) * time.Second)
		m := c.m[c.rnd.IntN(len(c.m))]
		if m.away > 0 {
			if m.away--; m.away == 0 {
				c.set(m, "remote.origin.url", c.url)
			}
		}
		if m.gone > 0 {
			if m.gone--; m.gone == 0 {
				c.bring(m)
			}
		}
		c.step(m)
	}
}

// step is what happens at one moment on one machine.
func (c *chaos) step(m *machine) {
	switch k := c.rnd.IntN(100); {
	case k < 36:
		for range 1 + c.rnd.IntN(3) {
			c.edit(m)
		}
	case k < 52 && m.gone == 0:
		c.capture(m)
	case k < 58 && m.gone == 0:
		c.decide(m)
	case k < 72 && m.gone == 0 && c.off != "driver":
		c.sync(m)
	case k < 76 && m.gone == 0 && c.off != "driver":
		c.both(m)
	case k < 90:
		c.plain(m)
	case k < 93:
		m.away = 3
		c.set(m, "remote.origin.url", "../away.git")
		c.tell("%s is away", m.name)
	case k < 95 && c.off == "":
		m.gone = 2 + c.rnd.IntN(5)
		c.take(m)
	default:
		c.mood()
	}
}

func (c *chaos) tell(format string, args ...any) { c.log = append(c.log, fmt.Sprintf(format, args...)) }

func (c *chaos) told() string {
	var parts []string
	for _, k := range []string{"edit", "claw", "git", "sync", "synced", "failed", "killed", "entries", "deleted", "contradictions"} {
		parts = append(parts, fmt.Sprintf("%d %s", c.counts[k], k))
	}
	return strings.Join(parts, ", ")
}
