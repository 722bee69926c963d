package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// logOf collects subjects.
func logOf(t *testing.T, repo *gitops.Repo, opt gitops.LogOptions) (subjects []string, commits []gitops.Commit) {
	t.Helper()
	for c, err := range repo.Log(context.Background(), opt) {
		if err != nil {
			t.Fatalf("%+v: %v", opt, err)
		}
		subjects = append(subjects, c.Subject)
		commits = append(commits, c)
	}
	return subjects, commits
}

func TestLog(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, kv := range [][2]string{
		{"log.showSignature", "true"},
		{"log.follow", "true"},
		{"log.decorate", "full"},
		{"diff.noprefix", "true"},
		{"format.pretty", "oneline"},
		{"diff.renames", "copies"},
		{"log.date", "relative"},
		{"core.quotePath", "true"},
		{"color.ui", "always"},
		{"log.diffMerges", "on"},
	} {
		r.Git("config", kv[0], kv[1])
	}
	odd := "dir/new\nline é \"q\".md"
	r.Write(odd, "x\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "add odd\n\nbody\n:100644 not raw\n\nClaw-Actor: agent\nClaw-Session: s1")
	r.Git("switch", "-q", "-c", "side")
	r.Write("side.md", "x\n")
	r.Git("add", "-A")
	r.Git("-c", "user.name=Ä <x>", "commit", "-q", "--date=@1700000000 +0530", "-m", "side")
	r.Git("switch", "-q", "main")
	r.Append(odd, "y\n")
	r.Git("mv", "notes/b.md", "notes/c.md")
	r.Git("commit", "-q", "-a", "-m", "edit [x]* odd")
	r.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	r.Git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
	repo := r.Open()

	subjects, commits := logOf(t, repo, gitops.LogOptions{WithPaths: true})
	if len(subjects) != 6 || subjects[0] != "" || subjects[1] != "merge" || subjects[5] != "start" {
		t.Fatalf("log is %q", subjects)
	}
	paths := map[string][]string{
		"": nil, "merge": {"side.md"}, "edit [x]* odd": {odd, "notes/b.md", "notes/c.md"}, "side": {"side.md"}, "add odd": {odd},
	}
	for i, c := range commits {
		if want, ok := paths[c.Subject]; ok && !slices.Equal(c.Paths, want) {
			t.Errorf("%q has the paths %q, want %q", c.Subject, c.Paths, want)
		}
		raw, err := repo.Objects().Commit(context.Background(), c.ID)
		if err != nil || raw.Tree != c.Tree || !slices.Equal(raw.Parents, c.Parents) || raw.Subject != c.Subject || raw.Author.Email != c.Author.Email {
			t.Errorf("commit %d: %+v, the object says %+v, %v", i, c, raw, err)
		}
		switch c.Subject {
		case "add odd":
			if c.Trailers.Get("claw-actor") != "agent" || len(c.Trailers.All("Claw-Session")) != 1 || !strings.HasPrefix(c.Body, "body\n:100644") {
				t.Errorf("%+v", c)
			}
		case "side":
			if c.Author.When.Unix() != 1700000000 || c.Author.When.Format("-0700") != "+0530" || c.Author.Name != "Ä x" {
				t.Errorf("author is %+v", c.Author)
			}
		}
	}
	for _, c := range []struct {
		opt  gitops.LogOptions
		want []string
	}{
		{gitops.LogOptions{Max: 2}, []string{"", "merge"}},
		{gitops.LogOptions{Paths: []string{odd}}, []string{"edit [x]* odd", "add odd"}},
		{gitops.LogOptions{Paths: []string{"dir"}, Max: 1}, []string{"edit [x]* odd"}},
		{gitops.LogOptions{Paths: []string{"*.md"}}, nil},
		{gitops.LogOptions{Paths: []string{"notes/c.md"}}, []string{"edit [x]* odd"}},
		{gitops.LogOptions{Grep: "[x]*"}, []string{"edit [x]* odd"}},
		{gitops.LogOptions{Revs: []string{"main..side"}}, nil},
		{gitops.LogOptions{Revs: []string{"side", "^main~3"}}, []string{"side"}},
		{gitops.LogOptions{FirstParent: true}, []string{"", "merge", "edit [x]* odd", "add odd", "start"}},
		{gitops.LogOptions{Since: "2038-01-01"}, nil},
		{gitops.LogOptions{Until: "2001-01-01"}, nil},
	} {
		if got, _ := logOf(t, repo, c.opt); !slices.Equal(got, c.want) {
			t.Errorf("%+v gives %q, want %q", c.opt, got, c.want)
		}
	}
	for _, err := range repo.Log(context.Background(), gitops.LogOptions{}) {
		if err != nil {
			t.Error(err)
		}
		break // ends git
	}
	for _, err := range repo.Log(context.Background(), gitops.LogOptions{Revs: []string{"--output=/tmp/x"}}) {
		if err == nil {
			t.Error("a revision that looks like an option was taken for one")
		}
	}
	r.CheckClean()
}

func TestLogOfNothing(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]gittest.Option{{gittest.Unborn()}, {gittest.Unborn(), gittest.UseNewGit()}, {gittest.Bare()}} {
		repo := gittest.New(t, opts...).Open()
		if got, _ := logOf(t, repo, gitops.LogOptions{WithPaths: true, Paths: []string{"x"}}); got != nil {
			t.Errorf("log is %q", got)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("tag", "-a", "-m", "x", "v1")
	repo, ctx := r.Open(), context.Background()
	for _, rev := range []string{"HEAD", "main", "v1", "@", "refs/heads/main", r.Head()[:12], ":/start"} {
		if id, err := repo.Resolve(ctx, rev); err != nil || id.String() != r.Head() {
			t.Errorf("%q is %s, %v", rev, id, err)
		}
	}
	for _, rev := range []string{"", "none", "-x", "--all", "HEAD:MEMORY.md", "HEAD^{tree}", "a\nb", "a\x00b", "HEAD~5", "0000000000000000000000000000000000000000", "--help"} {
		var re *gitops.RevError
		if id, err := repo.Resolve(ctx, rev); !errors.As(err, &re) || re.Rev != rev {
			t.Errorf("%q is %s, %T %v", rev, id, err, err)
		}
	}
	if _, err := repo.Show(ctx, "none"); err == nil {
		t.Error("Show of nothing")
	}
	c, err := repo.Show(ctx, "v1")
	if err != nil || c.Subject != "start" || len(c.Paths) != 8 {
		t.Errorf("%+v %v", c, err)
	}
}

func TestBlameLine(t *testing.T) {
	t.Parallel()
	r := gittest.New(t, gittest.Config("blame.ignoreRevsFile", ".ignore-revs"), gittest.Config("blame.showEmail", "true"))
	old := r.Head()
	r.Git("mv", "MEMORY.md", "Mémoire \"x\".md")
	r.Git("commit", "-q", "-m", "move")
	r.Append("Mémoire \"x\".md", "- two\n")
	r.Git("commit", "-q", "-a", "-m", "two")
	second := r.Head()
	r.Write(".ignore-revs", second+"\n"+old+"\n")
	r.Append("Mémoire \"x\".md", "- not committed\n")
	repo, ctx := r.Open(), context.Background()
	for _, c := range []struct {
		rev  string
		line int
		want gitops.Blame
	}{
		{"", 3, gitops.Blame{OrigPath: "MEMORY.md", OrigLine: 3, Text: "- one fact"}},
		{"HEAD", 4, gitops.Blame{OrigPath: "Mémoire \"x\".md", OrigLine: 4, Text: "- two"}},
		{"", 5, gitops.Blame{OrigPath: "Mémoire \"x\".md", OrigLine: 5, Text: "- not committed"}},
	} {
		got, err := repo.BlameLine(ctx, c.rev, "Mémoire \"x\".md", c.line)
		want := map[int]string{3: old, 4: second, 5: strings.Repeat("0", 40)}[c.line]
		if err != nil || got.Commit.String() != want || got.OrigPath != c.want.OrigPath || got.OrigLine != c.want.OrigLine || got.Text != c.want.Text {
			t.Errorf("line %d: %+v %v", c.line, got, err)
		}
	}
	for _, bad := range []struct {
		rev, path string
		line      int
	}{{"HEAD", "none.md", 1}, {"HEAD", "Mémoire \"x\".md", 99}, {"none", "AGENTS.md", 1}, {"--output=x", "AGENTS.md", 1}} {
		if b, err := repo.BlameLine(ctx, bad.rev, bad.path, bad.line); err == nil {
			t.Errorf("%+v gives %+v", bad, b)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(".gitignore", "# c\n*.log\n!keep.log\nout/\n")
	r.Write("a.log", "")
	r.Write("keep.log", "")
	r.Write("out/deep/x", "")
	r.Write("new\nline.log", "")
	repo, ctx := r.Open(), context.Background()
	rules, err := repo.CheckIgnore(ctx, []string{"a.log", "keep.log", "MEMORY.md", "out/deep/x", "new\nline.log"})
	if err != nil || len(rules) != 3 {
		t.Fatalf("%v %v", rules, err)
	}
	if got := rules["a.log"]; got.Source != ".gitignore" || got.Line != "2" || got.Pattern != "*.log" {
		t.Errorf("rule %+v", got)
	}
	if _, ok := rules["new\nline.log"]; !ok {
		t.Error("a name with a newline")
	}
	if none, err := repo.CheckIgnore(ctx, nil); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
	if none, err := repo.CheckIgnore(ctx, []string{"MEMORY.md"}); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
	list, err := repo.Ignored(ctx)
	if err != nil || fmt.Sprint(list) != fmt.Sprint([]string{"a.log", "new\nline.log", "out/"}) {
		t.Errorf("%q %v", list, err)
	}
	if got, err := repo.ListFiles(ctx, "memory", "notes/b.md", "*.md"); err != nil || len(got) != 3 {
		t.Errorf("%q %v", got, err)
	}
}
