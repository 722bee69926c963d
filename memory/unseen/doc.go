// Package unseen knows the characters that a reader does not see: those that a
// terminal obeys or shows nothing for, and those that change the order of their
// neighbours. Escape spells them out.
//
// Some of them are an ordinary part of writing, as the joiner of a family emoji or
// of a Persian word; these hide nothing (Joins).
package unseen
