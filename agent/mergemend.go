package agent

import (
	"bytes"
	"context"
	"errors"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/merge"
)

// Mend unites the two sides of conflict markers that somebody committed, or that a git
// without git claw left, by the rules of a kind of file. It returns false where there are
// none. In a code fence they are text (SPEC GN-23).
func Mend(kind merge.Kind, text []byte) (merge.Result, bool) {
	if sides, ok := unmark(kind, text); ok && !(hasEntries(kind) && nestsBases(text)) {
		sides, overruled, _ := mendAll(kind, sides) // one conflict inside of another
		res, err := merge.Three(merge.Input{Kind: kind, Base: sides[0], Ours: sides[1], Theirs: sides[2]})
		if res.Overruled = append(overruled, res.Overruled...); err != nil || !hasEntries(kind) || !tangled(res.Content) {
			return res, err == nil
		}
	}
	if !hasEntries(kind) {
		return merge.Result{}, false
	}
	content, ok := untangle(text)
	return merge.Result{Content: content}, ok
}

// mendAll is Mend for base, ours and theirs, with the values of the sides that it had to choose
// between. It returns false where no side has markers. The base is mended, too: of an entry that
// stands twice in it each side would keep another one, and the merge none.
func mendAll(kind merge.Kind, texts [3][]byte) (mended [3][]byte, overruled []merge.Overruled, ok bool) {
	for i, t := range texts {
		mended[i] = t
		res, had := Mend(kind, t)
		if !had {
			continue
		}
		if mended[i] = res.Content; i > 0 {
			overruled, ok = append(overruled, res.Overruled...), true
		}
	}
	return mended, overruled, ok
}

// unmark reads the base and the two sides out of a text with conflict markers. Between
// markers without a base, entries that are alike count as versions of one, and the rest as
// additions of both sides. Where markers were merged as text once more, a side has them in
// turn. ok is false where no conflict is complete.
func unmark(kind merge.Kind, text []byte) (sides [3][]byte, ok bool) {
	if sides, ok = parted(kind, text, true); !ok {
		sides, ok = parted(kind, text, false)
	}
	return sides, ok
}

func parted(kind merge.Kind, text []byte, nested bool) (sides [3][]byte, ok bool) {
	begin, base, middle, end := []byte("<<<<<<< "), []byte("||||||| "), []byte("======="), []byte(">>>>>>> ")
	if !bytes.Contains(text, begin) {
		return sides, false
	}
	const outside = -1
	at, half, depth := outside, false, 0
	var from [3]int // where each side has what is between the markers
	known := false  // the base is there
	var fences doc.Fences
	for _, line := range doc.SplitLines(text) {
		bare := bytes.TrimRight(line, "\r\n")
		fenced := at == outside && fences.Next(line)
		switch {
		case fenced:
		case at == outside && bytes.HasPrefix(line, begin):
			at, half, known = 1, false, false
			for i := range sides {
				from[i] = len(sides[i])
			}
			continue
		case nested && bytes.HasPrefix(line, begin):
			depth++
		case depth > 0:
			if bytes.HasPrefix(line, end) {
				depth--
			}
		case at == 1 && bytes.HasPrefix(line, base):
			at, known = 0, true
			continue
		case (at == 1 || at == 0) && bytes.Equal(bare, middle):
			at, half = 2, true
			continue
		case at == 2 && half && bytes.HasPrefix(line, end):
			if at, ok = outside, true; !known && hasEntries(kind) {
				sides[0] = append(sides[0], merge.Common(sides[1][from[1]:], sides[2][from[2]:])...)
			}
			continue
		}
		for i := range sides {
			if at == outside || at == i {
				sides[i] = append(sides[i], line...)
			}
		}
	}
	return sides, ok && at == outside
}

// mends reports whether the sides of conflict markers in files of a kind can be united.
func mends(kind merge.Kind) bool { return kind != merge.Text }

// Mends is mends for a file, named from the top level.
func Mends(ws *memory.Workspace, file string) bool { return mends(entryKind(ws.Repo.TopLevel, file)) }

// MergesByEntry reports whether a file, named from the top level, is merged entry by entry.
func MergesByEntry(ws *memory.Workspace, file string) bool {
	return hasEntries(entryKind(ws.Repo.TopLevel, file))
}

// MendFile is Mend for a file, named from the top level.
func MendFile(ws *memory.Workspace, file string, text []byte) ([]byte, []Overruled, bool) {
	res, ok := Mend(entryKind(ws.Repo.TopLevel, file), text)
	return res.Content, sortOverruled(map[string][]merge.Overruled{file: res.Overruled}), ok
}

// MendUnmerged merges a file that git left unmerged in the work tree. text is the file as
// it is now: as git left it, it is merged anew from the three versions. Where somebody
// edited it since, what is between markers is merged by its sides, and a file without any,
// of which git may have kept one side alone, with what the other side has. ok is false
// where only a person can.
func MendUnmerged(ctx context.Context, ws *memory.Workspace, file string, base, ours, theirs, text []byte) (merged []byte, overruled []Overruled, ok bool) {
	kind := entryKind(ws.Repo.TopLevel, file)
	if !mends(kind) {
		return nil, nil, false
	}
	if !asGitLeft(ctx, ws, base, ours, theirs, text) {
		ours = text
		if sides, marked := unmark(kind, text); marked && !(hasEntries(kind) && nestsBases(text)) {
			// Around the markers git has merged already, so that the base is not that of
			// the sides any more.
			base, ours, theirs = sides[0], sides[1], sides[2]
		} else if whole, ok := untangle(text); ok && hasEntries(kind) {
			ours = whole
		} else if bytes.Contains(text, []byte("<<<<<<< ")) {
			return nil, nil, false // half of a conflict
		}
	}
	texts, before, _ := mendAll(kind, [3][]byte{base, ours, theirs})
	base, ours, theirs = texts[0], texts[1], texts[2]
	res, err := merge.Three(merge.Input{Kind: kind, Base: base, Ours: ours, Theirs: theirs})
	if errors.Is(err, merge.ErrText) && kind == merge.JSON && len(ours) > 0 && len(theirs) > 0 {
		kept, lost := oneJSON(ours, theirs, nil)
		res, err = merge.Result{Content: kept, Overruled: []merge.Overruled{{Kept: kept, Lost: lost}}}, nil
	}
	return res.Content, sortOverruled(map[string][]merge.Overruled{file: append(before, res.Overruled...)}), err == nil
}

// asGitLeft reports whether a text with conflict markers is what git makes of the three
// versions, whatever it wrote behind the markers.
func asGitLeft(ctx context.Context, ws *memory.Workspace, base, ours, theirs, text []byte) bool {
	if !tangled(text) {
		return false
	}
	left, _, err := ws.Repo.MergeText(ctx, base, ours, theirs)
	return err == nil && bytes.Equal(withoutLabels(left), withoutLabels(text))
}

func withoutLabels(text []byte) []byte {
	var out []byte
	for _, l := range doc.SplitLines(text) {
		if m := markerOf(l); m != 0 {
			out = append(out, m, '\n')
			continue
		}
		out = append(out, l...)
	}
	return out
}
