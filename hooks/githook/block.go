package githook

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
)

// version of the block. When its text changes, the number goes up and the old
// text stays in render, so that hooks written by older versions are recognised.
const version = "1"

// render returns the block of a version for a hook that records a binary. own
// marks a file that we made, which an uninstall may delete. The block runs in a
// subshell and reads no standard input: the script around it sees no change.
func render(v, name, binary string, own bool) string {
	if v != "1" {
		return ""
	}
	kind := "chained"
	if own {
		kind = "own file"
	}
	early, absent, end, run := "", "{\n"+
		"\t\techo \"warning: cannot find 'git-claw'; "+name+" check left out\" >&2\n"+
		"\t\texit 0\n"+
		"\t}", "exit $?", ""
	switch {
	case name == PrepareMsg:
		// Our own commits have their message, and pre-commit said what is missing.
		early, absent, end = "\ttest -z \"${GIT_CLAW_SAVING-}\" || exit 0\n", "exit 0", ":"
	case After(name):
		early, absent, end, run = earlyAfter(name), "exit 0", ":", " >/dev/null 2>&1 &"
	}
	return "# >>> git-claw " + name + ", version 1, " + kind + "\n" +
		"# Written by 'git claw hooks install'; 'git claw hooks uninstall' takes it out.\n" +
		"(\n" + early +
		"\tb=" + quote(filepath.ToSlash(binary)) + "\n" +
		"\ttest -f \"$b\" && test -x \"$b\" || b=$(command -v git-claw) || " + absent + "\n" +
		"\texec \"$b\" hooks run " + name + " \"$@\" </dev/null" + run + "\n" +
		") || " + end + "\n" +
		"# <<< git-claw " + name + "\n"
}

// earlyAfter leaves where there is no index to bring up to date, and between the
// steps of a rebase: by the shell itself, because the start of a program for each
// step could be felt. What the shell cannot tell the program looks at once more. A
// `.git` that is a file comes with GIT_DIR, and where it does not, nothing is left.
func earlyAfter(name string) string {
	text := "\tg=${GIT_DIR:-.git}\n" +
		"\ttest ! -d \"$g\" || test -d \"$g/claw/index\" || exit 0\n"
	if name != PostRewrite { // which a rebase runs at its end
		text += "\ttest ! -d \"$g/rebase-merge\" && test ! -d \"$g/rebase-apply\" || exit 0\n"
	}
	return text
}

// shebang begins a script of our own.
const shebang = "#!/bin/sh\n"

// parsed is our block as found in a script.
type parsed struct {
	at, size int
	version  string
	binary   string
	own      bool
	edited   bool
}

// blockPattern finds what looks like our block of any version.
const blockPattern = `(?m)^# >>> git-claw ([a-z-]+), version ([0-9]+), (chained|own file)\r?$`

// parseBlock finds our block for the hook. ok is false if there is none.
func parseBlock(text []byte, name string) (b parsed, ok bool) {
	m := regexp.MustCompile(blockPattern).FindSubmatchIndex(text)
	if m == nil || string(text[m[2]:m[3]]) != name {
		return parsed{}, false
	}
	b = parsed{at: m[0], version: string(text[m[4]:m[5]]), own: string(text[m[6]:m[7]]) == "own file"}
	rest := text[m[0]:]
	if path, found := recorded(rest); found {
		b.binary = path
		want := []byte(render(b.version, name, path, b.own))
		if len(want) > 0 && bytes.HasPrefix(rest, want) {
			b.size = len(want)
			return b, true
		}
		// The block of a script that had no newline at its end.
		if want = bytes.TrimSuffix(want, []byte("\n")); len(want) > 0 && bytes.Equal(rest, want) && b.at > 0 {
			b.at, b.size = b.at-1, len(want)+1
			return b, true
		}
	}
	b.edited = true
	return b, true
}

// recorded reads the path a block records.
func recorded(block []byte) (string, bool) {
	_, rest, found := bytes.Cut(block, []byte("\n\tb="))
	if !found {
		return "", false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return unquote(string(line))
}

// insert returns a script with the block under its first line.
func insert(script []byte, block string) []byte {
	first, rest, found := bytes.Cut(script, []byte("\n"))
	var out bytes.Buffer
	out.Write(first)
	if !found {
		// Nothing may be left behind by an uninstall, so the newline goes with
		// the block, which in turn ends without one.
		out.WriteString("\n" + strings.TrimSuffix(block, "\n"))
		return out.Bytes()
	}
	out.WriteString("\n" + block)
	out.Write(rest)
	return out.Bytes()
}

// cut returns the script without the block.
func (b parsed) cut(script []byte) []byte {
	out := append([]byte{}, script[:b.at]...)
	return append(out, script[b.at+b.size:]...)
}

// shebangPattern matches the first lines of scripts that a block can stand in:
// POSIX shells with no option but those that change nothing for it.
const shebangPattern = `^#![ \t]*(?:/[^ \t]*/)?(?:env[ \t]+)?(?:sh|bash|dash|ksh|zsh)(?:[ \t]+-[eux]+)?[ \t]*$`

// notChainable says why a block cannot stand in a script; "" if it can.
func notChainable(script []byte) string {
	first, _, _ := bytes.Cut(script, []byte("\n"))
	switch {
	case bytes.HasSuffix(first, []byte("\r")):
		return "a script with CRLF line ends"
	case !regexp.MustCompile(shebangPattern).Match(first):
		return "not a plain shell script"
	case bytes.IndexByte(script, 0) >= 0:
		return "not a text"
	}
	return ""
}

// quote writes a word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// unquote reads what quote wrote.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '\'' || s[len(s)-1] != '\'' {
		return "", false
	}
	return strings.ReplaceAll(s[1:len(s)-1], `'\''`, "'"), true
}

// scriptLine is what to add by hand to a script that only this machine runs.
func scriptLine(binary, name string) string {
	return "b=" + quote(filepath.ToSlash(binary)) + `; test -x "$b" || b=git-claw; "$b" hooks run ` + name + ` "$@" || ` + onFailure(name)
}

// sharedLine is the same for a script that other machines run as well: no path
// of this one, and nothing happens where git-claw is not installed.
func sharedLine(name string) string {
	return "if command -v git-claw >/dev/null; then git-claw hooks run " + name + ` "$@" || ` + onFailure(name) + "; fi"
}

// onFailure is what a script does when our part of it fails.
func onFailure(name string) string {
	if name == PreCommit {
		return "exit"
	}
	return ":"
}
