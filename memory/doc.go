// Package memory is the workspace as data: where its root is, which host and
// profiles it follows, which paths git claw manages and what each of them is,
// its settings, and the plan by which a folder is adopted.
//
// It reads files and decides; it never writes. Text itself, as entries, lines
// and words, is the business of memory/doc.
package memory
