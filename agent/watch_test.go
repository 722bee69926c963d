package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// watched is a watch at work.
type watched struct {
	*space
	stop func() error // ends it and returns its error

	mu    sync.Mutex
	saves []*SaveResult
	errs  []error
}

const quiet = 60 * time.Millisecond

func startWatch(t *testing.T, s *space, opt WatchOptions) *watched {
	t.Helper()
	w := &watched{space: s}
	if opt.Quiet == 0 {
		opt.Quiet = quiet
	}
	opt.Saved = func(res *SaveResult, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.saves = append(w.saves, res)
		w.errs = append(w.errs, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	ws := s.open()
	go func() { ended <- Watch(ctx, ws, Caller{Actor: Unknown}, opt) }()
	var once sync.Once
	var err error
	w.stop = func() error {
		once.Do(func() {
			cancel()
			select {
			case err = <-ended:
			case <-time.After(20 * time.Second):
				t.Fatal("the watch does not end")
			}
		})
		return err
	}
	t.Cleanup(func() { _ = w.stop() })
	return w
}

// inHead waits until HEAD has a text at a path; "" means that it has no such path.
func (w *watched) inHead(name, text string) {
	w.t.Helper()
	var got string
	for range 400 {
		out, err := w.TryEnv(nil, "HEAD:"+w.prefixed(name)+"\n", "cat-file", "--batch")
		head, body, _ := strings.Cut(out, "\n")
		got = body
		if strings.HasSuffix(head, "missing") {
			got = ""
		}
		if err == nil && got == text {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	w.t.Fatalf("HEAD has %.80q at '%s', want %.80q", got, name, text)
}

// wait waits until what was told fulfils a condition.
func (w *watched) wait(told func() bool) {
	w.t.Helper()
	for range 400 {
		w.mu.Lock()
		ok := told()
		w.mu.Unlock()
		if ok {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	w.t.Fatal("waited in vain")
}

// gitBeside runs git beside the watch: git gives up at once where it finds a lock.
func (w *watched) gitBeside(args ...string) {
	w.t.Helper()
	var err error
	for range 200 {
		if _, err = w.Try(args...); err == nil || !strings.Contains(err.Error(), ".lock") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	must(w.t, err)
}

func (s *space) prefixed(name string) string {
	if s.root == "" {
		return name
	}
	return s.root + "/" + name
}

func (w *watched) count() string { return w.Git("rev-list", "--count", "HEAD") }

// A watch saves in a pause, everything that may happen to files, as nobody's.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("USER.md", "- before the watch\n")
	w := startWatch(t, s, WatchOptions{})
	w.inHead("USER.md", s.Read("USER.md"))

	before := w.Head()
	for i := range 30 { // a burst is one save; a few when the machine is busy
		s.Append("MEMORY.md", fmt.Sprintf("- %d\n", i))
		time.Sleep(quiet / 10)
	}
	w.inHead("MEMORY.md", s.Read("MEMORY.md"))
	if n := w.Git("rev-list", "--count", before+"..HEAD"); len(n) > 1 {
		t.Errorf("%s commits after a burst of 30 edits", n)
	}

	s.Write("memory/new/deep/er/a.md", "- in new folders\n")
	w.inHead("memory/new/deep/er/a.md", "- in new folders\n")
	s.Append("memory/new/deep/er/a.md", "- again\n")
	w.inHead("memory/new/deep/er/a.md", "- in new folders\n- again\n")

	s.Write("memory/.a.md.tmp", "- replaced\n") // as editors do
	must(t, os.Rename(s.Path("memory/.a.md.tmp"), s.Path("memory/new/deep/er/a.md")))
	w.inHead("memory/new/deep/er/a.md", "- replaced\n")

	must(t, os.Rename(s.Path("memory/new"), s.Path("memory/moved")))
	w.inHead("memory/moved/deep/er/a.md", "- replaced\n")
	s.Append("memory/moved/deep/er/a.md", "- in the moved folder\n")
	w.inHead("memory/moved/deep/er/a.md", "- replaced\n- in the moved folder\n")

	s.Remove("memory/moved")
	w.inHead("memory/moved/deep/er/a.md", "")
	s.Write("memory/moved/b.md", "- there again\n")
	w.inHead("memory/moved/b.md", "- there again\n")

	s.Remove("memory")
	w.inHead("memory/moved/b.md", "")
	s.Write("memory/c.md", "- a new memory\n")
	w.inHead("memory/c.md", "- a new memory\n")

	s.Write(".agents/skills/x/SKILL.md", "# x\n") // a folder on the way that was not there
	w.inHead(".agents/skills/x/SKILL.md", "# x\n")

	s.Append("README.md", "not managed\n")
	s.Append("USER.md", "- last\n")
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.inHead("USER.md", s.Read("USER.md"))
	for actor := range strings.SplitSeq(s.Git("log", "--format=%(trailers:key=Claw-Actor,valueonly,separator=%x2C)", "-12"), "\n") {
		if actor != "unknown" {
			t.Errorf("a commit is by %q", actor)
		}
	}
	for _, err := range w.errs {
		if err != nil {
			t.Error(err)
		}
	}
	s.CheckClean(" M README.md")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A burst that does not end is saved all the same, and none of it is lost.
func TestWatchBurst(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	w := startWatch(t, s, WatchOptions{Quiet: 20 * time.Millisecond})
	end := time.Now().Add(10 * time.Second)
	before := w.count()
	for i := 0; w.count() == before; i++ {
		if time.Now().After(end) {
			t.Fatal("nothing was saved while files kept changing")
		}
		for range 20 {
			s.Append("memory/log.md", fmt.Sprintf("- %d\n", i))
			time.Sleep(2 * time.Millisecond)
		}
	}
	must(t, w.stop())
	w.inHead("memory/log.md", s.Read("memory/log.md"))
	s.CheckClean()
}

// Many files at once: more than the system's queue of events need hold.
func TestWatchMany(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	s := newAdopted(t, nil)
	w := startWatch(t, s, WatchOptions{})
	const files = 5000
	for i := range files {
		s.Write(fmt.Sprintf("memory/%02d/n%04d.md", i%40, i), fmt.Sprintf("- %d\n", i))
	}
	w.inHead(fmt.Sprintf("memory/%02d/n%04d.md", (files-1)%40, files-1), fmt.Sprintf("- %d\n", files-1))
	s.Append("memory/39/n0039.md", "- later\n")
	w.inHead("memory/39/n0039.md", "- 39\n- later\n")
	must(t, w.stop())
	if n := strings.Count(s.Git("ls-files", "memory"), "\n"); n < files {
		t.Errorf("%d files are tracked, want %d", n, files)
	}
	s.CheckClean()
}

// Polling sees the same; settings and folders that appear meanwhile count.
func TestWatchPoll(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]WatchOptions{"told": {}, "polling": {Poll: 30 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAdopted(t, nil)
			s.Write("Journal/a.md", "- mine\n")
			w := startWatch(t, s, opt)
			s.Append("MEMORY.md", "- x\n")
			w.inHead("MEMORY.md", s.Read("MEMORY.md"))
			s.Git("config", "-f", s.Path(".claw/config"), "--add", "claw.paths", "Journal/")
			w.inHead("Journal/a.md", "- mine\n")
			s.Write("Journal/deep/b.md", "- more\n")
			w.inHead("Journal/deep/b.md", "- more\n")
			must(t, w.stop())
			s.CheckClean()
		})
	}
}

// What cannot be saved now is saved when it can, without a further edit; what is
// held back is told once.
func TestWatchRetry(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("memory/2026-02-28.md", "- key "+stripeKey()+"\n")
	s.Append("MEMORY.md", "- staged\n")
	s.Git("add", "MEMORY.md")
	s.Append("MEMORY.md", "- not staged\n")
	w := startWatch(t, s, WatchOptions{Quiet: 20 * time.Millisecond})
	w.wait(func() bool { return len(w.saves) > 0 && w.saves[len(w.saves)-1].Held() })
	for i := range 3 {
		s.Append("USER.md", fmt.Sprintf("- %d\n", i))
		w.inHead("USER.md", s.Read("USER.md"))
	}
	w.gitBeside("restore", "--staged", "MEMORY.md")
	w.inHead("MEMORY.md", s.Read("MEMORY.md"))

	lock := s.GitPath("MERGE_HEAD")
	must(t, os.WriteFile(lock, []byte(s.Head()+"\n"), 0o666))
	s.Append("USER.md", "- during a merge\n")
	w.wait(func() bool { return w.errs[len(w.errs)-1] != nil })
	must(t, os.Remove(lock))
	w.inHead("USER.md", s.Read("USER.md"))
	must(t, w.stop())

	w.mu.Lock()
	defer w.mu.Unlock()
	held, failed := 0, 0
	for i, res := range w.saves {
		if w.errs[i] != nil {
			failed++
		} else if len(res.Commits) == 0 {
			held++
		}
	}
	if failed != 1 || held == 0 || held > 3 {
		t.Errorf("%d errors and %d times something held back were told; want the merge once, and each new list once", failed, held)
	}
	s.noValue(stripeKey(), w.saves, w.errs)
	s.CheckClean(" M memory/2026-02-28.md")
}

// A watch of one workspace of several takes nothing of the others, and ends when
// its folder is gone or not adopted any more.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	base := newSpace(t, map[string]string{"a/AGENTS.md": "# A\n", "a/memory/x.md": "- x\n", "b/AGENTS.md": "# B\n", "b/memory/x.md": "- x\n"})
	a, b := base.at("a"), base.at("b")
	a.adopt()
	b.adopt()
	w, other := startWatch(t, a, WatchOptions{}), startWatch(t, b, WatchOptions{})
	base.Append("b/memory/x.md", "- of b\n")
	other.inHead("memory/x.md", "- x\n- of b\n")
	base.Append("a/memory/x.md", "- of a\n")
	w.inHead("memory/x.md", "- x\n- of a\n")

	w.gitBeside("rm", "-q", "--cached", "a/.claw/config")
	w.gitBeside("commit", "-qm", "not any more")
	must(t, os.Remove(base.Path("a/.claw/config")))
	must(t, os.Rename(base.Path("b"), base.Path("c")))
	for _, x := range []*watched{w, other} {
		x.wait(func() bool { return len(x.errs) > 0 && x.errs[len(x.errs)-1] != nil })
		if err := x.stop(); err == nil {
			t.Errorf("the watch of '%s' goes on", x.root)
		}
	}
	base.Append("a/memory/x.md", "- by nobody\n")
	if got := base.InHead("a/memory/x.md"); strings.Contains(got, "nobody") {
		t.Error("saved in a folder that is not adopted")
	}
}

// Links are not followed, and what lies behind them is not watched.
func TestWatchLinks(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil, gittest.In("a [b] 'c'"))
	out := filepath.Join(s.Base, "outside")
	must(t, os.Mkdir(out, 0o777))
	s.Symlink(out, "memory/out")
	s.Symlink(out, "reference")
	s.Symlink("..", "memory/up")
	w := startWatch(t, s, WatchOptions{})
	must(t, os.WriteFile(filepath.Join(out, "x.md"), []byte("- x\n"), 0o666))
	s.Append("MEMORY.md", "- x\n")
	w.inHead("MEMORY.md", s.Read("MEMORY.md"))
	must(t, w.stop())
	if got := s.Git("ls-files", "memory", "reference"); got != "memory/2026-02-28.md" {
		t.Errorf("tracked: %q", got)
	}
	s.CheckClean("?? memory/out", "?? memory/up", "?? reference")
}
