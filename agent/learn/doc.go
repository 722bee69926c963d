// Package learn turns what a user says again and again into rules that a person agreed
// to (SPEC section 5): corrections and reflections are written down as they come,
// candidates wait until they came up often enough, a question is asked, and what a
// person confirms goes into the tiers of preferences, from where it leaves when nobody
// uses it. Each step is a commit of its own.
//
// Words of a session are data. They are kept on one line, with nothing in them that
// could pass for an id or for an entry, and nothing that a secret scan flags. No text in
// a file approves anything: a person does, as package proposal sees one.
//
// Files that somebody edited by hand, so that parts of them cannot be read, are left as
// they are; the command that would have changed them says so.
package learn
