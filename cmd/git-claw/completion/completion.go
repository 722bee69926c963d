package completion

import (
	"fmt"
	"strings"
)

// Command describes git claw or one of its commands.
type Command struct {
	Name      string
	Summary   string
	Arguments string // in git's notation, empty for none
	Options   []Option
	Commands  []Command
}

// Option describes an option.
type Option struct {
	Names   []string // as typed: --message, -m
	Summary string
	Value   bool     // takes a value
	Equals  bool     // takes it only behind '='
	Choices []string // the values, when they are few
}

// commandNames lists the names of the commands below c.
func (c Command) commandNames() []string {
	var out []string
	for _, sub := range c.Commands {
		out = append(out, sub.Name)
	}
	return out
}

// Script is the completion script for a shell.
func Script(shell string, root Command) (string, error) {
	switch shell {
	case "bash":
		return bash(root), nil
	case "zsh":
		return zsh(root), nil
	case "fish":
		return fish(root), nil
	}
	return "", fmt.Errorf("no completion for shell '%s'", shell)
}

// named reports whether the argument of a command is a command, as of help.
func (c Command) named() bool { return c.Arguments == "[<command>]" }

// paths reports whether the arguments of a command are paths.
func (c Command) paths() bool {
	for _, word := range []string{"path", "dir", "file"} {
		if strings.Contains(c.Arguments, "<"+word) {
			return true
		}
	}
	return false
}

// isPath reports whether an option takes a directory or a file.
func (o Option) isPath() bool {
	return o.Names[0] == "-C" || o.Names[0] == "--workspace" || o.Names[0] == "--import"
}
