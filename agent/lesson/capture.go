package lesson

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/lessons"
)

// Kind is what is written down, as the command calls it.
type Kind string

// The kinds of lessons (SPEC LR-01).
const (
	Error   Kind = "error"   // what failed, and why
	Lesson  Kind = "lesson"  // what was wrong, and the better way
	Feature Kind = "feature" // what was missing
)

// home is the file of a kind and the type of its ids.
func (k Kind) home() (rel, typ string) {
	switch k {
	case Error:
		return lessons.Errors, "ERR"
	case Feature:
		return lessons.Features, "FEAT"
	case Lesson:
	}
	return lessons.Learned, "LRN"
}

// CaptureOptions say what to write down.
type CaptureOptions struct {
	Kind   Kind
	Text   string
	Key    string // area.symptom, "" for none (SPEC LR-08)
	Task   string // in which it came up, "" for none; one word
	Pin    bool   // it is never archived
	DryRun bool
}

// Captured is what became of it.
type Captured struct {
	Save  *agent.SaveResult
	ID    string // of the lesson
	Path  string
	Count int  // how often it came up, now included
	Again bool // it was known: only the time was added
	// Other is the text of the known lesson where it is another one: they have the
	// key in common.
	Other string
	Often bool // it came up so often that it may become a rule (SPEC LR-12)
}

// Capture writes a lesson down as one commit. What is known already, by its text or
// its key, in any of the three files, gets another time stamp and no second entry
// (SPEC LR-04, LR-09). Words that only say that there was nothing are refused
// (SPEC OM-53).
func Capture(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt CaptureOptions) (*Captured, error) {
	opt.Text = strings.Join(strings.Fields(opt.Text), " ")
	if err := opt.check(); err != nil {
		return nil, err
	}
	out := &Captured{}
	var err error
	out.Save, err = agent.Commit(ctx, ws, caller, agent.Rewrite{
		Paths: lessons.Canonical, DryRun: opt.DryRun,
		Plan: func(files []agent.File) (agent.Planned, error) { return opt.plan(ws, files, out) },
	})
	return out, err
}

func (o *CaptureOptions) check() error {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(o.Text, "#pinned:"), "#pinned"))
	switch {
	case text == "":
		return &agent.UsageError{Problem: "the lesson is empty", Hint: "git claw learn " + string(o.Kind) + " '<text>'"}
	case strings.ContainsRune(o.Text, 0):
		return &agent.UsageError{Problem: "the lesson holds a NUL byte"}
	case strings.ContainsAny(o.Task, " \t\r\n,\x00"):
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' is no name of a task", o.Task), Hint: "use one word, such as T1"}
	case lessons.IsNothing(doc.Normalise(text)):
		return &agent.RefusedError{Problem: "that there was nothing is no lesson", Advice: []string{"write down what was learned, or nothing"}}
	}
	return nil
}

// plan works the edit out from the three files, in the order of lessons.Canonical.
func (o *CaptureOptions) plan(ws *memory.Workspace, files []agent.File, out *Captured) (agent.Planned, error) {
	parsed := make([]*lessons.File, len(files))
	var text, key place
	for i, f := range files {
		if !lessons.MayKnow(f.Text, o.Key, o.Text) {
			continue
		}
		parsed[i] = lessons.Parse(f.Text)
		t, k := parsed[i].Known(o.Key, o.Text)
		text, key = text.or(i, t), key.or(i, k)
	}
	known := text
	if !known.found {
		known = key
	}
	if known.found {
		return o.again(ws, files[known.file], &parsed[known.file].Entries[known.entry], key.found, out), nil
	}
	if why := lessons.KeyProblem(o.Key); o.Key != "" && why != "" {
		return agent.Planned{}, badKey(o.Key, why, files)
	}
	return o.fresh(ws, files, out), nil
}

// place is where a lesson stands: the index of its file and of its entry there.
type place struct {
	found       bool
	file, entry int
}

// or returns p, or the entry of a file when p is none; a negative one is none.
func (p place) or(file, entry int) place {
	if p.found || entry < 0 {
		return p
	}
	return place{true, file, entry}
}

func sameText(e *lessons.Entry, text string) bool {
	return doc.Normalise(e.Text) == doc.Normalise(text)
}

// badKey says what keys look like, and which ones are used that are near.
func badKey(key, why string, files []agent.File) error {
	area, _, _ := strings.Cut(key, ".")
	var used []string
	for _, file := range files {
		f := lessons.Parse(file.Text)
		for i := range f.Entries {
			if k := f.Entries[i].Key; strings.HasPrefix(k, area+".") && !slices.Contains(used, k) {
				used = append(used, k)
			}
		}
	}
	hint := "keys are area.symptom, such as deps.module-not-found; areas are " + strings.Join(lessons.Areas, ", ")
	if len(used) > 0 {
		const most = 10
		slices.Sort(used)
		hint += "; used already: " + strings.Join(used[:min(most, len(used))], ", ")
	}
	return &agent.UsageError{Problem: fmt.Sprintf("'%s' is no key: %s", key, why), Hint: hint}
}

// fresh adds an entry to the file of its kind.
func (o *CaptureOptions) fresh(ws *memory.Workspace, files []agent.File, out *Captured) agent.Planned {
	rel, typ := o.Kind.home()
	at := slices.Index(lessons.Canonical, rel)
	now := ws.Now()
	e := lessons.Entry{Time: now, Key: o.Key, Text: o.Text, Pinned: o.Pin}
	if o.Task != "" {
		e.Tasks = []string{o.Task}
	}
	e.ID = lessons.NewID(typ, now, o.Text, func(id string) bool {
		return slices.ContainsFunc(files, func(f agent.File) bool { return bytes.Contains(f.Text, []byte(id)) })
	})
	base := files[at].Text
	if !files[at].Exists {
		base = lessons.New(rel)
	}
	*out = Captured{ID: e.ID, Path: rel, Count: 1}
	return agent.Planned{
		Event: agent.EventLog, Area: "lessons", Summary: o.Text, Trailers: o.trailers(e.Key, 1, ""),
		Edits: []agent.FileEdit{{Path: rel, Next: lessons.Append(base, e), Bare: base}},
	}
}

// again records that a known lesson came up once more. keyed: some lesson has the
// key already.
func (o *CaptureOptions) again(ws *memory.Workspace, f agent.File, e *lessons.Entry, keyed bool, out *Captured) agent.Planned {
	now := ws.Now()
	*out = Captured{ID: e.ID, Path: f.Path, Again: true}
	evidence := ""
	if !sameText(e, o.Text) {
		out.Other, evidence = e.Text, o.Text
	}
	next := lessons.AddSeen(f.Text, e, now, o.Task)
	e = found(next, e)
	if o.Pin {
		next = lessons.Pin(next, e)
		e = found(next, e)
	}
	if o.Key != "" && e.Key == "" && !keyed && lessons.KeyProblem(o.Key) == "" {
		next = lessons.SetKey(next, e, o.Key)
		e = found(next, e)
	}
	out.Count, out.Often = e.Count(), often(ws, e)
	p := agent.Planned{
		Event: agent.EventRepeat, Area: "lessons", Summary: "again: " + e.Text, Trailers: o.trailers(e.Key, e.Count(), evidence),
	}
	if string(next) != string(f.Text) {
		p.Edits = []agent.FileEdit{{Path: f.Path, Next: next, Bare: f.Text}}
	}
	return p
}

func (o *CaptureOptions) trailers(key string, count int, evidence string) gitops.Trailers {
	return gitops.Trailers{{Key: "Claw-Key", Value: key}, {Key: "Claw-Count", Value: strconv.Itoa(count)}, {Key: "Claw-Evidence", Value: clip(evidence)}}
}

// found is an entry in a text in which it was changed; as it was where it cannot be
// read there.
func found(src []byte, e *lessons.Entry) *lessons.Entry {
	if again := lessons.Find(src, e); again != nil {
		return again
	}
	return e
}

// often reports whether a lesson may become a rule (SPEC LR-12).
func often(ws *memory.Workspace, e *lessons.Entry) bool {
	s := ws.Settings
	return !e.IsPromoted() && e.Status != lessons.WontFix &&
		lessons.Within(e.Seen, int(s.Int("promote.count")), int(s.Int("promote.windowDays")))
}

// longestQuote is the length of a Claw-Evidence (SPEC 10.3).
const longestQuote = 200

// clip cuts words to what a trailer may hold, in characters.
func clip(s string) string {
	if r := []rune(s); len(r) > longestQuote {
		return strings.TrimRight(string(r[:longestQuote-1]), " ") + "…"
	}
	return s
}
