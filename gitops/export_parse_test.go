package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// Parsers, for the fuzz targets.
var (
	ParseStatus     = parseStatus
	ParseConfigList = parseConfigList
	ParseBlame      = parseBlame
	ParseBlameLines = parseBlameLines
	ParseCommit     = parseCommit
	SplitMessage    = splitMessage
	CopyIndex       = copyIndex
)

// ParseTree decodes a tree with ids of 20 bytes, and encodes it again.
func ParseTree(b []byte) ([]TreeEntry, []byte, error) {
	e, err := parseTree(b, 20)
	return e, encodeTree(e), err
}

// SortedTree reports whether entries are in git's order.
func SortedTree(e []TreeEntry) bool {
	for i := 1; i < len(e); i++ {
		if compareEntries(e[i-1], e[i]) >= 0 {
			return false
		}
	}
	return true
}

// ParseLog reads all commits of a log.
func ParseLog(b []byte, paths bool) (out []Commit, err error) {
	p := logParser{in: bufio.NewReader(bytes.NewReader(b))}
	for {
		c, err := p.next(paths)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, c)
	}
}

// BuildTree applies changes to a tree, writes what is new and returns the id.
func BuildTree(ctx context.Context, r *Repo, base ID, changes []TreeChange) (ID, error) {
	list := make([]entryChange, len(changes))
	for i, c := range changes {
		list[i] = entryChange{path: c.Path, entry: c.New}
	}
	t, err := r.buildTree(ctx, base, list, foldRule{})
	if err != nil {
		return t.id, err
	}
	return t.id, r.writeObjects(ctx, t.objs)
}

// ReadObject reads an object of any kind.
func ReadObject(ctx context.Context, o *Objects, id ID, kind string) ([]byte, error) {
	return o.read(ctx, id, kind, 0)
}

// ThroughGoGit reports whether go-git sees an object.
func ThroughGoGit(o *Objects, id ID, kind string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok, err := o.viaGoGit(id, kind, 0)
	return ok && err == nil
}

// ParseRaw reads the output of git diff-index --raw -z.
func ParseRaw(b []byte) ([]TreeChange, error) { return parseRaw(splitNul(b)) }
