// Package skills reads the skills of a workspace: folders with a SKILL.md that
// teach an agent one procedure.
//
// It finds them in the roots of the host, decides which of two skills of one
// name wins, applies the gates a host applies before a model sees a skill
// (enabled, required programs, operating system), builds the catalogue a host
// prints into the prompt within its limits, and knows which parts of a skill
// may evolve. It reads through packages memory and gitops; it writes nothing
// itself, because a change of a skill is a write-back like any other.
package skills
