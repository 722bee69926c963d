// Package merge unites two versions of a file of memory that went different ways from a third one,
// their base. What it does depends on the kind of file (SPEC GN-04): Markdown by entry, logs by line,
// JSON objects by key. It knows bytes only; paths, commits and git's own text merge are the caller's.
//
// Every choice that is not forced by "one side changed this, the other did not" is made by a total
// order on content, never by which side is ours: all machines write the same bytes. To make sure, the
// two sides are put in order before anything looks at them.
//
// Nothing that one side wrote is dropped unless the other side, having it, took it out. One entry that
// both sides changed in different ways stays in both versions, under a comment line (SPEC GN-15).
//
// How Markdown is merged: the three texts are cut into entries (memory/doc), and those of each side
// are aligned with those of the base: the same, edited, moved or gone. What all three share, and
// nobody moved, is the spine. Between two entries of the spine lies a gap; what the sides have there is
// read as a forest (sections, items with what is nested in them), and the two forests are merged level
// by level. Concurrent additions keep the order that each side gave them, and interleave by time, then
// by text.
package merge
