package curate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
)

// Class says where something that a session leaves behind goes (SPEC TL-21).
type Class string

// The classes.
const (
	Rule     Class = "rule"     // AGENTS.md
	Tool     Class = "tool"     // TOOLS.md, or `## Tools` of AGENTS.md
	Style    Class = "style"    // USER.md
	Live     Class = "live"     // MEMORY.md
	Done     Class = "done"     // today's note
	Decision Class = "decision" // today's note
	History  Class = "history"  // today's note
	Fact     Class = "fact"     // a breadcrumb
	Deep     Class = "deep"     // a reference
)

// Classes lists all of them.
var Classes = []Class{Rule, Tool, Style, Live, Done, Decision, History, Fact, Deep}

// Entry is one thing to keep.
type Entry struct {
	Class Class
	// Name is the section to replace in a rule file or MEMORY.md, "" to add; of a fact and
	// of what goes deep it is the topic.
	Name string
	Text string
}

// named: classes whose name is a topic, and cannot be left out.
func (c Class) named() bool { return c == Fact || c == Deep }

// ParseEntries reads `<class>[#<name>]: <text>` lines, or JSON objects with class, name and
// text, one a line or in a list. A line of another form goes on with the text before it.
func ParseEntries(text string) ([]Entry, error) {
	var out []Entry
	var err error
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		out, err = fromJSON(trimmed)
	} else {
		out, err = fromLines(text)
	}
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := out[i].check(); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, &agent.UsageError{Problem: "there is nothing to keep", Hint: "write lines such as 'done: the kiln is fired' or 'fact#kiln: it needs nine hours'"}
	}
	return out, nil
}

func fromLines(text string) ([]Entry, error) {
	var out []Entry
	for i, line := range said(text) {
		e, ok := entryOf(line)
		switch {
		case ok:
			out = append(out, e)
		case len(out) > 0:
			out[len(out)-1].Text += "\n" + line
		case strings.TrimSpace(line) != "":
			return nil, &agent.UsageError{Problem: fmt.Sprintf("line %d has no class: '%s'", i+1, clip(line)), Hint: classHint()}
		}
	}
	return out, nil
}

func classHint() string {
	words := make([]string, len(Classes))
	for i, c := range Classes {
		words[i] = string(c)
	}
	return "classes are " + strings.Join(words, ", ") + "; write 'rule: <text>', 'rule#<section>: <text>' or 'fact#<topic>: <text>'"
}

// entryOf reads a line that begins an entry.
func entryOf(line string) (e Entry, ok bool) {
	head, text, ok := strings.Cut(line, ":")
	if !ok {
		return e, false
	}
	class, name, _ := strings.Cut(head, "#")
	e = Entry{Class: Class(strings.ToLower(strings.TrimSpace(class))), Name: strings.TrimSpace(name), Text: strings.TrimSpace(text)}
	return e, slices.Contains(Classes, e.Class)
}

func fromJSON(text string) ([]Entry, error) {
	type object struct{ Class, Name, Section, Topic, Text string }
	var all []object
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var one object
		var err error
		if strings.HasPrefix(text, "[") {
			var list []object
			err = dec.Decode(&list)
			all = append(all, list...)
		} else if err = dec.Decode(&one); err == nil {
			all = append(all, one)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, &agent.UsageError{Problem: "the JSON cannot be read: " + err.Error(), Hint: `write {"class": "fact", "topic": "kiln", "text": "..."}, one a line`}
		}
	}
	out := make([]Entry, len(all))
	for i, o := range all {
		name := o.Name + o.Section
		if o.Topic != "" {
			name = o.Topic
		}
		out[i] = Entry{Class: Class(strings.ToLower(o.Class)), Name: strings.TrimSpace(name), Text: o.Text}
	}
	return out, nil
}

func (e *Entry) check() error {
	e.Text = strings.Trim(e.Text, "\r\n")
	switch {
	case !slices.Contains(Classes, e.Class):
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' is no class", e.Class), Hint: classHint()}
	case strings.TrimSpace(e.Text) == "":
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' has no text", e.Class)}
	case strings.ContainsRune(e.Text+e.Name, 0):
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' holds a NUL byte", e.Class)}
	case strings.ContainsAny(e.Name, "\r\n"):
		return &agent.UsageError{Problem: fmt.Sprintf("the name of '%s' has more than one line", e.Class)}
	case e.Class.named() && e.Name == "":
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' needs a topic", e.Class), Hint: fmt.Sprintf("write '%s#<topic>: <text>'", e.Class)}
	case e.Name != "" && (e.Class == Done || e.Class == Decision || e.Class == History):
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' goes to today's note and takes no name", e.Class)}
	}
	return nil
}

// lines are those of the text; one plain line becomes a list item.
func (e *Entry) lines() []string {
	lines := said(e.Text)
	if len(lines) == 1 {
		return agent.Items(lines)
	}
	return lines
}
