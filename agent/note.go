package agent

import (
	"context"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
)

// NoteOptions says what to write down and where. Without a destination it is
// today's note.
type NoteOptions struct {
	Text      string // Markdown; one plain line becomes a list item
	Topic     string // a breadcrumb memory/<topic>.md; with Reference: pointing there
	Reference string // reference/<name>.md
	State     bool   // a line of MEMORY.md
	// Close writes the closure block of today's note. Lines of Text that begin
	// with `Decisions:`, `Signal:` or `Open:` fill it in; others are noted.
	Close  bool
	Merge  string // YYYY-MM-DD: unite the daily notes of that day; takes no Text
	Source string // Claw-Source: where it is from
	DryRun bool
}

// Events of notes (SPEC 10.2).
const (
	eventAppend    = "episodic.append"
	eventClose     = "episodic.close"
	eventMerge     = "episodic.merge"
	eventCrumb     = "breadcrumb.add"
	eventOverflow  = "breadcrumb.overflow"
	eventReference = "reference.add"
	eventState     = "l1.state"
)

// Note writes something down as one commit. Unsaved edits of the file it goes to
// are committed before it, as nobody's; a partly staged file is refused with
// nothing written. What the secret scan flags goes into the file but not into
// git, and is in the result's Skipped with Held set (SPEC GN-21). An edit made
// meanwhile is never written over.
func Note(ctx context.Context, ws *memory.Workspace, caller Caller, opt NoteOptions) (*SaveResult, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	res := &SaveResult{}
	lines := said(opt.Text)
	if err := opt.check(lines); err != nil {
		return nil, err
	}
	n := &noter{ws: ws, caller: caller.Clean(), opt: opt, lines: lines, res: res, scan: secret.New()}
	return res, n.retry(func() error { return n.run(ctx) })
}

// check refuses words that say nothing or two things at once.
func (o *NoteOptions) check(lines []string) error {
	places := 0
	for _, on := range []bool{o.Topic != "" || o.Reference != "", o.State, o.Close, o.Merge != ""} {
		if on {
			places++
		}
	}
	switch {
	case places > 1:
		return &UsageError{Problem: "a note has one destination", Hint: "use one of --topic, --reference, --state, --close, --merge"}
	case o.Merge != "" && len(lines) > 0:
		return &UsageError{Problem: "--merge takes no text"}
	case o.Merge == "" && !o.Close && len(lines) == 0:
		return &UsageError{Problem: "the note is empty", Hint: "git claw note '<text>'"}
	case strings.ContainsRune(o.Text, 0):
		return &UsageError{Problem: "the note holds a NUL byte"}
	}
	return nil
}

// noter is one attempt.
type noter struct {
	ws     *memory.Workspace
	caller Caller
	opt    NoteOptions
	whole  bool     // without a commit the work tree stays as it is
	lines  []string // what was said
	res    *SaveResult
	scan   *secret.Scanner
	status *gitops.Status
	tree   gitops.ID // of HEAD
}

// notePlan is what a note changes and how its commit is called.
type notePlan struct {
	event, area, summary string
	trailers             gitops.Trailers
	edits                []noteEdit
	unasked              bool // nobody said what to write: no line is lost by it
}

// noteEdit is one file of a plan. bare is what a new file would hold without the
// note: when nothing else may be committed, nothing is.
type noteEdit struct {
	file   *noteFile
	next   []byte
	bare   []byte
	remove bool
}

// planner computes a plan from the files it asked for, in that order.
type planner func(files []*noteFile) (notePlan, error)

func (n *noter) run(ctx context.Context) error {
	if p := n.ws.Repo.Progress(); p != nil {
		return p
	}
	rels, plan, err := n.destination()
	if err != nil || plan == nil {
		return err
	}
	files, err := n.ready(ctx, rels)
	if err != nil {
		return err
	}
	p, err := plan(files)
	if err != nil {
		return err
	}
	return n.write(ctx, p)
}

// destination names the files that the note may touch and how. A nil planner
// means that there is nothing to do.
func (n *noter) destination() (rels []string, plan planner, err error) {
	switch {
	case n.opt.Merge != "":
		return n.planMerge()
	case n.opt.Topic != "":
		return n.planTopic()
	case n.opt.Reference != "":
		return n.planReference()
	case n.opt.State:
		return []string{"MEMORY.md"}, n.planState, nil
	}
	day := n.ws.Now()
	rel, err := dailyPlace(n.ws, day)
	return []string{rel}, func(files []*noteFile) (notePlan, error) { return n.planDaily(files[0], day) }, err
}

// planDaily appends to the note of a day, above its closure block.
func (n *noter) planDaily(f *noteFile, day time.Time) (notePlan, error) {
	date := day.Format(time.DateOnly)
	base := f.text
	if !f.exists {
		base = FreshDaily(day)
	}
	p := notePlan{event: eventAppend, area: "daily", summary: summaryOf(n.lines)}
	if !n.opt.Close {
		next := daily.WithNote(base, asEntry(n.lines), date)
		p.edits = []noteEdit{{file: f, next: next, bare: base}}
		return p, nil
	}
	c, rest := takeClosure(n.lines)
	old, _, _ := daily.FindClosure(base)
	c = c.Over(old)
	c.Updated = date
	if len(rest) > 0 {
		rest = asEntry(rest)
	}
	p.event, p.summary = eventClose, "close "+date
	p.edits = []noteEdit{{file: f, next: daily.WithClosure(base, rest, c), bare: base}}
	return p, nil
}

// planState adds lines to MEMORY.md: to the section of what is active where
// there is one, else at the end, but above what a host promoted there.
func (n *noter) planState(files []*noteFile) (notePlan, error) {
	f := files[0]
	base := f.text
	if !f.exists {
		base = []byte("# Memory\n")
	}
	p := notePlan{event: eventState, area: "memory", summary: summaryOf(n.lines)}
	p.edits = []noteEdit{{file: f, next: AddState(base, asItems(n.lines), n.ws.Now()), bare: base}}
	return p, nil
}

// planReference appends to a file of reference/, which has no form.
func (n *noter) planReference() ([]string, planner, error) {
	name, err := referenceName(n.ws, n.opt.Reference)
	if err != nil {
		return nil, nil, err
	}
	return []string{referencePath(name)}, func(files []*noteFile) (notePlan, error) {
		f := files[0]
		base := f.text
		if !f.exists {
			base = []byte("# " + name + "\n")
		}
		return notePlan{
			event: eventReference, area: "reference", summary: name + ": " + summaryOf(n.lines), trailers: n.source(),
			edits: []noteEdit{{file: f, next: doc.AppendLines(base, n.lines), bare: base}},
		}, nil
	}, nil
}

func (n *noter) source() gitops.Trailers {
	return gitops.Trailers{{Key: "Claw-Source", Value: n.opt.Source}}
}

// dailyPlace is where the note of a day is, or is to be: where the layout says
// (SPEC LY-01), unless the day already has a note in another place that is read.
func dailyPlace(ws *memory.Workspace, day time.Time) (string, error) {
	places, err := dailyPlaces(ws, day)
	if err != nil {
		return "", err
	}
	for _, rel := range places {
		if ok, err := ws.Exists(rel); err != nil || ok {
			return rel, err
		}
	}
	return places[0], nil
}

// dailyPlaces lists where a day's note may be, the layout's own place first
// (LY-01, LY-04).
func dailyPlaces(ws *memory.Workspace, day time.Time) ([]string, error) {
	name := day.Format(time.DateOnly) + ".md"
	folder := noteFolder(ws)
	if folder == "" {
		return []string{name}, nil
	}
	const episodic = "memory/episodic/"
	switch ws.Settings.String("layout.daily") {
	case "memory":
	case "memory/episodic":
		folder = episodic
	default:
		ok, err := ws.Exists(episodic)
		if err != nil {
			return nil, err
		}
		if ok {
			folder = episodic
		}
	}
	out := []string{folder + name}
	for _, other := range []string{"memory/", episodic, day.Format("memory/2006/01/")} {
		if other != folder {
			out = append(out, other+name)
		}
	}
	return out, nil
}
