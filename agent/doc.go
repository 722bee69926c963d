// Package agent is what an agent or its user does with a workspace: saving
// write-backs, reading history, explaining and undoing changes, adopting a
// folder, watching it, and the adapters of hosts below agent/connect.
//
// Policy lives here: who acts (SPEC GN-07), what belongs into one commit and
// under which event (SPEC 10.2), what is held back (GN-21). How a commit is
// made safely is the business of gitops; what a file is, of memory; what may
// not be committed, of hooks.
package agent
