package proposal

import (
	"context"
	"regexp"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/memory"
)

// Approval is who decides, and how that is known (SPEC GN-07).
type Approval struct {
	By  string // `Name <mail>`
	Via string // tty, env, web, git, signed
}

var person = regexp.MustCompile(`^[^<>\x00-\x1f]*[^<>\x00-\x20][^<>\x00-\x1f]* <[^<>\s]+@[^<>\s]+>$`)

// Approve tells who decides; a *agent.RefusedError where that is no person.
func Approve(ctx context.Context, ws *memory.Workspace, caller agent.Caller) (Approval, error) {
	switch {
	case caller.Host:
		return Approval{}, refuse("a host of an agent started this command", "decide in a terminal of your own")
	case caller.Actor != agent.User:
		return Approval{}, refuse("the actor is '"+string(caller.Actor)+"'", "git claw review")
	case caller.TTY:
		by, err := ws.Repo.Committer(ctx)
		return Approval{By: by, Via: "tty"}, err
	case caller.Approver == "":
		return Approval{}, refuse("nobody sits at a terminal", "git claw review, in a terminal")
	}
	by := strings.TrimSpace(caller.Approver)
	if !person.MatchString(by) {
		return Approval{}, refuse("'"+by+"' is no person", `write GIT_CLAW_APPROVER as "Name <mail>"`)
	}
	return Approval{By: by, Via: "env"}, nil
}

func refuse(why, hint string) error {
	return &agent.RefusedError{Problem: "only a person may decide this: " + why, Advice: []string{hint}}
}

// unsigned refuses a verdict that says yes where only a signed merge may say that: a
// note has no signature (SPEC GN-07).
func unsigned(ws *memory.Workspace, what string) error {
	if !ws.Settings.Bool("approve.requireSignature") {
		return nil
	}
	return &agent.RefusedError{
		Problem: "cannot keep '" + what + "': claw.approve.requireSignature counts signed merges only, and a verdict has no signature",
		Advice:  []string{"git claw undo " + what + ", and have it proposed"},
	}
}
