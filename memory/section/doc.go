// Package section edits what stands below a heading of a note: it adds lines there,
// replaces them, or makes the section. All other bytes stay as they are.
package section
