package connect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// settings edits Claude Code's settings: JSON, comments and trailing commas
// allowed. Text is spliced in and cut out; no other byte changes, whatever the
// order, indentation and line ends are.
//
// A cut has to know which brackets were there before. They say it themselves: a
// list or object that we made has white space behind its opening bracket; into
// one that was there and empty, text goes without any.
type settings struct {
	command string
	timeout int // seconds
	events  []string
}

var (
	errNotObject = errors.New("not a JSON object")
	errShape     = errors.New("hooks have a form that is not known")
)

// utf8BOM may begin a file that a Windows editor wrote.
const utf8BOM = "\xef\xbb\xbf"

// add returns the text with a hook for every event. A nil text makes a file;
// madeFolder is noted in it, for remove.
func (s settings) add(text []byte, madeFolder bool) ([]byte, error) {
	if text == nil {
		return s.whole(madeFolder), nil
	}
	body, hasBOM := bytes.CutPrefix(text, []byte(utf8BOM))
	d, err := parseSettings(body)
	if err != nil {
		return nil, err
	}
	out := splice(body, s.splices(d))
	if _, err := parseSettings(out); err != nil {
		return nil, fmt.Errorf("cannot add hooks: %w", err)
	}
	if hasBOM {
		out = append([]byte(utf8BOM), out...)
	}
	return out, nil
}

// whole is a file of our own: with a newline at its end if its folder was there.
func (s settings) whole(madeFolder bool) []byte {
	st := style{unit: "  ", newline: "\n"}
	text := "{\n" + st.unit + `"hooks": ` + s.object(st, 1, s.events) + "\n}"
	if !madeFolder {
		text += "\n"
	}
	return []byte(text)
}

// removable returns the folder to remove with a file, if it was made with it.
func removable(text []byte, dir string) []string {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return []string{dir}
	}
	return nil
}

// splices lists what to insert so that every event has its hook.
func (s settings) splices(d *document) []edit {
	var edits []edit
	var absent []string
	for _, event := range s.events {
		list := d.events[event]
		found := false
		for _, h := range d.ours {
			if h.event != event {
				continue
			}
			found = true
			if h.command != s.command {
				edits = append(edits, edit{h.literal.StartOffset, h.literal.EndOffset, string(hujson.String(s.command))})
			}
		}
		switch {
		case found:
		case list == nil:
			absent = append(absent, event)
		default:
			edits = append(edits, d.append(list, children(list), s.group))
		}
	}
	if len(absent) == 0 {
		return edits
	}
	if d.hooks == nil {
		return append(edits, d.append(d.root, memberNames(d.root), func(st style, depth int) string {
			return `"hooks": ` + s.object(st, depth, absent)
		}))
	}
	members := make([]func(style, int) string, len(absent))
	for i, event := range absent {
		members[i] = func(st style, depth int) string { return s.member(st, depth, event) }
	}
	return append(edits, d.append(d.hooks, memberNames(d.hooks), members...))
}

// remove returns the text without our hooks; nil means that nothing is left of
// a file that was ours.
func (s settings) remove(text []byte) ([]byte, error) {
	body, hasBOM := bytes.CutPrefix(text, []byte(utf8BOM))
	for {
		d, err := parseSettings(body)
		if err != nil {
			return nil, err
		}
		if len(d.ours) == 0 {
			break
		}
		edits, all := d.cut(d.ours[0])
		if all {
			return nil, nil
		}
		body = splice(body, edits)
	}
	if hasBOM {
		body = append([]byte(utf8BOM), body...)
	}
	return slices.Clip(body), nil
}

// style is how a container is written.
type style struct {
	unit    string // of indentation
	newline string
	flat    bool // on one line
}

// line is the white space before what stands at a depth: an element, or the
// bracket that closes them.
func (st style) line(depth int) string {
	if st.flat {
		return " "
	}
	return st.newline + strings.Repeat(st.unit, depth)
}

// object is the value of "hooks".
func (s settings) object(st style, depth int, events []string) string {
	var b strings.Builder
	for i, event := range events {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(st.line(depth+1) + s.member(st, depth+1, event))
	}
	return "{" + b.String() + st.line(depth) + "}"
}

// member is one event of it.
func (s settings) member(st style, depth int, event string) string {
	return strconv.Quote(event) + ": [" + st.line(depth+1) + s.group(st, depth+1) + st.line(depth) + "]"
}

// group is one element of an event: no matcher, one hook.
func (s settings) group(st style, depth int) string {
	in, item := st.line(depth+1), st.line(depth+3)
	return "{" + in + `"hooks": [` + st.line(depth+2) +
		"{" + item + `"type": "command",` + item + `"command": ` + string(hujson.String(s.command)) + "," +
		item + `"timeout": ` + strconv.Itoa(s.timeout) + st.line(depth+2) + "}" +
		in + "]" + st.line(depth) + "}"
}
