package index

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Entries are the searched files: those of the table, and over them what changed
// since it was written.
type Entries struct {
	table *table
	over  map[string]*Entry
}

// Get finds a file by its path below the root.
func (e *Entries) Get(path string) (*Entry, bool) {
	if x, ok := e.over[path]; ok {
		return x, !x.nothing()
	}
	if i, ok := e.inTable(path); ok {
		return e.table.entry(i), true
	}
	return nil, false
}

func (e *Entries) inTable(path string) (int, bool) {
	if e.table == nil {
		return 0, false
	}
	return e.table.place(path)
}

// edit is the entry of a path, to be changed; a new one where there is none.
func (e *Entries) edit(path string) *Entry {
	if x, ok := e.over[path]; ok {
		return x
	}
	x := &Entry{Path: path}
	if i, ok := e.inTable(path); ok {
		x = e.table.entry(i)
	}
	if e.over == nil {
		e.over = map[string]*Entry{}
	}
	e.over[path] = x
	return x
}

// All visits all files in order of their folders, then their names.
func (e *Entries) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for x, i := range e.merged() {
			if x == nil {
				x = e.table.entry(i)
			}
			if !yield(x) {
				return
			}
		}
	}
}

// merged visits all files in order: changed ones as they are, the others by their
// number in the table.
func (e *Entries) merged() iter.Seq2[*Entry, int] {
	return func(yield func(*Entry, int) bool) {
		over := e.sorted()
		n := 0
		if e.table != nil {
			n = e.table.n
		}
		hidden := make(map[int]bool, len(over))
		before := make([]int, len(over)) // the record that a changed entry comes before
		for k, x := range over {
			i, ok := 0, false
			if e.table != nil {
				i, ok = e.table.place(x.Path)
			}
			before[k], hidden[i] = i, hidden[i] || ok
		}
		k := 0
		for i := range n + 1 {
			for ; k < len(over) && before[k] == i; k++ {
				if !over[k].nothing() && !yield(over[k], -1) {
					return
				}
			}
			if i < n && !hidden[i] && !yield(nil, i) {
				return
			}
		}
	}
}

func (e *Entries) sorted() []*Entry {
	return slices.SortedFunc(maps.Values(e.over), func(a, b *Entry) int {
		i, j := strings.LastIndexByte(a.Path, '/')+1, strings.LastIndexByte(b.Path, '/')+1
		return cmp.Or(strings.Compare(a.Path[:i], b.Path[:j]), strings.Compare(a.Path[i:], b.Path[j:]))
	})
}

// special visits those that a search has to look at besides their stat data: what
// changed, and what is not indexed or committed as it is.
func (e *Entries) special() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for _, x := range e.over {
			if !yield(x) {
				return
			}
		}
		if e.table == nil {
			return
		}
		for k := range len(e.table.rest) / e.table.restSize() {
			x := e.table.entry(e.table.restRecord(k))
			if _, ok := e.over[x.Path]; !ok && !yield(x) {
				return
			}
		}
	}
}

// encode writes a table of all files and of the folders that were walked.
func (e *Entries) encode(idSize int, walked []folder) []byte {
	b := &tableBuilder{id: idSize}
	if e.table != nil {
		b.records = make([]byte, 0, len(e.table.records)+1024)
		b.names = make([]byte, 0, len(e.table.names)+1024)
	}
	last := ""
	begun := false
	begin := func(dir string) {
		for len(walked) > 0 && walked[0].path < dir {
			b.begin(walked[0], true)
			walked = walked[1:]
		}
		f, is := folder{path: dir}, len(walked) > 0 && walked[0].path == dir
		if is {
			f, walked = walked[0], walked[1:]
		}
		b.begin(f, is)
		last, begun = dir, true
	}
	at := 0 // in the table's folders
	for x, i := range e.merged() {
		dir := ""
		if x != nil {
			dir = x.Path[:strings.LastIndexByte(x.Path, '/')+1]
		} else {
			for e.table.folders[at].first+e.table.folders[at].n <= i {
				at++
			}
			dir = e.table.folders[at].path
		}
		if !begun || dir != last {
			begin(dir)
		}
		if x != nil {
			b.add(x)
		} else {
			b.copy(e.table, i)
		}
	}
	for _, f := range walked {
		b.begin(f, true)
	}
	return b.bytes()
}
