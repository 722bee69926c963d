package connect

import (
	"bytes"
	"path/filepath"
	"strings"
)

// exclude plans the line in git's local ignore file that keeps the settings of
// this machine out of the repository.
func (p *Plan) exclude(env Env, remove bool) error {
	if env.Exclude == "" {
		return nil
	}
	before, err := readFile(env.Exclude)
	if err != nil {
		return err
	}
	pattern := "/" + escapePattern(env.Prefix) + ".claude/settings.local.json"
	e := Edit{Path: env.Exclude, Before: before, Mode: 0o644, Why: "keeps the settings of this machine out of the repository"}
	at, block := findExclude(before, pattern)
	switch {
	case remove && block != "":
		e.Why = "line that connect wrote"
		e.After = append(append([]byte{}, before[:at]...), before[at+len(block):]...)
		if len(e.After) == 0 && strings.Contains(block, excludeOwn) {
			e.After = nil
			if strings.Contains(block, excludeFolder) {
				e.Folders = []string{filepath.Dir(env.Exclude)}
			}
		}
	case remove, block != "", env.Ignored:
		return nil
	case before == nil:
		kind := excludeOwn
		if e.Folders = missing(env.Exclude, filepath.Dir(filepath.Dir(env.Exclude))); len(e.Folders) > 0 {
			kind = excludeFolder
		}
		e.After = []byte(excludeBlock(kind, pattern))
	case len(before) > 0 && before[len(before)-1] != '\n':
		e.After = append(append([]byte{}, before...), "\n"+excludeBlock(excludeNewline, pattern)...)
	default:
		e.After = append(append([]byte{}, before...), excludeBlock(excludePlain, pattern)...)
	}
	p.Edits = append(p.Edits, e)
	return nil
}

// Kinds of the block, by what goes when it goes: only its lines, the newline
// before it as well, the whole file, or its folder too.
const (
	excludePlain   = "settings of this machine"
	excludeNewline = "settings of this machine, and the newline before"
	excludeOwn     = "settings of this machine, own file"
	excludeFolder  = excludeOwn + " and folder"
)

func excludeBlock(kind, pattern string) string {
	return "# >>> git claw: " + kind + "\n" + pattern + "\n# <<< git claw\n"
}

// findExclude finds the block for a pattern; block is "" if there is none.
func findExclude(text []byte, pattern string) (at int, block string) {
	for _, kind := range []string{excludePlain, excludeNewline, excludeOwn, excludeFolder} {
		block := excludeBlock(kind, pattern)
		if kind == excludeNewline {
			block = "\n" + block
		}
		if at := bytes.Index(text, []byte(block)); at >= 0 {
			return at, block
		}
	}
	return 0, ""
}

// escapePattern keeps a path from being read as a pattern.
func escapePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
