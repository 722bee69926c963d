package health

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What runs what it fetches, or what nobody can read before it runs.
var (
	fetchesAndRuns = sync.OnceValue(func() *regexp.Regexp {
		const (
			fetch = `\b(?:curl|wget)\b`
			shell = `(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?(?:(?:ba|z|da|k)?sh\b|(?:python3?|node|perl|ruby)(?:\s+-)?\s*(?:$|[` + "`" + `"');&]))`
			web   = `(?:iwr|irm|invoke-webrequest|invoke-restmethod)`
		)
		return regexp.MustCompile(`(?i)` + fetch + `[^\n]*(?:https?://|\$)[^\n]*\|\s*` + shell +
			`|(?:\b(?:(?:ba|z|da|k)?sh|eval|source)\b|(?:^|\s)\.)\s+(?:-\S+\s+)*["']?(?:<\s*)?(?:<\(|\$\(|` + "`" + `)\s*` + fetch +
			`|\bbase64\s+(?:-d|--decode)\b[^\n]*\|\s*` + shell +
			`|\b` + web + `\b[^\n]*\|\s*(?:iex|invoke-expression)\b|\b(?:iex|invoke-expression)\b\s*\(?\s*\(?(?:` + web + `|new-object\s+net\.webclient)\b` +
			`|\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*\s-(?:e|ec|enc|encodedcommand)\s+[a-z0-9+/=]{16}`)
	})
	// savesAs matches the name that something fetched is given.
	savesAs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:curl\b[^\n]*?\s(?:-o|--output|>)|wget\b[^\n]*?\s-O)\s*["']?([\w./~$-]+)`)
	})
	warnsOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:never|do not|don't|avoid)\b`) })
)

// isScript: what lies in a skill and is made to be run, or tells of it.
func isScript(rel string) bool {
	ext := strings.ToLower(path.Ext(rel))
	return strings.Contains(rel, "/scripts/") || slices.Contains([]string{".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".md"}, ext)
}

func addFetches(out *Out, rel string, lines []int) {
	for _, line := range lines {
		out.Add(Finding{ID: "SKL-006", Path: rel, Line: line, Message: "it runs what it fetches, or what is encoded", Expected: "a look at it before", Actual: "none"})
	}
}

// fetchWords are in every command that is looked for.
var fetchWords = []string{"curl", "wget", "iex", "invoke-expression", "base64", "powershell", "pwsh"}

// fetchLines are the lines that run what they fetch, a command on several lines at its
// first; those that warn of it are none.
func fetchLines(n *Note) []int {
	if low := bytes.ToLower(n.Text); !slices.ContainsFunc(fetchWords, func(w string) bool { return bytes.Contains(low, []byte(w)) }) {
		return nil
	}
	var out []int
	lines := n.Lines()
	for i := 0; i < len(lines); i++ {
		from, line := i, lines[i]
		for goesOn(lines[i]) && i+1 < len(lines) && i-from < maxContinued {
			i++
			line = append(bytes.TrimRight(bytes.Clone(line), "\\` \t"), ' ')
			line = append(line, bytes.TrimSpace(lines[i])...)
		}
		low := bytes.ToLower(line)
		if !slices.ContainsFunc(fetchWords, func(w string) bool { return bytes.Contains(low, []byte(w)) }) || warnsOf().Match(line) {
			continue
		}
		var next []byte
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		if fetchesAndRuns().Match(line) || runsSaved(line, next) {
			out = append(out, from+1)
		}
	}
	return out
}

// maxContinued is how many lines of one command are read as one.
const maxContinued = 20

// goesOn reports whether a command goes on in the next line.
func goesOn(line []byte) bool {
	line = bytes.TrimRight(line, " \t")
	return len(line) > 1 && (line[len(line)-1] == '\\' || bytes.HasSuffix(line, []byte("|")) && line[0] != '|' || bytes.HasSuffix(line, []byte("&&")))
}

// runsSaved reports a command that saves what it fetches and runs it at once, on its
// own line or the next.
func runsSaved(line, next []byte) bool {
	m := savesAs().FindSubmatchIndex(line)
	if m == nil {
		return false
	}
	name := string(line[m[2]:m[3]])
	if base := path.Base(name); base == "-" || base == "." || base == "null" {
		return false
	}
	rest := append(append(bytes.Clone(line[m[3]:]), '\n'), next...)
	q := regexp.QuoteMeta(path.Base(name))
	run, err := regexp.Compile(`(?im)(?:\b(?:(?:ba|z|da|k)?sh|source|python3?|node|perl|ruby)\s+(?:-\S+\s+)*|(?:^|[;&|]\s*)\.\s+|(?:^|[;&|]\s*|\s)(?:\./|sudo\s+))["']?(?:[\w./~$-]*/)?` + q + `(?:["'\s;&|]|$)`)
	return err == nil && run.Match(rest)
}
