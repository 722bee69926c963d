// Command bench measures git claw beside git in one run: `make bench`.
//
// For each size it builds a repository of Markdown notes with a history,
// copies it (one copy is written by git, the other by git claw) and runs each
// pair of commands in turn, A B A B, every run a fresh process. Runs of a
// pair see the same machine at nearly the same moment, so their ratio means
// something where absolute times on a shared machine do not. Printed are
// medians and 95th percentiles, the ratio of the medians by wall time and by
// CPU time, and the goal; the same goes to a JSON file. Nothing is asserted:
// a number is for a person to judge. A command that fails is shown as `-`
// with its first line of stderr below the table.
//
// With -search, which is on unless it is switched off, search and index are
// measured as well, in workspaces of prose: 1,000 notes, and as many as make
// the numbers of chunks that -chunks names. A search that does not find what
// is there is a failure, not a number. `-sizes ""` leaves out everything else.
package main
