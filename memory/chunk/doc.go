// Package chunk cuts a note into the pieces that search finds and ranks.
//
// A chunk is a run of whole lines of about Options.Tokens tokens that starts, where it can, at a
// heading or a paragraph, and that repeats the end of the chunk before it. In a file of entries
// (MEMORY.md, USER.md) each entry is a chunk of its own. Positions are those of the file's bytes; the
// text of a chunk is valid UTF-8, without what hosts wrote for themselves.
//
// The result depends on content and options only, and the cost is linear in the size of the content.
package chunk
