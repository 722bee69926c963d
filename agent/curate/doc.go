// Package curate keeps long-term memory in order: it routes what a session leaves behind,
// turns daily notes into MEMORY.md, shortens rule files, and writes down decisions and
// when a note was verified last (SPEC TL-12 to TL-23, OM-72, OM-74, RC-15).
package curate
