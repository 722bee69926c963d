package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/merge"
)

// Overruled is a value that two machines set in different ways, and of which a merge had to
// take one.
type Overruled struct {
	File string // from the top level
	merge.Overruled
}

// overruledKey is the trailer by which a merge commit names such a value: a list of JSON,
// of the file and then the names in it. What it kept and what it beat stand in the commits.
const overruledKey = "Claw-Overruled"

const (
	// maxOverruled bounds how many values a merge commit names.
	maxOverruled = 200
	// maxShownValue is how much of a value is told, in bytes.
	maxShownValue = 80
)

// Name is how a person calls the value: `gateway.port`.
func (o Overruled) Name() string { return valueName(o.Path) }

func valueName(path []string) string {
	if len(path) == 0 {
		return "all of it"
	}
	return strings.Join(path, ".")
}

// String tells in one line what stayed and what did not. A value with a secret is not told.
func (o Overruled) String() string {
	s := fmt.Sprintf("%s: %s: %s, not %s", o.File, o.Name(), o.short(o.Kept), o.short(o.Lost))
	for _, text := range [][]byte{[]byte(s), o.Kept, o.Lost} {
		if len(secret.New().Scan(text)) > 0 {
			return fmt.Sprintf("%s: %s", o.File, o.Name())
		}
	}
	return s
}

// short is a value on one line. One of a frontmatter comes with its key, which was told.
func (o Overruled) short(v []byte) string {
	if n := len(o.Path); n > 0 {
		v = bytes.TrimPrefix(v, []byte(o.Path[n-1]+":"))
	}
	s := strings.TrimSpace(gitops.OneLine(string(v)))
	if len(s) <= maxShownValue {
		return s
	}
	n := maxShownValue
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// trailer names the value in a commit; ok is false for what no commit may hold.
func (o Overruled) trailer() (t gitops.Trailer, ok bool) {
	b, err := json.Marshal(append([]string{o.File}, o.Path...))
	if err != nil || len(secret.New().Scan(b)) > 0 {
		return t, false
	}
	return gitops.Trailer{Key: overruledKey, Value: string(b)}, true
}

// OverruledMessage is what the message of a merge says of such values: the body, and the
// trailers by which they are found again.
func OverruledMessage(list []Overruled) (body string, trailers gitops.Trailers) {
	if len(list) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("Both sides set these, and the newer value stays:\n")
	for i, o := range list {
		if i == maxOverruled {
			fmt.Fprintf(&b, "- and %d more\n", len(list)-i)
			break
		}
		b.WriteString("- " + o.String() + "\n")
		if t, ok := o.trailer(); ok {
			trailers = append(trailers, t)
		}
	}
	return b.String(), trailers
}

// Choice is a value that a merge in history chose, with what it chose from.
type Choice struct {
	Merge      gitops.Commit
	Name       string // that of the trailer, which no other value of the merge has
	File       string // relative to the root
	Path       []string
	Kept, Lost []byte
	From       [2]gitops.ID // the parents of the merge that have them
}

// Title is how a person calls the value.
func (c *Choice) Title() string { return valueName(c.Path) }

// Choices reads what a merge commit chose. A value that cannot be told any more, such as
// one of a file that was renamed in the same merge, is left out.
func Choices(ctx context.Context, ws *memory.Workspace, c gitops.Commit) ([]Choice, error) {
	var out []Choice
	for _, name := range c.Trailers.All(overruledKey) {
		var words []string
		if json.Unmarshal([]byte(name), &words) != nil || len(words) == 0 {
			continue
		}
		rel, inside := strings.CutPrefix(words[0], ws.Prefix)
		if !inside || !ws.Managed(rel) {
			continue
		}
		ch := Choice{Merge: c, Name: name, File: rel, Path: words[1:]}
		ok, err := ch.read(ctx, ws)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, ch)
		}
	}
	return out, nil
}

// read finds the two values.
func (c *Choice) read(ctx context.Context, ws *memory.Workspace) (bool, error) {
	kind := driverKind(ws.Repo.TopLevel, ws.Prefix+c.File)
	at := func(commit gitops.ID) (values [][]byte, err error) {
		text, err := committedText(ctx, ws, commit, c.File)
		texts := [][]byte{text}
		if sides, marked := unmark(kind, text); marked {
			texts = sides[1:]
		} else if commit != c.Merge.ID && len(c.Merge.Parents) == 1 {
			return nil, err // a copy of such a commit; it chose nothing
		}
		for _, t := range texts {
			if v, ok := merge.ValueAt(kind, t, c.Path); ok && t != nil {
				values = append(values, v)
			}
		}
		return values, err
	}
	kept, err := at(c.Merge.ID)
	if err != nil || len(kept) != 1 {
		return false, err
	}
	c.Kept = kept[0]
	for _, p := range c.Merge.Parents {
		values, err := at(p)
		if err != nil {
			return false, err
		}
		for _, v := range values {
			if merge.SameValue(kind, v, c.Kept) {
				c.From[0] = p
			} else {
				c.Lost, c.From[1] = v, p
			}
		}
	}
	return c.Lost != nil, nil
}

// committedText is a file of a commit, relative to the root; nil where it is not there.
func committedText(ctx context.Context, ws *memory.Workspace, commit gitops.ID, rel string) ([]byte, error) {
	tree, err := ws.Repo.Objects().TreeOf(ctx, commit)
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", rel, err)
	}
	e, ok, err := ws.Repo.Objects().Lookup(ctx, tree, ws.Prefix+rel)
	if err != nil || !ok || !e.Mode.IsFile() {
		return nil, err
	}
	text, err := ws.Repo.Objects().Blob(ctx, e.ID)
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", rel, err)
	}
	return text, nil
}

// Now is the value that a text has, and the line on which it begins.
func (c *Choice) Now(ws *memory.Workspace, text []byte) (value []byte, line int, ok bool) {
	kind := driverKind(ws.Repo.TopLevel, ws.Prefix+c.File)
	value, ok = merge.ValueAt(kind, text, c.Path)
	if !ok {
		return nil, 0, false
	}
	return value, 1 + bytes.Count(text[:merge.Offset(kind, text, c.Path)], []byte("\n")), true
}

// Same reports whether two values of it are one.
func (c *Choice) Same(ws *memory.Workspace, a, b []byte) bool {
	return merge.SameValue(driverKind(ws.Repo.TopLevel, ws.Prefix+c.File), a, b)
}

// Take puts the other value into the file, in one commit. Where somebody set it anew since
// it is a *RefusedError.
func (c *Choice) Take(ctx context.Context, ws *memory.Workspace, caller Caller) (*SaveResult, error) {
	kind := driverKind(ws.Repo.TopLevel, ws.Prefix+c.File)
	return Commit(ctx, ws, caller, Rewrite{
		Paths: []string{c.File}, Whole: true,
		Plan: func(files []File) (Planned, error) {
			now, _, ok := c.Now(ws, files[0].Text)
			if ok && c.Same(ws, now, c.Lost) {
				return Planned{}, nil // somebody did
			}
			next, set := merge.WithValue(kind, files[0].Text, c.Path, c.Lost)
			if !ok || !set || !c.Same(ws, now, c.Kept) {
				return Planned{}, &RefusedError{
					Problem: fmt.Sprintf("'%s' in '%s' was set anew since; it stays as it is", c.Title(), c.File),
					Advice:  []string{"git claw why " + shellQuote(c.File)},
				}
			}
			return Planned{
				Event: EventResolve, Area: "memory", Summary: fmt.Sprintf("set '%s' to the other value", c.Title()),
				Trailers: gitops.Trailers{{Key: "Claw-Reason", Value: "second"}},
				Edits:    []FileEdit{{Path: c.File, Next: next}},
			}, nil
		},
	})
}

// encodeOverruled writes what a merge driver overruled, a line of JSON for each.
func encodeOverruled(list []Overruled) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, o := range list {
		_ = enc.Encode(o) // there is nothing in it that cannot be written
	}
	return b.Bytes()
}

// decodeOverruled reads them back. What is none is passed over.
func decodeOverruled(text []byte) map[string][]merge.Overruled {
	out := map[string][]merge.Overruled{}
	for line := range bytes.Lines(text) {
		var o Overruled
		if json.Unmarshal(line, &o) == nil && o.File != "" {
			out[o.File] = append(out[o.File], o.Overruled)
		}
	}
	return out
}

// sortOverruled lists what was overruled, by file.
func sortOverruled(byFile map[string][]merge.Overruled) []Overruled {
	var out []Overruled
	for file, list := range byFile {
		for _, o := range list {
			out = append(out, Overruled{File: file, Overruled: o})
		}
	}
	slices.SortFunc(out, func(a, b Overruled) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return slices.Compare(a.Path, b.Path)
	})
	return out
}
