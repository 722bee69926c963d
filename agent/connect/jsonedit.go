package connect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// edit replaces text[from:to].
type edit struct {
	from, to int
	text     string
}

// splice makes edits that do not overlap.
func splice(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(text[at:])
	return out.Bytes()
}

// document is parsed settings. Values keep their offsets in text.
type document struct {
	text   []byte
	root   *hujson.Value            // an object
	hooks  *hujson.Value            // the member "hooks", an object; nil if absent
	events map[string]*hujson.Value // members of it, lists
	ours   []ourHook
}

// ourHook is one hook of ours and all that holds it, outermost first: the root,
// its hooks, the list of an event, a group, the list of the group.
type ourHook struct {
	event   string
	command string
	literal *hujson.Value // the command's string
	path    []step
}

// step is a container and which of its members or elements leads on.
type step struct {
	in *hujson.Value
	at int
}

// parseSettings reads settings and finds our hooks in them.
func parseSettings(text []byte) (*document, error) {
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errNotObject
	}
	d := &document{text: text, root: &root, events: map[string]*hujson.Value{}}
	at := memberIndex(object, "hooks")
	if at < 0 {
		return d, nil
	}
	d.hooks = &object.Members[at].Value
	events, ok := d.hooks.Value.(*hujson.Object)
	if !ok {
		return nil, errShape
	}
	for i := range events.Members {
		m := &events.Members[i]
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			return nil, errShape
		}
		name := m.Name.Value.(hujson.Literal).String()
		if memberIndex(events, name) != i {
			continue // a name said twice: the last one counts
		}
		d.events[name] = &m.Value
		for g := range list.Elements {
			d.findOurs(name, &list.Elements[g], []step{{d.root, at}, {d.hooks, i}, {&m.Value, g}})
		}
	}
	return d, nil
}

// findOurs looks at the hooks of one group.
func (d *document) findOurs(event string, group *hujson.Value, path []step) {
	object, ok := group.Value.(*hujson.Object)
	if !ok {
		return
	}
	at := memberIndex(object, "hooks")
	if at < 0 {
		return
	}
	list, ok := object.Members[at].Value.Value.(*hujson.Array)
	if !ok {
		return
	}
	for i := range list.Elements {
		hook, ok := list.Elements[i].Value.(*hujson.Object)
		if !ok {
			continue
		}
		c := memberIndex(hook, "command")
		if c < 0 {
			continue
		}
		literal := &hook.Members[c].Value
		word, ok := literal.Value.(hujson.Literal)
		if !ok {
			continue
		}
		if _, ok := recordedBinary(word.String()); ok {
			full := append(slices.Clone(path), step{group, at}, step{&object.Members[at].Value, i})
			d.ours = append(d.ours, ourHook{event, word.String(), literal, full})
		}
	}
}

// memberIndex finds the last member of a name, as readers of JSON do; -1 if
// there is none.
func memberIndex(o *hujson.Object, name string) int {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			return i
		}
	}
	return -1
}

// memberNames returns an object's members as spans from name to value.
func memberNames(v *hujson.Value) []hujson.Value {
	o := v.Value.(*hujson.Object)
	out := make([]hujson.Value, len(o.Members))
	for i, m := range o.Members {
		out[i] = hujson.Value{BeforeExtra: m.Name.BeforeExtra, StartOffset: m.Name.StartOffset, EndOffset: m.Value.EndOffset}
	}
	return out
}

// append inserts elements at the end of a container whose elements are given.
func (d *document) append(in *hujson.Value, have []hujson.Value, add ...func(style, int) string) edit {
	depth := d.depth(in) + 1
	st := d.style(in)
	if len(have) == 0 {
		st.flat = true
		parts := []string{}
		for _, m := range add {
			parts = append(parts, m(st, depth))
		}
		at := in.StartOffset + 1
		return edit{at, at, strings.Join(parts, ",")}
	}
	end := have[len(have)-1].EndOffset
	before, after := ",", ""
	if comma := d.comma(end); comma >= 0 { // keep the trailing comma trailing
		end, before, after = comma+1, "", ","
	}
	var b strings.Builder
	for _, m := range add {
		b.WriteString(before + st.line(depth) + m(st, depth) + after)
	}
	return edit{end, end, b.String()}
}

// cut lists what goes with a hook: the hook, and whatever holds nothing else and
// is ours. all says that this is the whole file.
func (d *document) cut(h ourHook) (edits []edit, all bool) {
	const inEvent, inGroup, inList = 2, 3, 4
	if !d.alone(h.path[inList]) || !plainGroup(h.path[inGroup].in) {
		return d.without(h.path[inList]), false
	}
	// A program that wrote the file anew without white space took away the sign
	// of what was there before: then nothing empty is left behind.
	anew := !d.made(h.path[inGroup].in)
	level := inEvent
	for d.alone(h.path[level]) && (anew || d.made(h.path[level].in)) {
		if level == 0 {
			outside := string(d.text[:d.root.StartOffset]) + string(d.text[d.root.EndOffset:])
			return d.without(h.path[0]), strings.TrimSpace(outside) == ""
		}
		level--
	}
	return d.without(h.path[level]), false
}

// plainGroup reports whether a group has nothing but hooks and a matcher.
func plainGroup(group *hujson.Value) bool {
	for v := range group.All() {
		if v != group && (comment(v.BeforeExtra) || comment(v.AfterExtra)) {
			return false
		}
	}
	for _, m := range group.Value.(*hujson.Object).Members {
		if name := m.Name.Value.(hujson.Literal).String(); name != "hooks" && name != "matcher" {
			return false
		}
	}
	return true
}

// comment reports whether the space around a value holds one.
func comment(extra hujson.Extra) bool { return bytes.IndexByte(extra, '/') >= 0 }

// alone reports whether a container holds one thing and no comment.
func (d *document) alone(s step) bool {
	spans := children(s.in)
	if len(spans) != 1 {
		return false
	}
	rest := string(d.text[s.in.StartOffset+1:spans[0].StartOffset]) + string(d.text[spans[0].EndOffset:s.in.EndOffset-1])
	return strings.Trim(rest, " \t\r\n,") == ""
}

// made reports whether a container is not one that was there and empty.
func (d *document) made(in *hujson.Value) bool {
	spans := children(in)
	return len(spans) > 0 && spans[0].StartOffset > in.StartOffset+1
}

// without cuts one element, the white space before it and one comma.
func (d *document) without(s step) []edit {
	spans := children(s.in)
	v := spans[s.at]
	from := v.StartOffset
	for !comment(v.BeforeExtra) && from > 0 && isSpace(d.text[from-1]) {
		from-- // but the end of a line comment stays
	}
	edits := []edit{{from, v.EndOffset, ""}}
	if comma := d.comma(v.EndOffset); comma >= 0 {
		edits = append(edits, edit{comma, comma + 1, ""})
	} else if s.at > 0 {
		comma := d.comma(spans[s.at-1].EndOffset)
		edits = append(edits, edit{comma, comma + 1, ""})
	}
	return edits
}

// children returns the spans of a container's elements or members.
func children(v *hujson.Value) []hujson.Value {
	if a, ok := v.Value.(*hujson.Array); ok {
		return a.Elements
	}
	return memberNames(v)
}

// comma returns the offset of a comma that follows at, behind white space and
// comments; -1 if something else does.
func (d *document) comma(at int) int {
	for at < len(d.text) {
		switch rest := d.text[at:]; {
		case isSpace(rest[0]):
			at++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				return -1
			}
			at += n
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				return -1
			}
			at += n + 2
		case rest[0] == ',':
			return at
		default:
			return -1
		}
	}
	return -1
}

// style returns how a container is written.
func (d *document) style(in *hujson.Value) style {
	st := style{unit: "  ", newline: "\n"}
	st.flat = bytes.IndexByte(d.text[in.StartOffset:in.EndOffset], '\n') < 0
	if bytes.Contains(d.text, []byte("\r\n")) {
		st.newline = "\r\n"
	}
	if spans := children(d.root); len(spans) > 0 {
		if unit, ok := d.indent(spans[0].StartOffset); ok && unit != "" {
			st.unit = unit
		}
	}
	return st
}

// indent returns the white space between the start of the line and at, if there
// is nothing else.
func (d *document) indent(at int) (string, bool) {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	space := string(d.text[start:at])
	return space, start > 0 && strings.Trim(space, " \t") == ""
}

// depth counts the containers around one of ours: root, hooks, an event.
func (d *document) depth(in *hujson.Value) int {
	switch in {
	case d.root:
		return 0
	case d.hooks:
		return 1
	}
	return 2
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// claudeHooks returns the commands of our hooks in settings; none if they
// cannot be read.
func claudeHooks(text []byte) []string {
	d, err := parseSettings(bytes.TrimPrefix(text, []byte(utf8BOM)))
	if err != nil {
		return nil
	}
	var out []string
	for _, h := range d.ours {
		out = append(out, h.command)
	}
	return out
}

// switchedOff reports whether settings tell Claude Code to run no hooks.
func switchedOff(text []byte) bool {
	d, err := parseSettings(bytes.TrimPrefix(text, []byte(utf8BOM)))
	if err != nil {
		return false
	}
	object := d.root.Value.(*hujson.Object)
	at := memberIndex(object, "disableAllHooks")
	if at < 0 {
		return false
	}
	l, ok := object.Members[at].Value.Value.(hujson.Literal)
	return ok && l.Bool()
}
