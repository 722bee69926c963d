package main

import (
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// helpKind says whether a command line asks for help instead of work.
type helpKind int

const (
	helpNone  helpKind = iota
	helpShort          // -h
	helpLong           // --help
)

// invocation is a command line in the order that urfave/cli reads rightly:
// global options, the command, its options, "--", its arguments.
//
// urfave/cli stops at the first argument: in 'save FILE -m hi' it would take
// '-m' for a file and succeed. It also reads '-json' as '--json' and knows
// nothing of '-n5'. So the words are sorted here first, by git's rules, with
// the commands' own flags as the table; urfave/cli still converts the values.
type invocation struct {
	argv []string       // for cli.App.Run, program name first
	path []*cli.Command // the command and its subcommand; empty for none
	help helpKind
	json bool // known even when the line is wrong, for the error
}

// flagKind is what the sorting must know of a flag.
type flagKind struct {
	name     string // canonical name for cli, without dashes
	value    bool   // takes a value
	optional string // takes one only after '=', and means this without
}

type arranger struct {
	commands []*cli.Command
	global   []cli.Flag
	fallback string // command for a line without one, empty for none

	path     []*cli.Command
	options  [][]string // of the app, the command, the subcommand
	operands []string
	inv      invocation
}

// arrange sorts the words of a command line.
func (a *arranger) arrange(words []string) (invocation, error) {
	a.options = [][]string{nil}
	err := a.sort(words)
	if err == nil && len(a.path) == 0 && a.inv.help == helpNone && a.fallback != "" {
		a.enter(find(a.commands, a.fallback))
	}
	a.inv.path = a.path
	if err != nil || a.inv.help != helpNone {
		return a.inv, err
	}
	if n := len(a.path); n > 0 && len(a.operands) > 0 && len(a.path[n-1].Subcommands) > 0 {
		return a.inv, unknownCommand(a.operands[0], a.path[n-1].Subcommands, names(a.path))
	}
	a.inv.argv = append([]string{"git-claw"}, a.options[0]...)
	for i, c := range a.path {
		a.inv.argv = append(append(a.inv.argv, c.Name), a.options[i+1]...)
	}
	if len(a.operands) > 0 {
		a.inv.argv = append(append(a.inv.argv, "--"), a.operands...)
	}
	return a.inv, nil
}

// sort goes through all words, also after an error, so that --json is found.
func (a *arranger) sort(words []string) error {
	var first error
	fail := func(err error) {
		if first == nil {
			first = err
		}
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--" && len(a.path) > 0:
			a.operands = append(a.operands, words[i+1:]...)
			return first
		case isText(word):
			fail(a.operand(word))
		case strings.HasPrefix(word, "--"):
			used, err := a.long(word[2:], words[i+1:])
			i += used
			fail(err)
		case len(word) > 1 && word[0] == '-':
			used, err := a.short(word[1:], words[i+1:])
			i += used
			fail(err)
		default:
			fail(a.operand(word))
		}
	}
	return first
}

// isText reports whether a word that begins with dashes is text: no option has a
// space behind them, and a list item of a note has.
func isText(word string) bool {
	rest := strings.TrimLeft(word, "-")
	return rest != word && rest != "" && strings.ContainsRune(" \t\r\n", rune(rest[0]))
}

// operand takes a word that is no option: a command, a subcommand or an
// argument.
func (a *arranger) operand(word string) error {
	commands := a.commands
	if n := len(a.path); n > 0 {
		commands = a.path[n-1].Subcommands
	}
	if len(a.operands) > 0 || len(commands) == 0 && len(a.path) > 0 {
		a.operands = append(a.operands, word)
		return nil
	}
	if c := find(commands, word); c != nil {
		a.enter(c)
		return nil
	}
	if len(a.path) > 0 {
		a.operands = append(a.operands, word)
		return nil
	}
	// Take the rest as arguments of the command that does not exist.
	a.path = append(a.path, &cli.Command{Name: word})
	a.options = append(a.options, nil)
	return unknownCommand(word, a.commands, nil)
}

func (a *arranger) enter(c *cli.Command) {
	a.path = append(a.path, c)
	a.options = append(a.options, nil)
}

// long takes '--name', '--name=value' or '--name value' and returns how many
// of the following words it used.
func (a *arranger) long(word string, rest []string) (int, error) {
	name, value, given := strings.Cut(word, "=")
	level, kind, ok := a.lookup(name)
	if !ok || len(name) < 2 {
		return 0, a.unknownOption("--" + name)
	}
	switch {
	case !kind.value && given:
		return 0, usagef("option '--%s' takes no value", name)
	case !kind.value:
		a.flag(level, kind.name)
	case given:
		a.set(level, kind.name, value)
	case kind.optional != "":
		a.set(level, kind.name, kind.optional)
	case len(rest) == 0:
		return 0, usagef("option '--%s' needs a value", name)
	default:
		a.set(level, kind.name, rest[0])
		return 1, nil
	}
	return 0, nil
}

// short takes a cluster such as '-q', '-qv', '-n5', '-mtext' or '-m text'; a
// number alone is '-n', as for git log.
func (a *arranger) short(word string, rest []string) (int, error) {
	if word[0] >= '0' && word[0] <= '9' {
		word = "n" + word
	}
	for i, r := range word {
		level, kind, ok := a.lookup(string(r))
		if !ok {
			return 0, a.unknownOption("-" + string(r))
		}
		if !kind.value {
			a.flag(level, kind.name)
			continue
		}
		if value := word[i+len(string(r)):]; value != "" {
			a.set(level, kind.name, value)
			return 0, nil
		}
		if len(rest) == 0 {
			return 0, usagef("option '-%c' needs a value", r)
		}
		a.set(level, kind.name, rest[0])
		return 1, nil
	}
	return 0, nil
}

func (a *arranger) flag(level int, name string) {
	switch {
	case level > 0:
	case name == "help":
		a.inv.help = helpLong
		return
	case name == "h":
		a.inv.help = max(a.inv.help, helpShort)
		return
	case name == "version":
		a.fallback = "version"
		return
	case name == "json":
		a.inv.json = true
	}
	a.options[level] = append(a.options[level], "--"+name)
}

func (a *arranger) set(level int, name, value string) {
	a.options[level] = append(a.options[level], "--"+name+"="+value)
}

// lookup finds an option, the innermost command first, and the level whose
// option it is: 0 for the app.
func (a *arranger) lookup(name string) (level int, kind flagKind, ok bool) {
	for level := len(a.path); level >= 0; level-- {
		flags := a.global
		if level > 0 {
			flags = a.path[level-1].Flags
		}
		for _, f := range flags {
			for _, n := range f.Names() {
				if n != name {
					continue
				}
				kind := flagKind{name: f.Names()[0]}
				if d, ok := f.(cli.DocGenerationFlag); ok {
					kind.value = d.TakesValue()
				}
				if kind.name == "color" && level == 0 {
					kind.optional = "always"
				}
				return level, kind, true
			}
		}
	}
	return 0, flagKind{}, false
}

func (a *arranger) unknownOption(option string) error {
	err := usagef("unknown option '%s'", option)
	var known []string
	for level := 0; level <= len(a.path); level++ {
		flags := a.global
		if level > 0 {
			flags = a.path[level-1].Flags
		}
		for _, f := range flags {
			known = append(known, f.Names()...)
		}
	}
	if best := nearest(strings.TrimLeft(option, "-"), known); len(best) > 1 {
		err = err.hint("did you mean '--%s'?", best)
	}
	return err.hint("run '%s -h' for the options", strings.Join(append([]string{"git claw"}, names(a.path)...), " "))
}

// gitVerbs are what people who know git try.
var gitVerbs = map[string]string{
	"blame": "why", "annotate": "why", "revert": "undo", "restore": "undo", "reset": "undo", "checkout": "undo",
	"commit": "save", "add": "save", "stash": "save", "history": "log", "st": "status",
}

func unknownCommand(word string, commands []*cli.Command, path []string) error {
	full := strings.Join(append([]string{"git claw"}, path...), " ")
	var err *usageError
	if len(path) > 0 {
		err = usagef("'%s' is not a subcommand of '%s'", word, full)
	} else {
		err = usagef("'%s' is not a git claw command", word)
	}
	var known []string
	for _, c := range commands {
		if !c.Hidden {
			known = append(known, c.Name)
		}
	}
	best := nearest(word, known)
	if len(path) == 0 && gitVerbs[word] != "" {
		best = gitVerbs[word]
	}
	if best != "" {
		err = err.hint("did you mean '%s %s'?", full, best)
	}
	if len(path) > 0 {
		return err.hint("run '%s -h' for its subcommands", full)
	}
	return err.hint("run 'git claw help' for a list")
}

// nearest is the name that someone who wrote word most likely meant, empty
// when none is near.
func nearest(word string, known []string) string {
	best, score := "", 0.8
	for _, name := range known {
		if len(name) < 2 {
			continue
		}
		// The values are those of the method's authors.
		if s := smetrics.JaroWinkler(word, name, 0.7, 4); s > score {
			best, score = name, s
		}
	}
	return best
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func names(path []*cli.Command) []string {
	out := make([]string, 0, len(path))
	for _, c := range path {
		out = append(out, c.Name)
	}
	return out
}
