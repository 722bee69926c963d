// Package secret finds credentials in text before they reach a commit.
//
// It knows what has a shape of its own: the keys and tokens of providers,
// private key blocks, JSON web tokens, and passwords inside URLs. A finding
// names the kind and the lines, never the value, so it may be printed and
// logged. Text that only stands for a secret passes: `<token>`, `${TOKEN}`,
// `sk-your-key`, `xxxx`, the examples that providers print in their manuals;
// so does a line that says `claw:allow`.
//
// Work is bounded: one pass over the bytes looks for keywords, and only where
// one is seen a pattern is compiled and tried on the text around it. A line is
// read in windows of at most 64 KiB, so a file of one endless line costs time
// in proportion to its length and no memory.
//
// What a reader cannot see does not hide a key: control bytes, zero-width and
// bidirectional marks, a byte order mark, terminal colours and the backslashes
// of Markdown are taken out before matching, UTF-16 text reads as its ASCII
// part, and bytes that are not UTF-8 are ordinary separators.
//
// A new shape is a line in the table of [Rules].
package secret
