package merge

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/lessons"
)

// idOf reads the id by which an entry is the same one whatever it says: that of a lesson (SPEC LR-05)
// in a file of lessons, that of a preference (SPEC SI-36) everywhere.
func (m *merger) idOf(e *entry) string {
	text := e.text()
	if bytes.HasSuffix(bytes.TrimRight(text, " \t\r"), []byte("-->")) {
		_, fields, _ := cutMarks(string(trimLines(text)))
		for _, f := range fields {
			if id, ok := strings.CutPrefix(f, "id="); ok && strings.HasPrefix(id, "cand-") {
				return id
			}
		}
	}
	if m.in.Kind == Lessons {
		if from, to := lessonID(text, e.kind); to > 0 {
			return string(text[from:to])
		}
	}
	return ""
}

// lessonID finds the id of a lesson, `ERR-20260502-k3f`, in brackets where an item (behind its time
// stamp) or a heading begins. to is 0 when there is none.
func lessonID(text []byte, kind doc.Kind) (from, to int) {
	if kind != doc.Item && kind != doc.Heading {
		return 0, 0
	}
	line, _, _ := bytes.Cut(text, newline)
	open := bytes.IndexByte(line, '[')
	end := bytes.IndexByte(line, ']')
	if open < 0 || end < open || !isLessonID(line[open+1:end]) {
		return 0, 0
	}
	head := bytes.TrimLeft(line[:open], " \t-*+#")
	if day, _ := moment(head); len(head) > 0 && (day == "" || bytes.ContainsAny(bytes.TrimRight(head, " "), " ")) {
		return 0, 0
	}
	return open + 1, end
}

func isLessonID(id []byte) bool {
	parts := strings.Split(string(id), "-")
	if len(parts) != 3 || !slices.Contains([]string{"LRN", "ERR", "FEAT"}, parts[0]) {
		return false
	}
	return len(parts[1]) == 8 && digits([]byte(parts[1])) == 8 && len(parts[2]) > 0 && strings.Trim(parts[2], "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// lesson is a lesson of one line: `- <time> [<id>] name=value... text #pinned`.
type lesson struct {
	head   string // up to and including the id
	fields []field
	text   string
	pinned string // `#pinned`, as it stands, or ""
	more   string // further lines
}

// lessonFields are the fields of such a line; `status=500 again` is text.
var lessonFields = []string{"key", "task", "seen", "status", "to"}

func readLesson(raw []byte) (lesson, bool) {
	var l lesson
	_, to := lessonID(raw, doc.Item)
	if to == 0 {
		return l, false
	}
	l.head = string(raw[:to+1])
	line, more, found := strings.Cut(string(raw[to+1:]), "\n")
	if found {
		l.more = "\n" + more
	}
	line = strings.Trim(line, " \t\r")
	for {
		word, rest, _ := strings.Cut(line, " ")
		name, value, ok := strings.Cut(word, "=")
		if !ok || !slices.Contains(lessonFields, name) || slices.ContainsFunc(l.fields, func(f field) bool { return f.name == name }) {
			break
		}
		l.fields = append(l.fields, field{head: name + "=", name: name, value: value})
		line = strings.TrimLeft(rest, " ")
	}
	for _, mark := range []string{"#pinned:", "#pinned"} {
		if rest, ok := strings.CutSuffix(line, mark); ok && l.pinned == "" {
			l.pinned, line = mark, strings.TrimRight(rest, " ")
		}
	}
	l.text = line
	return l, true
}

func (l lesson) write() []byte {
	words := []string{l.head}
	for _, f := range l.fields {
		words = append(words, f.head+f.value)
	}
	for _, w := range []string{l.text, l.pinned} {
		if w != "" {
			words = append(words, w)
		}
	}
	return []byte(strings.Join(words, " ") + l.more)
}

// mergeLesson merges two versions of a lesson of one line: its stamps are united, the further status
// wins, and a pin of one side stays (SPEC GN-04). It fails where the text, or another field, differs.
func mergeLesson(base, one, two []byte) ([]byte, bool) {
	a, okA := readLesson(one)
	b, okB := readLesson(two)
	if !okA || !okB {
		return nil, false
	}
	o, _ := readLesson(base)
	out := a
	var ok [3]bool
	out.head, ok[0] = oneOf(o.head, a.head, b.head, len(base) == 0)
	out.text, ok[1] = oneOf(o.text, a.text, b.text, false)
	out.more, ok[2] = oneOf(o.more, a.more, b.more, false)
	if ok != [3]bool{true, true, true} {
		return nil, false
	}
	if out.pinned == "" {
		out.pinned = b.pinned
	}
	out.fields = nil
	names := func(fs []field) [][]byte {
		var n [][]byte
		for _, f := range fs {
			n = append(n, []byte(f.name))
		}
		return n
	}
	get := func(fs []field, name string) field {
		if i := slices.IndexFunc(fs, func(f field) bool { return f.name == name }); i >= 0 {
			return fs[i]
		}
		return field{head: name + "=", name: name}
	}
	for _, name := range mergeNames(names(o.fields), names(a.fields), names(b.fields)) {
		fo, fa, fb := get(o.fields, name), get(a.fields, name), get(b.fields, name)
		f, ok := mergeField(fo, fa, fb, true)
		switch {
		case name == "seen", name == "task":
			f.value = uniteStamps(fo.value, fa.value, fb.value)
		case !ok: // such as two places that it was promoted to
			return nil, false
		}
		if f.value != "" {
			out.fields = append(out.fields, f)
		}
	}
	return out.write(), true
}

// uniteStamps unites lists of time stamps in their order, and other lists in byte order.
func uniteStamps(lists ...string) string {
	var all []string
	for _, l := range lists {
		all = append(all, listOf(l)...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// oneOf returns the text that one side changed. When both did it fails, unless any of the two will do:
// then the smaller.
func oneOf(o, a, b string, any bool) (string, bool) {
	switch {
	case a == b, b == o:
		return a, true
	case a == o:
		return b, true
	}
	return min(a, b), any
}

// parted gives one of two different lessons that got one id on two machines a new one: the later in the
// total order. It is made of the lesson's own text, so that every machine makes the same.
func (m *merger) parted() {
	known := make(map[string]bool)
	for i := range m.texts[0].entries {
		known[m.texts[0].entries[i].id] = true
	}
	other := make(map[string]*entry)
	for i := range m.texts[2].entries {
		if e := &m.texts[2].entries[i]; e.id != "" && !known[e.id] {
			other[e.id] = e
		}
	}
	for i := range m.texts[1].entries {
		a := &m.texts[1].entries[i]
		b := other[a.id]
		if a.id == "" || b == nil || a.key == b.key || m.sameLesson(a, b) {
			continue
		}
		later := b
		if compareOrder(orderOf(a.text()), orderOf(b.text())) > 0 {
			later = a
		}
		m.rename(later)
	}
}

// sameLesson reports whether two entries with one id tell of one thing: they have one key, or say the
// same, or at least nearly.
func (m *merger) sameLesson(a, b *entry) bool {
	x, okX := readLesson(a.text())
	y, okY := readLesson(b.text())
	if !okX || !okY {
		return m.likeness(a, b) > 0
	}
	for _, f := range x.fields {
		if f.name == "key" && f.value != "" && slices.Contains(y.fields, f) {
			return true
		}
	}
	return doc.Likeness(doc.WordSet([]byte(x.text)), doc.WordSet([]byte(y.text))) >= alike
}

// rename gives a lesson the next id that its text makes.
func (m *merger) rename(e *entry) {
	from, to := lessonID(e.text(), e.kind)
	if to == 0 {
		return
	}
	parts := strings.Split(e.id, "-")
	day, err := time.Parse("20060102", parts[1])
	if err != nil {
		return
	}
	said := string(e.text()[to+1:])
	if l, ok := readLesson(e.text()); ok {
		said = l.text
	}
	id := lessons.NewID(parts[0], day, said, func(id string) bool { return id == e.id })
	e.raw = slices.Concat(e.raw[:e.own+from], []byte(id), e.raw[e.own+to:])
	e.id, e.key = id, m.pool.key(e.raw)
	e.body = state{keys: []int{e.key}}
}

// cutMarks splits a preference into its text and the fields of the comment at its end:
// `- <text> <!-- id=cand-… pin=0 since=2026-05-02 -->`.
func cutMarks(raw string) (text string, fields []string, ok bool) {
	at := strings.LastIndex(raw, "<!-- id=")
	if at < 0 || !strings.HasSuffix(raw, "-->") {
		return "", nil, false
	}
	return raw[:at], strings.Fields(raw[at+len("<!--") : len(raw)-len("-->")]), true
}

// mergeMarked merges two versions of a preference: a pin or its end is what one side did; of two dates
// the earlier since, the later last use. It fails where the text differs.
func mergeMarked(base, one, two []byte) ([]byte, bool) {
	o, fo, _ := cutMarks(string(base))
	a, fa, okA := cutMarks(string(trimLines(one)))
	b, fb, okB := cutMarks(string(trimLines(two)))
	if !okA || !okB {
		return nil, false
	}
	text, ok := oneOf(o, a, b, false)
	if !ok {
		return nil, false
	}
	split := func(words []string) (map[string]string, [][]byte) {
		values, order := make(map[string]string), [][]byte(nil)
		for _, w := range words {
			name, v, _ := strings.Cut(w, "=")
			if _, twice := values[name]; !twice {
				order = append(order, []byte(name))
			}
			values[name] = v
		}
		return values, order
	}
	vo, no := split(fo)
	va, na := split(fa)
	vb, nb := split(fb)
	words := []string{text + "<!--"}
	for _, name := range mergeNames(no, na, nb) {
		x, inA := va[name]
		y, inB := vb[name]
		old := vo[name]
		v := x
		switch {
		case !inA && !inB, len(no) > 0 && (!inA && y == old || !inB && x == old):
			continue
		case x == y, y == old && inA:
		case x == old, !inA:
			v = y
		case !inB:
		case name == "since":
			v = min(x, y)
		default:
			v = max(x, y)
		}
		words = append(words, name+"="+v)
	}
	return []byte(strings.Join(append(words, "-->"), " ")), true
}
