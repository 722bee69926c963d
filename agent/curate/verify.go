package curate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/header"
	"github.com/git-claw/git-claw/memory/hot"
)

// VerifyOptions say what was verified, and by what.
type VerifyOptions struct {
	Path     string // relative to the root
	Evidence string
	DryRun   bool
}

// Verify writes today into last_verified of a HOT or WARM note, as one commit that holds
// the evidence (SPEC OM-72). One file at a time: who verified everything verified nothing.
func Verify(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt VerifyOptions) (*agent.SaveResult, error) {
	evidence := gitops.OneLine(opt.Evidence)
	if evidence == "" {
		return nil, &agent.UsageError{Problem: "nothing is verified without evidence", Hint: fmt.Sprintf("git claw verify %s --evidence '<what was looked at>'", opt.Path)}
	}
	if found := secret.New().Scan([]byte(opt.Evidence)); len(found) > 0 {
		return nil, &agent.RefusedError{Problem: "the evidence holds a secret (" + found[0].Kind + ")", Advice: []string{"say it without the value"}}
	}
	if !isDated(opt.Path) {
		return nil, &agent.RefusedError{
			Problem: fmt.Sprintf("'%s' is no note that says when it was verified", opt.Path),
			Advice:  []string{"those are MEMORY.md and the notes in memory/semantic/ and memory/procedural/"},
		}
	}
	return agent.Commit(ctx, ws, caller, agent.Rewrite{
		Paths: []string{opt.Path}, DryRun: opt.DryRun, Whole: true,
		Plan: func(files []agent.File) (agent.Planned, error) {
			f := files[0]
			if !f.Exists {
				return agent.Planned{}, &agent.NoFileError{Path: opt.Path}
			}
			day := ws.Now().Format(time.DateOnly)
			p := agent.Planned{
				Event: agent.EventVerify, Area: "memory", Summary: "verify " + opt.Path, Trailers: gitops.Trailers{{Key: "Claw-Evidence", Value: clip(evidence)}},
			}
			if next := header.SetVerified(f.Text, day); string(next) != string(f.Text) {
				p.Edits = []agent.FileEdit{{Path: opt.Path, Next: next, Bare: f.Text}}
			}
			return p, nil
		},
	})
}

// isDated: notes of the tiers HOT and WARM.
func isDated(rel string) bool {
	if rel == hot.Path {
		return true
	}
	return strings.HasSuffix(rel, ".md") && (strings.HasPrefix(rel, "memory/semantic/") || strings.HasPrefix(rel, "memory/procedural/"))
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
