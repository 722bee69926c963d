package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/bootstrap"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/prefs"
)

// Cost is what a change costs in a file that is loaded into every session.
type Cost struct {
	Path        string
	Unit        string // characters, lines
	Before, Now int
	Limit       int // 0: none
	Tokens      int // more, or less
}

// Over reports whether the file is over its limit then.
func (c Cost) Over() bool { return c.Limit > 0 && c.Now > c.Limit }

func (c Cost) String() string {
	s := fmt.Sprintf("%s: %+d %s, now %d", c.Path, c.Now-c.Before, c.Unit, c.Now)
	if c.Limit > 0 {
		s += fmt.Sprintf(" of %d", c.Limit)
	}
	if c.Tokens != 0 {
		s += fmt.Sprintf(" (~%+d tokens)", c.Tokens)
	}
	if c.Over() {
		s += ", over the limit"
	}
	return s
}

// Costs tells what a proposal costs.
func Costs(ctx context.Context, ws *memory.Workspace, p *proposal.Proposal) ([]Cost, error) {
	var out []Cost
	for _, c := range p.Changes {
		kind := ws.Kind(c.Path)
		hot := c.Path == ws.SIRoot()+prefs.Hot
		if kind != memory.KindL1 && kind != memory.KindMemory && !hot {
			continue
		}
		old, err := blob(ctx, ws, c.Old)
		if err != nil {
			return nil, err
		}
		new, err := blob(ctx, ws, c.New)
		if err != nil {
			return nil, err
		}
		cost := Cost{Path: c.Path, Unit: "characters", Before: doc.Chars(old), Now: doc.Chars(new), Limit: bootstrap.OwnLimit(ws.Host, c.Path)}
		cost.Tokens = doc.Tokens(new) - doc.Tokens(old)
		if hot {
			cost.Unit, cost.Before, cost.Now = "lines", lines(old), lines(new)
			cost.Limit = int(ws.Settings.Int("si.hotMaxLines"))
		}
		out = append(out, cost)
	}
	return out, nil
}

func lines(text []byte) int { return len(doc.SplitLines(text)) }

func blob(ctx context.Context, ws *memory.Workspace, e gitops.TreeEntry) ([]byte, error) {
	if !e.Mode.IsFile() {
		return nil, nil
	}
	b, err := ws.Repo.Objects().Blob(ctx, e.ID)
	if err != nil {
		return nil, fmt.Errorf("read proposal: %w", err)
	}
	return b, nil
}

// Evidence are the lines of Claw-Evidence and of the body of a proposal: what speaks for
// it, in the words of who said it.
func Evidence(p *proposal.Proposal) []string {
	var out []string
	for _, e := range p.Trailers.All("Claw-Evidence") {
		out = append(out, "“"+e+"”")
	}
	for line := range strings.SplitSeq(strings.TrimSpace(p.Body), "\n") {
		if line = strings.TrimRight(line, " \r"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Remarks are what a person should know of a proposal and may not see in the diff: hidden
// text, commands that run what they fetch. Each begins with the path.
func Remarks(ctx context.Context, ws *memory.Workspace, p *proposal.Proposal) ([]string, error) {
	var out []string
	for _, c := range p.Changes {
		old, err := blob(ctx, ws, c.Old)
		if err != nil {
			return nil, err
		}
		new, err := blob(ctx, ws, c.New)
		if err != nil {
			return nil, err
		}
		for _, r := range health.Remarks(c.Path, old, new) {
			out = append(out, c.Path+": "+r)
		}
	}
	return out, nil
}
