package agent

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// block is a piece of Markdown with the blank lines behind it.
type block struct{ text, gap string }

// randomBlocks makes a document of all kinds of entries, with the blank lines
// that people leave, or do not.
func randomBlocks(r *rand.Rand) []block {
	var out []block
	if r.IntN(4) == 0 {
		out = append(out, block{"---\nname: " + words(r, 1) + "\ndescription: a: b: " + words(r, 2) + "\n---\n", "\n"})
	}
	for range 6 + r.IntN(12) {
		out = append(out, randomBlock(r))
	}
	return out
}

func randomBlock(r *rand.Rand) block {
	gap := []string{"", "\n", "\n", "\n\n"}[r.IntN(4)]
	w := func(n int) string { return words(r, n) }
	switch r.IntN(9) {
	case 0:
		return block{strings.Repeat("#", 1+r.IntN(3)) + " " + w(2) + "\n", gap}
	case 1:
		return block{"- " + w(4) + "\n  " + w(3) + "\n  - " + w(2) + "\n", gap}
	case 2:
		return block{"```\n" + w(2) + "\n\n# " + w(1) + "\n- " + w(1) + "\n```\n", "\n"}
	case 3:
		return block{w(5) + "\n" + w(4) + "\n", "\n"}
	case 4:
		return block{"| " + w(1) + " | " + w(1) + " |\n|---|---|\n| " + w(1) + " | " + w(1) + " |\n", "\n"}
	case 5:
		return block{fmt.Sprintf("%d. %s\n", r.IntN(9), w(3)), gap}
	case 6:
		return block{"<!-- " + w(2) + " -->\n- " + w(3) + "\n", gap}
	case 7:
		return block{"- [ ] " + w(3) + " 记忆\n", gap}
	}
	return block{"- " + w(4) + "\n", gap}
}

func textOf(blocks []block, crlf, end bool) []byte {
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(x.text + x.gap)
	}
	text := b.String()
	if !end {
		text = strings.TrimRight(text, "\n")
	}
	if crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// edits is one change of a document: of a block, by its place in the first one.
type edits struct {
	at   int
	kind int
	new  block
}

// apply makes the changes, from the last block to the first, so that places stay
// what they are.
func apply(blocks []block, changes ...edits) []block {
	out := slices.Clone(blocks)
	slices.SortFunc(changes, func(a, b edits) int { return b.at - a.at })
	for _, e := range changes {
		switch e.kind {
		case 0:
			out = slices.Delete(out, e.at, e.at+1)
		case 1:
			out = slices.Insert(out, e.at, e.new)
		case 2:
			out[e.at] = e.new
		default: // a word more, but not where it would end a fence or a frontmatter
			if strings.HasPrefix(out[e.at].text, "```") || strings.HasPrefix(out[e.at].text, "---") {
				out[e.at].text += "- " + aWordOf(e.new) + "\n"
				continue
			}
			lines := strings.SplitN(out[e.at].text, "\n", 2)
			out[e.at].text = lines[0] + " " + aWordOf(e.new) + "\n" + lines[1]
		}
	}
	return out
}

// aWordOf is a word of a block.
func aWordOf(b block) string {
	f := strings.FieldsFunc(b.text, func(r rune) bool { return r < 'a' || r > 'z' })
	return f[len(f)-1]
}

// Of two changes in different places of any document the first is taken back
// exactly, whatever the second one did, or it is refused. Never is the result
// something else.
func TestTakeBackExactly(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	ws := s.open()
	refused, exact := 0, 0
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(seed, 3))
		base := randomBlocks(r)
		a := edits{at: r.IntN(len(base)), kind: r.IntN(4), new: randomBlock(r)}
		b := edits{at: r.IntN(len(base)), kind: r.IntN(4), new: randomBlock(r)}
		if a.at-b.at < 2 && b.at-a.at < 2 {
			continue
		}
		crlf, end := r.IntN(5) == 0, r.IntN(5) > 0
		before := textOf(base, crlf, end)
		after := textOf(apply(base, a), crlf, end)
		now := textOf(apply(base, a, b), crlf, end)
		want := textOf(apply(base, b), crlf, end)
		got, err := takeBackText(ws, before, after, now)
		switch {
		case err != nil:
			refused++
		case string(got) != string(want):
			t.Errorf("seed %d: a %+v, b %+v\nbefore:\n%q\nafter:\n%q\nnow:\n%q\ngot:\n%q\nwant:\n%q", seed, a, b, before, after, now, got, want)
			if t.Failed() && seed > 200 {
				return
			}
		default:
			exact++
		}
	}
	t.Logf("%d exact, %d refused", exact, refused)
	if refused*20 > exact {
		t.Errorf("%d of %d were refused, though the changes are apart", refused, refused+exact)
	}
}

// takeBackText takes a change back from a text.
func takeBackText(ws *memory.Workspace, before, after, now []byte) ([]byte, error) {
	u := &undoer{ws: ws}
	id := func(b []byte) gitops.TreeEntry { return gitops.TreeEntry{Mode: gitops.ModeFile, ID: ws.Repo.BlobID(b)} }
	return u.merge(gitops.TreeChange{Path: "memory/a.md", Old: id(before), New: id(after)}, id(now), before, after, now)
}
