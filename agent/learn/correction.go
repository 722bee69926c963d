package learn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
)

// area of the subjects of its commits.
const area = "prefs"

// Kinds of corrections (SPEC SI-10).
var Kinds = []string{"preference", "fact", "process"}

// Correction is what a user corrected.
type Correction struct {
	Line   prefs.Line
	Kind   string // one of Kinds, "" is the first
	Quote  string // the user's words
	DryRun bool
}

// Captured is what became of a correction or a reflection.
type Captured struct {
	Save *agent.SaveResult
	// Candidate as it stands now; nil when a reflection made none.
	Candidate *Candidate
	// Known: it was written down before, in the same second and session.
	Known bool
	// Confirmed: the user's words made it a rule at once (SPEC GN-08).
	Confirmed *Confirmed
}

// Correct writes a correction down as one commit: a new candidate or another occurrence
// of one, and a line in corrections.md. What is confirmed already is used by it.
//
// Words that cannot stay one entry are a *prefs.WordsError; what must not be stored, and
// a group session, a *agent.RefusedError. Nothing is written then.
func Correct(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt Correction) (*Captured, error) {
	if err := ready(ws, caller); err != nil {
		return nil, err
	}
	if opt.Kind == "" {
		opt.Kind = Kinds[0]
	}
	if !slices.Contains(Kinds, opt.Kind) {
		return nil, &agent.UsageError{Problem: fmt.Sprintf("unknown kind '%s'", opt.Kind), Hint: "kinds are " + strings.Join(Kinds, ", ")}
	}
	if err := opt.Line.Check(); err != nil {
		return nil, err
	}
	scan := secret.New()
	if err := forbidden(scan, ws.SIRoot(), nil, []byte(opt.Line.String()+"\n")); err != nil {
		return nil, err
	}
	quote, held := cleanQuote(scan, opt.Quote)
	c := &capture{
		store: store{ws}, line: opt.Line, id: opt.Line.ID(), kind: opt.Kind, source: "correction", correction: true,
		seen: prefs.Occurrence{At: clock(ws), Session: session(scan, caller), Quote: quote},
	}
	out, err := c.commit(ctx, caller, opt.DryRun)
	if out != nil && held != nil {
		out.Save.Skipped = append(out.Save.Skipped, *held)
	}
	if err != nil || opt.DryRun {
		return out, err
	}
	return out, c.atOnce(ctx, caller, out)
}

// ready refuses a workspace that is not adopted, and sources that nothing is learned
// from (SPEC SI-14): what somebody says in a group is no order of the user.
func ready(ws *memory.Workspace, caller agent.Caller) error {
	if err := ws.RequireAdopted(); err != nil {
		return err
	}
	if caller.Kind == "group" {
		return &agent.RefusedError{
			Problem: "nothing is learned from a group session: others speak there too",
			Advice:  []string{"capture it in the main session, when the user says it there"},
		}
	}
	return nil
}

// cleanQuote makes the user's words fit to be kept. One that holds a secret is left out.
func cleanQuote(scan *secret.Scanner, quote string) (string, *agent.Skipped) {
	for _, text := range []string{quote, prefs.CleanQuote(quote)} {
		if found := scan.Scan([]byte(text)); len(found) > 0 {
			return "", &agent.Skipped{Path: "quote", Reason: "secret: " + found[0].Kind, Held: true}
		}
	}
	return prefs.CleanQuote(quote), nil
}

// session is the id of the session as an occurrence has it.
func session(scan *secret.Scanner, caller agent.Caller) string {
	s := strings.Join(strings.Fields(prefs.CleanQuote(caller.Session)), "-")
	if len(scan.Scan([]byte(s))) > 0 {
		return ""
	}
	return s
}

// capture writes down one occurrence of a line.
type capture struct {
	store
	line       prefs.Line
	id         string
	kind       string
	source     string
	correction bool // it has a line in corrections.md
	seen       prefs.Occurrence
	trailers   gitops.Trailers

	now   *prefs.Candidate // as the plan left it
	known bool
}

func (c *capture) commit(ctx context.Context, caller agent.Caller, dry bool) (*Captured, error) {
	// A capture stands in the way of who talks: it looks at no more than it needs.
	where, err := c.confirmedIn(c.id)
	if err != nil {
		return nil, err
	}
	rule := where.file != nil
	if rule && !c.correction {
		return &Captured{Save: &agent.SaveResult{}}, nil // a lesson that is a rule already
	}
	rw := agent.Rewrite{DryRun: dry}
	if !rule {
		rw.Paths = append(rw.Paths, c.rel(pendingName(c.id)))
	}
	if c.correction {
		rw.Paths = append(rw.Paths, c.rel(prefs.Corrections))
		log, _, err := c.read(prefs.Corrections)
		if err != nil {
			return nil, err
		}
		if len(prefs.ParseCorrections(log)) >= int(c.ws.Settings.Int("si.correctionsMax")) {
			rw.Paths = append(rw.Paths, c.rel(prefs.OldCorrections))
		}
	}
	rw.Plan = func(files []agent.File) (agent.Planned, error) {
		p, err := c.plan(files, rule)
		if err != nil {
			return p, err
		}
		return vet(files, p)
	}
	out := &Captured{}
	if out.Save, err = agent.Commit(ctx, c.ws, caller, rw); err != nil {
		return out, err
	}
	out.Known = c.known
	if rule {
		out.Candidate = confirmedView(where, c.store)
		return out, nil
	}
	s := newSnapshot(c.ws)
	if err := s.loadRejected(); err != nil {
		return out, err
	}
	out.Candidate = s.view(&waiting{name: pendingName(c.id), cand: c.now})
	return out, nil
}

// plan works out the files.
func (c *capture) plan(files []agent.File, rule bool) (agent.Planned, error) {
	p := agent.Planned{Event: agent.EventAgain, Area: area, Summary: fmt.Sprintf("[%s] %s", c.line.Context, c.line.Preference)}
	p.Trailers = append(gitops.Trailers{{Key: "Claw-Candidate", Value: c.id}}, c.trailers...)
	state := "yes"
	if !rule {
		f := files[0]
		files = files[1:]
		var next []byte
		if f.Exists {
			old := prefs.ParseCandidate(f.Text)
			if err := old.Sound(c.id); err != nil {
				return p, c.unsound(pendingName(c.id), err)
			}
			next = prefs.AddOccurrence(f.Text, c.seen)
		} else {
			next = prefs.NewCandidate(c.line, c.kind, c.source, c.seen)
			p.Event = agent.EventCandidate
		}
		c.now = prefs.ParseCandidate(next)
		if string(next) == string(f.Text) {
			c.known = true
			return agent.Planned{}, nil
		}
		n := len(c.now.Occurrences)
		p.Trailers = append(p.Trailers, gitops.Trailer{Key: "Claw-Count", Value: strconv.Itoa(n)})
		p.Edits = append(p.Edits, agent.FileEdit{Path: f.Path, Next: next})
		state = fmt.Sprintf("pending (%d/%d)", n, c.ws.Settings.Int("si.askCount"))
	}
	p.Trailers = append(p.Trailers, gitops.Trailer{Key: "Claw-Evidence", Value: c.seen.Quote})
	if c.correction {
		p.Edits = append(p.Edits, c.logged(files, state)...)
	}
	return p, nil
}

// logged adds the line to corrections.md, the first of the files, and moves old ones to
// the archive, the second, where there were many when the store was looked at.
func (c *capture) logged(files []agent.File, state string) []agent.FileEdit {
	at := c.seen.At.In(c.ws.Now().Location())
	next := prefs.AddCorrection(files[0].Text, prefs.Correction{
		Day: at.Format("2006-01-02"), Time: at.Format("15:04"), Text: c.line.String(), Type: c.kind, Context: c.line.Context, Confirmed: state,
	})
	if len(files) < 2 {
		return []agent.FileEdit{{Path: files[0].Path, Next: next}}
	}
	next, older := prefs.ArchiveCorrections(next, files[1].Text, int(c.ws.Settings.Int("si.correctionsMax")))
	edits := []agent.FileEdit{{Path: files[0].Path, Next: next}}
	if string(older) != string(files[1].Text) {
		edits = append(edits, agent.FileEdit{Path: files[1].Path, Next: older})
	}
	return edits
}
