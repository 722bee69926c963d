package health

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Out collects what a family finds. Families share one.
type Out struct {
	mu   sync.Mutex
	rank map[string]int // of the checks that run, their place in the table
	keep int            // findings kept of a check; 0: all
	all  map[string]*found
}

// found are the findings of one check.
type found struct {
	list  []Finding
	total int
	files map[string]int // findings of a path
}

func newOut(rank map[string]int, keep int) *Out {
	return &Out{rank: rank, keep: keep, all: map[string]*found{}}
}

// Add reports a finding. Those of checks that do not run are dropped. Of very many
// the first are kept, in order of path and line, and all are counted.
func (o *Out) Add(f Finding) {
	if _, ok := o.rank[f.ID]; !ok {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.all[f.ID]
	if c == nil {
		c = &found{files: map[string]int{}}
		o.all[f.ID] = c
	}
	c.total++
	c.files[f.Path]++
	c.list = append(c.list, f)
	if o.keep > 0 && len(c.list) >= 2*o.keep {
		c.cut(o.keep)
	}
}

// cut keeps the first n: which they are does not depend on the order in which they
// came.
func (c *found) cut(n int) {
	slices.SortStableFunc(c.list, compareFindings)
	if len(c.list) > n {
		clear(c.list[n:])
		c.list = c.list[:n]
	}
}

// compareFindings orders the findings of one check: the graver first where they
// are on one line.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(b.Severity.weight(), a.Severity.weight()),
		strings.Compare(a.Message, b.Message), strings.Compare(a.Actual, b.Actual),
	)
}

// sorted returns the kept findings in the order of the table.
func (o *Out) sorted() []Finding {
	ids := make([]string, 0, len(o.all))
	for id := range o.all {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return o.rank[a] - o.rank[b] })
	var out []Finding
	for _, id := range ids {
		c := o.all[id]
		n := len(c.list)
		if o.keep > 0 {
			n = o.keep
		}
		c.cut(n)
		out = append(out, c.list...)
	}
	return out
}
