package merge

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
)

// mergeSet merges files that are sets of lines, or of records: what stands in the base and nobody took
// out, in its order, and then what is new, by time and then by bytes. A line that both added stands
// once; one that a side has several times stands as often as there.
func mergeSet(in Input) Result {
	var lines [3][][]byte
	n := sharedLines(in)
	head := in.Base[:n]
	in.Base, in.Ours, in.Theirs = in.Base[n:], in.Ours[n:], in.Theirs[n:]
	for i, text := range [3][]byte{in.Base, in.Ours, in.Theirs} {
		if in.Kind == Records {
			lines[i] = records(text)
		} else {
			lines[i] = doc.SplitLines(text)
		}
	}
	counts := make(map[string]*[3]int)
	for i, ls := range lines {
		for _, l := range ls {
			c := counts[string(setKey(l))]
			if c == nil {
				c = new([3]int)
				counts[string(setKey(l))] = c
			}
			c[i]++
		}
	}
	left := make(map[string]int, len(counts))
	for key, c := range counts {
		n := max(c[1], c[2])
		switch {
		case c[1] == c[0]:
			n = c[2]
		case c[2] == c[0]:
			n = c[1]
		}
		left[key] = n
	}
	kept := take(lines[0], left)
	added := take(append(lines[1], lines[2]...), left)
	sortAdded(added, in.Kind)
	return Result{Content: slices.Concat(head, joinSet(append(kept, added...), in))}
}

// sharedLines returns the length of what all three begin with, whole lines, or whole records: most logs
// only grow.
func sharedLines(in Input) int {
	n := 0
	for n < len(in.Base) && n < len(in.Ours) && n < len(in.Theirs) && in.Base[n] == in.Ours[n] && in.Base[n] == in.Theirs[n] {
		n++
	}
	end := newline
	if in.Kind == Records {
		end = []byte("\n\n== ")
		if n = bytes.LastIndex(in.Base[:n], end); n < 0 {
			return 0
		}
		return n + 2
	}
	return 1 + bytes.LastIndex(in.Base[:n], end)
}

// take returns the lines that are still wanted, in order.
func take(lines [][]byte, left map[string]int) [][]byte {
	var out [][]byte
	for _, l := range lines {
		if key := setKey(l); left[string(key)] > 0 {
			left[string(key)]--
			out = append(out, l)
		}
	}
	return out
}

// setKey is what makes two lines one: all but the line end.
func setKey(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

// sortAdded sorts new lines: those without a time by bytes, and then the others by time.
func sortAdded(lines [][]byte, kind Kind) {
	type timed struct {
		key  orderKey
		line []byte
	}
	all := make([]timed, len(lines))
	for i, l := range lines {
		all[i] = timed{orderKey{text: setKey(l)}, l}
		switch kind {
		case JSONLines:
			all[i].key.day = jsonTime(l)
		case Records:
			if head, ok := bytes.CutPrefix(l, []byte("==")); ok {
				all[i].key.day, all[i].key.clock = moment(bytes.TrimLeft(head, " "))
			}
		}
		all[i].key.timed = all[i].key.day != ""
	}
	slices.SortStableFunc(all, func(a, b timed) int { return compareOrder(a.key, b.key) })
	for i := range all {
		lines[i] = all[i].line
	}
}

// timeFields are the names under which a line of JSON holds its time; the first that is there counts.
var timeFields = []string{"time", "timestamp", "ts", "at", "date", "created_at", "createdAt", "created"}

// jsonTime returns the time of a line of JSON in a form that sorts, "" when it has none: a text in the
// form of RFC 3339, or a number of seconds or milliseconds.
func jsonTime(line []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil {
		return ""
	}
	for _, name := range timeFields {
		raw, ok := fields[name]
		if !ok {
			continue
		}
		var text string
		var number float64
		switch {
		case json.Unmarshal(raw, &text) == nil:
			t, err := time.Parse(time.RFC3339Nano, text)
			if err == nil {
				return sortable(t)
			}
			if day, clock := moment([]byte(text)); day != "" {
				return day + "T" + clock
			}
		case json.Unmarshal(raw, &number) == nil && number > 0 && number < 1e15:
			if number < 1e11 {
				number *= 1000 // seconds
			}
			return sortable(time.UnixMilli(int64(math.Floor(number))))
		}
	}
	return ""
}

func sortable(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000") }

// records cuts a file into its records: a record begins with a line `== ` and ends with a blank line,
// and blocks without such a line are read as well. Blank lines belong to the record before them.
func records(text []byte) [][]byte {
	var out [][]byte
	blank := true
	for _, l := range doc.SplitLines(text) {
		empty := len(bytes.TrimSpace(l)) == 0
		if n := len(out); n > 0 && (empty || !blank && !bytes.HasPrefix(l, []byte("== "))) {
			out[n-1] = append(out[n-1][:len(out[n-1]):len(out[n-1])], l...)
		} else {
			out = append(out, l)
		}
		blank = empty
	}
	return out
}

// joinSet writes the lines. Only the last one may lack its line end, and only where both sides do.
func joinSet(lines [][]byte, in Input) []byte {
	var b bytes.Buffer
	for i, l := range lines {
		b.Write(l)
		last := i+1 == len(lines)
		switch {
		case in.Kind == Records && !last && !strings.HasSuffix(string(l), "\n\n"):
			if !bytes.HasSuffix(l, newline) {
				b.WriteByte('\n')
			}
			b.WriteByte('\n')
		case !bytes.HasSuffix(l, newline) && (!last || ended(in)):
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func ended(in Input) bool {
	has := func(text []byte) bool { return bytes.HasSuffix(text, newline) }
	return pick3([3]bool{has(in.Base), has(in.Ours), has(in.Theirs)})
}
