package bootstrap

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-claw/git-claw/memory/doc"
)

// maxDigestLine is the most that the digest shows of a line.
const maxDigestLine = 240

// digestWords are the patterns by which openclaw finds the rules in AGENTS.md.
// They are made when a file is that long, which few are.
var digestWords = sync.OnceValue(func() (w struct{ mark, rule, first *regexp.Regexp }) {
	w.mark = regexp.MustCompile(`^(?:#{1,6}|[-*+]|\d+[.)])\s+\S`)
	w.rule = regexp.MustCompile(`(?i)\b(?:AGENTS\.md|scoped|required|must|never|do not|before subtree|read scoped|owner|security|secret|credential|test|validation|command|commit|push|github|pr)\b|🔴|禁止|嚴禁|不得|絕不|絕對不|切勿|必須|務必|一律|紅線`)
	w.first = regexp.MustCompile(`(?i)\b(?:AGENTS\.md|scoped|required|must|never|do not|before subtree|read scoped|security|secret|credential)\b|🔴|禁止|嚴禁|不得|絕不|絕對不|切勿`)
	return w
})

// policy is a line that the digest may hold, below the prose that leads to it.
type policy struct {
	text  string
	first bool // chosen before others
}

func policies(text []byte) []policy {
	words := digestWords()
	var out []policy
	prose := ""
	for _, line := range lineStrings(text) {
		line = digestLine(line)
		switch {
		case line == "", strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			prose = ""
		case words.mark.MatchString(line) || words.rule.MatchString(line):
			p := policy{line, words.first.MatchString(line)}
			if prose != "" {
				p.text = prose + "\n" + line
			}
			out = append(out, p)
			prose = ""
		default:
			prose = line
		}
	}
	return out
}

// digestLine is a line with single spaces, cut to what the digest shows.
func digestLine(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if length(line) <= maxDigestLine {
		return line
	}
	return line[:doc.ByteAt([]byte(line), maxDigestLine-1, false)] + "…"
}

// digest chooses the lines that fit, in their order.
func digest(list []policy, budget int) (text string, left int) {
	if budget <= 0 {
		return "", 0
	}
	chosen := make([]bool, len(list))
	used, n := 0, 0
	for _, first := range []bool{true, false} {
		for i, p := range list {
			need := length(p.text) + min(n, 1)
			if chosen[i] || first && !p.first || used+need > budget {
				continue
			}
			chosen[i] = true
			used += need
			n++
		}
	}
	var lines []string
	for i, p := range list {
		if chosen[i] {
			lines = append(lines, p.text)
		}
	}
	return strings.Join(lines, "\n"), len(list) - n
}

// cutRules cuts AGENTS.md as openclaw does: between head and tail stands a digest
// of the lines that look like rules.
func cutRules(name string, text []byte, limit int) []Piece {
	all := doc.Units(text)
	first, last, budget := share(limit, rulesHead), share(limit, rulesTail), share(limit, rulesDigest)
	var list []policy
	if budget > 0 {
		list = policies(text)
	}
	lines, left := digest(list, budget)
	render := func() []Piece {
		pieces := []Piece{head(text, first), {Text: "[...truncated, read " + name + " for full content...]"}}
		if lines != "" {
			pieces = append(pieces, Piece{Text: "[Policy digest from " + name + "]"}, Piece{Text: lines})
		}
		if left > 0 {
			pieces = append(pieces, Piece{Text: fmt.Sprintf("[...%d more policy lines omitted...]", left)})
		}
		pieces = append(pieces, Piece{Text: fmt.Sprintf("…(truncated %s: kept %d+policy %d+%d chars of %d)…", name, first, length(lines), last, all)})
		if last > 0 {
			pieces = append(pieces, tail(text, last, all))
		}
		return joined("\n", pieces...)
	}
	out := render()
	for over := unitsOf(text, out) - limit; over > 0 && (last > 0 || first > 1 || budget > 0); over = unitsOf(text, out) - limit {
		switch {
		case last > 0:
			last = max(0, last-over)
		case first > 1:
			first = max(1, first-over)
		default:
			budget = max(0, budget-over)
			lines, left = digest(list, budget)
		}
		out = render()
	}
	return clamp(text, slices.Clip(out), limit, "")
}
