package gittest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// logged is a hook that writes its name and arguments to a file beside the
// repository.
func logged(r *Repo, name, more string) {
	r.Hook(name, "echo "+name+" \"$@\" >>"+shellQuote(filepath.Join(r.Base, "log"))+"\n"+more)
}

func hookLog(r *Repo) string {
	b, _ := os.ReadFile(filepath.Join(r.Base, "log"))
	return string(b)
}

var hooksContract = []contract{
	{"the hooks of git commit run in order", func(s *suite) {
		r, repo := s.new()
		for _, h := range []string{"post-commit", "commit-msg", "prepare-commit-msg", "pre-commit"} {
			logged(r, h, "")
		}
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x")
		msg := r.GitPath("COMMIT_EDITMSG")
		got := strings.ReplaceAll(hookLog(r), msg, "MSG")
		s.equal("hooks", got, "pre-commit\nprepare-commit-msg MSG message\ncommit-msg MSG\npost-commit\n")
		r.CheckClean()
	}},
	{"post-index-change and reference-transaction run", func(s *suite) {
		for _, opts := range [][]Option{nil, {UseNewGit()}} {
			r, repo := s.new(opts...)
			logged(r, "post-index-change", "")
			logged(r, "reference-transaction", "cat >>"+shellQuote(filepath.Join(r.Base, "refs"))+"\n")
			r.Append("MEMORY.md", "- x\n")
			res := s.save(repo, "x")
			for _, want := range []string{"post-index-change", "reference-transaction prepared", "reference-transaction committed"} {
				if !strings.Contains(hookLog(r), want) {
					s.Errorf("'%s' did not run: %q", want, hookLog(r))
				}
			}
			refs, err := os.ReadFile(filepath.Join(r.Base, "refs"))
			must(s.T, err)
			if !strings.Contains(string(refs), res.Commit.String()+" refs/heads/main") {
				s.Errorf("reference-transaction saw %q", refs)
			}
			r.CheckClean()
		}
	}},
	{"pre-commit sees this commit and no other staged change", func(s *suite) {
		r, repo := s.new()
		r.Append("AGENTS.md", "- staged\n")
		r.Git("add", "AGENTS.md")
		r.Hook("pre-commit", "git diff --cached --name-only >"+shellQuote(filepath.Join(r.Base, "log"))+
			"; git diff --name-only >>"+shellQuote(filepath.Join(r.Base, "log"))+"\n")
		r.Append("MEMORY.md", "- x\n")
		r.Append("notes/b.md", "unstaged\n")
		s.save(repo, "x", "MEMORY.md")
		s.equal("diff", hookLog(r), "MEMORY.md\nAGENTS.md\nnotes/b.md\n")
		r.CheckClean("M  AGENTS.md", " M notes/b.md")
	}},
	{"what pre-commit adds is committed", func(s *suite) {
		r, repo := s.new()
		r.Append("AGENTS.md", "- staged\n")
		r.Git("add", "AGENTS.md")
		r.Hook("pre-commit", "echo made >made.md; echo '- by hook' >>MEMORY.md; echo '- by hook' >>AGENTS.md; git add made.md MEMORY.md AGENTS.md\n")
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x", "MEMORY.md")
		s.equal("MEMORY.md", r.InHead("MEMORY.md"), "# Memory\n\n- one fact\n- x\n- by hook\n")
		s.equal("made.md", r.InHead("made.md"), "made\n")
		// The user's own staged version of AGENTS.md is not overwritten.
		s.equal("index", r.Git("show", ":AGENTS.md"), "# Agents\n\n- be kind\n- staged")
		r.CheckClean("MM AGENTS.md")
	}},
	{"a pre-commit that takes everything out", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		r.Hook("pre-commit", "git reset -q HEAD -- MEMORY.md\n")
		r.Append("MEMORY.md", "- x\n")
		tx := s.transaction(repo, "x")
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, gitops.ErrNothing)
		r.CheckClean(" M MEMORY.md")
	}},
	{"hooks change the message", func(s *suite) {
		r, repo := s.new()
		r.Hook("prepare-commit-msg", "echo 'Ticket: T-1' >>\"$1\"\n")
		r.Hook("commit-msg", "sed 's/subject/Subject/' \"$1\" >\"$1.new\" && mv \"$1.new\" \"$1\"\n")
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, gitops.FormatMessage("subject", "", gitops.Trailers{{Key: "Claw-Actor", Value: "agent"}}))
		s.equal("message", r.Git("log", "-1", "--format=%B"), "Subject\n\nClaw-Actor: agent\nTicket: T-1\n")
		r.CheckClean()
	}},
	{"hooks have the user's locale", func(s *suite) {
		r := New(s.T)
		r.Hook("pre-commit", "echo \"$LC_ALL\" >"+shellQuote(filepath.Join(r.Base, "log"))+"\n")
		for _, locale := range []string{"de_DE.UTF-8", ""} {
			repo := r.Open("LC_ALL=" + locale)
			r.Append("MEMORY.md", "- x\n")
			s.save(repo, "x")
			s.equal("LC_ALL", hookLog(r), locale+"\n")
		}
		r.CheckClean()
	}},
	{"a hook that refuses", func(s *suite) {
		for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg", "reference-transaction"} {
			for _, opts := range [][]Option{nil, {UseNewGit()}} {
				r, repo := s.new(opts...)
				before := r.Head()
				r.Append("AGENTS.md", "- staged\n")
				r.Git("add", "AGENTS.md")
				r.Append("MEMORY.md", "- x\n")
				r.Hook(name, "echo no good >&2; exit 1\n")
				tx := s.transaction(repo, "x", "MEMORY.md")
				res, err := s.commit(repo, tx)
				var he *gitops.HookError
				s.refused(r, before, res, err, &he)
				s.equal("hook", he.Name, name)
				if !strings.Contains(strings.Join(he.Hints(), "\n"), "no good") {
					s.Errorf("hints are %q", he.Hints())
				}
				must(s.T, os.Remove(r.GitPath("hooks/"+name)))
				r.CheckClean("M  AGENTS.md", " M MEMORY.md")
			}
		}
	}},
	{"a failing post-commit changes nothing", func(s *suite) {
		r, repo := s.new()
		logged(r, "post-commit", "exit 1\n")
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x")
		s.equal("hooks", hookLog(r), "post-commit\n")
		r.CheckClean()
	}},
	{"own hooks and switched-off hooks do not run", func(s *suite) {
		r, repo := s.new()
		logged(r, "pre-commit", "# mine\n")
		logged(r, "commit-msg", "")
		s.opt.OwnHook = func(b []byte) bool { return strings.Contains(string(b), "# mine") }
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x")
		s.equal("hooks", strings.Fields(hookLog(r))[0], "commit-msg")
		must(s.T, os.Remove(filepath.Join(r.Base, "log")))
		s.opt.RunHooks = gitops.RunHooksNever
		r.Append("MEMORY.md", "- y\n")
		s.save(repo, "y")
		s.equal("hooks", hookLog(r), "")
		r.CheckClean()
	}},
	{"a hook that leaves a process behind", func(s *suite) {
		r, repo := s.new()
		for _, h := range []string{"pre-commit", "post-commit", "reference-transaction", "post-index-change"} {
			r.Hook(h, "sleep 30 &\n")
		}
		s.opt.LockTimeout = 5 * time.Second
		start := time.Now() //nolint:forbidigo // real time
		for range 2 {
			r.Append("MEMORY.md", "- x\n")
			s.save(repo, "x")
		}
		if d := time.Since(start); d > 20*time.Second { //nolint:forbidigo // real time
			s.Errorf("two saves took %v", d)
		}
		r.Remove(".git/hooks")
		r.CheckClean()
	}},
	{"a hook that saves", func(s *suite) {
		r, repo := s.new()
		env := filepath.Join(r.Base, "env")
		for _, h := range []string{"pre-commit", "reference-transaction", "post-index-change"} {
			r.Hook(h, "env >"+shellQuote(env)+"\n")
			r.Append("MEMORY.md", "- x\n")
			s.save(repo, "x")
			b, err := os.ReadFile(env)
			must(s.T, err)
			inside := r.Open(strings.Split(strings.TrimSpace(string(b)), "\n")...)
			if !inside.InHook {
				s.Errorf("%s does not know that it is a hook", h)
			}
			if _, err := inside.Writer(gitops.WriterOptions{}).Commit(context.Background(), gitops.Tx{}); !as(err, gitops.ErrInHook) {
				s.Errorf("%s: %v", h, err)
			}
			must(s.T, os.Remove(r.GitPath("hooks/"+h)))
		}
		r.Hook("post-commit", "env >"+shellQuote(env)+"\n")
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x")
		b, err := os.ReadFile(env)
		must(s.T, err)
		if strings.Contains(string(b), gitops.SavingVariable+"=") {
			s.Error("post-commit is told that a commit is being made")
		}
		r.CheckClean()
	}},
}
