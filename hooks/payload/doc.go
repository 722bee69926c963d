// Package payload reads what a host tells a hook on standard input.
//
// Hosts send one JSON object for each event. Names of fields and events differ
// between hosts and between versions of one host, so they are compared without
// case and punctuation, unknown ones are passed over, and a broken or cut
// object gives what could be read before the break. Only what is listed in
// [Event] is kept: prompts, answers and file contents are dropped while reading.
package payload
