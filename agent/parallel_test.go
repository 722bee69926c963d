package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// Twenty processes that each save a file of their own and a line in a file that
// all share, while git adds and commits beside them: every line is in HEAD, every
// commit that was acknowledged is reachable, nothing is left over.
func TestParallelSaves(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Write("memory/shared.md", "# Shared\n\n")
	s.saveAs(User, SaveOptions{})
	const writers = 20
	var wg sync.WaitGroup
	answers := make([]done, writers)
	stop := make(chan struct{})
	var byGit []string
	wg.Go(func() { byGit = s.commitWithGit(stop) })
	var jobs sync.WaitGroup
	for i := range writers {
		j := job{
			Do: "write", Actor: Agent, Paths: []string{fmt.Sprintf("memory/own-%02d.md", i), "memory/shared.md"},
			Text: fmt.Sprintf("- line of writer %02d\n", i),
		}
		cmd := s.process(j)
		jobs.Go(func() { answers[i] = answer(t, cmd) })
	}
	jobs.Wait()
	close(stop)
	wg.Wait()

	shared := s.InHead("memory/shared.md")
	for i, d := range answers {
		if d.Err != "" || len(d.Skipped) > 0 {
			t.Errorf("writer %d: error %q, skipped %q", i, d.Err, d.Skipped)
		}
		line := fmt.Sprintf("- line of writer %02d\n", i)
		if n := strings.Count(shared, line); n != 1 {
			t.Errorf("HEAD has the line of writer %d %d times in the shared file", i, n)
		}
		if own := s.InHead(fmt.Sprintf("memory/own-%02d.md", i)); own != line {
			t.Errorf("HEAD has %q in the file of writer %d", own, i)
		}
		for _, c := range d.Commits {
			s.Git("merge-base", "--is-ancestor", c, "HEAD")
		}
	}
	if len(byGit) == 0 {
		t.Error("git committed nothing meanwhile")
	}
	for _, c := range byGit {
		s.Git("merge-base", "--is-ancestor", c, "HEAD")
	}
	s.CheckClean()
}

// answer runs a process to its end.
func answer(t *testing.T, cmd *exec.Cmd) done {
	t.Helper()
	var errText bytes.Buffer
	cmd.Stderr = &errText
	out, err := cmd.Output()
	var d done
	if err == nil {
		err = json.Unmarshal(out, &d)
	}
	if err != nil {
		t.Errorf("%v: %s%s", err, out, errText.String())
	}
	return d
}

// commitWithGit adds and commits with git alone until told to stop. Where git
// finds a lock it gives up at once, and is tried again.
func (s *space) commitWithGit(stop chan struct{}) []string {
	var made []string
	for i := 0; ; i++ {
		select {
		case <-stop:
			return made
		default:
		}
		name := fmt.Sprintf("src/f%03d.go", i)
		s.Write(name, "package src\n")
		for range 1000 {
			_, err := s.Try("add", name)
			if err == nil {
				_, err = s.Try("commit", "-q", "-m", name, "--", name)
			}
			if err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if id, err := s.Try("log", "-1", "--format=%H", "--", name); err == nil && id != "" {
			made = append(made, id)
		}
	}
}
