package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/doc"
)

// tell renders a diff in short.
func (l *lab) tell(files func(func(FileDiff, error) bool)) string {
	l.t.Helper()
	var b strings.Builder
	for f, err := range files {
		if err != nil {
			l.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s%s%s\n", f.Change, f.Path, prefixed(" from ", f.From), prefixed(": ", f.Summary))
		for _, e := range f.Entries {
			fmt.Fprintf(&b, "  %s %d>%d %s|%s|%s\n", e.Kind, e.OldLine, e.NewLine, strings.Join(e.Heading, "/"), e.Old, e.New)
		}
	}
	return b.String()
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func (l *lab) diff(opt DiffOptions) (*DiffResult, string) {
	l.t.Helper()
	d, err := Diff(context.Background(), l.ws(), opt)
	if err != nil {
		l.t.Fatalf("%+v: %v", opt, err)
	}
	return d, l.tell(d.Files)
}

func TestDiffUnsaved(t *testing.T) {
	t.Parallel()
	l := newLab(
		t, "ws", "SOUL.md", "# Soul\n\n- calm\n- no mail without a yes\n", "memory/a.md", "- one\n- two\n", "memory/gone.md", "short\n",
		"memory/old name.md", "# Old\n\n- long enough to be known again\n", "skills/x/run.sh", "a\nb\nc\n", "code.go", "x\n", "memory/win.md", "- a\r\n- b\r\n",
	)
	if _, got := l.diff(DiffOptions{}); got != "" {
		t.Errorf("a clean work tree differs:\n%s", got)
	}
	l.write("SOUL.md", "# Soul\n\n- calm\n- short mail without a yes\n- new\n")
	l.remove("memory/gone.md")
	l.remove("memory/old name.md")
	l.write("memory/new name.md", "# Old\n\n- long enough to be known again\n")
	l.write("skills/x/run.sh", "a\nB\nc\nd\n")
	l.write("code.go", "unmanaged\n")
	l.write("memory/a.md", "- one\n\n- two\n")
	l.write("memory/bin.md", "x\x00y")
	l.write("memory/win.md", "- a\r\n- b\r\n- c\r\n")
	want := `edited SOUL.md
  edited 4>4 Soul|- no mail without a yes|- short mail without a yes
  added 0>5 Soul||- new
edited memory/a.md: white space only
added memory/bin.md: binary
deleted memory/gone.md
  deleted 1>0 |short|
renamed memory/new name.md from memory/old name.md
edited memory/win.md
  added 0>3 ||- c
edited skills/x/run.sh
  edited 2>2 |b|B
  added 0>4 ||d
`
	d, got := l.diff(DiffOptions{})
	if got != want {
		t.Errorf("diff:\n%s\nwant:\n%s", got, want)
	}
	if d.Since != "HEAD" {
		t.Errorf("since '%s'", d.Since)
	}
	_, got = l.diff(DiffOptions{Paths: []string{"skills/"}})
	if !strings.HasPrefix(got, "edited skills/x/run.sh") || strings.Contains(got, "SOUL") {
		t.Errorf("one folder:\n%s", got)
	}
	for path, kind := range map[string]error{"../x": new(OutsideError), "code.go": new(RefusedError), "memory/none.md": new(NoFileError)} {
		_, err := Diff(context.Background(), l.ws(), DiffOptions{Paths: []string{path}})
		if err == nil || fmt.Sprintf("%T", err) != fmt.Sprintf("%T", kind) {
			t.Errorf("%s: %v, want a %T", path, err, kind)
		}
	}
}

func TestDiffSince(t *testing.T) {
	t.Parallel()
	l := storied(t)
	l.write("memory/a.md", "- one\n- two\n- unsaved\n")
	id := l.history(HistoryOptions{Session: "s1"})[1].ID
	all := "edited AGENTS.md\n  edited 3>3 Rules|- ask first|- never ask\n"
	plan := "edited MEMORY.md\n  added 0>4 M||- and more\n"
	unsaved := "edited memory/a.md\n  added 0>3 ||- unsaved\n"
	rest := "added memory/b.md\n  added 0>1 ||- b\nadded memory/c.md\n  added 0>1 ||- c\n"
	for _, c := range []struct {
		name, want string
		opt        DiffOptions
	}{
		{"an id", all + plan + unsaved + rest, DiffOptions{Since: id}},
		{"a revision", "edited memory/a.md\n  added 0>3 ||- unsaved\n" + "added memory/c.md\n  added 0>1 ||- c\n", DiffOptions{Since: "HEAD~2"}},
		{"a date", unsaved + "added memory/c.md\n  added 0>1 ||- c\n", DiffOptions{Since: "2026-05-04"}},
		{"a time", "edited AGENTS.md\n  edited 3>3 Rules|- ask first|- never ask\n" + plan + unsaved + rest, DiffOptions{Since: "2026-05-03 10:30"}},
		{"two revisions", all, DiffOptions{Since: "HEAD~4", To: "HEAD~3"}},
		{"rules since the adoption", all, DiffOptions{L1: true}},
		{"a group session", all + unsaved + rest, DiffOptions{Since: id, Kind: "group"}},
	} {
		if _, got := l.diff(c.opt); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
	d, _ := l.diff(DiffOptions{Since: id, Kind: "group"})
	if d.Withheld != 1 {
		t.Errorf("%d withheld, want 1", d.Withheld)
	}
	if d, got := l.diff(DiffOptions{Since: "2001-01-01"}); !d.Base.IsZero() || !strings.Contains(got, "added AGENTS.md") {
		t.Errorf("before the first commit: %s\n%s", d.Base, got)
	}
	_, err := Diff(context.Background(), l.ws(), DiffOptions{Since: "no-such"})
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Errorf("neither commit nor date: %v", err)
	}
	l.gitCommit("claw(checkpoint): end\n\nClaw-Event: checkpoint\nClaw-Id: 20260504-11111111\nClaw-Actor: checkpoint\n")
	l.write("ws/none", "")
	l.write("AGENTS.md", "# Rules\n\n- never ask\n- be brief\n")
	if d, got := l.diff(DiffOptions{L1: true}); d.Since != "checkpoint" || got != "edited AGENTS.md\n  added 0>4 Rules||- be brief\n" {
		t.Errorf("since '%s':\n%s", d.Since, got)
	}
}

// TestDiffUnborn: all files are new before the first commit.
func TestDiffUnborn(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.git("checkout", "-q", "--orphan", "empty")
	l.git("rm", "-q", "-r", "--cached", ".")
	l.write("AGENTS.md", "- a\n")
	if _, got := l.diff(DiffOptions{Paths: []string{"AGENTS.md"}}); got != "added AGENTS.md\n  added 0>1 ||- a\n" {
		t.Errorf("diff:\n%s", got)
	}
}

func TestRenames(t *testing.T) {
	t.Parallel()
	text := ""
	for i := range 20 {
		text += fmt.Sprintf("- fact number %d of this note\n", i)
	}
	l := newLab(t, "", "memory/a.md", text, "memory/b.md", text+"- of b\n", "memory/tiny.md", "x\n")
	l.remove("memory/a.md")
	l.remove("memory/b.md")
	l.remove("memory/tiny.md")
	l.write("memory/archive/2026/05/a.md", text)
	l.write("memory/archive/2026/05/b.md", text+"- of b, edited\n")
	l.write("memory/tiny2.md", "x\n")
	want := `renamed memory/archive/2026/05/a.md from memory/a.md
renamed memory/archive/2026/05/b.md from memory/b.md
  edited 21>21 |- of b|- of b, edited
deleted memory/tiny.md
  deleted 1>0 |x|
added memory/tiny2.md
  added 0>1 ||x
`
	if _, got := l.diff(DiffOptions{}); got != want {
		t.Errorf("diff:\n%s\nwant:\n%s", got, want)
	}
}

// TestDiffAddsUp: the entries of a diff, applied to those of the old text, give
// the entries of the new one.
func TestDiffAddsUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		old := randomText(r, "\n")
		now := randomText(r, "\n")
		if r.IntN(2) == 0 {
			now = slices.Concat(old[:r.IntN(len(old)+1)], now)
		}
		diffs := entryDiffs(old, now)
		gone, come := map[int]bool{}, map[int]string{}
		for _, e := range diffs {
			if e.Kind != doc.Added {
				gone[e.OldLine] = true
			}
			if e.Kind != doc.Deleted {
				come[e.NewLine] = e.New
			}
		}
		var stay []string
		for _, e := range doc.Parse(old).Entries {
			if !gone[e.Line] {
				stay = append(stay, string(e.Text()))
			}
		}
		for _, e := range doc.Parse(now).Entries {
			want := string(e.Text())
			got, changed := come[e.Line]
			if !changed {
				if len(stay) == 0 {
					t.Fatalf("nothing left for %q:\n%q\n%q\n%+v", want, old, now, diffs)
				}
				got, stay = stay[0], stay[1:]
			}
			if got != want {
				t.Fatalf("got %q, want %q:\n%q\n%q\n%+v", got, want, old, now, diffs)
			}
		}
		if len(stay) > 0 {
			t.Fatalf("%q left over:\n%q\n%q\n%+v", stay, old, now, diffs)
		}
	}
}

// TestLineDiffsAddUp: the same for text by lines.
func TestLineDiffsAddUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		old, now := randomText(r, "\n"), randomText(r, "\n")
		lines := strings.Split(strings.TrimSuffix(string(old), "\n"), "\n")
		if len(old) == 0 {
			lines = nil
		}
		var out []string
		at := 0
		for _, e := range lineDiffs(old, now) {
			from := e.OldLine - 1
			if e.Kind == doc.Added {
				from = at + e.NewLine - 1 - len(out)
			}
			out = append(out, lines[at:from]...)
			if at = from; e.Kind != doc.Added {
				at += strings.Count(e.Old, "\n") + 1
			}
			if e.Kind != doc.Deleted {
				out = append(out, strings.Split(e.New, "\n")...)
			}
		}
		out = append(out, lines[at:]...)
		if got, want := strings.Join(out, "\n"), strings.TrimSuffix(string(now), "\n"); got != want {
			t.Fatalf("got %q, want %q from %q", got, want, old)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	e := EntryDiff{Kind: doc.Edited, Old: "- no mail without a yes", New: "- short mail without a yes"}
	old, now := "", ""
	for _, s := range e.Words() {
		if s.Op != doc.Insert {
			old += s.Text
		}
		if s.Op != doc.Delete {
			now += s.Text
		}
	}
	if old != e.Old || now != e.New {
		t.Errorf("%q, %q", old, now)
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	l := storied(t)
	ctx := context.Background()
	e := l.history(HistoryOptions{Session: "s1"})[0]
	s, err := Show(ctx, l.ws(), e.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.tell(s.Files); got != "edited MEMORY.md\n  added 0>4 M||- and more\nadded memory/b.md\n  added 0>1 ||- b\n" || s.Session != "s1" {
		t.Errorf("session '%s':\n%s", s.Session, got)
	}
	if s, err = Show(ctx, l.ws(), e.ID, "group"); err != nil {
		t.Fatal(err)
	}
	if got := l.tell(s.Files); got != "added memory/b.md\n  added 0>1 ||- b\n" || strings.Contains(s.Subject+s.Message, "plan") || s.Withheld != 1 {
		t.Errorf("to a group: '%s' %d\n%s", s.Subject, s.Withheld, got)
	}
	l.write("MEMORY.md", "# M\n")
	l.save(User, "", "forget the plan")
	var refused *RefusedError
	if s, err := Show(ctx, l.ws(), "HEAD", "group"); !errors.As(err, &refused) {
		t.Errorf("a private commit to a group: %+v, %v", s, err)
	}
	// The first commit, and one with a body.
	if s, err = Show(ctx, l.ws(), "HEAD~2", ""); err != nil || s.Message != "see Claw-Id: 20260502-00000001\n\nas above" {
		t.Errorf("message %q, %v", s.Message, err)
	}
	root := strings.TrimSpace(l.git("rev-list", "--max-parents=0", "HEAD"))
	if s, err = Show(ctx, l.ws(), root, ""); err != nil || !strings.Contains(l.tell(s.Files), "added AGENTS.md") || s.Message != "" {
		t.Errorf("the first commit: %v %q", err, s.Message)
	}
}

func TestWithoutTrailers(t *testing.T) {
	t.Parallel()
	tr := gitops.Trailers{{Key: "Claw-Event", Value: "x"}}
	for body, want := range map[string]string{
		"Claw-Event: x\nClaw-Id: 1\n":            "",
		"text\n\nClaw-Event: x\n":                "text",
		"a: b\n\ntext\n\nClaw-Event: x\n  y\n":   "a: b\n\ntext",
		"text\n\nnot a trailer\nClaw-Event: x\n": "text\n\nnot a trailer\nClaw-Event: x",
	} {
		if got := BodyOf(gitops.Commit{Body: body, Trailers: tr}); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
