// Package gitops is everything git claw knows about git: it finds the
// repository, reads its objects, reports its state, and writes commits and refs.
//
// Reading: go-git decodes loose and packed objects; what it does not see
// (alternates, promisor objects, SHA-256 repositories) is read through one
// long-running `git cat-file --batch`. Everything that depends on the user's
// configuration (status, log, blame, ident, ignore rules, attributes) is asked
// of the git binary, so git claw and git never disagree. [Repo.PathStatus] looks
// for itself, and asks git as soon as it meets anything that git treats in a way
// of its own.
//
// Writing: one [Writer] interface and one contract suite (gitops/gittest). The fast
// writer writes loose objects, the index (patched byte by byte), refs and reflogs
// itself, under git's own locks and with a redo log (fastwriter.go, redo.go,
// fastrecover.go, fastboot.go), where it knows all there is to know (fastdecide.go).
// The git writer does the same through the git binary for every other shape. go-git
// never writes: it takes none of git's locks.
//
// Paths are bytes in a string, relative to the repository's top level, with
// forward slashes; they need not be valid UTF-8.
package gitops
