package gitops

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// conversionWords are the attributes with which git changes content on its way
// into the object store (gitattributes(5)).
var conversionWords = [][]byte{
	[]byte("text"), []byte("eol"), []byte("filter"), []byte("ident"),
	[]byte("working-tree-encoding"), []byte("crlf"), []byte("[attr]"),
}

// mayConvert is Repo.mayConvert for the transaction's paths.
func (c *commitRun) mayConvert(cfg *Config) bool {
	paths := make([]string, len(c.tx.Changes))
	for i := range c.tx.Changes {
		paths[i] = c.tx.Changes[i].Path
	}
	return c.repo.mayConvert(cfg, paths)
}

// mayConvert looks cheaply whether any attribute that could apply to the paths
// converts content. A false alarm only costs a process.
func (r *Repo) mayConvert(cfg *Config, paths []string) bool {
	if v, ok := cfg.Get("core.autocrlf"); ok && v != "false" {
		return true
	}
	if _, ok := cfg.Get("attr.tree"); ok || r.Git.env.Getenv("GIT_ATTR_SOURCE") != "" || cfg.Bool("core.sparsecheckout", false) {
		return true // attributes that are in no file of the work tree
	}
	files := []string{filepath.Join(r.CommonDir, "info", "attributes"), "/etc/gitattributes"}
	if git, err := r.Git.path(); err == nil {
		// A git with a prefix of its own has its system file there.
		files = append(files, filepath.Join(filepath.Dir(filepath.Dir(git)), "etc", "gitattributes"))
	}
	if v, ok := cfg.Get("core.attributesfile"); ok {
		return v != "" // `~/` and other forms are git's to expand
	} else if x := r.Git.env.Getenv("XDG_CONFIG_HOME"); x != "" {
		files = append(files, filepath.Join(x, "git", "attributes"))
	} else if h := r.Git.env.Getenv("HOME"); h != "" {
		files = append(files, filepath.Join(h, ".config", "git", "attributes"))
	}
	for _, f := range files {
		if hasConversion(f) {
			return true
		}
	}
	seen := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if hasConversion(filepath.Join(r.TopLevel, filepath.FromSlash(dir), ".gitattributes")) {
				return true
			}
		}
	}
	return false
}

func hasConversion(file string) bool {
	fi, err := os.Lstat(file)
	if err != nil {
		return false
	}
	if !fi.Mode().IsRegular() || fi.Size() > 1<<20 {
		return true
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return true
	}
	for line := range bytes.SplitSeq(b, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, w := range conversionWords {
			if bytes.Contains(line, w) {
				return true
			}
		}
	}
	return false
}

// conversion is what git does to a path's content on the way in.
type conversion int

const (
	convertNothing conversion = iota
	convertLineEnds
	convertAll // a filter, an encoding, ident
)

// applies reports whether the conversion can change b. Without a carriage
// return there are no line ends to convert, which spares a process for each
// file where core.autocrlf is on.
func (c conversion) applies(b []byte) bool {
	return c == convertAll || c == convertLineEnds && bytes.IndexByte(b, '\r') >= 0
}

// Converted lists those of the paths whose content git changes by a filter, an
// encoding or keywords when it stores or checks out a file; line ends apart.
func (r *Repo) Converted(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	b, err := r.run(ctx, Cmd{
		Args:  []string{"check-attr", "-z", "--stdin", "filter", "working-tree-encoding", "ident"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"),
	})
	if err != nil {
		return nil, fmt.Errorf("read attributes: %w", err)
	}
	cfg, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	f := strings.Split(string(b), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		v := f[i+2]
		switch {
		case v == "unspecified", v == "unset", slices.Contains(out, f[i]):
		case f[i+1] == "filter" && !definedFilter(cfg, v): // git passes it over
		default:
			out = append(out, f[i])
		}
	}
	return out, nil
}

// definedFilter reports whether the user's configuration says what a filter runs.
func definedFilter(cfg *Config, name string) bool {
	for _, key := range []string{"clean", "smudge", "process"} {
		if _, ok := cfg.Get("filter." + name + "." + key); ok {
			return true
		}
	}
	return false
}

// converted tells which paths git converts, asking it only where mayConvert saw
// a chance.
func (c *commitRun) converted() (map[string]conversion, error) {
	out := map[string]conversion{}
	if !c.filter {
		return out, nil
	}
	cfg, err := c.repo.Config(c.ctx)
	if err != nil {
		return nil, err
	}
	auto, _ := cfg.Get("core.autocrlf")
	var in strings.Builder
	for _, ch := range c.tx.Changes {
		if auto != "" && auto != "false" {
			out[ch.Path] = convertLineEnds
		}
		in.WriteString(ch.Path + "\x00")
	}
	b, err := c.repo.run(c.ctx, Cmd{
		Args:  []string{"check-attr", "-z", "--stdin", "text", "eol", "crlf", "filter", "ident", "working-tree-encoding"},
		Stdin: strings.NewReader(in.String()),
	})
	if err != nil {
		return nil, fmt.Errorf("read attributes: %w", err)
	}
	f := strings.Split(string(b), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		if v := f[i+2]; v == "unspecified" || v == "unset" {
			continue
		}
		switch f[i+1] {
		case "text", "eol", "crlf":
			out[f[i]] = max(out[f[i]], convertLineEnds)
		default:
			out[f[i]] = convertAll
		}
	}
	return out, nil
}
