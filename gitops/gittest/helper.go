package gittest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// helperVariable holds the job of a helper process: the test binary, started
// once more by a test that needs a writer to kill, or many at once.
const helperVariable = "CLAW_TEST_HELPER"

// job is what a helper does: in each round it adds a line to every one of its
// files and saves them.
type job struct {
	Dir     string
	Who     string // begins every line it writes
	Files   []string
	Rounds  int
	Place   bool          // put the line into the file together with the commit
	Timeout time.Duration // for locks
	Size    int64         // no file may grow larger, as on a full disk; 0: no limit
	Repair  bool          // unstage the files when they have become partly staged
	AsIs    bool          // save the files as they are
}

// Helper does the job that the environment names, if there is one; TestMain calls
// it first and ends the process with the code. Every acknowledged line is
// printed, after its commit is made.
func Helper(make Factory) (code int, isHelper bool) {
	text := os.Getenv(helperVariable) //nolint:forbidigo // the tests' own process
	if text == "" {
		return 0, false
	}
	var j job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.run(make)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%T %v\n", err, err) //nolint:forbidigo // the tests' own process
		return 1, true
	}
	return 0, true
}

func (j job) run(make Factory) error {
	if j.Size > 0 {
		if err := limitFileSize(j.Size); err != nil {
			return err
		}
	}
	ctx := context.Background()
	env := gitops.Env{Environ: os.Environ(), Dir: j.Dir, Now: time.Now, Rand: rand.Reader} //nolint:forbidigo // a process of its own
	repo, err := gitops.Open(ctx, gitops.NewGit(env), j.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = repo.Close() }()
	w := make(repo, gitops.WriterOptions{LockTimeout: j.Timeout})
	for i := range j.Rounds {
		line := fmt.Sprintf("- %s %d", j.Who, i)
		if j.Place {
			err = j.place(ctx, repo, w, line)
		} else {
			err = j.save(ctx, repo, w, line)
		}
		if err != nil {
			return err
		}
		fmt.Println(line) //nolint:forbidigo // the answer to the test
	}
	return nil
}

func (j job) save(ctx context.Context, repo *gitops.Repo, w gitops.Writer, line string) error {
	for _, f := range j.Files {
		if j.AsIs {
			break
		}
		out, err := os.OpenFile(repo.TopLevel+"/"+f, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		if _, err := out.WriteString(line + "\n"); err != nil {
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
	}
	for range 20 {
		_, err := Save(ctx, repo, w, "save "+line+"\n", j.Files...)
		if !j.Repair || !errors.Is(err, gitops.ErrNothing) {
			return err
		}
		// What a person does who is told that the file is partly staged. git
		// fails while somebody holds the lock, and is called again.
		_, _ = repo.Git.Run(ctx, gitops.Cmd{Dir: repo.TopLevel, Args: append([]string{"reset", "-q", "--"}, j.Files...)})
	}
	return gitops.ErrNothing
}

// place adds the line to the files in HEAD and in the work tree at once. An edit
// that somebody makes meanwhile begins it anew.
func (j job) place(ctx context.Context, repo *gitops.Repo, w gitops.Writer, line string) error {
	for {
		head, err := repo.Head(ctx)
		if err != nil {
			return err
		}
		tree, err := repo.Objects().TreeOf(ctx, head.Commit)
		if err != nil {
			return err
		}
		tx := gitops.Tx{Message: "place " + line + "\n", Head: head.Commit}
		for _, f := range j.Files {
			e, _, err := repo.Objects().Lookup(ctx, tree, f)
			if err != nil {
				return err
			}
			work, mode, err := repo.ReadWork(f, 0)
			if err != nil {
				return err
			}
			content := append(bytes.Clone(work), line+"\n"...)
			tx.Changes = append(tx.Changes, gitops.Change{
				Path: f, Content: content, HeadID: e.ID, IndexID: e.ID,
				Place: &gitops.Place{Base: work, Existed: mode != gitops.ModeAbsent, Content: content},
			})
		}
		_, err = w.Commit(ctx, tx)
		var moved *gitops.MovedError
		var changed *gitops.WorkTreeChangedError
		if !errors.As(err, &moved) && !errors.As(err, &changed) {
			return err
		}
	}
}

// Killed saves a line of a process that has to die over it, as environ tells its
// factory. With place the line comes into the files together with the commit.
func (r *Repo) Killed(environ []string, place bool, files ...string) {
	r.t.Helper()
	h := r.start(job{Who: "dead", Files: files, Rounds: 1, Place: place, Timeout: 10 * time.Second}, environ)
	if _, err := h.wait(); err == nil || !strings.Contains(err.Error(), "signal: killed") {
		r.t.Fatalf("the process was not killed: %v", err)
	}
}

// helper is a running one.
type helper struct {
	cmd  *exec.Cmd
	out  *bufio.Scanner
	errb bytes.Buffer
	said []string
}

// start begins a job in a process of its own. change may alter how.
func (r *Repo) start(j job, environ []string, change ...func(*exec.Cmd)) *helper {
	r.t.Helper()
	j.Dir = r.Dir
	b, err := json.Marshal(j)
	must(r.t, err)
	self, err := os.Executable()
	must(r.t, err)
	h := &helper{cmd: exec.Command(self)}
	h.cmd.Dir = r.Dir
	h.cmd.Env = append(append(append([]string{}, r.Environ...), helperVariable+"="+string(b)), environ...)
	h.cmd.Stderr = &h.errb
	for _, f := range change {
		f(h.cmd)
	}
	// A process that git leaves behind may hold the pipes open.
	h.cmd.WaitDelay = time.Second
	pr, pw := io.Pipe()
	h.cmd.Stdout = pw
	h.out = bufio.NewScanner(pr)
	must(r.t, h.cmd.Start())
	go func() {
		_ = h.cmd.Wait()
		_ = pw.Close()
	}()
	return h
}

// next waits for the next line that the helper acknowledges.
func (h *helper) next() bool {
	if h.out.Scan() {
		h.said = append(h.said, h.out.Text())
		return true
	}
	return false
}

// wait reads to the end and returns what was acknowledged, with an error when
// the helper failed.
func (h *helper) wait() ([]string, error) {
	for h.next() {
	}
	if h.cmd.ProcessState == nil || !h.cmd.ProcessState.Success() {
		return h.said, fmt.Errorf("helper: %v: %s", h.cmd.ProcessState, strings.TrimSpace(h.errb.String()))
	}
	return h.said, nil
}
