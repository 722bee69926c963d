//go:build unix

package gitops_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// seamVariable tells the writer of a helper process what to do to itself:
// "kill <point> <n>" at the nth time it comes there, "watch" the index, and do so
// with "nocas" or "nolock".
const seamVariable = "CLAW_TEST_SEAM"

func TestMain(m *testing.M) {
	if code, ok := gittest.Helper(seamWriter); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// bigVariable makes the harnesses try much more, see the Makefile.
const bigVariable = "CLAW_TEST_BIG"

// writerVariable names the writer of a helper process, "git" or "fast".
const writerVariable = "CLAW_TEST_WRITER"

func seamWriter(r *gitops.Repo, opt gitops.WriterOptions) gitops.Writer {
	s := gitops.Seam{GitOnly: os.Getenv(writerVariable) == "git"}
	f := strings.Fields(os.Getenv(seamVariable))
	switch {
	case len(f) == 3 && f[0] == "kill":
		left, err := strconv.Atoi(f[2])
		if err != nil {
			panic(err)
		}
		s.At = func(point string) {
			if point != f[1] {
				return
			}
			if left--; left == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		}
	case len(f) == 1:
		s.NoCAS, s.NoIndexLock, s.NoSmudge, s.NoRedo = f[0] == "nocas", f[0] == "nolock", f[0] == "nosmudge", f[0] == "noredo"
		s.At = watchIndex(r, f[0] != "watch")
	}
	return r.Writer(s.With(opt))
}

// watchIndex ends the process when the index changes, from the moment the writer
// has locked it to the moment before it unlocks it, in anything but the writer's
// own files. slow makes room for others, as on a busy machine.
func watchIndex(r *gitops.Repo, slow bool) func(point string) {
	var before string
	return func(point string) {
		if slow && (point == "committed" || point == "prepared") {
			time.Sleep(5 * time.Millisecond)
		}
		if point != "locked" && point != "finished" {
			return
		}
		out, err := r.Git.Run(context.Background(), gitops.Cmd{Dir: r.TopLevel, Args: []string{"ls-files", "-s", "plain"}})
		if err != nil {
			panic(err)
		}
		if point == "finished" && string(out) != before {
			fmt.Fprintf(os.Stderr, "the index changed beside us:\n%s\n%s\n", before, out)
			os.Exit(3)
		}
		before = string(out)
	}
}

// crashPoints are the moments at which a dying writer leaves different things
// behind.
var crashPoints = map[string][]string{
	"git":  {"committed", "locked", "prepared", "moved", "placed", "finished"},
	"fast": {"committed", "locked", "prepared", "linked", "placed", "moved", "finished"},
}

// writers are the factories of the commands after a crash.
var writers = map[string]gittest.Factory{"git": gitWriter, "fast": fastWriter}

func dieAt(writer, point string) func(round int) []string {
	return func(round int) []string {
		n := 1 + round/2
		if point == "placed" && round%2 == 0 {
			point = "finished" // an edit in place has no such point
			defer func() { point = "placed" }()
			n = 1
		}
		return []string{writerVariable + "=" + writer, fmt.Sprintf("%s=kill %s %d", seamVariable, point, n)}
	}
}

func TestKilledAtAPoint(t *testing.T) {
	t.Parallel()
	shapes := map[string][]gittest.Option{
		"plain": nil, "linked worktree": {gittest.LinkedWorktree()}, "split index": {gittest.SplitIndex()}, "reftable": {gittest.Reftable()},
	}
	for name, opts := range shapes {
		for writer, points := range crashPoints {
			if writer == "fast" && (name == "split index" || name == "reftable") {
				continue // git's
			}
			for _, point := range points {
				t.Run(name+"/"+writer+"/"+point, func(t *testing.T) {
					t.Parallel()
					gittest.Crash{Make: writers[writer], Rounds: 4, Environ: dieAt(writer, point), Options: opts}.Run(t)
				})
			}
		}
	}
}

func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	times := 3
	if os.Getenv(bigVariable) != "" {
		times = 15
	}
	for writer, make := range writers {
		for i := range times {
			t.Run(fmt.Sprint(writer, i), func(t *testing.T) {
				t.Parallel()
				gittest.Crash{Make: make, Rounds: 20 + i, Random: []string{writerVariable + "=" + writer}}.Run(t)
			})
		}
	}
}

// The crash harness must notice when nobody recovers.
func TestKilledWithoutRecovery(t *testing.T) {
	t.Parallel()
	for writer, points := range map[string][]string{"git": {"locked", "prepared", "moved", "placed"}, "fast": {"locked", "prepared", "linked", "moved", "placed"}} {
		for _, point := range points {
			t.Run(writer+"/"+point, func(t *testing.T) {
				t.Parallel()
				without := func(r *gitops.Repo, opt gitops.WriterOptions) gitops.Writer {
					opt.LockTimeout = 200 * time.Millisecond
					return writers[writer](gitops.WithoutRecovery(r), opt)
				}
				said := gittest.Probe(t, func(t testing.TB) {
					gittest.Crash{Make: without, Rounds: 2, Environ: dieAt(writer, point)}.Run(t)
				})
				if len(said) == 0 {
					t.Error("a writer that recovers nothing passes the crash test")
				}
				t.Logf("noticed: %q", said)
			})
		}
	}
}
