package term

import (
	"strings"
	"sync"

	"github.com/git-claw/git-claw/hooks/secret"
)

// shortestSecret is the length of the shortest key with a shape of its own that a name
// could hold.
const shortestSecret = 16

// scanner is made once: its tables are the same for all.
var scanner = sync.OnceValue(secret.New)

// maskWords replaces the words of a name or a message that are keys of some provider:
// what a file is called is printed in many places, and by one of them on a screen that
// others see.
func maskWords(s string) string {
	if len(s) < shortestSecret {
		return s
	}
	var b strings.Builder
	done := 0
	for from := 0; from < len(s); {
		to := from
		letters, digits := 0, 0
		for to < len(s) && inWord(s[to]) {
			if s[to] >= '0' && s[to] <= '9' {
				digits++
			} else if s[to] != '-' && s[to] != '_' && s[to] != '.' {
				letters++
			}
			to++
		}
		if to-from >= shortestSecret && digits > 0 && letters > 0 {
			if found := scanner().Scan([]byte(s[from:to])); len(found) > 0 {
				b.WriteString(s[done:from])
				b.WriteString("<secret: " + found[0].Kind + ">")
				done = to
			}
		}
		from = max(to, from+1)
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

func inWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.' || c == '+' || c == '~'
}
