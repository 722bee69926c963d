package agent

import (
	"bytes"
	"errors"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory/doc"
)

// carryHeld is CarryOver for a file that is saved but for lines that are held back from
// git. Where what came changed the place at which they stand, it is taken, and they stand
// behind it: nobody has to choose, for they are not in git anyway.
func carryHeld(b *bringer, path string, cur gitops.TreeEntry, now, want []byte) (*gitops.Place, error) {
	pl, err := CarryOver(b.ws, path, cur, now, want)
	var unsaved *UnsavedError
	if !errors.As(err, &unsaved) || !unsaved.Same || !isText(path, want) {
		return pl, err
	}
	work, mode, rerr := b.ws.Repo.ReadWork(path, 0)
	if rerr != nil || mode != gitops.ModeFile || bytes.Contains(work, []byte("\r\n")) {
		return nil, err
	}
	if kept, found := hooks.WithoutSecrets(secret.New(), now, work); len(found) == 0 || !bytes.Equal(kept, now) {
		return nil, err
	}
	return &gitops.Place{Base: work, Existed: true, Content: withHeld(now, work, want)}, nil
}

// withHeld puts the lines that work has and now has not into want: behind what stands
// there in the place of what they replaced.
func withHeld(now, work, want []byte) []byte {
	came := doc.LineDiff(now, want)
	held, lines := doc.SplitLines(work), doc.SplitLines(want)
	var out []byte
	add := func(line []byte) {
		if n := len(out); n > 0 && out[n-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, line...)
	}
	at := 0
	for _, h := range doc.LineDiff(now, work) {
		from := lineIn(came, h.OldFrom)
		to := from + h.OldTo - h.OldFrom
		if touched(came, h.OldFrom, h.OldTo) {
			to = lineIn(came, h.OldTo)
			from = to // what came is new there, and stays
		}
		for ; at < from; at++ {
			add(lines[at])
		}
		at = max(at, to)
		for _, l := range held[h.NewFrom:h.NewTo] {
			add(l)
		}
	}
	for ; at < len(lines); at++ {
		add(lines[at])
	}
	return out
}

// lineIn is where the place before a line of the old text is in the new one, behind what
// replaced the lines above it.
func lineIn(hunks []doc.LineHunk, line int) int {
	shift := 0
	for _, h := range hunks {
		switch {
		case h.OldTo <= line && (h.OldFrom < line || h.OldFrom == h.OldTo):
			shift = h.NewTo - h.OldTo
		case h.OldFrom < line:
			return h.NewTo
		}
	}
	return line + shift
}

// touched reports whether a hunk changes one of these lines of the old text.
func touched(hunks []doc.LineHunk, from, to int) bool {
	for _, h := range hunks {
		if h.OldFrom < to && h.OldTo > from {
			return true
		}
	}
	return false
}

// aside is what to do with a file that is in the way of what came, and that no save takes.
func (b *bringer) aside(c gitops.TreeChange, e *UnsavedError) []string {
	rel, inside := strings.CutPrefix(c.Path, b.ws.Prefix)
	switch {
	case e.Same && inside && b.ws.Managed(rel):
		return []string{
			"lines that are held back stand where something came: take them out, sync, and put them back",
			"git claw diff -- " + shellQuote(rel),
		}
	case c.Old.IsZero():
		file := shellQuote(b.ws.Repo.TopLevel + "/" + c.Path)
		return []string{"to put it aside: mv " + file + " " + file + ".mine && git claw sync"}
	}
	return []string{"to put your edits aside meanwhile: git stash push -- " + shellQuote(":/"+c.Path) + " && git claw sync && git stash pop"}
}
