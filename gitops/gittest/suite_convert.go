package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// sameAsAdd saves an edit and compares the blob with that of `git add`.
func (s *suite) sameAsAdd(r *Repo, repo *gitops.Repo, name string) {
	s.Helper()
	s.save(repo, "x", name)
	saved := r.Git("rev-parse", "HEAD:"+name)
	index := filepath.Join(r.Base, "add-index")
	defer func() { _ = os.Remove(index) }()
	// An empty index, so that git add has to read the file.
	if _, err := r.TryEnv([]string{"GIT_INDEX_FILE=" + index}, "", "add", "--", name); err != nil {
		s.Fatal(err)
	}
	out, err := r.TryEnv([]string{"GIT_INDEX_FILE=" + index}, "", "ls-files", "-s", "--", name)
	must(s.T, err)
	if f := strings.Fields(out); len(f) < 2 || f[1] != saved {
		s.Errorf("'%s' is committed as %s (%q), git add makes %q", name, saved, r.InHead(name), out)
	}
}

var convertContract = []contract{
	{"line ends by attribute and by configuration", func(s *suite) {
		for _, opts := range [][]Option{
			{Attributes("* text=auto\n")},
			{Attributes("*.md text eol=crlf\n")},
			{Attributes("*.md text eol=lf\n*.raw -text\n")},
			{Attributes("*.md crlf=input\n")},
			{Attributes("[attr]prose text\n*.md prose\n")},
			{Config("core.autocrlf", "true"), Config("core.safecrlf", "false")},
			{Config("core.autocrlf", "input"), Config("core.safecrlf", "false")},
			{Config("core.autocrlf", "true"), Config("core.safecrlf", "false"), Attributes("*.md -text\n")},
		} {
			r, repo := s.new(opts...)
			for name, content := range map[string]string{
				"memory/crlf.md": "one\r\ntwo\r\n", "memory/lf.md": "one\ntwo\n", "memory/mixed.md": "one\r\ntwo\n",
				"memory/cr.md": "one\rtwo\r", "memory/bin.md": "\x00\r\n", "memory/x.raw": "one\r\n", "memory/empty.md": "",
			} {
				r.Write(name, content)
				s.sameAsAdd(r, repo, name)
			}
			r.CheckClean()
		}
	}},
	{"a filter", func(s *suite) {
		r, repo := s.new(Config("filter.up.clean", "tr a-z A-Z"), Config("filter.up.smudge", "tr A-Z a-z"), Attributes("*.up filter=up\n"))
		r.Write("memory/x.up", "small\n")
		s.sameAsAdd(r, repo, "memory/x.up")
		s.equal("blob", r.InHead("memory/x.up"), "SMALL\n")
		s.equal("file", r.Read("memory/x.up"), "small\n")
		r.CheckClean()
	}},
	{"a filter that fails", func(s *suite) {
		r, repo := s.new(Config("filter.bad.clean", "false"), Config("filter.bad.required", "true"), Attributes("*.secret filter=bad\n"))
		before := r.Head()
		r.Write("x.secret", "text\n")
		tx := s.transaction(repo, "x")
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.GitError))
		s.equal("file", r.Read("x.secret"), "text\n")
		r.Remove("x.secret")
		r.CheckClean()
	}},
	{"ident and encoding", func(s *suite) {
		r, repo := s.new(Attributes("*.id ident\n*.u16 text working-tree-encoding=UTF-16LE-BOM\n"))
		r.Write("a.id", "$Id: 0123 $\n")
		s.sameAsAdd(r, repo, "a.id")
		s.equal("blob", r.InHead("a.id"), "$Id$\n")
		r.Write("a.u16", "\xff\xfeh\x00i\x00\n\x00")
		s.sameAsAdd(r, repo, "a.u16")
		s.equal("blob", r.InHead("a.u16"), "hi\n")
		r.CheckClean()
	}},
	{"attributes of the user, of the repository and of a folder", func(s *suite) {
		r, repo := s.new(Config("filter.up.clean", "tr a-z A-Z"))
		must(s.T, os.MkdirAll(filepath.Join(r.Base, "home", ".config", "git"), 0o777))
		must(s.T, os.WriteFile(filepath.Join(r.Base, "home", ".config", "git", "attributes"), []byte("*.one filter=up\n"), 0o666))
		must(s.T, os.MkdirAll(filepath.Dir(r.GitPath("info/attributes")), 0o777))
		must(s.T, os.WriteFile(r.GitPath("info/attributes"), []byte("*.two filter=up\n"), 0o666))
		r.Write("deep/er/.gitattributes", "*.three filter=up\n")
		for _, name := range []string{"x.one", "y.two", "deep/er/z.three", "deep/er/more/z.three", "deep/z.three"} {
			r.Write(name, "small\n")
			s.sameAsAdd(r, repo, name)
		}
		s.equal("outside", r.InHead("deep/z.three"), "small\n")
		s.equal("inside", r.InHead("deep/er/more/z.three"), "SMALL\n")
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "rest")
		r.CheckClean()
	}},
	{"a signed commit", func(s *suite) {
		keygen, err := exec.LookPath("ssh-keygen")
		if err != nil {
			s.Skip("no ssh-keygen")
		}
		r := New(s.T)
		key := filepath.Join(r.Base, "key")
		if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", key).CombinedOutput(); err != nil {
			s.Fatalf("ssh-keygen: %v %s", err, out)
		}
		pub, err := os.ReadFile(key + ".pub")
		must(s.T, err)
		allowed := filepath.Join(r.Base, "allowed")
		must(s.T, os.WriteFile(allowed, []byte(Email+" "+string(pub)), 0o666))
		for _, kv := range [][2]string{
			{"commit.gpgSign", "true"}, {"gpg.format", "ssh"}, {"user.signingKey", key + ".pub"}, {"gpg.ssh.allowedSignersFile", allowed},
		} {
			r.Git("config", kv[0], kv[1])
		}
		repo := r.Open()
		r.Append("MEMORY.md", "- signed\n")
		s.save(repo, "signed\n\nClaw-Actor: agent\n")
		r.Git("verify-commit", "HEAD")
		s.equal("trailer", r.Git("log", "-1", "--format=%(trailers:key=Claw-Actor,valueonly)"), "agent\n")
		before := r.Head()
		must(s.T, os.Remove(key))
		r.Append("MEMORY.md", "- not signed\n")
		tx := s.transaction(repo, "x")
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.GitError))
		r.CheckClean(" M MEMORY.md")
	}},
}
