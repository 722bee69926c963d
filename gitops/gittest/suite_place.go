package gittest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/git-claw/git-claw/gitops"
)

// overtaken edits the work tree after the transaction was made; it must be
// refused and nothing touched.
func overtaken(name string, files map[string]*string, edit func(r *Repo), status ...string) contract {
	return contract{name, func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		tx := s.placing(repo, "x", files)
		edit(r)
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.WorkTreeChangedError))
		r.CheckClean(status...)
	}}
}

var placeContract = []contract{
	overtaken("edited meanwhile", map[string]*string{"MEMORY.md": text("new\n"), "notes/b.md": text("new\n")},
		func(r *Repo) { r.Append("MEMORY.md", "- by hand\n") }, " M MEMORY.md"),
	overtaken("edited meanwhile, to be removed", map[string]*string{"MEMORY.md": nil},
		func(r *Repo) { r.Append("MEMORY.md", "- by hand\n") }, " M MEMORY.md"),
	overtaken("removed meanwhile", map[string]*string{"MEMORY.md": text("new\n")},
		func(r *Repo) { r.Remove("MEMORY.md") }, " D MEMORY.md"),
	overtaken("made meanwhile", map[string]*string{"new.md": text("new\n")},
		func(r *Repo) { r.Write("new.md", "by hand\n") }, "?? new.md"),
	overtaken("a link meanwhile", map[string]*string{"MEMORY.md": text("new\n")},
		func(r *Repo) {
			r.Write("target.md", r.Read("MEMORY.md"))
			r.Remove("MEMORY.md")
			r.Symlink("target.md", "MEMORY.md")
		}, " T MEMORY.md", "?? target.md"),
	overtaken("a folder with a file meanwhile", map[string]*string{"new": text("new\n")},
		func(r *Repo) { r.Write("new/x.md", "by hand\n") }, "?? new/x.md"),
	overtaken("a file where a folder is needed", map[string]*string{"new/x.md": text("new\n")},
		func(r *Repo) { r.Write("new", "by hand\n") }, "?? new"),
	{"files, folders, modes", func(s *suite) {
		r, repo := s.new()
		r.Chmod("MEMORY.md", 0o640)
		_, err := s.commit(repo, s.placing(repo, "x", map[string]*string{
			"MEMORY.md": text("placed\n"), "bin/run.sh": text("#!/bin/sh\n"), "a/b/c.md": text("new\n"), "notes/b.md": nil, "empty.md": text(""),
		}))
		must(s.T, err)
		s.equal("MEMORY.md", r.Read("MEMORY.md"), "placed\n")
		for name, want := range map[string]fs.FileMode{"MEMORY.md": 0o640, "bin/run.sh": 0o755} {
			fi, err := os.Stat(r.Path(name))
			must(s.T, err)
			s.equal("mode of "+name, fi.Mode().Perm(), want)
		}
		if out := r.Git("diff-files", "--name-only"); out != "" {
			s.Errorf("the index has no stat data for %q", out)
		}
		r.CheckClean()
	}},
	{"a change of the executable bit", func(s *suite) {
		r, repo := s.new()
		r.Chmod("notes/b.md", 0o640)
		tx := s.placing(repo, "x", map[string]*string{"notes/b.md": text("b\n"), "bin/run.sh": text("plain\n")})
		for i, c := range tx.Changes {
			tx.Changes[i].Mode = map[string]gitops.Mode{"notes/b.md": gitops.ModeExecutable, "bin/run.sh": gitops.ModeFile}[c.Path]
		}
		_, err := s.commit(repo, tx)
		must(s.T, err)
		for name, want := range map[string]fs.FileMode{"notes/b.md": 0o750, "bin/run.sh": 0o644} {
			fi, err := os.Stat(r.Path(name))
			must(s.T, err)
			s.equal("mode of "+name, fi.Mode().Perm(), want)
		}
		r.CheckClean()
	}},
	{"a symbolic link", func(s *suite) {
		r, repo := s.new()
		r.Symlink("MEMORY.md", "link")
		r.Git("add", "link")
		r.Git("commit", "-q", "-m", "link")
		tx := s.placing(repo, "x", map[string]*string{"link": text("AGENTS.md"), "new": text("notes/b.md")})
		tx.Changes[0].Mode, tx.Changes[1].Mode = gitops.ModeSymlink, gitops.ModeSymlink
		_, err := s.commit(repo, tx)
		must(s.T, err)
		for name, want := range map[string]string{"link": "AGENTS.md", "new": "notes/b.md"} {
			got, err := os.Readlink(r.Path(name))
			must(s.T, err)
			s.equal("target", got, want)
		}
		s.equal("MEMORY.md", r.Read("MEMORY.md"), startFiles()["MEMORY.md"])
		r.CheckClean()
	}},
	{"a file becomes a folder and back", func(s *suite) {
		r, repo := s.new()
		_, err := s.commit(repo, s.placing(repo, "to folder", map[string]*string{
			"MEMORY.md": nil, "MEMORY.md/one.md": text("one\n"), "MEMORY.md/sub/two.md": text("two\n"),
		}))
		must(s.T, err)
		s.equal("file", r.Read("MEMORY.md/sub/two.md"), "two\n")
		r.CheckClean()
		_, err = s.commit(repo, s.placing(repo, "to file", map[string]*string{
			"MEMORY.md": text("one\n"), "MEMORY.md/one.md": nil, "MEMORY.md/sub/two.md": nil,
		}))
		must(s.T, err)
		s.equal("file", r.Read("MEMORY.md"), "one\n")
		r.CheckClean()
	}},
	{"other content in the work tree than in the commit", func(s *suite) {
		r, repo := s.new()
		tx := s.placing(repo, "x", map[string]*string{"MEMORY.md": text("committed\n")})
		tx.Changes[0].Place.Content = []byte("committed\nheld back\n")
		_, err := s.commit(repo, tx)
		must(s.T, err)
		s.equal("HEAD", r.InHead("MEMORY.md"), "committed\n")
		s.equal("file", r.Read("MEMORY.md"), "committed\nheld back\n")
		r.CheckClean(" M MEMORY.md")
	}},
	{"a link among the folders", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		outside := filepath.Join(r.Base, "outside")
		must(s.T, os.MkdirAll(outside, 0o777))
		r.Symlink(outside, "out")
		r.Symlink("notes", "in")
		for _, name := range []string{"out/x.md", "in/x.md"} {
			tx := s.one(r, name)
			tx.Changes[0].Place = &gitops.Place{Content: []byte("x\n")}
			res, err := s.commit(repo, tx)
			s.refused(r, before, res, err, new(*gitops.EscapeError))
			if err := repo.PlaceWork(name, *tx.Changes[0].Place); !as(err, new(*gitops.EscapeError)) {
				s.Errorf("PlaceWork: %v", err)
			}
			if _, _, err := repo.ReadWork(name, 0); !as(err, new(*gitops.EscapeError)) {
				s.Errorf("ReadWork: %v", err)
			}
		}
		if list, _ := os.ReadDir(outside); len(list) != 0 {
			s.Errorf("something was written outside: %v", list)
		}
		r.CheckClean("?? in", "?? out")
	}},
	{"edited in the last moment", func(s *suite) {
		r, repo := s.new()
		r.Hook("reference-transaction", "test \"$1\" = prepared && echo '- by hand' >>MEMORY.md\nexit 0\n")
		tx := s.placing(repo, "x", map[string]*string{"MEMORY.md": text("placed\n"), "notes/b.md": text("placed\n")})
		res, err := s.commit(repo, tx)
		var changed *gitops.WorkTreeChangedError
		if !as(err, &changed) || changed.Path != "MEMORY.md" {
			s.Fatalf("error is %v", err)
		}
		s.equal("HEAD", r.Head(), res.Commit.String())
		s.equal("MEMORY.md", r.Read("MEMORY.md"), startFiles()["MEMORY.md"]+"- by hand\n")
		s.equal("notes/b.md", r.Read("notes/b.md"), "placed\n")
		must(s.T, os.Remove(r.GitPath("hooks/reference-transaction")))
		r.CheckClean(" M MEMORY.md")
	}},
	{"no moment without the file", func(s *suite) {
		r, repo := s.new()
		var missing, half atomic.Int64
		stop, stopped := make(chan bool), make(chan bool)
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
				}
				b, err := os.ReadFile(r.Path("AGENTS.md"))
				if err != nil {
					missing.Add(1)
				} else if len(b) != 10_000 && !strings.HasPrefix(string(b), "# Agents") {
					half.Add(1)
				}
			}
		}()
		for i := range 10 {
			_, err := s.commit(repo, s.placing(repo, "x", map[string]*string{"AGENTS.md": text(strings.Repeat(string(rune('a'+i)), 10_000))}))
			must(s.T, err)
		}
		close(stop)
		<-stopped
		if missing.Load()+half.Load() > 0 {
			s.Errorf("AGENTS.md was missing %d times and incomplete %d times", missing.Load(), half.Load())
		}
		r.CheckClean()
	}},
	{"beside a commit", func(s *suite) {
		r, repo := s.new()
		must(s.T, repo.PlaceWork("MEMORY.md", gitops.Place{Base: []byte(r.Read("MEMORY.md")), Existed: true, Content: []byte("new\n")}))
		must(s.T, repo.PlaceWork("a/b.md", gitops.Place{Content: []byte("b\n")}))
		if err := repo.PlaceWork("AGENTS.md", gitops.Place{Base: []byte("other"), Existed: true}); !as(err, new(*gitops.WorkTreeChangedError)) {
			s.Errorf("another base: %v", err)
		}
		must(s.T, repo.PlaceWork("notes/b.md", gitops.Place{Base: []byte("b\n"), Existed: true, Delete: true}))
		r.CheckClean(" M MEMORY.md", "?? a/b.md", " D notes/b.md")
	}},
}
