// Package syncing brings the memory of several machines together through a remote
// repository: it fetches, merges by entry and pushes (SPEC GN-04, GN-16).
//
// A sync saves first. It fetches the refs that are git claw's own and the current branch,
// nothing else. What came is merged in the object store; HEAD, index and work tree are
// brought to the result in one step, in which files that did not change are not touched.
// Proposals become branches here after their names and what they change were looked at;
// verdicts are united line by line. Then everything that the remote lacks is pushed,
// never against the history that is there. When another machine pushed meanwhile it
// starts over.
//
// What the remote has is remembered in refs of this clone: refs/remotes/<remote>/... as
// git does, refs/claw/remotes/<remote>/... for what git has no place for, and
// refs/claw/synced/<remote>/<branch>, the commit that both had at the end of the last
// sync. A remote that does not hold that commit any more was rewritten.
package syncing
