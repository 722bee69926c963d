package proposal

import (
	"path"
	"regexp"
	"strings"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/skills"
)

// Kind says what a proposal is about (SPEC GN-05).
type Kind string

// The kinds.
const (
	Candidate   Kind = "candidate"   // a learned preference becomes a rule
	Promote     Kind = "promote"     // a lesson becomes memory
	L1          Kind = "l1"          // a rule file changes
	Evolve      Kind = "evolve"      // a parameter of a skill changes
	Consolidate Kind = "consolidate" // daily notes become MEMORY.md
	Vocab       Kind = "vocab"       // the vocabulary of tags changes
	Skill       Kind = "skill"       // a skill changes
	Trim        Kind = "trim"        // a rule file gets shorter
)

// Kinds lists all of them.
var Kinds = []Kind{Candidate, Promote, L1, Evolve, Consolidate, Vocab, Skill, Trim}

// eventKinds are the kinds by the event of the commit, for a proposal whose branch is
// gone.
var eventKinds = map[string]Kind{
	"candidate.confirm": Candidate, "promote": Promote, "l1.change": L1, "checkpoint": L1, "undo": L1, "evolve.propose": Evolve,
	"consolidate": Consolidate, "vocab.change": Vocab, "skill.change": Skill, "skill.run": Skill, "trim": Trim,
}

// events are what is recorded of a new proposal of a kind, where nothing else is said.
var events = map[Kind]string{
	Candidate: "candidate.confirm", Promote: "promote", L1: "l1.change", Evolve: "evolve.propose",
	Consolidate: "consolidate", Vocab: "vocab.change", Skill: "skill.change", Trim: "trim",
}

// areas name the part of the workspace in a subject.
var areas = map[Kind]string{
	Candidate: "prefs", Promote: "memory", L1: "rules", Evolve: "skills", Consolidate: "memory", Vocab: "config", Skill: "skills", Trim: "rules",
}

// exact: such a change is about the very text that it was made for, and is never fitted
// to another one unseen (SPEC GN-06).
func (k Kind) exact() bool { return k == Evolve || k == Skill || k == Vocab }

// Whole: what such a change takes from one place it puts into another, so that a part of
// it would lose something or say half of it.
func (k Kind) Whole() bool { return k == Candidate || k == Promote || k == Trim || k == Evolve }

const (
	branches  = "refs/heads/claw/"
	openRefs  = "refs/claw/open/"
	closed    = "refs/claw/closed/"
	tagsFile  = ".claw/tags.txt"
	clawDir   = ".claw/"
	skillFile = "SKILL.md"
)

// idForm is the form of an id (SPEC GN-05).
var idForm = regexp.MustCompile(`^\d{8}-[a-z0-9-]{1,40}-[0-9a-f]{4,}$`)

// parseBranch reads the full name of a branch.
func parseBranch(ref string) (kind Kind, id string, ok bool) {
	rest, ok := strings.CutPrefix(ref, branches)
	if !ok {
		return "", "", false
	}
	name, id, _ := strings.Cut(rest, "/")
	for _, k := range Kinds {
		if string(k) == name && idForm.MatchString(id) {
			return k, id, true
		}
	}
	return "", "", false
}

// allows tells whether a kind may change a path, relative to the root (SPEC 10.2).
func (k Kind) allows(ws *memory.Workspace, rel string) bool {
	kind := ws.Kind(rel)
	lesson := kind == memory.KindLesson || strings.HasPrefix(rel, "memory/archive/learnings/")
	noted := strings.HasPrefix(rel, "memory/") || kind == memory.KindMemory || kind == memory.KindDaily || kind == memory.KindNote
	rules := kind == memory.KindL1 || kind == memory.KindMemory
	switch k {
	case Candidate:
		return strings.HasPrefix(rel, ws.SIRoot())
	case Promote:
		return lesson || noted || rules || strings.HasPrefix(rel, "reference/")
	case L1:
		return rules
	case Trim:
		return rules || noted || strings.HasPrefix(rel, "reference/")
	case Evolve:
		return kind == memory.KindSkill && path.Base(rel) == skillFile || strings.HasPrefix(rel, ws.SIRoot()+skills.ProposalDir)
	case Consolidate:
		return noted
	case Vocab:
		return rel == tagsFile
	case Skill:
		return kind == memory.KindSkill || lesson
	}
	return false
}
