package merge

import (
	"bytes"
	"cmp"
	"strconv"
	"time"
)

// orderKey is the total order of additions: what has no time before what has one, then by day, time,
// number in a list and text.
type orderKey struct {
	timed      bool
	day, clock string // comparable as texts; "" where the entry does not say
	number     int    // of an item in a numbered list, -1 for none
	text       []byte
}

func compareOrder(a, b orderKey) int {
	switch {
	case a.timed != b.timed:
		if b.timed {
			return -1
		}
		return 1
	case a.day != b.day:
		return cmp.Compare(a.day, b.day)
	case a.clock != b.clock:
		return cmp.Compare(a.clock, b.clock)
	case a.number != b.number:
		return cmp.Compare(a.number, b.number)
	}
	return bytes.Compare(a.text, b.text)
}

// orderOf reads the order of an entry from its first line: a date, a time or both, behind the marks of
// a heading, an item, a task or emphasis.
func orderOf(text []byte) orderKey {
	k := orderKey{number: -1, text: text}
	line, _, _ := bytes.Cut(text, newline)
	line = line[:min(len(line), 200)]
	line = bytes.TrimLeft(line, " \t>")
	if n := digits(line); n > 0 && n < 10 && n < len(line) && (line[n] == '.' || line[n] == ')') {
		k.number, _ = strconv.Atoi(string(line[:n])) // as many digits as fit
		line = line[n+1:]
	}
	line = bytes.TrimLeft(line, " \t-*+#_`([")
	for _, box := range []string{"x] ", "X] ", "] "} {
		if rest, ok := bytes.CutPrefix(line, []byte(box)); ok {
			line = bytes.TrimLeft(rest, " \t*_`([")
			break
		}
	}
	k.day, k.clock = moment(line)
	k.timed = k.day != "" || k.clock != ""
	return k
}

// moment reads a date, a time, or both from the beginning of a line. A time with a zone is turned into
// UTC, so that machines in different zones sort alike.
func moment(line []byte) (day, clock string) {
	rest := line
	if len(rest) >= 10 && digits(rest) == 4 && (rest[4] == '-' || rest[4] == '/') && rest[7] == rest[4] {
		text := string(rest[:4]) + "-" + string(rest[5:7]) + "-" + string(rest[8:10])
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			day, rest = text, rest[10:]
			if len(rest) > 1 && (rest[0] == 'T' || rest[0] == ' ') {
				rest = rest[1:]
			}
		}
	}
	if len(rest) < 5 || digits(rest) != 2 || rest[2] != ':' || digits(rest[3:]) != 2 {
		return day, ""
	}
	hour, minute, second := string(rest[:2]), string(rest[3:5]), "00"
	rest = rest[5:]
	if len(rest) >= 3 && rest[0] == ':' && digits(rest[1:]) == 2 {
		second, rest = string(rest[1:3]), rest[3:]
		if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') {
			n := digits(rest[1:])
			second, rest = second+"."+string(rest[1:1+n]), rest[1+n:]
		}
	}
	if hour > "23" || minute > "59" {
		return day, ""
	}
	clock = hour + ":" + minute + ":" + second
	if day == "" {
		return "", clock
	}
	if t, ok := inUTC(day+"T"+clock, rest); ok {
		return t.Format(time.DateOnly), t.Format("15:04:05.999999999")
	}
	return day, clock
}

// inUTC reads a zone, Z or an offset, from the beginning of a text.
func inUTC(local string, zone []byte) (time.Time, bool) {
	offset := ""
	switch {
	case len(zone) > 0 && zone[0] == 'Z':
		offset = "Z"
	case len(zone) >= 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':':
		offset = string(zone[:6])
	default:
		return time.Time{}, false
	}
	t, err := time.Parse("2006-01-02T15:04:05.999999999Z07:00", local+offset)
	return t.UTC(), err == nil
}

// digits counts the digits a text begins with.
func digits(text []byte) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// border is where a gap lies in the base: before entry i.
type border struct {
	base *text
	i    int
}

// falls tells whether the list around a gap is a log that grows at its beginning: the times of the two
// entries of the base that are nearest go down. Nothing but the base decides, so that it does not matter
// what is merged first.
func (b *border) falls(rank int) bool {
	if b == nil {
		return false
	}
	var before, behind []orderKey
	for i := b.i - 1; i >= 0 && b.base.entries[i].rank >= rank && len(before) < 2; i-- {
		if k := orderOf(b.base.entries[i].text()); b.base.entries[i].rank == rank && k.timed {
			before = append(before, k)
		}
	}
	for i := b.i; i < len(b.base.entries) && b.base.entries[i].rank >= rank && len(behind) < 2; i++ {
		if k := orderOf(b.base.entries[i].text()); b.base.entries[i].rank == rank && k.timed {
			behind = append(behind, k)
		}
	}
	switch {
	case len(before) > 0 && len(behind) > 0:
		return later(before[0], behind[0])
	case len(behind) == 2:
		return later(behind[0], behind[1])
	case len(before) == 2:
		return later(before[1], before[0])
	}
	return false
}

// later compares times only.
func later(a, b orderKey) bool {
	return a.day > b.day || a.day == b.day && a.clock > b.clock
}

// interleave appends the nodes of both sides, each in its own order: those of the higher rank first,
// which go on with what is open, before those that close it; in one rank the one that comes first in
// the total order. Taking the smaller of the two next ones at each step keeps the order of each side,
// and gives the same whatever is merged first: each side falls into runs, each begun by an entry
// larger than all before it, and merging sorts the runs.
func interleave(out, a, b []*node, edge *border) []*node {
	if len(a) == 0 {
		return append(out, b...)
	}
	if len(b) == 0 {
		return append(out, a...)
	}
	one, two := orders(a), orders(b)
	i, j := 0, 0
	rank, down := -1, false
	for i < len(a) && j < len(b) {
		ra, rb := a[i].from.rank, b[j].from.rank
		first := ra > rb
		if ra == rb {
			if ra != rank {
				rank, down = ra, edge.falls(ra)
			}
			c := compareOrder(one[i], two[j])
			if down && one[i].timed && two[j].timed {
				c = -c
			}
			first = c <= 0
		}
		if first {
			out, i = append(out, a[i]), i+1
		} else {
			out, j = append(out, b[j]), j+1
		}
	}
	return append(append(out, a[i:]...), b[j:]...)
}

func orders(nodes []*node) []orderKey {
	keys := make([]orderKey, len(nodes))
	for i, n := range nodes {
		keys[i] = orderOf(n.from.text())
	}
	return keys
}
