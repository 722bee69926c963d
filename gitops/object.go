package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TreeEntry is one row of a tree. Name is a single component.
type TreeEntry struct {
	Name string
	Mode Mode
	ID   ID
}

// IsZero reports whether the entry is absent.
func (e TreeEntry) IsZero() bool { return e.Mode == ModeAbsent }

// Commit is a commit as git stores it. Trailers are those that git's own parser
// finds in the last paragraph; they are filled by Log and Show only. Paths is
// filled where asked for.
type Commit struct {
	ID        ID
	Tree      ID
	Parents   []ID
	Author    Ident
	Committer Ident
	Subject   string
	Body      string // without subject, trailers included
	Trailers  Trailers
	Paths     []string
}

// Ident is a name, a mail address and a time with its zone.
type Ident struct {
	Name, Email string
	When        time.Time
}

var errTruncated = errors.New("truncated object")

// parseTree reads a raw tree object; idSize is 20 or 32.
func parseTree(b []byte, idSize int) ([]TreeEntry, error) {
	out := make([]TreeEntry, 0, len(b)/40)
	for len(b) > 0 {
		e, rest, err := nextEntry(b, idSize)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		b = rest
	}
	return out, nil
}

// canonical gives a mode as git understands it: old programs wrote others, such
// as 100664.
func (m Mode) canonical() Mode {
	switch m & 0o170000 {
	case 0o100000:
		return ModeFile | m&0o100>>6*0o111
	case ModeSymlink, ModeTree:
		return m & 0o170000
	}
	return ModeGitlink
}

// nextEntry cuts one entry `<octal mode> <name> NUL <id>` off a raw tree.
func nextEntry(b []byte, idSize int) (TreeEntry, []byte, error) {
	sp := bytes.IndexByte(b, ' ')
	if sp < 0 || sp > 7 {
		return TreeEntry{}, nil, errTruncated
	}
	var mode Mode
	for _, c := range b[:sp] {
		if c < '0' || c > '7' {
			return TreeEntry{}, nil, fmt.Errorf("bad mode '%s' in tree", b[:sp])
		}
		mode = mode<<3 | Mode(c-'0')
	}
	nul := bytes.IndexByte(b[sp:], 0)
	if nul < 0 || len(b) < sp+nul+1+idSize {
		return TreeEntry{}, nil, errTruncated
	}
	nul += sp
	return TreeEntry{Name: string(b[sp+1 : nul]), Mode: mode.canonical(), ID: idFromBytes(b[nul+1 : nul+1+idSize])}, b[nul+1+idSize:], nil
}

// encodeTree is the inverse of parseTree; entries are in git's order.
func encodeTree(entries []TreeEntry) []byte {
	var b []byte
	for _, e := range entries {
		b = strconv.AppendUint(b, uint64(e.Mode), 8)
		b = append(b, ' ')
		b = append(b, e.Name...)
		b = append(b, 0)
		b = append(b, e.ID.Bytes()...)
	}
	return b
}

// compareNames orders tree entries as git does: a directory sorts as if its
// name ended in a slash.
func compareNames(a string, aDir bool, b string, bDir bool) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	at := func(s string, dir bool) int {
		switch {
		case len(s) > n:
			return int(s[n])
		case dir:
			return '/'
		}
		return -1
	}
	return at(a, aDir) - at(b, bDir)
}

func compareEntries(a, b TreeEntry) int {
	return compareNames(a.Name, a.Mode == ModeTree, b.Name, b.Mode == ModeTree)
}

// parseCommit reads a raw commit object. Unknown headers (signatures,
// encodings) are skipped.
func parseCommit(id ID, b []byte) (*Commit, error) {
	c := &Commit{ID: id}
	for {
		line, rest, ok := bytes.Cut(b, []byte{'\n'})
		if !ok && len(line) > 0 {
			return nil, errTruncated
		}
		b = rest
		if len(line) == 0 {
			break
		}
		key, val, _ := strings.Cut(string(line), " ")
		var err error
		switch key {
		case "tree":
			c.Tree, err = ParseID(val)
		case "parent":
			var p ID
			p, err = ParseID(val)
			c.Parents = append(c.Parents, p)
		case "author":
			c.Author = parseIdent(val)
		case "committer":
			c.Committer = parseIdent(val)
		}
		if err != nil {
			return nil, fmt.Errorf("read commit %s: %w", id.Short(), err)
		}
	}
	c.Subject, c.Body = splitMessage(string(b))
	return c, nil
}

// splitMessage cuts a message into its subject (the first paragraph on one
// line) and the rest, as git does for %s and %b.
func splitMessage(msg string) (subject, body string) {
	var lines []string
	for msg != "" {
		line, rest, _ := strings.Cut(msg, "\n")
		blank := isBlank(line)
		if blank && len(lines) > 0 {
			break
		}
		if !blank {
			lines = append(lines, strings.TrimRightFunc(line, isSpace))
		}
		msg = rest
	}
	for msg != "" {
		line, rest, _ := strings.Cut(msg, "\n")
		if !isBlank(line) {
			break
		}
		msg = rest
	}
	return strings.Join(lines, " "), msg
}

func isBlank(s string) bool { return strings.TrimFunc(s, isSpace) == "" }

// isSpace is git's own idea of white space, which has no form feed in it.
func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// parseIdent reads `Name <mail> seconds zone`; what does not parse stays empty.
func parseIdent(s string) Ident {
	lt, gt := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if lt < 0 || gt < lt {
		return Ident{Name: s}
	}
	return Ident{Name: strings.TrimSpace(s[:lt]), Email: s[lt+1 : gt], When: parseWhen(s[gt+1:])}
}

// parseWhen reads git's raw date, `seconds ±hhmm`.
func parseWhen(s string) time.Time {
	f := strings.Fields(s)
	if len(f) == 0 {
		return time.Time{}
	}
	sec, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return time.Time{}
	}
	loc := time.UTC
	if len(f) > 1 && len(f[1]) == 5 {
		if z, err := strconv.Atoi(f[1][1:]); err == nil {
			off := (z/100)*3600 + (z%100)*60
			if f[1][0] == '-' {
				off = -off
			}
			if off != 0 {
				loc = time.FixedZone(f[1], off)
			}
		}
	}
	return time.Unix(sec, 0).In(loc)
}
