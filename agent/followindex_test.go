package agent

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/index"
)

// updater stands in for git-claw: it writes down how it was started.
type updater struct {
	*lab
	path, log string
}

func newUpdater(l *lab) updater {
	l.t.Helper()
	if runtime.GOOS == "windows" {
		l.t.Skip("a shell script")
	}
	dir := l.t.TempDir()
	u := updater{l, filepath.Join(dir, "git-claw"), filepath.Join(dir, "log")}
	text := "#!/bin/sh\necho \"$PWD|$*|${GIT_INDEX_FILE-}|${GIT_DIR-}|${GIT_WORK_TREE-}\" >>'" + u.log + "'\n"
	// A process started meanwhile would inherit the open file.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(u.path, []byte(text), 0o700); err != nil {
		l.t.Fatal(err)
	}
	return u
}

// follow runs what a hook runs and returns what was started: want lines of it.
func (u updater) follow(want int, hook string, args []string, environ ...string) string {
	u.t.Helper()
	_ = os.Remove(u.log)
	ws := u.ws()
	env := ws.Repo.Git.Env()
	env.Dir = ws.Repo.TopLevel
	env.Environ = append(append([]string{}, env.Environ...), environ...)
	if err := FollowIndex(context.Background(), gitops.NewGit(env), GitEvent{hook, args}, u.path); err != nil {
		u.t.Errorf("%s: %v", hook, err)
	}
	var text []byte
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if text, _ = os.ReadFile(u.log); strings.Count(string(text), "\n") >= want {
			break
		}
	}
	return string(text)
}

func (l *lab) indexed() {
	l.t.Helper()
	if _, err := IndexUpdate(context.Background(), l.ws(), index.Options{Clock: time.Now}); err != nil {
		l.t.Fatal(err)
	}
}

// TestFollowIndex: an update is started where there is an index, for what may have
// moved HEAD, and not between the steps of a rebase.
func TestFollowIndex(t *testing.T) {
	t.Parallel()
	for _, sub := range []string{"", "agents/juniper"} {
		l := newLab(t, sub, "MEMORY.md", "# Memory\n\n- tea\n")
		u := newUpdater(l)
		if got := u.follow(0, "post-commit", nil); got != "" {
			t.Errorf("no index: %q", got)
		}
		l.indexed()
		ws := l.ws()
		want := ws.Root + "|index update --quiet|||\n"
		for _, tt := range []struct {
			hook string
			args []string
			want string
		}{
			{"post-commit", nil, want},
			{"post-merge", []string{"0"}, want},
			{"post-checkout", []string{"a", "b", "1"}, want},
			{"post-checkout", []string{"a", "b", "0"}, ""},
			{"post-checkout", nil, want},
			{"post-rewrite", []string{"rebase"}, want},
			{"post-rewrite", []string{"amend"}, ""},
		} {
			if got := u.follow(strings.Count(tt.want, "\n"), tt.hook, tt.args); got != tt.want {
				t.Errorf("%s %q: %q", tt.hook, tt.args, got)
			}
		}
		got := u.follow(1, "post-commit", nil, "GIT_DIR=.git", "GIT_INDEX_FILE=.git/next-index-1.lock")
		if want := ws.Root + "|index update --quiet||" + ws.Repo.GitDir + "|" + ws.Repo.TopLevel + "\n"; got != want {
			t.Errorf("a hook's variables: %q, want %q", got, want)
		}
		during := filepath.Join(ws.Repo.GitDir, "rebase-merge")
		if err := os.Mkdir(during, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := u.follow(0, "post-commit", nil); got != "" {
			t.Errorf("during a rebase: %q", got)
		}
		if got := u.follow(1, "post-rewrite", []string{"rebase"}); got != want {
			t.Errorf("at its end: %q", got)
		}
		if err := os.Remove(during); err != nil {
			t.Fatal(err)
		}
		// Of other settings: the next search makes it anew.
		l.git("config", "claw.index.chunkTokens", "300")
		if got := u.follow(0, "post-commit", nil); got != "" {
			t.Errorf("other settings: %q", got)
		}
		l.git("config", "--unset", "claw.index.chunkTokens")
		l.remove(".claw/config")
		if got := u.follow(0, "post-commit", nil); got != "" {
			t.Errorf("not adopted: %q", got)
		}
	}
}
