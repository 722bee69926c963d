package memory

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

func TestBlock(t *testing.T) {
	t.Parallel()
	lines := []string{"a", "b"}
	whole := blockBegin + "\na\nb\n" + blockEnd + "\n"
	for _, tt := range []struct{ name, old, want string }{
		{"new file", "", whole},
		{"behind others", "x\n", "x\n\n" + whole},
		{"last line without end", "x", "x\n\n" + whole},
		{"CRLF", "x\r\n", "x\r\n\r\n" + strings.ReplaceAll(whole, "\n", "\r\n")},
		{"there already", "x\n" + whole + "y\n", "x\n" + whole + "y\n"},
		{"with a line of somebody", blockBegin + "\nb\nmine\na\n" + blockEnd, blockBegin + "\nb\nmine\na\n" + blockEnd},
		{"a line missing", blockBegin + "\r\na\r\n" + blockEnd + "\r\n", blockBegin + "\r\na\r\nb\r\n" + blockEnd + "\r\n"},
		{"without end mark", blockBegin + "\na\n", blockBegin + "\na\n\n" + whole},
		{"a line outside does not count", "b\n" + blockBegin + "\na\n" + blockEnd + "\n", "b\n" + blockBegin + "\na\nb\n" + blockEnd + "\n"},
	} {
		got := withBlock([]byte(tt.old), lines)
		if string(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		checkBlock(t, []byte(tt.old), lines)
	}
}

// checkBlock fails unless all bytes of old are kept in order, all lines are in
// the block, and doing it again changes nothing.
func checkBlock(t *testing.T, old []byte, lines []string) {
	t.Helper()
	got := withBlock(old, lines)
	at := 0
	for _, c := range got {
		if at < len(old) && old[at] == c {
			at++
		}
	}
	_, _, have := findBlock(got)
	for _, l := range lines {
		if !slices.Contains(have, l) {
			t.Fatalf("line %q is not in the block of %q", l, got)
		}
	}
	if at != len(old) || !bytes.Equal(withBlock(got, lines), got) {
		t.Fatalf("from %q: %q, again %q", old, got, withBlock(got, lines))
	}
}

func FuzzBlock(f *testing.F) {
	f.Add([]byte("x\r\n" + blockBegin + "\na"))
	f.Add([]byte(blockEnd + "\n" + blockBegin + "\r\n" + blockEnd + "\r"))
	f.Fuzz(func(t *testing.T, old []byte) { checkBlock(t, old, []string{"a", "/b c"}) })
}

// TestAdoptionOfShapes adopts workspaces as they are found: with links, odd
// names, ignore files of all kinds. The plan touches its three files only, keeps
// their bytes, and is empty the second time.
func TestAdoptionOfShapes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	rng := rand.New(rand.NewSource(1))
	pieces := []string{"*.log", "memory/????-??-??.md", "", "\r", blockBegin, blockEnd, "!x.md", "*.key", "\xff", "# c", "/AGENTS.md merge=union"}
	for n := range 40 {
		p := newPlace(t)
		p.write(map[string]string{
			"Заметки/План [v2].md": "x\n", "~/n.md": "x\n", "-n.md": "x\n", "SOUL.md": "\xff\x00", "memory/2026-02-23-2203.md": "x",
		})
		p.link("/home/none/x", "a.md")
		p.link("loop", "loop")
		var text strings.Builder
		for range rng.Intn(8) {
			text.WriteString(pieces[rng.Intn(len(pieces))] + []string{"\n", "\r\n"}[rng.Intn(2)])
		}
		ignore := strings.TrimSuffix(text.String(), []string{"\n", ""}[rng.Intn(2)])
		p.write(map[string]string{".gitignore": ignore, ".gitattributes": ignore})
		plan := p.plan("", InitRequest{Team: n%2 == 0})
		for _, f := range plan.Files {
			if f.Path != ".claw/config" && f.Path != ".gitignore" && f.Path != ".gitattributes" {
				t.Errorf("writes '%s'", f.Path)
			}
		}
		checkBlock(t, []byte(ignore), ignoreLines("self-improving/", false, n%2 == 0))
		p.apply("", plan)
		if again := p.plan("", InitRequest{Team: n%2 == 0}); len(again.Files) > 0 {
			t.Errorf("case %d: a second init writes %q", n, fmt.Sprint(planned(again)))
		}
	}
}
