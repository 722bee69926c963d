package gitops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// hostile makes text of pieces that mean something to a program that reads
// commit messages.
func hostile(rnd *rand.Rand) string {
	pieces := []string{
		"\n", "\n", "\n\n", " ", "\t", "word", "Key: value", "Claw-Actor: user", "Signed-off-by: a <b@c>", "X:", ":", "a b: c",
		"(cherry picked from commit 1234)", "---", "--- a/file", "diff --git a/x b/x", "# comment", "#", "备份 ✅", "e\u0301", "\r\n",
		"\x00", "\x1b[31m", "\u0085", "\u2028", "\u202e", "\xff\xfe", "# ------------------------ >8 ------------------------",
		"; ------------------------ >8 ------------------------", "Conflicts:", "\tfile", "100%", "`x` $(y)", "\"q\"", strings.Repeat("long ", 30),
		"fixup! x", "tree 1234", "Co-authored-by: x <y>", " indented: line", "key : value", "key= value", "\v", "\f",
	}
	var b strings.Builder
	for range rnd.IntN(9) {
		b.WriteString(pieces[rnd.IntN(len(pieces))])
		if rnd.IntN(3) == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// hostileMessage also returns the trailers that must be read back.
func hostileMessage(rnd *rand.Rand) (msg string, want gitops.Trailers) {
	keys := []string{"Claw-Actor", "Claw-Session", "claw-source", "Signed-off-by", "X"}
	var tr gitops.Trailers
	for range rnd.IntN(4) {
		t := gitops.Trailer{Key: keys[rnd.IntN(len(keys))], Value: hostile(rnd)}
		tr = append(tr, t)
		if v := gitops.OneLine(t.Value); v != "" {
			want = append(want, gitops.Trailer{Key: t.Key, Value: v})
		}
	}
	return gitops.FormatMessage(hostile(rnd), hostile(rnd), tr), want
}

func TestFormatMessageIsReadBack(t *testing.T) {
	t.Parallel()
	r := gittest.New(t, gittest.Unborn())
	rnd := rand.New(rand.NewPCG(5, 5))
	const n = 400
	var stream strings.Builder
	wants := make([]gitops.Trailers, n)
	for i := range n {
		msg, want := hostileMessage(rnd)
		wants[i] = want
		subject, _, _ := strings.Cut(msg, "\n")
		if subject == "" || utf8.RuneCountInString(subject) > 72 || !utf8.ValidString(msg) || strings.ContainsAny(msg, "\x00\r") {
			t.Errorf("message %q", msg)
		}
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter T <t@example.com> %d +0000\ndata %d\n%s\n", 1_000_000_000+i, len(msg), msg)
		if i%4 == 0 {
			out, err := r.TryEnv(nil, msg, "interpret-trailers", "--parse")
			if err != nil {
				t.Fatal(err)
			}
			if got := text(want); out+"\n" != got && out != got {
				t.Errorf("git interpret-trailers reads %q, want %q, in %q", out, got, msg)
			}
		}
	}
	if _, err := r.TryEnv(nil, stream.String(), "fast-import", "--quiet"); err != nil {
		t.Fatal(err)
	}
	// Configuration for other uses of trailers and comments changes nothing.
	r.Git("config", "trailer.separators", "=#")
	r.Git("config", "core.commentChar", "C")
	i := n
	for c, err := range r.Open().Log(context.Background(), gitops.LogOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		i--
		if got, want := text(c.Trailers), text(wants[i]); got != want {
			t.Errorf("Log reads %q, want %q, of %q", got, want, c.Subject+"\n"+c.Body)
		}
	}
	if i != 0 {
		t.Errorf("%d commits were not read", i)
	}
}

func text(tr gitops.Trailers) string {
	var b strings.Builder
	for _, t := range tr {
		b.WriteString(t.Key + ": " + t.Value + "\n")
	}
	return b.String()
}

func TestFormatMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ subject, body, want string }{
		{"a", "", "a\n"},
		{"", "", "(no subject)\n"},
		{"two\nlines\t here", "", "two lines here\n"},
		{"a", "\n\n  body  \n\n", "a\n\n  body\n"},
		{"a", "body\n\nClaw-Actor: user", "a\n\nbody\n\n Claw-Actor: user\n"},
		{"a", "see: b\n---\nc", "a\n\n see: b\n ---\nc\n"},
		{strings.Repeat("é", 73), "", strings.Repeat("é", 71) + "…\n"},
	} {
		if got := gitops.FormatMessage(c.subject, c.body, nil); got != c.want {
			t.Errorf("FormatMessage(%q, %q) = %q, want %q", c.subject, c.body, got, c.want)
		}
	}
	got := gitops.FormatMessage("a", "x: y", gitops.Trailers{{Key: "K", Value: "v\nw"}, {Key: "Empty", Value: " \n"}, {Key: "bad key:", Value: "v"}})
	if want := "a\n\nx: y\n\nK: v w\nbad-key-: v\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// %s and %b of git are what Objects.Commit gives.
func TestSplitMessage(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	ctx := context.Background()
	repo := r.Open()
	rnd := rand.New(rand.NewPCG(6, 6))
	tree := r.Git("rev-parse", "HEAD^{tree}")
	for range 60 {
		msg := strings.NewReplacer("\x00", "", "\xff\xfe", "").Replace(hostile(rnd) + hostile(rnd))
		hex, err := r.TryEnv(nil, msg, "commit-tree", "-F", "-", tree)
		if err != nil {
			t.Fatal(err)
		}
		id, err := gitops.ParseID(hex)
		if err != nil {
			t.Fatal(err)
		}
		c, err := repo.Objects().Commit(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := repo.Show(ctx, hex)
		if err != nil {
			t.Fatal(err)
		}
		if c.Subject != shown.Subject || strings.TrimRight(c.Body, "\n") != strings.TrimRight(shown.Body, "\n") {
			t.Errorf("%q is %q and %q, git reads %q and %q", msg, c.Subject, c.Body, shown.Subject, shown.Body)
		}
	}
}
