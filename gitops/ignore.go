package gitops

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ignoreRules answer what git ignores (gitignore(5)) for the patterns that most
// people write. All else is errUncertain.
type ignoreRules struct {
	top   string
	lists map[string][]ignoreRule // of a directory's .gitignore
	other [][]ignoreRule          // of no directory, those that count more first
	dirs  map[string]bool         // directories that were asked about
}

// ignoreRule is one line. A later one overrules it.
type ignoreRule struct {
	pattern string
	negate  bool // `!pattern`
	dirOnly bool // `pattern/`
	rooted  bool // with a slash in it: relative to the file's directory, else any name
	plain   bool // without wildcards
}

// maxIgnoreFile bounds what is read of rules, in bytes.
const maxIgnoreFile = 1 << 20

// newIgnoreRules reads the rules that belong to no directory.
func (r *Repo) newIgnoreRules(cfg *Config) (*ignoreRules, error) {
	g := &ignoreRules{top: r.TopLevel, lists: map[string][]ignoreRule{}, dirs: map[string]bool{}}
	files := []string{filepath.Join(r.CommonDir, "info", "exclude")}
	env := r.Git.env
	home := env.Getenv("HOME")
	if v, ok := cfg.Get("core.excludesfile"); ok {
		rest, ofHome := strings.CutPrefix(v, "~/")
		switch {
		case ofHome && home != "":
			files = append(files, filepath.Join(home, rest))
		case filepath.IsAbs(v):
			files = append(files, v)
		case v != "":
			return nil, errUncertain
		}
	} else if x := env.Getenv("XDG_CONFIG_HOME"); x != "" {
		files = append(files, filepath.Join(x, "git", "ignore"))
	} else if home != "" {
		files = append(files, filepath.Join(home, ".config", "git", "ignore"))
	}
	for _, f := range files {
		list, err := readIgnoreFile(f, os.Stat)
		if err != nil {
			return nil, err
		}
		g.other = append(g.other, list)
	}
	return g, nil
}

// ignores reports whether git ignores a path, were it not tracked: because a rule
// says so, or because it ignores a directory above.
func (g *ignoreRules) ignores(name string, isDir bool) (bool, error) {
	if dir := parentDir(name); dir != "" {
		known, ok := g.dirs[dir]
		if !ok {
			var err error
			if known, err = g.ignores(dir, true); err != nil {
				return false, err
			}
			g.dirs[dir] = known
		}
		if known {
			return true, nil
		}
	}
	for dir := name; dir != ""; {
		dir = parentDir(dir)
		list, err := g.of(dir)
		if err != nil {
			return false, err
		}
		rel := name
		if dir != "" {
			rel = name[len(dir)+1:]
		}
		if ignored, decided, err := lastMatch(list, rel, isDir); decided || err != nil {
			return ignored, err
		}
	}
	for _, list := range g.other {
		if ignored, decided, err := lastMatch(list, name, isDir); decided || err != nil {
			return ignored, err
		}
	}
	return false, nil
}

// of reads the rules of a directory.
func (g *ignoreRules) of(dir string) ([]ignoreRule, error) {
	list, ok := g.lists[dir]
	if !ok {
		var err error
		if list, err = readIgnoreFile(filepath.Join(g.top, filepath.FromSlash(dir), ".gitignore"), os.Lstat); err != nil {
			return nil, err
		}
		g.lists[dir] = list
	}
	return list, nil
}

func readIgnoreFile(name string, stat func(string) (os.FileInfo, error)) ([]ignoreRule, error) {
	fi, err := stat(name)
	if absent(err) {
		return nil, nil
	}
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxIgnoreFile {
		return nil, errUncertain
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, errUncertain
	}
	return parseIgnoreRules(b)
}

func parseIgnoreRules(b []byte) ([]ignoreRule, error) {
	var out []ignoreRule
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	for line := range bytes.SplitSeq(b, []byte{'\n'}) {
		s := string(bytes.TrimSuffix(line, []byte{'\r'}))
		if s == "" || s[0] == '#' {
			continue
		}
		rule, err := parseIgnoreRule(strings.TrimRight(s, " "))
		if err != nil {
			return nil, err
		}
		out = append(out, rule)
	}
	return out, nil
}

// parseIgnoreRule takes a line without the spaces at its end.
func parseIgnoreRule(s string) (ignoreRule, error) {
	var r ignoreRule
	s, r.negate = strings.CutPrefix(s, "!")
	s, r.dirOnly = strings.CutSuffix(s, "/")
	r.rooted = strings.Contains(s, "/")
	r.pattern = strings.TrimPrefix(s, "/")
	r.plain = !strings.ContainsAny(r.pattern, `*?[\`)
	switch {
	case r.pattern == "", strings.HasPrefix(r.pattern, "/"), strings.ContainsAny(r.pattern, "\x00\\\r"):
		return r, errUncertain
	case strings.Contains(r.pattern, "**"), strings.Contains(r.pattern, "[["), strings.Contains(r.pattern, "[]"), strings.Contains(r.pattern, "[!"), strings.Contains(r.pattern, "[^"):
		return r, errUncertain
	}
	return r, nil
}

// lastMatch finds the last rule that matches; the path is relative to the rules'
// directory.
func lastMatch(list []ignoreRule, rel string, isDir bool) (ignored, decided bool, err error) {
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	for i := len(list) - 1; i >= 0; i-- {
		r := &list[i]
		if r.dirOnly && !isDir {
			continue
		}
		name := base
		if r.rooted {
			name = rel
		}
		ok := r.pattern == name
		if !r.plain {
			if ok, err = path.Match(r.pattern, name); err != nil || !isASCII(name) || !isASCII(r.pattern) {
				return false, false, errUncertain // other rules of what a character is
			}
		}
		if ok {
			return !r.negate, true, nil
		}
	}
	return false, false, nil
}
