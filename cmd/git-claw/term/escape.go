package term

import "github.com/git-claw/git-claw/memory/unseen"

// Escape returns s as one line that is safe to print on a terminal: control
// characters (line breaks and tabs too), bidirectional controls, invisible
// characters and bytes that are not UTF-8 are spelled out, a character as
// <U+202E>, a stray byte as <0x9B>. Everything else is unchanged, so Escape of
// an escaped text is that text. A word that is a key of some provider is left out: files
// are called so, too.
func Escape(s string) string { return unseen.Escape(maskWords(s)) }

// EscapeText is Escape for text of several lines: line feeds and tabs stay.
func EscapeText(s string) string { return unseen.EscapeText(s) }

// Hidden reports whether a terminal would obey r, or show nothing for it, or
// change the order of its neighbours because of it.
func Hidden(r rune) bool { return unseen.Hidden(r) }
