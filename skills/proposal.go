package skills

import (
	"regexp"
	"strings"
	"sync"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/frontmatter"
)

// ProposalDir is where proposals to evolve a skill lie, below the store of preferences (SPEC EV-03).
const ProposalDir = "evolution/proposals/"

// Proposal is a file of ProposalDir.
type Proposal struct {
	ID, Type, Reason string
	// Target, Old and New are what its body names: the file of the skill, the rule and what takes its
	// place.
	Target, Old, New string
	Problems         []Problem
}

// proposalIDs are those of SPEC GN-05, and YYYYMMDD-NNN, which skills of their own write.
var proposalIDs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{8}-(?:[a-z0-9-]{1,40}-[0-9a-f]{4,}|\d{3})$`)
})

// ParseProposal reads a proposal file. The body names target, old and new rule in fields
// (`**Target**: x`), in headings with a text below, or in both. No input is an error.
func ParseProposal(src []byte) *Proposal {
	b := frontmatter.Parse(src)
	p := &Proposal{ID: b.Text("proposal-id"), Type: b.Text("type"), Reason: b.Text("reason")}
	problem := func(line int, what string) { p.Problems = append(p.Problems, Problem{line, what}) }
	if !b.Present() {
		problem(1, "it has no frontmatter")
	} else {
		for _, key := range []string{"proposal-id", "type", "reason"} {
			if b.Text(key) == "" {
				problem(b.Line, "'"+key+"' is missing")
			}
		}
		if p.ID != "" && !proposalIDs().MatchString(p.ID) {
			problem(b.Field("proposal-id").Line, "the id is neither YYYYMMDD-<words>-<hex> nor YYYYMMDD-NNN")
		}
	}
	p.readBody(doc.Parse(src))
	for _, f := range []struct{ name, value string }{{"target", p.Target}, {"old rule", p.Old}, {"new rule", p.New}} {
		if f.value == "" {
			problem(1, "the "+f.name+" is missing")
		}
	}
	return p
}

// part finds the field that a label names.
func (p *Proposal) part(label string) *string {
	label = strings.ToLower(strings.Trim(label, "*_` \t"))
	for _, f := range []struct {
		words string
		field *string
	}{{"target", &p.Target}, {"old", &p.Old}, {"new", &p.New}} {
		if label == f.words || strings.HasPrefix(label, f.words+" ") {
			return f.field
		}
	}
	return nil
}

func (p *Proposal) readBody(d *doc.Doc) {
	var open *string // the part that a text below belongs to
	put := func(text string) {
		if open != nil && *open == "" {
			*open = strings.TrimSpace(text)
		}
	}
	for i := range d.Entries {
		e := &d.Entries[i]
		switch e.Kind {
		case doc.Frontmatter, doc.Comment:
		case doc.Heading:
			open = p.part(e.Title())
		case doc.Fence:
			lines := strings.Split(string(e.OwnText()), "\n")
			if n := len(lines) - 1; n > 0 && strings.Trim(strings.TrimSpace(lines[n]), "`~") == "" {
				lines = lines[:n]
			}
			put(strings.Join(lines[1:], "\n"))
		default:
			for l := range strings.Lines(string(e.OwnText())) {
				label, value, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(l), "-*+> "), ":")
				if f := p.part(label); ok && f != nil {
					open = f
					put(strings.TrimLeft(value, "* "))
				} else {
					put(l)
				}
			}
		}
	}
}
