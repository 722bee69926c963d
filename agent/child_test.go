package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// job is what a process of its own does: the test binary runs itself, so that
// writers are real processes that can be killed.
type job struct {
	Do      string // init, save, write (Text to Paths[0], then save), undo, note
	Dir     string // the workspace
	Actor   Actor
	Paths   []string
	Message string
	Target  string
	Text    string
	UID     int // runs as this user, when the test runs as the superuser
}

// done is what it answers when it was not killed.
type done struct {
	Commits []string // full ids
	Skipped []string
	Err     string
}

const jobVariable = "CLAW_TEST_JOB"

func TestMain(m *testing.M) {
	if text := os.Getenv(jobVariable); text != "" {
		os.Exit(runJob(text))
	}
	os.Exit(m.Run())
}

// runJob is the life of such a process.
func runJob(text string) int {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return 2
	}
	if j.UID != 0 && os.Getuid() == 0 {
		if err := becomeUser(j.UID); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	d := done{}
	res, err := j.run(context.Background())
	if err != nil {
		d.Err = err.Error()
	}
	for _, c := range res.Commits {
		if !c.Commit.IsZero() {
			d.Commits = append(d.Commits, c.Commit.String())
		}
	}
	d.Skipped = reasons(res.Skipped)
	if err := json.NewEncoder(os.Stdout).Encode(d); err != nil {
		return 2
	}
	return 0
}

func (j job) run(ctx context.Context) (SaveResult, error) {
	git := gitops.NewGit(gitops.Env{Environ: os.Environ(), Dir: j.Dir, Now: time.Now, Rand: rand.Reader})
	caller := Caller{Actor: j.Actor, Session: "job"}
	if j.Do == "init" {
		res, err := Init(ctx, git, caller, InitOptions{Dir: j.Dir, NoHooks: true})
		if res == nil || res.Commit.IsZero() {
			return SaveResult{}, err
		}
		return SaveResult{Commits: []Saved{{Commit: res.Commit}}}, err
	}
	ws, err := memory.Open(ctx, git, j.Dir, j.Dir)
	if err != nil {
		return SaveResult{}, err
	}
	var res *SaveResult
	switch j.Do {
	case "write": // what an agent does: a file of its own, a line in one that all share
		for i, p := range j.Paths {
			if err := appendLine(filepath.Join(j.Dir, p), j.Text, i > 0); err != nil {
				return SaveResult{}, err
			}
		}
		res, err = Save(ctx, ws, caller, SaveOptions{Paths: j.Paths})
	case "save":
		res, err = Save(ctx, ws, caller, SaveOptions{Paths: j.Paths, Message: j.Message})
	case "note":
		res, err = Note(ctx, ws, caller, NoteOptions{Text: j.Text})
	case "undo":
		u, uerr := Undo(ctx, ws, caller, UndoOptions{Target: j.Target})
		if err = uerr; u != nil {
			res = &SaveResult{Commits: []Saved{u.Saved}, Skipped: u.Skipped}
		}
	default:
		err = fmt.Errorf("unknown job '%s'", j.Do)
	}
	if res == nil {
		res = &SaveResult{}
	}
	return *res, err
}

// appendLine writes a line in one step, so that others see all of it or nothing.
func appendLine(name, line string, old bool) error {
	flag := os.O_WRONLY | os.O_APPEND
	if !old {
		flag |= os.O_CREATE
	}
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// process makes the command of a job in a workspace of s.
func (s *space) process(j job) *exec.Cmd {
	s.t.Helper()
	j.Dir = s.dir()
	text, err := json.Marshal(j)
	if err != nil {
		s.t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Dir = s.Dir
	cmd.Env = append(append([]string{}, s.Environ...), jobVariable+"="+string(text))
	return cmd
}

// do runs a job to its end.
func (s *space) do(j job) done {
	s.t.Helper()
	cmd := s.process(j)
	var errText bytes.Buffer
	cmd.Stderr = &errText
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", j.Do, err, errText.String())
	}
	var d done
	if err := json.Unmarshal(out, &d); err != nil {
		s.t.Fatalf("%s answered %q: %v", j.Do, out, err)
	}
	return d
}
