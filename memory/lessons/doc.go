// Package lessons reads the files of `.learnings/`: errors, lessons and wishes, in the two forms that
// agents write (SPEC LR-05). Templates in code fences, and those with a literal YYYYMMDD or XXX, are
// text. Edits change one field of one entry, add an entry or take one out.
package lessons
