package main

import (
	"context"
	"time"

	"github.com/git-claw/git-claw/agent/review"
)

// reviewJSON is a line of 'review --json': one thing that waits.
type reviewJSON struct {
	Kind          string             `json:"kind"`
	ID            string             `json:"id"`
	Title         string             `json:"title"`
	Created       string             `json:"created,omitempty"`
	Answers       []string           `json:"answers"`
	Proposal      *proposalJSON      `json:"proposal,omitempty"`
	Costs         []string           `json:"costs,omitempty"`
	Remarks       []string           `json:"remarks,omitempty"`
	Edit          *eventJSON         `json:"edit,omitempty"`
	Contradiction *contradictionJSON `json:"contradiction,omitempty"`
	Candidate     *candidateJSON     `json:"candidate,omitempty"`
}

type contradictionJSON struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	Deleted  bool     `json:"deleted"`
	Versions []string `json:"versions"`
	// Value is the path of a value that both machines set, null for an entry; the first
	// version is in the file unless somebody set it anew.
	Value []string `json:"value"`
	// Written tells of each version which event it is from, null where none is known.
	Written []*writtenJSON `json:"written"`
}

type writtenJSON struct {
	Commit  string `json:"commit"`
	ID      string `json:"id"`
	Actor   string `json:"actor"`
	Session string `json:"session"`
	Date    string `json:"date"`
}

func (r *reviewer) json(ctx context.Context, first bool) error {
	for n, i := range r.queue.Items {
		if first && n > 0 {
			break
		}
		line := reviewJSON{Kind: string(i.Kind), ID: i.ID, Title: i.Title, Answers: []string{}}
		for _, a := range i.Answers {
			line.Answers = append(line.Answers, string(a))
		}
		if !i.Created.IsZero() {
			line.Created = i.Created.Format(time.RFC3339)
		}
		if err := r.details(ctx, i, &line); err != nil {
			return err
		}
		if err := writeJSON(r.env.Out, "claw.review/1", line); err != nil {
			return err
		}
	}
	return nil
}

func (r *reviewer) details(ctx context.Context, i *review.Item, line *reviewJSON) error {
	if i.Proposal != nil {
		p, err := proposalLine(ctx, i.Proposal, func(string) bool { return false })
		if err != nil {
			return err
		}
		line.Proposal = &p
		if line.Remarks, err = review.Remarks(ctx, r.ws, i.Proposal); err != nil {
			return err
		}
		costs, err := review.Costs(ctx, r.ws, i.Proposal)
		if err != nil {
			return err
		}
		for _, c := range costs {
			line.Costs = append(line.Costs, c.String())
		}
	}
	if i.Edit != nil {
		e := eventLine(*i.Edit)
		line.Edit = &e
	}
	if c := i.Contradiction; c != nil {
		line.Contradiction = &contradictionJSON{
			Path: c.Path, Line: c.Line, Deleted: c.Deleted, Versions: list(c.Versions), Written: make([]*writtenJSON, len(c.Versions)),
		}
		if c.Value != nil {
			line.Contradiction.Value = list(c.Value.Path)
		}
		from, err := review.Writers(ctx, r.ws, c)
		if err != nil {
			return err
		}
		for n, e := range from {
			if e != nil {
				line.Contradiction.Written[n] = &writtenJSON{e.Commit.ID.String(), e.ID, string(e.Actor), e.Session, e.Date.Format(time.RFC3339)}
			}
		}
	}
	if i.Candidate != nil {
		c := candidateLine(i.Candidate)
		line.Candidate = &c
	}
	return nil
}

// decidedJSON is the line of 'review --answer --json'.
type decidedJSON struct {
	Kind   string      `json:"kind"`
	ID     string      `json:"id"`
	Answer string      `json:"answer"`
	Saved  []savedJSON `json:"saved"`
	Rest   string      `json:"rest,omitempty"`
}

func (r *reviewer) outcomeJSON(i *review.Item, out *review.Outcome) error {
	line := decidedJSON{Kind: string(i.Kind), ID: i.ID, Answer: string(out.Answer), Saved: []savedJSON{}}
	for _, s := range out.Saved {
		j := savedLine(s)
		j.Skipped = []skippedJSON{}
		line.Saved = append(line.Saved, j)
	}
	if out.Accepted != nil && out.Accepted.Rest != nil {
		line.Rest = out.Accepted.Rest.ID
	}
	return writeJSON(r.env.Out, "claw.decided/1", line)
}
