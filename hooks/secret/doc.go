// Package secret finds what must not reach a commit: credentials, and numbers
// that are as good as money.
//
// It knows
//
//   - what has a shape of its own: the keys and tokens of providers, private key
//     blocks, JSON web tokens, passwords inside URLs (table);
//   - what a label says: the value after `password:`, `API key =`, "das Passwort
//     lautet", 密码是, behind an option of a command, in a header, in a cell of a
//     table, on a line of its own below a heading, in a manifest (labelRules). A
//     password is judged by how people choose them, a key by how random it is;
//     both pass where the words around them make them something else;
//   - payment cards and account numbers, by their check digits.
//
// A finding names the kind and the lines, never the value, so it may be printed
// and logged. Text that only stands for a secret passes: `<token>`, `${TOKEN}`,
// `sk-your-key`, `xxxx`, the examples that providers print in their manuals; so
// does a line that says `claw:allow`.
//
// Work is bounded. One pass over the bytes looks up the words of all rules by
// their last three bytes, and only where one is seen its rule looks further.
// Nothing is compiled, no piece of a line is judged twice by one rule, and long
// runs are measured once: time is linear in the text, whatever it holds. A text
// is read in place; only a line with something invisible in it is copied.
//
// What is found does not depend on what is taken out: the lines of findings say
// nothing of other lines. So a file without them holds no further ones.
//
// What a reader cannot see does not hide a key: control bytes, zero-width and
// bidirectional marks, a byte order mark, terminal colours and the backslashes
// of Markdown are taken out before matching, UTF-16 text reads as its ASCII
// part, and bytes that are not UTF-8 are ordinary separators.
package secret
