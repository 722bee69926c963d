package gittest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// meanwhile installs a pre-commit hook that runs a script once, outside of the
// commit, between the moment the writer read HEAD and the moment it takes the
// locks.
func meanwhile(r *Repo, script string) {
	done := shellQuote(filepath.Join(r.Base, "done"))
	r.Hook("pre-commit", "unset GIT_INDEX_FILE\ntest -e "+done+" && exit 0\ntouch "+done+"\n"+script)
}

// elsewhere is a script that commits a file without index or work tree.
func elsewhere(name, content string) string {
	return "blob=$(printf '" + content + "' | git hash-object -w --stdin)\n" +
		"GIT_INDEX_FILE=.git/other git read-tree HEAD\n" +
		"GIT_INDEX_FILE=.git/other git update-index --add --cacheinfo 100644,$blob," + name + "\n" +
		"tree=$(GIT_INDEX_FILE=.git/other git write-tree)\nrm -f .git/other\n" +
		"git update-ref HEAD $(git commit-tree -m elsewhere -p HEAD $tree) HEAD\n" +
		"git reset -q -- " + name + "; git checkout -q -- " + name + "\n"
}

// held tries to save while a lock file exists, and again after it is gone.
func held(name string) contract {
	return contract{"a held " + name, func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		lock := r.GitPath(name)
		must(s.T, os.WriteFile(lock, []byte("somebody"), 0o666))
		r.Append("MEMORY.md", "- x\n")
		s.opt.LockTimeout = 300 * time.Millisecond
		tx := s.transaction(repo, "x")
		res, err := s.commit(repo, tx)
		var locked *gitops.LockedError
		s.refused(r, before, res, err, &locked)
		s.equal("lock", locked.Path, lock)
		if b, err := os.ReadFile(lock); err != nil || string(b) != "somebody" {
			s.Errorf("the lock of somebody else is now %q %v", b, err)
		}
		for _, h := range locked.Hints() {
			if strings.Contains(h, "rm ") {
				s.Errorf("hint %q for a lock that is new", h)
			}
		}
		old := time.Now().Add(-time.Hour) //nolint:forbidigo // a file's time
		must(s.T, os.Chtimes(lock, old, old))
		if _, err = s.commit(repo, tx); as(err, &locked) && name == "index.lock" && !locked.Stale {
			s.Errorf("a lock of one hour is not called old: %+v", locked)
		}
		s.opt.LockTimeout = 20 * time.Second
		go func() {
			time.Sleep(400 * time.Millisecond)
			_ = os.Remove(lock)
		}()
		_, err = s.commit(repo, tx)
		must(s.T, err)
		r.CheckClean()
	}}
}

var locksContract = []contract{
	held("index.lock"),
	held("HEAD.lock"),
	held("refs/heads/main.lock"),
	{"another writer of ours", func(s *suite) {
		r, repo := s.new()
		told := ""
		env := r.Env()
		env.Wait = func(what string) { told = what }
		other, err := gitops.Open(context.Background(), gitops.NewGit(env), r.Dir)
		must(s.T, err)
		started := filepath.Join(r.Base, "started")
		r.Hook("pre-commit", "touch "+shellQuote(started)+"\nsleep 1\n")
		r.Append("MEMORY.md", "- x\n")
		r.Append("AGENTS.md", "- y\n")
		tx, tx2 := s.transaction(repo, "x", "MEMORY.md"), s.transaction(other, "y", "AGENTS.md")
		done, w := make(chan error), s.writer(repo)
		go func() {
			_, err := w.Commit(context.Background(), tx)
			done <- err
		}()
		for range 500 {
			if _, err := os.Stat(started); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		s.opt.LockTimeout = 200 * time.Millisecond
		_, err = s.commit(other, tx2)
		var locked *gitops.LockedError
		if !as(err, &locked) || locked.Owner != "git claw" {
			s.Errorf("while another one writes: %v", err)
		}
		if !strings.Contains(told, "another git claw") {
			s.Errorf("told %q", told)
		}
		must(s.T, <-done)
		_, err = s.commit(other, tx2)
		must(s.T, err)
		r.CheckClean()
	}},
	{"a cancelled wait", func(s *suite) {
		r, repo := s.new()
		must(s.T, os.WriteFile(r.GitPath("index.lock"), nil, 0o666))
		r.Append("MEMORY.md", "- x\n")
		tx := s.transaction(repo, "x")
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if _, err := s.writer(repo).Commit(ctx, tx); !as(err, context.DeadlineExceeded) {
			s.Errorf("error is %v", err)
		}
		must(s.T, os.Remove(r.GitPath("index.lock")))
		r.CheckClean(" M MEMORY.md")
	}},
	{"HEAD moved since the look, elsewhere", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- mine\n")
		tx := s.transaction(repo, "x", "MEMORY.md")
		r.Append("AGENTS.md", "- yours\n")
		r.Git("commit", "-q", "-m", "other", "AGENTS.md")
		other := r.Head()
		_, err := s.commit(repo, tx)
		must(s.T, err)
		s.equal("parent", r.Git("rev-parse", "HEAD^"), other)
		s.equal("AGENTS.md", r.InHead("AGENTS.md"), "# Agents\n\n- be kind\n- yours\n")
		r.CheckClean()
	}},
	{"HEAD moved since the look, at the same path", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- mine\n")
		tx := s.transaction(repo, "x", "MEMORY.md")
		r.Append("MEMORY.md", "- yours\n")
		r.Git("commit", "-q", "-a", "-m", "other")
		before := r.Head()
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.MovedError))
		r.CheckClean()
	}},
	{"HEAD switched since the look", func(s *suite) {
		r, repo := s.new()
		main := r.Head()
		r.Append("MEMORY.md", "- mine\n")
		tx := s.transaction(repo, "x", "MEMORY.md")
		r.Git("switch", "-q", "-c", "topic")
		res, err := s.commit(repo, tx)
		must(s.T, err)
		s.equal("branch", res.Ref, "refs/heads/topic")
		s.equal("main", r.Git("rev-parse", "main"), main)
		r.CheckClean()
	}},
	{"HEAD moved while the commit is made, elsewhere", func(s *suite) {
		r, repo := s.new()
		meanwhile(r, elsewhere("AGENTS.md", "yours"))
		r.Append("MEMORY.md", "- mine\n")
		s.save(repo, "x", "MEMORY.md")
		s.equal("log", r.Git("log", "--format=%s"), "x\nelsewhere\nstart")
		s.equal("AGENTS.md", r.InHead("AGENTS.md"), "yours")
		r.CheckClean()
	}},
	{"HEAD moved while the commit is made, at the same path", func(s *suite) {
		r, repo := s.new()
		meanwhile(r, strings.SplitAfter(elsewhere("MEMORY.md", "yours"), "$tree) HEAD\n")[0])
		r.Append("MEMORY.md", "- mine\n")
		tx := s.transaction(repo, "x", "MEMORY.md")
		res, err := s.commit(repo, tx)
		s.equal("HEAD", r.InHead("MEMORY.md"), "yours")
		s.refused(r, r.Head(), res, err, new(*gitops.MovedError))
		r.CheckClean("MM MEMORY.md")
	}},
	{"HEAD switched while the commit is made", func(s *suite) {
		r, repo := s.new()
		main := r.Head()
		meanwhile(r, "git switch -q -c topic\n")
		r.Append("MEMORY.md", "- mine\n")
		res := s.save(repo, "x", "MEMORY.md")
		s.equal("branch", res.Ref, "refs/heads/topic")
		s.equal("main", r.Git("rev-parse", "main"), main)
		r.CheckClean()
	}},
	{"staged while the commit is made", func(s *suite) {
		r, repo := s.new()
		meanwhile(r, "echo '- staged' >>AGENTS.md; git add AGENTS.md\n")
		r.Append("MEMORY.md", "- mine\n")
		s.save(repo, "x", "MEMORY.md")
		r.CheckClean("M  AGENTS.md")
	}},
	{"a merge begun while the commit is made", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		meanwhile(r, "git rev-parse HEAD >.git/MERGE_HEAD\n")
		r.Append("MEMORY.md", "- mine\n")
		tx := s.transaction(repo, "x", "MEMORY.md")
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.ProgressError))
		r.CheckClean(" M MEMORY.md")
	}},
}
