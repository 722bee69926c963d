package bootstrap

import (
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// The numbers of OpenClaw that no setting changes.
const (
	minLeft    = 64 // characters of the total; with fewer left loading stops
	minContent = 16 // characters beside the long marker; with fewer the short one stands

	headShare, tailShare               = .75, .25
	rulesHead, rulesDigest, rulesTail  = .45, .35, .15
	classicHeadShare, classicTailShare = .7, .2
)

// share is a part of a budget, in whole characters.
func share(n int, part float64) int { return int(float64(max(n, 0)) * part) }

// marker stands between head and tail.
type marker func(head, tail int) string

func longMarker(name string, all int) marker {
	return func(head, tail int) string {
		return fmt.Sprintf("\n[...truncated, read %s for full content...]\n…(truncated %s: kept %d+%d chars of %d)…\n", name, name, head, tail, all)
	}
}

func shortMarker(all int) marker {
	return func(head, tail int) string { return fmt.Sprintf("[…truncated %d+%d/%d]", head, tail, all) }
}

// separators are the line feeds that join head and tail to the marker.
func separators(head, tail int, mark string) int {
	n := 0
	if strings.Contains(mark, "\n") {
		if head > 0 {
			n++
		}
		if tail > 0 {
			n++
		}
	}
	return n
}

// cutOpenClaw cuts a text, right-trimmed and longer than limit, as openclaw does:
// head and tail share what the marker leaves.
func cutOpenClaw(name string, text []byte, limit int) []Piece {
	all := doc.Units(text)
	mark := longMarker(name, all)
	if empty := mark(0, 0); limit-length(empty)-separators(1, 1, empty) < minContent {
		mark = shortMarker(all)
	}
	first, last := shareOut(mark, limit)
	rest := mark(first, last)
	sep := ""
	if strings.Contains(rest, "\n") {
		sep = "\n"
	}
	end := Piece{}
	if last > 0 {
		end = tail(text, last, all)
	}
	return clamp(text, joined(sep, head(text, first), Piece{Text: rest}, end), limit, "")
}

// shareOut finds how many characters of head and tail fit beside a marker that
// names both numbers.
func shareOut(mark marker, limit int) (first, last int) {
	size := func() int {
		m := mark(first, last)
		return length(m) + separators(first, last, m)
	}
	for range 3 {
		before := length(mark(first, last))
		budget := limit - size()
		f, l := share(budget, headShare), share(budget, tailShare)
		same := f == first && l == last && length(mark(f, l)) == before
		if same {
			break
		}
		first, last = f, l
	}
	for over := first + last + size() - limit; over > 0 && (first > 0 || last > 0); over = first + last + size() - limit {
		if last > 0 {
			last = max(0, last-over)
		} else {
			first = max(0, first-over)
		}
	}
	if m := mark(1, 0); first == 0 && last == 0 && 1+length(m)+separators(1, 0, m) <= limit {
		first = 1
	}
	return first, last
}

// cutClassic cuts as openclaw did before: the marker comes on top.
func cutClassic(name string, text []byte, limit int) []Piece {
	all := doc.Units(text)
	first, last := share(limit, classicHeadShare), share(limit, classicTailShare)
	end := Piece{}
	if last > 0 {
		end = tail(text, last, all)
	}
	return joined("\n", head(text, first), Piece{Text: longMarker(name, all)(first, last)}, end)
}
