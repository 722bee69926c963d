package proposal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
)

// carried are the trailers that the merge takes over from the proposal.
var carried = []string{
	"Claw-Reason", "Claw-Evidence", "Claw-Candidate", "Claw-Tier-From", "Claw-Tier-To", "Claw-From", "Claw-To", "Claw-Key",
	"Claw-Count", "Claw-Window", "Claw-Source", "Claw-Skill", "Claw-Run", "Claw-Tags-Added", "Claw-Tags-Removed", "Claw-Rule",
}

func (a *accepter) message(tx *gitops.Tx, plan Planned) error {
	p := a.p
	id, err := agent.NewID(a.ws.Repo.Git.Env())
	if err != nil {
		return err
	}
	event, area, summary := p.Trailers.Get("Claw-Event"), p.Area, p.Title
	if plan.Event != "" {
		event = plan.Event
	}
	if plan.Area != "" {
		area = plan.Area
	}
	if plan.Summary != "" {
		summary = plan.Summary
	}
	tr := append(agent.Trailers(a.ws, a.caller, event, id), gitops.Trailer{Key: "Claw-Proposal", Value: p.ID})
	for _, t := range plan.Trailers {
		if t.Value != "" {
			tr = append(tr, t)
		}
	}
	for _, key := range carried {
		if tr.Get(key) == "" && !(a.opt.Quote && key == "Claw-Reason") {
			for _, v := range p.Trailers.All(key) {
				tr = append(tr, gitops.Trailer{Key: key, Value: v})
			}
		}
	}
	if a.opt.Quote {
		tr = append(tr, gitops.Trailer{Key: "Claw-Reason", Value: "explicit"})
	} else {
		via := a.opt.Approval.Via
		if a.ws.Settings.Bool("approve.requireSignature") {
			via = "signed"
		}
		tr = append(tr, gitops.Trailer{Key: "Claw-Approved-By", Value: a.opt.Approval.By}, gitops.Trailer{Key: "Claw-Approved-Via", Value: via})
	}
	if a.res.Version != "" {
		tr = append(tr, gitops.Trailer{Key: "Claw-Version", Value: a.res.Version})
	}
	if len(a.opt.Only) > 0 {
		tr = append(tr, gitops.Trailer{Key: "Claw-Only", Value: numbersText(a.opt.Only)})
	}
	tx.Message = gitops.FormatMessage(fmt.Sprintf("claw(%s): %s", area, summary), "", tr)
	tx.Reflog = "claw: accept " + p.ID
	subject, _, _ := strings.Cut(tx.Message, "\n")
	a.res.Saved = agent.Saved{ID: id, Event: event, Actor: a.caller.Actor, Session: a.caller.Session, Subject: subject, Paths: a.res.Paths}
	return nil
}

// numbersText writes numbers as `--only` takes them.
func numbersText(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// sign has the merge signed where only that counts, by a key that was named here (SPEC
// GN-07).
func (a *accepter) sign(tx *gitops.Tx) {
	if a.opt.Quote || !a.ws.Settings.Bool("approve.requireSignature") {
		return
	}
	keys := a.ws.Settings.All("approve.keys")
	tx.Sign = true
	tx.Vet = func(ctx context.Context, commit gitops.ID) error {
		by, err := a.ws.Repo.SignedBy(ctx, commit)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if slices.ContainsFunc(by, func(fpr string) bool {
				return key != "" && strings.HasSuffix(strings.ToUpper(fpr), strings.ToUpper(key))
			}) {
				return nil
			}
		}
		return &agent.RefusedError{
			Problem: fmt.Sprintf("cannot accept '%s': claw.approve.requireSignature asks for a signature by a key of claw.approve.keys", a.p.ID),
			Advice:  []string{"git config --add claw.approve.keys <fingerprint>"},
		}
	}
}

// splitOff makes a proposal of the entries that are left (SPEC GN-13).
func (a *accepter) splitOff(ctx context.Context) error {
	if a.rest != nil {
		return nil
	}
	list, err := List(ctx, a.ws, false)
	if err != nil {
		return err
	}
	for _, p := range list.Proposals { // a try before this one got that far
		if p.Trailers.Get("Claw-Split-From") == a.p.ID {
			a.rest = p
			return nil
		}
	}
	want, err := a.p.picked(ctx, func(n int) bool { return !slices.Contains(a.opt.Only, n) })
	if err != nil {
		return err
	}
	d := Draft{Kind: a.p.Kind, Slug: a.p.slug(), Event: a.p.Trailers.Get("Claw-Event"), Area: a.p.Area, Summary: a.p.Title, Body: a.p.Body, Base: a.p.Base}
	for _, key := range carried {
		for _, v := range a.p.Trailers.All(key) {
			d.Trailers = append(d.Trailers, gitops.Trailer{Key: key, Value: v})
		}
	}
	d.Trailers = append(d.Trailers, gitops.Trailer{Key: "Claw-Split-From", Value: a.p.ID})
	for _, c := range a.p.Changes {
		if text, ok := want[c.Path]; ok {
			d.Edits = append(d.Edits, Edit{Path: c.Path, Content: text, Delete: text == nil})
		}
	}
	who := a.caller
	who.Actor, who.Session = a.p.Actor, a.p.Session
	a.rest, err = Propose(ctx, a.ws, who, d)
	return err
}

// slug are the words of an id.
func (p *Proposal) slug() string {
	const date, hex = len("20060102-"), 5
	return p.ID[date : len(p.ID)-hex]
}
