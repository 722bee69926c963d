// Package breadcrumb reads the short notes on one topic each, which point from a fact to its detail in
// reference/ (SPEC section 2.3).
package breadcrumb

import (
	"bytes"
	"strings"

	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
)

// Mark leads from a fact to its detail (SPEC TL-32); `->` is read too.
const Mark = "→ Deep dive: "

// ReferenceDir is where the details are.
const ReferenceDir = "reference/"

// Is reports whether a path is that of a breadcrumb: memory/<topic>.md, and no daily note (SPEC
// TL-35).
func Is(rel string) bool {
	name, ok := strings.CutPrefix(rel, "memory/")
	topic, md := strings.CutSuffix(name, ".md")
	if !ok || !md || strings.Contains(name, "/") || topic == "" {
		return false
	}
	switch topic {
	case "working-buffer", "index", "MEMORY":
		return false
	}
	_, verdict := daily.Name(name)
	return verdict == daily.NotDated
}

// Pointer returns the file that a fact points to, "" when it points nowhere.
func Pointer(fact string) string {
	if all := pointers(fact); len(all) > 0 {
		return all[0]
	}
	return ""
}

func pointers(text string) []string {
	const words = "Deep dive:"
	var out []string
	for {
		at := strings.Index(text, words)
		if at < 0 {
			return out
		}
		before := strings.TrimRight(text[:at], " *_")
		text = text[at+len(words):]
		if !strings.HasSuffix(before, "→") && !strings.HasSuffix(before, "->") {
			continue
		}
		if file := reference(strings.TrimLeft(text, " \t*_`[(")); file != "" {
			out = append(out, file)
		}
	}
}

// reference returns the path into reference/ that a text begins with, "" for none.
func reference(text string) string {
	if !strings.HasPrefix(text, ReferenceDir) {
		return ""
	}
	end := strings.IndexAny(text, " \t\r\n`)]>#\"'|,;")
	if end < 0 {
		end = len(text)
	}
	return strings.TrimRight(text[:end], ".:")
}

// Link is a pointer of a text.
type Link struct {
	Target string // reference/…
	Line   int    // from 1
}

// Pointers lists the pointers of a text that stand outside of code fences.
func Pointers(src []byte) []Link {
	if !bytes.Contains(src, []byte("Deep dive:")) {
		return nil
	}
	var out []Link
	var fences doc.Fences
	number := 0
	for l := range bytes.Lines(src) {
		number++
		if fences.Next(l) {
			continue
		}
		for _, target := range pointers(string(l)) {
			out = append(out, Link{target, number})
		}
	}
	return out
}

// longestPath bounds what is read of a path; file systems end at 4,096 bytes.
const longestPath = 4096

// Mentions lists the files of reference/ that a text names, in whatever way, each once.
func Mentions(src []byte) []string {
	var out []string
	seen := map[string]bool{}
	for {
		at := bytes.Index(src, []byte(ReferenceDir))
		if at < 0 {
			return out
		}
		src = src[at:]
		if file := reference(string(src[:min(len(src), longestPath)])); len(file) > len(ReferenceDir) && !seen[file] {
			seen[file] = true
			out = append(out, file)
		}
		src = src[len(ReferenceDir):]
	}
}

// Fact is a list item of a breadcrumb that is not nested.
type Fact struct {
	Line    int    // from 1
	OneLine bool   // nothing goes on below it
	Pointer string // "" for none
}

// Facts lists the facts of a breadcrumb.
func Facts(d *doc.Doc) []Fact {
	var out []Fact
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind == doc.Heading || e.Kind != doc.Item && e.Level == 0 {
			continue
		}
		if e.Level > 0 {
			if n := len(out); n > 0 {
				out[n-1].OneLine = false
			}
			continue
		}
		own := string(e.OwnText())
		out = append(out, Fact{Line: e.OwnLine, OneLine: !strings.Contains(own, "\n"), Pointer: Pointer(own)})
	}
	return out
}
