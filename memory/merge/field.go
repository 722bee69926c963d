package merge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// field is a line `name: value` of an entry. Marks around the name (quote, bullet, bold) belong to head.
type field struct {
	head  string // all that stands before the value, the colon and white space behind it included
	name  string // the bare name, in lower case
	value string
}

// readField reads a line such as `last_updated: 2026-05-02`, `#tags: a b`, `**Status**: pending` or
// `- Seen: 2026-05-02`.
func readField(line string) (field, bool) {
	rest := strings.TrimLeft(line, " \t>-*#")
	colon := strings.IndexByte(rest, ':')
	if colon <= 0 || colon > 40 {
		return field{}, false
	}
	name := strings.TrimRight(rest[:colon], "*")
	for _, c := range []byte(name) {
		if c != ' ' && c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return field{}, false
		}
	}
	value := rest[colon+1:]
	if stars := strings.TrimLeft(value, "*"); len(name) == colon { // `**Name:** value`
		value = stars
	}
	if value != "" && value[0] != ' ' && value[0] != '\t' {
		return field{}, false // a time of day, or an address
	}
	value = strings.TrimLeft(value, " \t")
	return field{head: line[:len(line)-len(value)], name: strings.ToLower(name), value: strings.TrimRight(value, " \t\r")}, true
}

// mergeFields merges an entry that is nothing but fields, such as the head of MEMORY.md, by name. It
// fails where both sides gave one field values that only a person can choose from. ranked says that a status
// is one of a known order.
func mergeFields(base, one, two []byte, ranked bool) ([]byte, bool) {
	o, okO := readFields(base)
	a, okA := readFields(one)
	b, okB := readFields(two)
	if !okO && len(base) > 0 || !okA || !okB {
		return nil, false
	}
	get := func(fs []field, name string) (field, bool) {
		i := slices.IndexFunc(fs, func(f field) bool { return f.name == name })
		if i < 0 {
			return field{}, false
		}
		return fs[i], true
	}
	var lines []string
	for _, name := range fieldOrder(o, a, b) {
		fo, inO := get(o, name)
		fa, inA := get(a, name)
		fb, inB := get(b, name)
		switch {
		case inA != inB && inO:
			// deleted on one side: the other one's edit stays
			left := fa
			if inB {
				left = fb
			}
			if left != fo {
				lines = append(lines, left.head+left.value)
			}
		case inA && inB:
			f, ok := mergeField(fo, fa, fb, ranked)
			if !ok {
				return nil, false
			}
			lines = append(lines, f.head+f.value)
		case inA:
			lines = append(lines, fa.head+fa.value)
		case inB:
			lines = append(lines, fb.head+fb.value)
		}
	}
	return []byte(strings.Join(lines, "\n")), len(lines) > 0
}

// readFields reads an entry all of whose lines are fields with names of their own.
func readFields(raw []byte) ([]field, bool) {
	var out []field
	if len(raw) == 0 {
		return nil, false
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		f, ok := readField(line)
		if !ok || slices.ContainsFunc(out, func(g field) bool { return g.name == f.name }) {
			return nil, false
		}
		out = append(out, f)
	}
	return out, true
}

// fieldOrder lists the names: those of the base in its order, each new one behind the name that it
// follows, those of one place in byte order.
func fieldOrder(o, a, b []field) []string {
	names := func(fs []field) [][]byte {
		out := make([][]byte, len(fs))
		for i, f := range fs {
			out[i] = []byte(f.name)
		}
		return out
	}
	return mergeNames(names(o), names(a), names(b))
}

// mergeNames merges the order of names, each of which stands once.
func mergeNames(o, a, b [][]byte) []string {
	inO := make(map[string]bool, len(o))
	for _, n := range o {
		inO[string(n)] = true
	}
	behind := func(side [][]byte) map[string][][]byte { // by the name of the base they follow
		out := make(map[string][][]byte)
		at := ""
		for _, n := range side {
			if inO[string(n)] {
				at = string(n)
				continue
			}
			out[at] = append(out[at], n)
		}
		return out
	}
	newA, newB := behind(a), behind(b)
	var order []string
	seen := make(map[string]bool)
	put := func(at string) {
		if len(newA[at])+len(newB[at]) == 0 {
			return
		}
		for _, n := range uniteSorted(newA[at], newB[at]) {
			if !seen[string(n)] {
				seen[string(n)] = true
				order = append(order, string(n))
			}
		}
	}
	put("")
	for _, n := range o {
		order = append(order, string(n))
		put(string(n))
	}
	return order
}

// mergeField merges the values of one field that both sides have.
func mergeField(o, a, b field, ranked bool) (field, bool) {
	switch {
	case a.value == b.value || b.value == o.value:
		if a == o {
			return b, true
		}
		return a, true
	case a.value == o.value:
		return b, true
	}
	out := a
	if b.head < a.head {
		out = b
	}
	switch {
	case ranked && a.name == "status":
		out.value = furtherStatus(a.value, b.value)
	case ranked && a.name == "recurrence-count":
		if out.value = a.value; number(b.value) > number(a.value) {
			out.value = b.value
		}
	case ranked && a.name == "first-seen":
		out.value = min(a.value, b.value)
	case a.name == "tags", ranked && (a.name == "seen" || a.name == "task" || a.name == "tasks"):
		out.value = uniteWords(o.value, a.value, b.value)
	case isStamp(a.name) && isDate(a.value) && isDate(b.value):
		out.value = max(a.value, b.value)
	default:
		return field{}, false
	}
	return out, true
}

// number reads a counter; what is none counts as below all.
func number(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return -1
	}
	return n
}

// isStamp recognises the names of dates that only ever move on, such as last_verified. A person has to
// choose between two dates that something is due.
func isStamp(name string) bool {
	return strings.HasPrefix(name, "last_") || strings.HasPrefix(name, "last-") || strings.HasPrefix(name, "last ") || name == "updated" || name == "verified"
}

// isDate recognises a day, alone or with a time behind it.
func isDate(value string) bool {
	if len(value) < len(time.DateOnly) {
		return false
	}
	_, err := time.Parse(time.DateOnly, value[:len(time.DateOnly)])
	return err == nil && (len(value) == len(time.DateOnly) || len(value) <= len(time.RFC3339Nano) && strings.ContainsAny(value[len(time.DateOnly):][:1], "T "))
}

// uniteWords merges lists of words: those of the base that nobody took out, then the new ones in byte
// order. The separator is that of the side with the longer list.
func uniteWords(base, one, two string) string {
	o, a, b := listOf(base), listOf(one), listOf(two)
	var out, added []string
	for _, w := range o {
		if slices.Contains(a, w) && slices.Contains(b, w) {
			out = append(out, w)
		}
	}
	for _, w := range append(a, b...) {
		if !slices.Contains(o, w) {
			added = append(added, w)
		}
	}
	slices.Sort(added)
	sep := separator(one)
	if s := separator(two); s != "" && (sep == "" || s < sep) {
		sep = s
	}
	return strings.Join(append(out, slices.Compact(added)...), cmp.Or(sep, " "))
}

func listOf(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '|' })
}

// separator returns what stands between the first two words of a list.
func separator(value string) string {
	words := listOf(value)
	if len(words) < 2 {
		return ""
	}
	from := strings.Index(value, words[0]) + len(words[0])
	return value[from : from+strings.Index(value[from:], words[1])]
}

// statuses are those of lessons and candidates, each further than those before it. A word that is none
// of them counts as pending (SPEC LR-05).
var statuses = []string{
	"pending", "in_progress", "deferred", "archived", "confirmed", "rejected", "reversed", "wont_fix", "resolved", "promoted", "promoted_to_skill",
}

// furtherStatus returns the status that is further; of equal ones the larger bytes.
func furtherStatus(a, b string) string {
	rank := func(s string) int { return max(0, slices.Index(statuses, strings.ToLower(strings.TrimSpace(s)))) }
	if c := cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)); c < 0 {
		return b
	}
	return a
}
