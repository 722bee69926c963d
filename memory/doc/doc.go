// Package doc reads Markdown as a sequence of entries without changing a byte of it, and compares,
// merges and cuts such texts by entry, by line and by word.
//
// An entry is the unit of review and merge: a heading, a list item with its continuation (nested
// items are entries of their own), a code fence, a paragraph or the frontmatter. An HTML comment line
// belongs to the entry after it. The blank lines after an entry belong to it as well, but never
// decide whether two entries are the same one.
//
// All costs are near linear in the size of the texts; nothing here reads a clock to decide a result
// that is written somewhere.
package doc
