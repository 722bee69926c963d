package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/verdict"
)

// Reason says why a line is there: who wrote it, when, in which event, and on
// what evidence.
type Reason struct {
	Path string // relative to the root
	Line int    // from 1; 0 when a whole event was asked for
	Text string // of the line, without its end
	// Unsaved: the line is in no commit yet; the fields below are empty.
	Unsaved    bool
	Commit     gitops.ID
	ID         string // Claw-Id
	Event      string // `git` for a commit made with git alone
	Actor      Actor
	Session    string
	Date       time.Time
	Subject    string
	Evidence   string // Claw-Evidence, quoted words
	Why        string // Claw-Reason
	From       string // what it came from: a candidate, or a lesson
	Count      string // how often it came up, and within what time
	Proposal   string // Claw-Proposal
	ApprovedBy string // Claw-Approved-By
	Via        string // Claw-Approved-Via
	Undoes     string // Claw-Undoes: the line came back with an undo
	// Origin is the path and line in that commit, where they differ.
	OriginPath string
	OriginLine int
}

// NoFileError: a named path does not exist.
type NoFileError struct {
	Path   string
	Advice []string
}

func (e *NoFileError) Error() string { return fmt.Sprintf("no such file '%s'", e.Path) }

// ExitCode is git's for a name that cannot be resolved.
func (e *NoFileError) ExitCode() int { return 128 }

// Hints tells what may have been meant.
func (e *NoFileError) Hints() []string { return e.Advice }

// NoLineError: a file has fewer lines than asked for.
type NoLineError struct {
	Path        string
	Line, Lines int
}

func (e *NoLineError) Error() string {
	return fmt.Sprintf("no line %d in '%s': it has %d", e.Line, e.Path, e.Lines)
}

// ExitCode is git's for a name that cannot be resolved.
func (e *NoLineError) ExitCode() int { return 128 }

// OutsideError: a path leaves the workspace.
type OutsideError struct{ Path string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("'%s' is outside the workspace", e.Path)
}

// ExitCode: the answer is no.
func (e *OutsideError) ExitCode() int { return 1 }

// checkInside refuses a path that does not stay below the root.
func checkInside(rel string) error {
	if gitops.CheckPath(rel) != nil {
		return &OutsideError{Path: rel}
	}
	return nil
}

// Why explains one line (from 1) of a managed file of the work tree. rel is
// relative to the root; kind is that of the session that will read the answer.
// Errors: *OutsideError, *NoFileError, *NoLineError, *RefusedError (unmanaged or
// private). It runs two git processes: blame, and one for the trailers.
func Why(ctx context.Context, ws *memory.Workspace, rel string, line int, kind string) (*Reason, error) {
	if err := checkInside(rel); err != nil {
		return nil, err
	}
	private := newPrivacy(ws, kind)
	if private.hides(rel) {
		return nil, private.refuse(rel)
	}
	if why := ws.WhyUnmanaged(rel); why != "" {
		return nil, notManaged(ctx, ws, rel, why, "show")
	}
	text, err := lineOf(ws, rel, line)
	if err != nil {
		return nil, err
	}
	r := &Reason{Path: rel, Line: line, Text: text}
	b, err := ws.Repo.BlameLine(ctx, "", ws.Prefix+rel, line)
	switch {
	case neverCommitted(err):
		r.Unsaved = true
		return r, refuseIgnored(ctx, ws, rel)
	case err == nil && b.Commit.IsZero():
		r.Unsaved = true
		return r, nil
	case err != nil:
		return nil, err
	}
	if b.OrigPath != ws.Prefix+rel {
		r.OriginPath = b.OrigPath
	}
	if b.OrigLine != line {
		r.OriginLine = b.OrigLine
	}
	// Only the filter needs to know what else the commit changed.
	for c, err := range ws.Repo.Log(ctx, gitops.LogOptions{Revs: []string{b.Commit.String()}, Max: 1, WithPaths: private.on}) {
		if err != nil {
			return nil, err
		}
		e := EventOf(ws, c)
		private.event(&e)
		r.take(e)
	}
	return r, r.approval(ctx, ws)
}

// approval looks for who accepted a proposal, or kept an edit: the commit of the line
// itself cannot say that.
func (r *Reason) approval(ctx context.Context, ws *memory.Workspace) error {
	if r.ApprovedBy != "" || r.Proposal == "" && r.Event != eventL1Edit && r.Event != eventSkillEdit {
		return nil
	}
	refs, err := ws.Repo.Refs(ctx, verdict.Ref)
	if err != nil || len(refs) == 0 {
		return err
	}
	objects := ws.Repo.Objects()
	tree, err := objects.TreeOf(ctx, refs[0].ID)
	if err != nil {
		return fmt.Errorf("read verdicts: %w", err)
	}
	_, e, ok, err := objects.Note(ctx, tree, r.Commit)
	if err != nil || !ok {
		return err
	}
	note, err := objects.Blob(ctx, e.ID)
	if err != nil {
		return fmt.Errorf("read verdicts: %w", err)
	}
	v, ok := verdict.Latest(verdict.Parse(note))
	if ok && (v.Verdict == verdict.Accept || v.Verdict == verdict.Split) {
		r.ApprovedBy, r.Via = v.By, v.Via
	}
	return nil
}

// take fills in what a commit says.
func (r *Reason) take(e Event) {
	tr := e.Commit.Trailers
	r.Commit, r.ID, r.Event, r.Actor, r.Session = e.Commit.ID, e.ID, e.Name, e.Actor, e.Session
	r.Date, r.Subject = e.Date, e.Subject
	r.Evidence, r.Proposal = tr.Get("Claw-Evidence"), tr.Get("Claw-Proposal")
	r.ApprovedBy, r.Via = tr.Get("Claw-Approved-By"), tr.Get("Claw-Approved-Via")
	r.Undoes = tr.Get("Claw-Undoes")
	r.Why, r.From = tr.Get("Claw-Reason"), tr.Get("Claw-Candidate")
	if r.From == "" {
		r.From = tr.Get("Claw-From")
	}
	if n := tr.Get("Claw-Count"); n != "" {
		r.Count = n + " time"
		if n != "1" {
			r.Count += "s"
		}
		if w := tr.Get("Claw-Window"); w != "" {
			r.Count += " within " + w
		}
	}
}

// lineOf reads a line of a work-tree file.
func lineOf(ws *memory.Workspace, rel string, line int) (string, error) {
	text, mode, err := ws.Repo.ReadWork(ws.Prefix+rel, ws.MaxFileBytes())
	switch {
	case errors.Is(err, gitops.ErrTooLarge):
		return "", &RefusedError{Problem: fmt.Sprintf("'%s' is larger than claw.maxFileBytes", rel)}
	case err != nil:
		return "", err
	case mode == gitops.ModeAbsent:
		return "", &NoFileError{Path: rel}
	case mode == gitops.ModeSymlink:
		return "", &RefusedError{Problem: fmt.Sprintf("'%s' is a symbolic link", rel)}
	}
	lines := doc.SplitLines(secret.New().Mask(text))
	if line < 1 || line > len(lines) {
		return "", &NoLineError{Path: rel, Line: line, Lines: len(lines)}
	}
	return string(bytes.TrimRight(lines[line-1], "\r\n")), nil
}

// neverCommitted recognises git's answer about a path that HEAD does not have.
// git has no code for it; the texts are pinned by a test.
func neverCommitted(err error) bool {
	var ge *gitops.GitError
	if !errors.As(err, &ge) {
		return false
	}
	return strings.Contains(ge.Stderr, "no such path") || strings.Contains(ge.Stderr, "no such ref: HEAD") ||
		strings.Contains(ge.Stderr, "bad revision 'HEAD'")
}

// WhyID explains what an id stands for: a Claw-Id or revision its event, the id
// of a lesson or candidate the line that holds it.
func WhyID(ctx context.Context, ws *memory.Workspace, id, kind string) (*Reason, error) {
	if isEntryID(id) {
		return whyEntry(ctx, ws, id, kind)
	}
	e, err := FindEvent(ctx, ws, id)
	if err != nil {
		return nil, err
	}
	private := newPrivacy(ws, kind)
	if !private.event(&e) {
		return nil, private.refuse(id)
	}
	r := &Reason{}
	r.take(e)
	if len(e.Paths) == 1 {
		r.Path = e.Paths[0]
	}
	return r, nil
}

// isEntryID tells the ids of lessons (SPEC LR-06) and candidates (SI-13) from
// those of events.
func isEntryID(id string) bool {
	for _, begin := range []string{"cand-", "LRN-", "ERR-", "FEAT-"} {
		if strings.HasPrefix(id, begin) && len(id) > len(begin) {
			return true
		}
	}
	return false
}

// whyEntry looks for an id where entries with ids live.
func whyEntry(ctx context.Context, ws *memory.Workspace, id, kind string) (*Reason, error) {
	private := newPrivacy(ws, kind)
	files, err := ws.Repo.ListFiles(ctx, idFolders(ws)...)
	if err != nil {
		return nil, err
	}
	hidden := false
	for _, top := range files {
		rel := strings.TrimPrefix(top, ws.Prefix)
		if private.hides(rel) {
			hidden = true
			continue
		}
		text, mode, err := ws.Repo.ReadWork(top, ws.MaxFileBytes())
		if err != nil || !mode.IsFile() {
			continue // a link, or too large: not where an entry lives
		}
		if line := lineWith(text, id); line > 0 {
			return Why(ctx, ws, rel, line, kind)
		}
	}
	if hidden && strings.HasPrefix(id, "cand-") {
		return nil, private.refuse(id)
	}
	return nil, &NoEntryError{ID: id}
}

// idFolders are, from the top level, the folders whose entries have ids.
func idFolders(ws *memory.Workspace) []string {
	return []string{
		ws.Prefix + ".learnings", ws.Prefix + "memory/archive/learnings",
		ws.Prefix + strings.TrimSuffix(ws.SIRoot(), "/"),
	}
}

// NoEntryError: no entry of the workspace has this id.
type NoEntryError struct{ ID string }

func (e *NoEntryError) Error() string { return fmt.Sprintf("no entry '%s'", e.ID) }

// ExitCode is git's for a name that cannot be resolved.
func (e *NoEntryError) ExitCode() int { return 128 }

// lineWith finds the first line, outside code fences, that has an id as a word
// of its own.
func lineWith(text []byte, id string) int {
	if !bytes.Contains(text, []byte(id)) {
		return 0
	}
	d := doc.Parse(text)
	for i, l := range doc.SplitLines(text) {
		if !hasWord(string(l), id) {
			continue
		}
		if e := d.At(i + 1); e == nil || e.Kind != doc.Fence {
			return i + 1
		}
	}
	return 0
}

// hasWord reports whether a line has a word that no letter, digit or hyphen
// continues.
func hasWord(line, word string) bool {
	for {
		i := strings.Index(line, word)
		if i < 0 {
			return false
		}
		before, after := line[:i], line[i+len(word):]
		if !endsInWord(before) && !beginsInWord(after) {
			return true
		}
		line = after
	}
}

func wordByte(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func endsInWord(s string) bool { return s != "" && wordByte(s[len(s)-1]) }

func beginsInWord(s string) bool { return s != "" && wordByte(s[0]) }
