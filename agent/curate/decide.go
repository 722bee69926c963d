package curate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/header"
	"github.com/git-claw/git-claw/memory/hot"
	"github.com/git-claw/git-claw/memory/section"
)

// activeDecisions is the heading of MEMORY.md below which decisions are named.
const activeDecisions = "Active Decisions"

// DecideOptions are a decision.
type DecideOptions struct {
	Title   string // one line
	Because string // the reason
	DryRun  bool
}

// Decide writes a decision down as one commit: the reason below a heading of its own in
// memory/semantic/decisions.md, and in MEMORY.md an item that leads there (SPEC OM-74).
// anchor is that of the heading.
func Decide(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt DecideOptions) (res *agent.SaveResult, anchor string, err error) {
	title := strings.Join(strings.Fields(opt.Title), " ")
	because := strings.TrimSpace(opt.Because)
	switch {
	case title == "":
		return nil, "", &agent.UsageError{Problem: "the decision has no title", Hint: "git claw decide '<title>' --because '<text>'"}
	case because == "":
		return nil, "", &agent.UsageError{Problem: "the decision has no reason", Hint: "git claw decide '<title>' --because '<text>'"}
	case strings.ContainsRune(title+because, 0):
		return nil, "", &agent.UsageError{Problem: "the decision holds a NUL byte"}
	case doc.Slug(title) == "":
		return nil, "", &agent.UsageError{Problem: fmt.Sprintf("'%s' holds no word", title)}
	}
	tags, err := vocabulary(ws)
	if err != nil {
		return nil, "", err
	}
	res, err = agent.Commit(ctx, ws, caller, agent.Rewrite{
		Paths: []string{hot.DecisionsPath, hot.Path}, DryRun: opt.DryRun,
		Plan: func(files []agent.File) (agent.Planned, error) {
			p, to, err := planDecision(ws, tags, files, title, because)
			anchor = to
			return p, err
		},
	})
	return res, anchor, err
}

func planDecision(ws *memory.Workspace, tags header.Vocabulary, files []agent.File, title, because string) (p agent.Planned, anchor string, err error) {
	day := ws.Now().Format(time.DateOnly)
	reasons, now := files[0].Text, files[1].Text
	if !files[0].Exists {
		reasons = header.NewWarm("Decisions", tags.Pick("rules", "memory"), day)
	}
	if !files[1].Exists {
		now = freshHot(ws, tags, day)
	}
	bareReasons, bareNow := reasons, now
	if i := section.ByTitle(doc.Parse(reasons), title); i != section.None {
		return p, "", &agent.RefusedError{
			Problem: fmt.Sprintf("there is a decision '%s' in '%s'", title, hot.DecisionsPath), Advice: []string{"choose another title, or edit that one"},
		}
	}
	reasons, anchor = section.New(reasons, title, said(day+": "+because))
	item := []string{"- " + title + " → " + hot.DecisionsPath + "#" + anchor}
	if d := doc.Parse(now); section.ByTitle(d, activeDecisions) != section.None {
		now = section.Add(d, section.ByTitle(d, activeDecisions), item)
	} else {
		now, _ = section.New(now, activeDecisions, item)
	}
	now = header.SetUpdated(now, day)
	if why := hot.TooLong(ws, now); why != "" {
		return p, "", tooLong(why)
	}
	return agent.Planned{
		Event: agent.EventDecision, Area: "memory", Summary: "decide: " + title, Trailers: gitops.Trailers{{Key: "Claw-Decision", Value: title}},
		Edits: []agent.FileEdit{{Path: hot.DecisionsPath, Next: reasons, Bare: bareReasons}, {Path: hot.Path, Next: now, Bare: bareNow}},
	}, anchor, nil
}

func tooLong(why string) error {
	return &agent.RefusedError{Problem: "'MEMORY.md' would be too long: " + why, Advice: []string{"git claw trim MEMORY.md"}}
}

// vocabulary reads the tags that may be used.
func vocabulary(ws *memory.Workspace) (header.Vocabulary, error) {
	text, _, err := ws.Repo.ReadWork(ws.Prefix+header.VocabularyPath, ws.MaxFileBytes())
	return header.ParseVocabulary(text), err
}

// freshHot is a new MEMORY.md.
func freshHot(ws *memory.Workspace, tags header.Vocabulary, day string) []byte {
	if !ws.Profiles.Has(memory.OpenClawMemory) {
		return []byte("# Memory\n")
	}
	return []byte(header.HotTitle + "\n#tags: " + strings.Join(tags.Pick("memory"), " ") + "\nlast_verified: " + day + "\nlast_updated: " + day + "\n")
}

// said cuts a text into lines, line ends as LF.
func said(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimRight(text, " \t\r\n")), "\n")
}
