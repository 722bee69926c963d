// Package completion writes the completion scripts of git claw for bash (where
// git's own completion calls _git_claw), zsh and fish, from a description of the
// command line.
package completion
