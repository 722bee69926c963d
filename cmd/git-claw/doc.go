// Command git-claw is the git extension 'git claw': the command line over
// package agent.
//
// main makes an Env from the process and hands it to run, which never touches
// the process again; so every command runs in a test as it runs in a shell.
// A command is one file with three parts: an options struct, newXCommand, which
// only fills it, and runX, which does the work, prints through Env and returns
// an error. No command prints an error or ends the process: exit.go does.
//
// Rules of the output:
//
//   - standard output carries only what was asked for; confirmations, progress,
//     warnings and hints go to standard error, and -q drops all but warnings;
//   - text from a repository passes term.Escape before it is printed for a
//     person; --json and -z keep its bytes, JSON spells them as \u escapes;
//   - --json is JSON Lines, one object a line with its schema, errors too.
package main
