// Package index keeps the search index of a workspace in <git-dir>/claw/index: a
// cache of commits and of the work tree that can be dropped at any time.
//
// A manifest names a table and segments, all immutable files; it is replaced last,
// so a process that is killed leaves the old state or the new one. The table lists
// every searched file with the blob that was indexed, the blob HEAD has, the commit
// that last changed it, and the stat data of the file in the work tree.
//
// Refresh brings a state up to date: the tree diff between the manifest's commit
// and HEAD says which committed blobs changed, stat data says which files of the
// work tree did, and only files whose content is another than the indexed one are
// read and indexed. Branch switch, revert and merge are that same operation.
//
// One process updates; others, and those that cannot write, add what is missing in
// memory and answer the same.
package index
