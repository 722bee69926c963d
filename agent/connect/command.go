package connect

import (
	"path/filepath"
	"strings"
)

// shellRest is what follows the recorded path in the command.
const shellRest = `; test -x "$b" || b=git-claw; "$b" hooks run ` + claudeHost

// shellCommand is the command Claude Code runs in a POSIX shell: the recorded
// path, and what PATH has where that is gone.
func shellCommand(binary string) string {
	return "b=" + shellQuote(filepath.ToSlash(binary)) + shellRest
}

// recordedBinary reads the path from a command that shellCommand wrote.
func recordedBinary(command string) (string, bool) {
	quoted, ok := strings.CutPrefix(command, "b=")
	if !ok {
		return "", false
	}
	if quoted, ok = strings.CutSuffix(quoted, shellRest); !ok {
		return "", false
	}
	if binary := strings.ReplaceAll(strings.Trim(quoted, "'"), `'\''`, "'"); shellQuote(binary) == quoted {
		return binary, true
	}
	return "", false
}

// shellQuote quotes a word where it needs to be.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
