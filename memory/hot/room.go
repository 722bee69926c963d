package hot

import (
	"bytes"
	"fmt"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

// Path is the file of what is true now.
const Path = "MEMORY.md"

// TooLong says by what limit a text of MEMORY.md is too long, "" when it is not: the host's
// characters, lines and bytes (SPEC WS-11), and with openclaw_memory claw.hot.maxLines.
func TooLong(ws *memory.Workspace, text []byte) string {
	lines := bytes.Count(text, []byte("\n"))
	if n := len(text); n > 0 && text[n-1] != '\n' {
		lines++
	}
	limits := []struct {
		have, most int
		unit       string
	}{{doc.Chars(text), ws.Host.FileChars, "characters"}, {lines, ws.Host.IndexLines, "lines"}, {len(text), ws.Host.IndexBytes, "bytes"}}
	if ws.Profiles.Has(memory.OpenClawMemory) {
		limits[1].most = least(limits[1].most, int(ws.Settings.Int("hot.maxLines")))
	}
	for _, l := range limits {
		if l.most > 0 && l.have > l.most {
			return fmt.Sprintf("%d %s, the limit is %d", l.have, l.unit, l.most)
		}
	}
	return ""
}

// least is the smaller of two limits; 0 is none.
func least(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
