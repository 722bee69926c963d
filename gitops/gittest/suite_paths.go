package gittest

import (
	"context"
	"runtime"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// OddPaths are names that break programs which pass paths through a shell, a
// pathspec, a line or an encoding.
func OddPaths() []string {
	odd := []string{
		"with space.md", "Заметки/План [v2].md", "晨露/产出/报告（一）.md", "-n.md", "--", "-/-x", "~/n.md", "~",
		"{a,b}.md", "a,b.md", "%s%n.md", "#hash.md", "!bang.md", "emoji 🦞.md", "HEAD", "refs/heads/main", "@{0}", "^x",
		"a..b", "$(x)`y`.md", "'q'.md", strings.Repeat("long", 50) + ".md", "e\u0301.md", "100644 blob", "$HOME/x",
	}
	if runtime.GOOS != "windows" {
		odd = append(odd, "a*b?.md", "new\nline.md", "tab\t.md", `q"uote.md`, `back\slash.md`, ":(top)x.md", ":!x.md", ":/x",
			"\x01control\x7f.md", "trailing space ", "trailing.dot.", "<angle>|.md", " leading", "cr\r.md")
	}
	if runtime.GOOS == "linux" {
		odd = append(odd, "caf\xe9.md", "\xff\xfe/\x80.md")
	}
	return odd
}

var pathsContract = []contract{
	{"odd names", func(s *suite) {
		r, repo := s.new()
		names := OddPaths()
		names = deleteName(names, "~") // a file and a folder of that name
		for _, n := range names {
			r.Write(n, "one "+n)
		}
		s.save(repo, "add")
		r.CheckClean()
		for _, n := range names {
			s.equal("content", r.Read(n), "one "+n)
			r.Write(n, "two "+n)
			s.save(repo, "change one", n)
			if c := r.Git("diff-tree", "-r", "-z", "--no-commit-id", "--name-only", "HEAD", "--"); c != n+"\x00" {
				s.Errorf("the commit of %q holds %q", n, c)
			}
			bl, err := repo.BlameLine(context.Background(), "", n, 1)
			if err != nil || bl.OrigPath != n || bl.Commit.String() != r.Head() {
				s.Errorf("blame of %q: %+v %v", n, bl, err)
			}
		}
		r.CheckClean()
		files := map[string]*string{}
		for _, n := range names {
			files[n] = text("three " + n)
		}
		_, err := s.commit(repo, s.placing(repo, "place", files))
		must(s.T, err)
		for _, n := range names {
			s.equal("placed", r.Read(n), "three "+n)
		}
		r.CheckClean()
		for _, n := range names {
			r.Remove(n)
		}
		s.save(repo, "remove")
		r.CheckClean()
	}},
	{"one name at a time, in its first commit", func(s *suite) {
		for _, n := range []string{"-n.md", "~", "new\nline.md", "--", "caf\xe9.md"} {
			r, repo := s.new(Unborn())
			r.Write(n, "x")
			s.save(repo, "x", n)
			r.CheckClean()
		}
	}},
	{"a name is never a pattern", func(s *suite) {
		r, repo := s.new()
		r.Write("a*.md", "star\n")
		r.Write("ab.md", "b\n")
		r.Write("[ab].md", "class\n")
		s.save(repo, "x", "a*.md", "[ab].md")
		s.equal("files", r.Git("diff-tree", "-r", "--no-commit-id", "--name-only", "HEAD"), "[ab].md\na*.md")
		r.CheckClean("?? ab.md")
	}},
	{"more names than a command line takes", func(s *suite) {
		r, repo := s.new()
		var names []string
		for i := range 3000 {
			n := strings.Repeat("d", 60) + "/" + strings.Repeat("n", 60) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + ".md"
			r.Write(n, "x")
			names = append(names, n)
		}
		r.Write("other.md", "x\n")
		s.save(repo, "x", names...)
		r.CheckClean("?? other.md")
		list, err := repo.ListFiles(context.Background(), names...)
		must(s.T, err)
		s.equal("listed", len(list), len(names))
		tx := s.transaction(repo, "y")
		for i, n := range names {
			if i%3 == 0 {
				id := repo.BlobID([]byte("x"))
				tx.Changes = append(tx.Changes, gitops.Change{Path: n, Delete: true, HeadID: id, IndexID: id})
				r.Remove(n)
			}
		}
		tx.Seen = gitops.IndexStamp{}
		_, err = s.commit(repo, tx)
		must(s.T, err)
		r.CheckClean()
	}},
}

func deleteName(names []string, name string) []string {
	var out []string
	for _, n := range names {
		if n != name {
			out = append(out, n)
		}
	}
	return out
}
