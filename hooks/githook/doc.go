// Package githook puts git claw's own hooks beside those that are there.
//
// A hook that belongs to somebody else is never overwritten, moved or renamed.
// Where no hook is, a small script is written. Where a plain shell script is,
// one marked block goes under its first line: there an `exit` or `exec` further
// down cannot hide it, its failure stops the commit, and its success lets the
// script run on as if it were not there. Everything else (other languages,
// links, hook managers, a core.hooksPath outside the git directory) is left
// alone, and the caller gets the line to add by hand.
//
// A block is recognised by rendering it again from the path it records: equal
// bytes are ours, different ones were edited and are left alone. Taking a block
// out gives back every byte that was there before.
//
// The hooks directory is shared by linked worktrees and by all workspaces of a
// repository; the block names neither, `hooks run` finds out.
package githook
