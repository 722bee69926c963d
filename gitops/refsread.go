package gitops

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// refsFromFiles lists refs as `git for-each-ref` does, where all of them are plain ones.
// Anything unusual is left to git.
func (r *Repo) refsFromFiles(prefixes []string) ([]Ref, bool) {
	if r.RefFormat != "files" || len(prefixes) == 0 {
		return nil, false
	}
	found := map[string]ID{}
	for i, p := range prefixes {
		p = strings.TrimSuffix(p, "/")
		if !plainRef(p+"/x") || slices.Contains(prefixes[:i], p) || !r.looseRefs(p, found) {
			return nil, false
		}
	}
	// Loose first, then packed: git packs in the other order.
	packed, err := readPackedRefs(r.packedRefs())
	if err != nil || !packed.below(prefixes, found) {
		return nil, false
	}
	refs := make([]Ref, 0, len(found))
	for name, id := range found {
		refs = append(refs, Ref{Name: name, ID: id})
	}
	slices.SortFunc(refs, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return refs, true
}

// looseRefs adds the refs that have a file of their own: name, or those below it.
func (r *Repo) looseRefs(name string, found map[string]ID) bool {
	file := r.refPath(name)
	fi, err := os.Lstat(file)
	switch {
	case absent(err):
		return true
	case err != nil:
		return false
	case fi.Mode().IsRegular():
		return r.looseRef(name, found)
	case !fi.IsDir():
		return false
	}
	list, err := os.ReadDir(file)
	if errors.Is(err, fs.ErrNotExist) {
		return true // it was empty, and somebody removed it
	}
	if err != nil {
		return false
	}
	for _, e := range list {
		sub := name + "/" + e.Name()
		if strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".lock") {
			continue // no ref, for git
		}
		if !plainRef("refs/" + sub) {
			return false
		}
		switch {
		case e.IsDir():
			if !r.looseRefs(sub, found) {
				return false
			}
		case !e.Type().IsRegular() || !r.looseRef(sub, found):
			return false
		}
	}
	return true
}

func (r *Repo) looseRef(name string, found map[string]ID) bool {
	b, err := os.ReadFile(r.refPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return true // it was deleted, or packed
	}
	hex, ok := bytes.CutSuffix(b, []byte("\n"))
	if err != nil || !ok {
		return false
	}
	id, err := ParseID(string(hex)) // a symbolic ref is none
	if err != nil || id.IsZero() {
		return false
	}
	found[name] = id
	return true
}

// below adds the refs that a prefix names, or that lie below it, and are not known.
func (p packedRefs) below(prefixes []string, found map[string]ID) bool {
	for _, prefix := range prefixes {
		prefix = strings.TrimSuffix(prefix, "/")
		for at := 0; ; {
			i := bytes.Index(p[at:], []byte(" "+prefix))
			if i < 0 {
				break
			}
			i += at
			start := bytes.LastIndexByte(p[:i], '\n') + 1
			line, _, whole := bytes.Cut(p[start:], []byte("\n"))
			at = start + len(line)
			hex, name, _ := strings.Cut(string(line), " ")
			if name != prefix && !strings.HasPrefix(name, prefix+"/") {
				continue
			}
			id, err := ParseID(hex)
			if !whole || err != nil || !plainRef("refs/"+name) {
				return false
			}
			if _, ok := found[name]; !ok {
				found[name] = id
			}
		}
	}
	return true
}
