package syncing_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/syncing"
)

// TestLargeFiles: what is too large to be held comes and goes like any other file, and
// edits of it stay where they are.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	const big, name = 2 << 20, "media/film.bin"
	n := 0
	content := func() string {
		n++
		frame := fmt.Sprintf("\x00frame %d of a film\n", n)
		return strings.Repeat(frame, big/len(frame)+1)
	}
	f := newFleet(t, 2, day, "# 2026-05-02\n")
	a, b := f.m[0], f.m[1]
	for _, l := range f.m {
		l.Git("config", "claw.maxFileBytes", "65536")
	}
	send := func(text string) {
		t.Helper()
		a.Write(name, text)
		a.Commit("film")
		if _, err := trySync(a, syncing.Options{WithForeign: true}); err != nil {
			t.Fatal(err)
		}
	}
	is := func(want string) {
		t.Helper()
		if got := b.ReadFile(name); sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(want)) {
			t.Errorf("the file has %d bytes, not those that were sent", len(got))
		}
	}
	first := content()
	b.Write(day, "# 2026-05-02\n- b\n") // so that there is something to merge
	send(first)
	doSync(b)
	is(first)

	// An edit that is not saved is neither lost nor saved with what came.
	second := content()
	doSync(a)
	send(second)
	b.Write(name, first+"edited")
	var conflict *agent.ConflictError
	if _, err := trySync(b, syncing.Options{}); !errors.As(err, &conflict) || !strings.Contains(err.Error(), name) {
		t.Errorf("%v", err)
	}
	is(first + "edited")
	b.Write(name, first)
	doSync(b)
	is(second)

	// Who has the very file already keeps it, and a removal removes it.
	if err := os.Remove(b.Path(name)); err != nil {
		t.Fatal(err)
	}
	b.Commit("no film")
	if _, err := trySync(b, syncing.Options{WithForeign: true}); err != nil {
		t.Fatal(err)
	}
	doSync(a)
	if _, err := os.Stat(a.Path(name)); err == nil {
		t.Error("the removed file is there")
	}
	third := content()
	b.Write(name, third)
	send(third)
	doSync(b)
	is(third)
	f.settle()
}

// TestLongNotes: a note that is too large to be merged by entry is merged as git merges
// text, on every machine in the same way.
func TestLongNotes(t *testing.T) {
	t.Parallel()
	const note = "memory/long.md"
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "- line %d of a long note, with words\n", i)
	}
	f := newFleet(t, 2, note, text.String())
	for i, l := range f.m {
		l.Git("config", "claw.maxFileBytes", "65536")
		l.Write(note, []string{"- a\n" + text.String(), text.String() + "- b\n"}[i])
		l.Commit("edit")
	}
	doSync(f.m[0])
	if res := doSync(f.m[1]); !res.Merged {
		t.Errorf("%+v", res)
	}
	f.settle()
	if got := f.m[0].ReadFile(note); got != "- a\n"+text.String()+"- b\n" {
		t.Errorf("%d bytes", len(got))
	}
}
