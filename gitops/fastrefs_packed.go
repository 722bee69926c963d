package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func (r *Repo) packedRefs() string { return filepath.Join(r.CommonDir, "packed-refs") }

// packedRefs is the file of refs that git packed into one (git-pack-refs(1)).
type packedRefs []byte

func readPackedRefs(name string) (packedRefs, error) {
	if fi, err := os.Lstat(name); err == nil && !fi.Mode().IsRegular() {
		return nil, errLeftToGit
	}
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read refs: %w", err)
	}
	return b, nil
}

// find is the id of a ref.
func (p packedRefs) find(ref string) (string, bool) {
	line := []byte(" " + ref + "\n")
	for at := 0; ; {
		i := bytes.Index(p[at:], line)
		if i < 0 {
			return "", false
		}
		end := at + i
		start := bytes.LastIndexByte(p[:end], '\n') + 1
		if id := p[start:end]; len(id) == 40 || len(id) == 64 {
			return string(id), true
		}
		at = end + 1
	}
}

// clashes reports whether a ref of this name cannot be because of another one, of which
// one is the folder.
func (p packedRefs) clashes(ref string) bool {
	if bytes.Contains(p, []byte(" "+ref+"/")) {
		return true
	}
	for dir := parentDir(ref); dir != ""; dir = parentDir(dir) {
		if _, ok := p.find(dir); ok {
			return true
		}
	}
	return false
}

// without drops refs, with the lines that say what their tags point to.
func (p packedRefs) without(gone func(ref string) bool) packedRefs {
	out := make(packedRefs, 0, len(p))
	drop := false
	for line := range bytes.Lines(p) {
		if line[0] != '^' {
			_, ref, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
			drop = line[0] != '#' && gone(ref)
		}
		if !drop {
			out = append(out, line...)
		}
	}
	return out
}

// refNow is the id that a ref has, "" for none. What is no plain ref is left to git.
func (r *Repo) refNow(ref string, packed packedRefs) (string, error) {
	s, ok := readRefFile(r.refPath(ref))
	if !ok {
		if _, err := os.Lstat(r.refPath(ref)); err == nil {
			return "", errLeftToGit // a folder, or torn
		}
		if s, ok = packed.find(ref); !ok {
			return "", nil
		}
	}
	if id, err := ParseID(s); err != nil || id.IsZero() {
		return "", errLeftToGit
	}
	return s, nil
}
