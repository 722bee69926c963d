package agent

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/breadcrumb"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
)

func referencePath(name string) string { return "reference/" + name + ".md" }

// noteFolder is where notes lie: memory/, or the root itself where the workspace
// is nothing but a folder of notes.
func noteFolder(ws *memory.Workspace) string {
	if ws.Kind("2000-01-01.md") == memory.KindDaily {
		return ""
	}
	return "memory/"
}

// planTopic adds facts, one a line, to a breadcrumb; what does not fit moves to
// the reference of the same name (SPEC TL-31 to TL-35).
func (n *noter) planTopic() ([]string, planner, error) {
	name, err := topicName(n.ws, n.opt.Topic)
	if err != nil {
		return nil, nil, err
	}
	c := newCrumb(n.ws, name, asItems(n.lines))
	if n.opt.Reference != "" {
		target, err := referenceName(n.ws, n.opt.Reference)
		if err != nil {
			return nil, nil, err
		}
		c.pointer = referencePath(target)
		if err := n.mustExist(c.pointer); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range c.facts {
		if to := breadcrumb.Pointer(f); to != "" {
			if err := n.mustExist(to); err != nil {
				return nil, nil, err
			}
		}
	}
	plan := func(files []*noteFile) (notePlan, error) {
		p := notePlan{event: eventCrumb, area: "topic", summary: name + ": " + summaryOf(n.lines), trailers: n.source()}
		short, ref, err := c.add(files[0], files[1])
		if err != nil {
			return p, err
		}
		p.edits = []noteEdit{{file: files[0], next: short, bare: c.fresh(files[0])}}
		if ref != nil {
			p.event = eventOverflow
			p.edits = append(p.edits, noteEdit{file: files[1], next: ref, bare: c.fresh(files[1])})
		}
		return p, nil
	}
	return []string{noteFolder(n.ws) + name + ".md", referencePath(name)}, plan, nil
}

func (n *noter) mustExist(rel string) error {
	ok, err := n.ws.Exists(rel)
	if err != nil || ok {
		return err
	}
	return &RefusedError{Problem: fmt.Sprintf("no such file '%s' to point to", rel), Advice: []string{
		fmt.Sprintf("write it first: git claw note --reference %s '<text>'", strings.TrimSuffix(strings.TrimPrefix(rel, "reference/"), ".md")),
	}}
}

// crumb is a breadcrumb that facts are added to.
type crumb struct {
	name    string
	limit   int64    // bytes
	facts   []string // list items
	pointer string   // where the facts point to when said, else ""
}

// fresh is the text of a new file.
func (c *crumb) fresh(f *noteFile) []byte {
	if f.exists {
		return f.text
	}
	return []byte("# " + c.name + "\n")
}

// add returns the new text of the breadcrumb and, when facts had to move there,
// of its reference.
func (c *crumb) add(short, ref *noteFile) (crumbText, refText []byte, err error) {
	own := referencePath(c.name)
	pointer := c.pointer
	if pointer == "" && ref.exists {
		pointer = own
	}
	crumbText = doc.AppendLines(c.fresh(short), c.pointing(pointer))
	if int64(len(crumbText)) <= c.limit {
		return crumbText, nil, nil
	}
	// Something must move to the reference, and something must point there.
	facts := c.pointing(pointer)
	if pointer != own && !bytes.Contains(short.text, []byte(own)) {
		last := len(facts) - 1
		facts[last] += " " + breadcrumb.Mark + own
	}
	crumbText = doc.AppendLines(c.fresh(short), facts)
	var moved []string
	for int64(len(crumbText)) > c.limit {
		kept, half := olderHalf(crumbText)
		if len(half) == 0 {
			return nil, nil, &RefusedError{
				Problem: fmt.Sprintf("the note does not fit into a breadcrumb of %d bytes", c.limit),
				Advice:  []string{fmt.Sprintf("git claw note --reference %s '<text>'", c.name)},
			}
		}
		crumbText, moved = kept, append(moved, half...)
	}
	return crumbText, doc.AppendLines(c.fresh(ref), moved), nil
}

// pointing gives every fact that points nowhere a pointer.
func (c *crumb) pointing(to string) []string {
	out := slices.Clone(c.facts)
	for i, f := range out {
		if to != "" && breadcrumb.Pointer(f) == "" {
			out[i] = f + " " + breadcrumb.Mark + to
		}
	}
	return out
}

// olderHalf takes the first half of the facts out of a breadcrumb and returns
// them as lines. A fact goes with what is nested below it; headings stay. It
// returns no lines when only one fact is left.
func olderHalf(text []byte) (kept []byte, lines []string) {
	d := doc.Parse(text)
	facts := units(d)
	facts = slices.DeleteFunc(facts, func(u unit) bool {
		k := d.Entries[u.from].Kind
		return k == doc.Heading || k == doc.Frontmatter
	})
	if len(facts) < 2 {
		return text, nil
	}
	at := 0
	for _, u := range facts[:len(facts)/2] {
		kept = append(kept, text[at:d.Entries[u.from].Start]...)
		at = d.Entries[u.to-1].Next
		lines = append(lines, u.lines(d)...)
	}
	return append(kept, text[at:]...), lines
}

// unit is an entry of the top level with what is nested below it: entries
// [from, to) of a text.
type unit struct{ from, to int }

func units(d *doc.Doc) []unit {
	var out []unit
	for i, e := range d.Entries {
		nested := e.Level > 0 && e.Kind != doc.Heading
		if nested && len(out) > 0 {
			out[len(out)-1].to = i + 1
		} else {
			out = append(out, unit{i, i + 1})
		}
	}
	return out
}

// lines returns a unit's lines without their ends and without blank lines behind
// it.
func (u unit) lines(d *doc.Doc) []string {
	text := string(d.Src[d.Entries[u.from].Start:d.Entries[u.to-1].End])
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// topicName turns a topic into the name of its breadcrumb (SPEC TL-22, TL-35).
// The name of an existing file is taken as it is.
func topicName(ws *memory.Workspace, said string) (string, error) {
	name, err := fileName(ws, noteFolder(ws), said)
	if err != nil {
		return "", err
	}
	switch {
	case looksDated(name):
		return "", &UsageError{Problem: fmt.Sprintf("topic '%s' looks like a daily note", said), Hint: "leave out --topic to write today's note"}
	case slices.ContainsFunc([]string{"working-buffer", "index", "MEMORY"}, func(n string) bool { return strings.EqualFold(n, name) }):
		return "", &UsageError{Problem: fmt.Sprintf("topic '%s' has a meaning of its own", said)}
	}
	return name, nil
}

func referenceName(ws *memory.Workspace, said string) (string, error) {
	return fileName(ws, "reference/", said)
}

// fileName turns what was said into the name, without ending, of a file that
// lies directly in a folder, which ends in a slash.
func fileName(ws *memory.Workspace, folder, said string) (string, error) {
	if found := secret.New().Scan([]byte(said)); len(found) > 0 {
		return "", &UsageError{Problem: "the name holds a secret (" + found[0].Kind + "); names are in every list of files"}
	}
	name := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(said), ".md"), folder)
	if !strings.ContainsAny(name, "/\\\x00\n") && name != "" && !strings.HasPrefix(name, ".") {
		ok, err := ws.Exists(folder + name + ".md")
		if err != nil {
			return "", err
		}
		if ok {
			return name, nil
		}
	}
	kebab := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), "-")
	const longest = 100 // bytes; file systems end at 255
	if kebab == "" || strings.ContainsAny(name, "/\\") || len(kebab) > longest {
		return "", &UsageError{Problem: fmt.Sprintf("'%s' is no name for a file in '%s'", said, "./"+folder), Hint: "use a few words, such as client-onboarding"}
	}
	return kebab, nil
}

// looksDated reports whether a name begins like that of a daily note.
func looksDated(name string) bool {
	_, verdict := daily.Name(name)
	return verdict != daily.NotDated
}
