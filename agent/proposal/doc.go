// Package proposal keeps changes that wait for a person: branches
// `claw/<kind>/<id>` with one commit each, built beside the checkout, what people said
// of them in refs/notes/claw, and the merge that accepts one (SPEC GN-05 to GN-17).
//
// The state of a proposal is nowhere written down. It follows from refs, history and
// verdicts: whoever merges the branch with git alone, deletes it, or takes its text over
// by hand is understood as well. Settle writes down what followed.
//
// Branches come from anywhere, a remote too. Nothing of one is believed before it was
// looked at: a name or a kind that is not known is passed over and counted, a change that
// its kind does not allow is quarantined.
package proposal
