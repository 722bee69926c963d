// Package mergesetup tells git to merge memory by entry: a line in the repository's own configuration
// names git-claw as the driver `claw`, and info/attributes says for which files, beside the committed
// .gitattributes: git takes attributes from our side only, and in a merge without a work tree from
// nowhere else.
//
// The configuration of the user or the system is never written, and a driver of that name that somebody
// else set up is left alone. The line falls back on git's own merge where git-claw is not found: a driver
// that is missing would leave one side in the file without a word.
package mergesetup
