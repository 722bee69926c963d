package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

// FileChange says what became of a file.
type FileChange string

// The kinds of FileChange.
const (
	FileAdded   FileChange = "added"
	FileDeleted FileChange = "deleted"
	FileEdited  FileChange = "edited"
	FileRenamed FileChange = "renamed" // perhaps edited as well
	FileMode    FileChange = "mode"    // only the mode
)

// FileDiff is how one file differs between two states.
type FileDiff struct {
	Path    string // relative to the root
	From    string // its old name, "" unless renamed
	Change  FileChange
	OldMode gitops.Mode // absent for an added file
	NewMode gitops.Mode // absent for a deleted file
	OldSize int         // bytes
	NewSize int
	// Summary says in a few words why there are no entries: `binary`, `too
	// large`, `symbolic link`, `repository`, `white space only`.
	Summary string
	Entries []EntryDiff
}

// EntryDiff is one entry of Markdown, or one run of lines of another text file,
// that differs.
type EntryDiff struct {
	Kind    doc.ChangeKind
	Heading []string // titles of the headings it stands under, outermost first
	OldLine int      // first line, from 1; 0 when added
	NewLine int      // first line, from 1; 0 when deleted
	Old     string   // text without the last line end
	New     string
}

// Words compares the two texts of an edited entry word by word, for display.
func (e *EntryDiff) Words() []doc.Span { return doc.Words(e.Old, e.New) }

// maxDiffBytes bounds what is compared by entry; beyond it a file is summarised.
const maxDiffBytes = 1 << 20

// source is one side of a comparison: a blob, or a file of the work tree.
type source struct {
	mode gitops.Mode // absent: not there
	id   gitops.ID   // zero for a work-tree file
	work bool

	text []byte // filled by read
	big  bool
}

// filePair is one path in two states.
type filePair struct {
	path     string // relative to the root
	from     string // old path when renamed
	old, new source
}

// read loads both sides.
func (p *filePair) read(ctx context.Context, ws *memory.Workspace) error {
	oldPath := p.path
	if p.from != "" {
		oldPath = p.from
	}
	if err := p.old.read(ctx, ws, oldPath); err != nil {
		return err
	}
	return p.new.read(ctx, ws, p.path)
}

func (s *source) read(ctx context.Context, ws *memory.Workspace, rel string) error {
	if s.text != nil || s.mode == gitops.ModeAbsent || s.mode == gitops.ModeGitlink || s.big {
		return nil
	}
	var err error
	if !s.work {
		s.text, err = ws.Repo.Objects().Blob(ctx, s.id)
		if err != nil {
			return fmt.Errorf("read '%s': %w", rel, err)
		}
		return nil
	}
	was := s.mode
	s.text, s.mode, err = ws.Repo.ReadWork(ws.Prefix+rel, ws.MaxFileBytes())
	var escape *gitops.EscapeError
	switch {
	case err == nil && s.mode.IsFile() && !ws.FileModes():
		s.mode = was // the file system has no executable bit to tell
	case errors.Is(err, gitops.ErrTooLarge):
		s.big, s.mode = true, gitops.ModeFile
		return nil
	case errors.As(err, &escape): // a folder became a link: the file is not there
		s.text, s.mode = nil, gitops.ModeAbsent
		return nil
	}
	return err
}

// Compare reads two versions of a file, as trees have them, and tells how they
// differ; false when they do not. rel is relative to the root.
func Compare(ctx context.Context, ws *memory.Workspace, rel string, old, new gitops.TreeEntry) (FileDiff, bool, error) {
	p := &filePair{path: rel, old: source{mode: old.Mode, id: old.ID}, new: source{mode: new.Mode, id: new.ID}}
	if err := p.read(ctx, ws); err != nil {
		return FileDiff{}, false, err
	}
	d, differs := p.diff()
	return d, differs, nil
}

// diff compares the two sides of a pair that was read. It returns false when
// they are equal after all.
func (p *filePair) diff() (FileDiff, bool) {
	d := FileDiff{
		Path: p.path, From: p.from, OldMode: p.old.mode, NewMode: p.new.mode,
		OldSize: len(p.old.text), NewSize: len(p.new.text), Change: FileEdited,
	}
	same := !p.old.big && !p.new.big && bytes.Equal(p.old.text, p.new.text) && (p.new.work || p.old.id == p.new.id)
	switch {
	case p.old.mode == gitops.ModeAbsent && p.new.mode == gitops.ModeAbsent:
		return d, false
	case p.from != "":
		d.Change = FileRenamed
	case p.old.mode == gitops.ModeAbsent:
		d.Change = FileAdded
	case p.new.mode == gitops.ModeAbsent:
		d.Change = FileDeleted
	case same && p.old.mode == p.new.mode:
		return d, false
	case same:
		d.Change = FileMode
	}
	if same && d.Change != FileAdded && d.Change != FileDeleted {
		return d, true
	}
	if d.Summary = p.summary(); d.Summary != "" {
		return d, true
	}
	// A difference is for showing: what is held back from git is not shown
	// either, and neither is a secret that is in an old commit.
	scan := secret.New()
	old, new := scan.Mask(p.old.text), scan.Mask(p.new.text)
	if isMarkdown(p.path) {
		d.Entries = entryDiffs(old, new)
	} else {
		d.Entries = lineDiffs(old, new)
	}
	if len(d.Entries) == 0 && !bytes.Equal(bytes.TrimSpace(old), bytes.TrimSpace(p.old.text)) {
		d.Summary = "a secret"
		return d, true
	}
	if len(d.Entries) == 0 && d.Change == FileEdited {
		d.Summary = "white space only"
	}
	return d, true
}

// summary says why a pair is not compared by entry.
func (p *filePair) summary() string {
	for _, s := range []*source{&p.old, &p.new} {
		switch {
		case s.mode == gitops.ModeGitlink:
			return "repository"
		case s.mode == gitops.ModeSymlink:
			return "symbolic link"
		case s.big || len(s.text) > maxDiffBytes:
			return "too large"
		case isBinary(s.text):
			return "binary"
		}
	}
	return ""
}

// isBinary is git's own guess: a NUL among the first bytes.
func isBinary(b []byte) bool {
	const looked = 8000
	return bytes.IndexByte(b[:min(len(b), looked)], 0) >= 0
}

func isMarkdown(rel string) bool {
	switch strings.ToLower(path.Ext(rel)) {
	case ".md", ".markdown":
		return true
	}
	return false
}

// entryDiffs compares Markdown.
func entryDiffs(old, new []byte) []EntryDiff {
	var out []EntryDiff
	for _, c := range doc.Diff(old, new) {
		e := EntryDiff{Kind: c.Kind}
		if c.Old != nil {
			e.Old, e.OldLine, e.Heading = string(c.Old.Text()), c.Old.Line, c.Old.Path()
		}
		if c.New != nil {
			e.New, e.NewLine, e.Heading = string(c.New.Text()), c.New.Line, c.New.Path()
		}
		out = append(out, e)
	}
	return out
}

// lineDiffs compares any other text by runs of lines.
func lineDiffs(old, new []byte) []EntryDiff {
	a, b := doc.SplitLines(old), doc.SplitLines(new)
	var out []EntryDiff
	for _, h := range doc.LineDiff(old, new) {
		e := EntryDiff{Kind: doc.Edited, Old: joinLines(a[h.OldFrom:h.OldTo]), New: joinLines(b[h.NewFrom:h.NewTo])}
		if h.OldFrom < h.OldTo {
			e.OldLine = h.OldFrom + 1
		} else {
			e.Kind = doc.Added
		}
		if h.NewFrom < h.NewTo {
			e.NewLine = h.NewFrom + 1
		} else {
			e.Kind = doc.Deleted
		}
		out = append(out, e)
	}
	return out
}

// joinLines joins lines and drops the last line end.
func joinLines(lines [][]byte) string {
	return strings.TrimSuffix(strings.TrimSuffix(string(bytes.Join(lines, nil)), "\n"), "\r")
}
