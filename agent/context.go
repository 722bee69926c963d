package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/bootstrap"
	"github.com/git-claw/git-claw/memory/doc"
)

// Context is what a session loads of a workspace (SPEC WS-10 to WS-15).
type Context struct {
	Host    memory.Host
	Kind    string // of the session
	Files   []ContextFile
	Loaded  int // characters in all, markers among them
	Tokens  int // of these, an estimate
	Near    bool
	Advices []ContextAdvice
}

// ContextFile is one file of it.
type ContextFile struct {
	bootstrap.File
	Tokens  int     // of the file, an estimate
	Seen    int     // tokens of what is loaded
	Share   float64 // of the host's total, or where it has none of all that is loaded
	Content []byte  // as the session sees it; only where it was asked for
	Hidden  bool    // the content must not be shown (RC-05)
}

// ContextAdvice says how much to take out of a file.
type ContextAdvice struct {
	File          string
	Chars, Tokens int // to take out
	Lines, Bytes  int // the same of an index
	Why           string
}

// maxBootstrapBytes is the size from which on openclaw does not read a root file.
const maxBootstrapBytes = 2 << 20

// ReadContext predicts what a session of a kind loads. With content it gives that
// too, secrets masked, as far as the kind may see it.
func ReadContext(ctx context.Context, ws *memory.Workspace, kind string, content bool) (*Context, error) {
	reader := &rootReader{ws: ws, hides: newPrivacy(ws, kind)}
	c := &Context{Host: ws.Host, Kind: bootstrap.KindOf(kind)}
	var sources []bootstrap.Source
	var hidden []bool
	for _, name := range bootstrap.Names(ws.Host, c.Kind, reader.exists(ctx)) {
		s, private, err := reader.read(ctx, name)
		if err != nil {
			return nil, err
		}
		sources, hidden = append(sources, s), append(hidden, private)
	}
	for i, f := range bootstrap.Load(ws.Host, sources) {
		// What a cron or a sub-agent session loads it sees anyway.
		cf := ContextFile{File: f, Tokens: doc.Tokens(f.Text), Hidden: hidden[i] && c.Kind == bootstrap.Group}
		seen := f.Render()
		cf.Seen = doc.Tokens(seen)
		if content && !cf.Hidden {
			cf.Content = secret.New().Mask(seen)
		}
		c.Loaded += f.Loaded
		c.Tokens += cf.Seen
		c.Files = append(c.Files, cf)
	}
	whole := c.Host.TotalChars
	if whole == 0 {
		whole = c.Loaded
	}
	for i := range c.Files {
		if whole > 0 {
			c.Files[i].Share = float64(c.Files[i].Loaded) / float64(whole)
		}
	}
	c.Near = c.Host.TotalChars > 0 && c.Loaded*100 >= c.Host.TotalChars*85
	c.Advices = contextAdvice(ws, c)
	return c, nil
}

// rootReader reads root files as a host does.
type rootReader struct {
	ws    *memory.Workspace
	hides privacy
}

func (r *rootReader) exists(ctx context.Context) func(string) bool {
	return func(name string) bool {
		s, _, err := r.read(ctx, name)
		return err == nil && s.Presence != bootstrap.Absent
	}
}

// read also says whether the content is private. A link is followed to a file of
// the workspace, whose name then decides too.
func (r *rootReader) read(ctx context.Context, name string) (bootstrap.Source, bool, error) {
	s := bootstrap.Source{Name: name, Path: filepath.Join(r.ws.Root, name)}
	rel, private := name, r.hides.hides(name)
	if !r.ws.Repo.Bare {
		fi, err := os.Stat(s.Path)
		switch {
		case err != nil && errors.Is(err, os.ErrNotExist):
			s.Presence = bootstrap.Absent
			return s, private, nil
		case err != nil || !fi.Mode().IsRegular() || r.tooLarge(fi.Size()):
			s.Presence = bootstrap.Unreadable
			return s, private, nil
		}
		if rel, err = r.leadsTo(s.Path); err != nil || rel == "" {
			s.Presence = bootstrap.Unreadable
			return s, private, nil //nolint:nilerr // what lies outside is no part of the workspace
		}
		private = private || r.hides.hides(rel)
	}
	text, err := contentAt(ctx, r.ws, rel, "")
	var none *NoFileError
	switch {
	case errors.As(err, &none):
		s.Presence = bootstrap.Absent
	case errors.Is(err, gitops.ErrTooLarge), errors.Is(err, fs.ErrPermission), err == nil && r.tooLarge(int64(len(text))):
		s.Presence = bootstrap.Unreadable
	case err != nil:
		return s, private, err
	default:
		s.Text = text
	}
	return s, private, nil
}

func (r *rootReader) tooLarge(size int64) bool {
	openclaw := strings.HasPrefix(r.ws.Host.Name, memory.OpenClaw)
	return size > r.ws.MaxFileBytes() || openclaw && size > maxBootstrapBytes
}

// leadsTo is the path below the root that a file really has, "" outside.
func (r *rootReader) leadsTo(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(r.ws.Root)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", err
	}
	return filepath.ToSlash(rel), nil
}

// contextAdvice says how much to take out of which file, so that nothing is cut; then
// what is over the targets of tokens (TL-10).
func contextAdvice(ws *memory.Workspace, c *Context) []ContextAdvice {
	var out []ContextAdvice
	level := c.level()
	for i := range c.Files {
		f := &c.Files[i]
		if f.Presence != bootstrap.There {
			continue
		}
		if a := f.indexExcess(c.Host); a.Lines > 0 || a.Bytes > 0 {
			out = append(out, a)
			continue
		}
		own := bootstrap.OwnLimit(c.Host, f.Name)
		keep, why := f.Chars, ""
		if own > 0 && keep > own {
			keep, why = own, "to be loaded whole"
		}
		if level >= 0 && keep > level {
			keep, why = level, "so that all files are loaded whole"
		}
		target := int(ws.Settings.Int("l1.fileTokensMax"))
		switch {
		case why != "":
			out = append(out, f.takeOut(f.Chars-keep, why))
		case target > 0 && f.Tokens > target:
			out = append(out, f.takeOut(f.Chars-f.Chars*target/f.Tokens, "to reach the target of tokens"))
		}
	}
	return out
}

func (f *ContextFile) takeOut(chars int, why string) ContextAdvice {
	a := ContextAdvice{File: f.Name, Chars: chars, Why: why}
	if f.Chars > 0 {
		a.Tokens = (f.Tokens*chars + f.Chars - 1) / f.Chars
	}
	return a
}

func (f *ContextFile) indexExcess(h memory.Host) ContextAdvice {
	a := ContextAdvice{File: f.Name, Why: "to be loaded whole"}
	if f.Name != "MEMORY.md" || f.State != bootstrap.Cut {
		return a
	}
	if h.IndexLines > 0 {
		a.Lines = max(0, f.Lines-h.IndexLines)
	}
	if h.IndexBytes > 0 {
		a.Bytes = max(0, len(f.Text)-h.IndexBytes)
	}
	return a
}

// level is the length to which the longest files have to be cut down for all to
// fit into the host's total, -1 where they do.
func (c *Context) level() int {
	if c.Host.TotalChars == 0 {
		return -1
	}
	room := c.Host.TotalChars
	stopped := false
	var sizes []int
	for i := range c.Files {
		f := &c.Files[i]
		own := bootstrap.OwnLimit(c.Host, f.Name)
		if f.Presence != bootstrap.There {
			room -= f.Loaded
			continue
		}
		stopped = stopped || f.State == bootstrap.Dropped || f.Limit > 0 && f.Limit < own && f.Chars > f.Limit
		if own > 0 {
			sizes = append(sizes, min(f.Chars, own))
		} else {
			sizes = append(sizes, f.Chars)
		}
	}
	if !stopped {
		return -1
	}
	// The last file is only begun while there is some room.
	room = max(0, room-minRoom)
	slices.Sort(sizes)
	for i, n := range sizes {
		if each := room / (len(sizes) - i); n > each {
			return each
		}
		room -= n
	}
	return -1
}

// minRoom is what has to be left of the total for a host to load one more file.
const minRoom = 64
