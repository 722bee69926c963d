// Package daily reads the notes of single days: what their names say, which of them are active and
// which are archived, and the closure block at their end. Its edits put lines above the block and
// rewrite the block in place, and change no other byte.
package daily
