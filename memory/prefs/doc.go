// Package prefs reads and edits the store of learned preferences (SPEC section 5): confirmed entries
// in their tiers, candidates that wait, corrections, reflections, rejections and the index. Paths are
// relative to the store. Edits change what they name and no other byte; only index.md, which is
// derived, is written as a whole.
package prefs
