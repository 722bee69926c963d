// Package shapes builds workspaces as people have them: kinds of input that were
// seen in public workspaces kept in git, and some that only somebody hostile
// would make. Nothing is stored: each shape is generated into a repository that
// the test brings, so that it can be changed by one line.
//
// A shape may leave commits, staged and unstaged edits, untracked and ignored
// files behind. Whatever is done to it, no byte of them may get lost.
package shapes
