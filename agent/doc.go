// Package agent is what an agent or its user does with a workspace: saving
// write-backs, reading history, explaining and undoing changes, adopting a
// folder, watching it, and the adapters of hosts below agent/connect.
//
// Policy lives here: who acts (SPEC GN-07), what belongs into one commit and
// under which event (SPEC 10.2), what is held back (GN-21). How a commit is
// made safely is the business of gitops; what a file is, of memory; what may
// not be committed, of hooks.
//
// # How Save runs
//
// One look at the managed paths, in process or by git status where only git knows for
// sure, says what changed, and which blobs HEAD and the index have. Each changed file is
// read without following links; a partly staged one is skipped and named. Added lines
// that hold a secret are taken out of what is committed; the file keeps them. The edits
// are cut into commits: each rule file, configuration file and skill alone, the rest as
// one write-back. The writer makes them; where HEAD moved meanwhile it looks again.
package agent
