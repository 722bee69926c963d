// Package header reads the first lines of MEMORY.md and of semantic and procedural notes: title, tags,
// last_verified, last_updated (SPEC OM-05, OM-06, OM-10), and the vocabulary of tags.
package header
