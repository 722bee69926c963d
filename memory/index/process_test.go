//go:build unix

package index

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// jobVariable holds what a process of its own does: the test binary, started once
// more.
const jobVariable = "CLAW_TEST_INDEX_JOB"

// job is to edit notes and to refresh, until somebody ends it, or to answer once.
type job struct {
	Dir     string
	Seed    uint64
	Rebuild bool   // each time
	DieAt   string // in the second round: the point of an update where it ends itself
	Once    bool   // print the answers as they are
	Size    int64  // no file may grow larger, as on a full disk; -1: no limit
}

func TestMain(m *testing.M) {
	text := os.Getenv(jobVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var j job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// told is what a job that answers once prints.
type told struct {
	Entries []string
	Hits    map[string]float64
	Saved   bool
	Warned  []string
}

func (j job) run() error {
	env := gitops.Env{Environ: os.Environ(), Dir: j.Dir, Now: time.Now}
	ctx := context.Background()
	if j.Size >= 0 {
		signal.Ignore(syscall.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(j.Size), Max: uint64(j.Size)}); err != nil {
			return err
		}
	}
	rnd := rand.New(rand.NewPCG(j.Seed, 1))
	for round := 0; ; round++ {
		for range 3 {
			name := filepath.Join(j.Dir, fmt.Sprintf("memory/n%d.md", rnd.IntN(60)))
			if err := os.WriteFile(name, []byte(text(rnd)), 0o666); !j.Once && err != nil {
				return err
			}
			if j.Once {
				break
			}
		}
		ws, err := openAt(env, j.Dir)
		if err != nil {
			return err
		}
		t := told{}
		s, err := Refresh(ctx, ws, Options{Rebuild: j.Rebuild, Warn: func(format string, args ...any) {
			t.Warned = append(t.Warned, fmt.Sprintf(format, args...))
		}, at: func(point string) {
			if round > 0 && point == j.DieAt {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		}})
		if err != nil {
			return err
		}
		if j.Once {
			a, err := answersOf(s)
			if err != nil {
				return err
			}
			t.Entries, t.Hits, t.Saved = a.entries, a.hits, a.saved
			return json.NewEncoder(os.Stdout).Encode(t)
		}
		s.Close()
		_ = ws.Repo.Close()
		if len(t.Warned) > 0 {
			return errors.New(t.Warned[0])
		}
		fmt.Println("round", round)
	}
}

// start begins a job.
func (w *world) start(j job) (*exec.Cmd, *bufio.Scanner, *bytes.Buffer) {
	w.t.Helper()
	j.Dir = w.Dir
	b, err := json.Marshal(j)
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append([]string{}, w.Environ...), jobVariable+"="+string(b))
	var errb bytes.Buffer
	cmd.Stderr = &errb
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out), &errb
}

// An update may die at any moment: the next one opens what is there without a
// complaint, is right, and cleans up.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 50
	if testing.Short() {
		kills = 10
	}
	for _, rebuild := range []bool{false, true} {
		t.Run(fmt.Sprint("rebuild ", rebuild), func(t *testing.T) {
			t.Parallel()
			w, rnd := newWorld(t, ""), rand.New(gittest.Rand(t.Name()))
			for i := range 60 {
				w.note(fmt.Sprintf("memory/n%d.md", i), text(rnd))
			}
			w.commit()
			mid := 0
			points := []string{"segments", "table", "manifest", "named"}
			for i := range kills {
				j := job{Seed: uint64(i), Rebuild: rebuild, Size: -1}
				if i%4 == 0 {
					j.DieAt = points[i/4%len(points)]
				}
				cmd, said, errb := w.start(j)
				if !said.Scan() { // one round is done
					t.Fatalf("kill %d: it ends by itself: %s", i, errb)
				}
				if j.DieAt == "" {
					time.Sleep(time.Duration(rnd.IntN(12_000)) * time.Microsecond)
					_ = cmd.Process.Signal(syscall.SIGKILL)
				}
				_ = cmd.Wait()
				if errb.Len() > 0 {
					t.Fatalf("kill %d: %s", i, errb)
				}
				left := len(w.unnamed())
				if left > 0 {
					mid++
				} else if j.DieAt != "" {
					t.Fatalf("kill %d at %q left nothing behind", i, j.DieAt)
				}
				if i%10 == 0 {
					w.commit()
				}
				w.note("memory/last.md", text(rnd)) // so that there is something to write
				got := w.refresh(Options{Warn: func(format string, args ...any) { t.Errorf("kill %d: "+format, append([]any{i}, args...)...) }})
				if d := w.fresh().differs(got); d != "" {
					t.Fatalf("kill %d: a fresh index (-) and this one (+) differ:\n%s", i, d)
				}
				if left := w.unnamed(); len(left) > 0 || !got.saved {
					t.Fatalf("kill %d: saved %v, left over %q", i, got.saved, left)
				}
			}
			t.Logf("%d kills, %d left a file behind", kills, mid)
		})
	}
}

// Where no file may grow beyond a size the answers are right all the same, the
// index on disk is the old one or the new one, and nothing is left.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	w, rnd := newWorld(t, ""), rand.New(gittest.Rand(t.Name()))
	for i := range 30 {
		w.note(fmt.Sprintf("memory/n%d.md", i), text(rnd))
	}
	w.commit()
	saved, failed := 0, 0
	for i, size := range []int64{0, 1, 700, 3_000, 5_000, 12_000, 1 << 20} {
		for _, rebuild := range []bool{false, true} {
			for k := range 30 {
				w.note(fmt.Sprintf("memory/n%d.md", k), text(rnd))
			}
			cmd, said, errb := w.start(job{Seed: uint64(i), Once: true, Rebuild: rebuild, Size: size})
			var got told
			if !said.Scan() {
				t.Fatalf("size %d: %s", size, errb)
			}
			if err := json.Unmarshal(said.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if d := w.fresh().differs(&answers{entries: got.Entries, hits: got.Hits}); d != "" {
				t.Fatalf("size %d: a fresh index (-) and this one (+) differ:\n%s", size, d)
			}
			if got.Saved {
				saved++
			} else {
				failed++
			}
			if !got.Saved && size > 1 && len(got.Warned) != 1 || len(got.Warned) > 1 {
				t.Errorf("size %d: saved %v, warned %q", size, got.Saved, got.Warned)
			}
			for _, f := range w.files() {
				if _, _, err := readManifest(w.dir()); err != nil && f != lockName && f != queueName {
					t.Errorf("size %d: left over '%s' and %v", size, f, err)
				}
			}
			if _, _, err := readManifest(w.dir()); err == nil {
				if left := w.unnamed(); len(left) > 0 {
					t.Errorf("size %d: left over %q", size, left)
				}
			}
		}
	}
	if saved < 2 || failed < 6 {
		t.Errorf("%d saved and %d failed; the test tries too little", saved, failed)
	}
	w.same("at last")
}

// Two update and three read, all at once.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	w, rnd := newWorld(t, ""), rand.New(gittest.Rand(t.Name()))
	for i := range 20 {
		w.note(fmt.Sprintf("memory/n%d.md", i), text(rnd))
	}
	w.commit()
	env := w.Env()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	saved := 0
	run := func(who int, opt Options, edit bool) {
		rnd := rand.New(rand.NewPCG(uint64(who), 1))
		warn := func(format string, args ...any) { t.Errorf("%d: "+format, append([]any{who}, args...)...) }
		opt.Warn = warn
		for {
			select {
			case <-stop:
				return
			default:
			}
			mine := fmt.Sprintf("memory/own-%d.md", who)
			content := text(rnd)
			if edit {
				if err := os.WriteFile(w.Path(mine), []byte(content), 0o666); err != nil {
					t.Error(err)
				}
			}
			ws, err := openAt(env, w.Dir)
			if err != nil {
				t.Error(err)
				return
			}
			s, err := Refresh(context.Background(), ws, opt)
			if err != nil {
				t.Errorf("%d: %v", who, err)
				return
			}
			if _, err := answersOf(s); err != nil {
				t.Errorf("%d: %v", who, err)
			}
			// What it wrote itself before is in every answer.
			if e, ok := s.Entries.Get(mine); edit && (!ok || e.Blob != ws.Repo.BlobID([]byte(content))) {
				t.Errorf("%d: its own note is not the one it wrote", who)
			}
			mu.Lock()
			if s.Saved {
				saved++
			}
			mu.Unlock()
			s.Close()
			_ = ws.Repo.Close()
		}
	}
	for who, opt := range []Options{{}, {Sleep: sleep}, {}, {ReadOnly: true}, {ReadOnly: true}} {
		wg.Go(func() { run(who, opt, who < 3) })
	}
	wg.Go(func() {
		for i := range 6 {
			time.Sleep(200 * time.Millisecond)
			w.Git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i), "--", "memory/n1.md")
		}
	})
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return saved >= 5
	}
	time.Sleep(1500 * time.Millisecond)
	for end := time.Now().Add(time.Minute); !enough() && time.Now().Before(end); { // a busy machine
		time.Sleep(50 * time.Millisecond)
	}
	close(stop)
	wg.Wait()
	if saved < 5 {
		t.Errorf("written %d times; the test tries too little", saved)
	}
	w.note("memory/n1.md", "- amber at last\n")
	w.same("at last")
	if left := w.unnamed(); len(left) > 0 {
		t.Errorf("left over %q", left)
	}
}

// Where the folder of the index cannot be made, all is in memory.
func TestNoFolder(t *testing.T) {
	t.Parallel()
	w := several(t)
	dir := w.dir()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, []byte("a file"), 0o666); err != nil {
		t.Fatal(err)
	}
	ws := w.open()
	defer ws.Repo.Close()
	for _, opt := range []Options{{}, {ReadOnly: true}, {Rebuild: true}} {
		s, err := Refresh(context.Background(), ws, opt)
		if err != nil {
			t.Fatal(err)
		}
		if d := w.fresh().differs(w.answers(s)); d != "" || s.Saved {
			t.Errorf("saved %v, %s", s.Saved, d)
		}
		s.Close()
	}
	if b, err := os.ReadFile(dir); err != nil || !strings.HasPrefix(string(b), "a file") {
		t.Errorf("the file in its place: %q %v", b, err)
	}
}
