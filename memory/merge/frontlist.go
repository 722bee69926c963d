package merge

import (
	"slices"
	"strings"
)

// frontList is a list under a key of a frontmatter: `key: [a, b]`, or one line `- a` for each.
type frontList struct {
	head  string // the line of the key, up to the list
	block bool
	dash  string // what stands before the elements of a block, `  - `
	elems []string
}

// readFrontList reads the text of a key. ok is false for all that is no plain list: a text, elements of
// several lines, comments.
func readFrontList(raw string) (l frontList, ok bool) {
	line, rest, more := strings.Cut(raw, "\n")
	colon := strings.IndexByte(line, ':')
	if colon < 0 {
		return l, false
	}
	value := strings.TrimLeft(line[colon+1:], " \t")
	l.head = line[:len(line)-len(value)]
	value = strings.TrimRight(value, " \t\r")
	switch {
	case more && value == "":
		l.block, l.head = true, strings.TrimRight(line, " \t\r")
		return l, l.readBlock(rest)
	case !more && strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]"):
		return l, l.readInline(value[1 : len(value)-1])
	}
	return l, false
}

func (l *frontList) readBlock(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		elem, ok := strings.CutPrefix(bare, "-")
		elem = strings.TrimLeft(elem, " ")
		dash := line[:len(line)-len(elem)]
		elem = strings.TrimRight(elem, " \t\r")
		if !ok || elem == "" || !strings.HasSuffix(dash, " ") || l.dash != "" && dash != l.dash || !plainElement(elem) {
			return false
		}
		l.dash = dash
		l.elems = append(l.elems, elem)
	}
	return true
}

func (l *frontList) readInline(text string) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	quote, from := rune(0), 0
	put := func(to int) { l.elems = append(l.elems, strings.TrimSpace(text[from:to])) }
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ',':
			put(i)
			from = i + 1
		}
	}
	put(len(text))
	return quote == 0 && !slices.ContainsFunc(l.elems, func(e string) bool { return !plainElement(e) || strings.Contains(e, ": ") })
}

// plainElement reports whether a text is one element in both forms of a list.
func plainElement(e string) bool {
	if len(e) > 1 && (e[0] == '"' || e[0] == '\'') {
		return e[len(e)-1] == e[0] && strings.Count(e, e[:1]) == 2 && !strings.Contains(e, `\`)
	}
	return e != "" && !strings.ContainsAny(e[:1], "[{&*!|>@`%#\"'") && !strings.Contains(e, " #") && !strings.ContainsAny(e, "[]{}\"")
}

func (l *frontList) write() string {
	if !l.block || len(l.elems) == 0 {
		sep := " "
		if strings.HasSuffix(l.head, " ") || strings.HasSuffix(l.head, "\t") {
			sep = ""
		}
		return l.head + sep + "[" + strings.Join(l.elems, ", ") + "]"
	}
	lines := []string{l.head}
	for _, e := range l.elems {
		lines = append(lines, l.dash+e)
	}
	return strings.Join(lines, "\n")
}

// mergeFrontList merges the lists under one key as sets. ok is false where they are none: another value,
// an element twice, or both sides put them in another order.
func mergeFrontList(name, o, a, b string) (string, bool) {
	x, okA := readFrontList(a)
	y, okB := readFrontList(b)
	if !okA || !okB {
		if fa, ok := readField(a); ok && strings.EqualFold(name, "tags") && !okA && !okB {
			return mergeTagWords(o, fa, b)
		}
		return "", false
	}
	z, okO := readFrontList(o)
	if !okO {
		z = frontList{}
	}
	var keys [3][]string
	var at [3]map[string]string
	for i, l := range [3]frontList{z, x, y} {
		at[i] = make(map[string]string)
		for _, e := range l.elems {
			key := strings.Trim(e, `"'`)
			if at[i][key] != "" {
				return "", false
			}
			at[i][key] = e
			keys[i] = append(keys[i], key)
		}
	}
	order, ok := listOrder(keys[0], keys[1], keys[2])
	if !ok {
		return "", false
	}
	out := frontLayout(z, x, y, okO)
	out.elems = nil
	for _, key := range order {
		eo, ea, eb := at[0][key], at[1][key], at[2][key]
		switch {
		case eo != "" && (ea == "" || eb == ""):
		case ea != "" && eb != "":
			out.elems = append(out.elems, string(closerLine([]byte(eo), []byte(ea), []byte(eb))))
		default:
			out.elems = append(out.elems, ea+eb)
		}
	}
	return out.write(), true
}

// frontLayout picks the list whose form the union has: that of the side that changed it, else a block,
// which has room for all.
func frontLayout(z, x, y frontList, based bool) frontList {
	form := func(l frontList) string { return l.head + "\n" + l.dash }
	switch {
	case based && x.block == z.block && form(x) == form(z):
		return y
	case based && y.block == z.block && form(y) == form(z):
		return x
	case x.block != y.block:
		if x.block {
			return x
		}
		return y
	case form(y) < form(x):
		return y
	}
	return x
}

// mergeTagWords merges `tags: a b`, on one line.
func mergeTagWords(o string, fa field, b string) (string, bool) {
	fb, ok := readField(b)
	fo, _ := readField(o)
	if !ok || strings.ContainsAny(o+fa.value+b, "\n[]{}\"'#") {
		return "", false
	}
	out := fa.head
	if fb.head < out {
		out = fb.head
	}
	return out + uniteWords(fo.value, fa.value, fb.value), true
}
