package agent

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// item is one entry of a model document, told by its id whatever its text is.
type item struct {
	id   int
	text string
}

// change is what one commit of a random history does: ids that it touched, and
// what was there before.
type change struct {
	commit string
	before []item
	added  []int
	edited map[int]string // text before
	gone   []int
}

func (c change) touched() []int {
	return slices.Concat(c.added, slices.Collect(maps.Keys(c.edited)), c.gone)
}

// words makes texts that have nothing in common but by chance.
func words(r *rand.Rand, n int) string {
	var out []string
	for range n {
		w := make([]byte, 4+r.IntN(6))
		for i := range w {
			w[i] = byte('a' + r.IntN(26))
		}
		out = append(out, string(w))
	}
	return strings.Join(out, " ")
}

func document(items []item) string {
	b := strings.Builder{}
	b.WriteString("# Notes\n\n")
	for _, it := range items {
		b.WriteString("- " + it.text + "\n")
	}
	return b.String()
}

// mutate changes one to three entries.
func mutate(r *rand.Rand, items []item, next *int) ([]item, change) {
	c := change{before: slices.Clone(items), edited: map[int]string{}}
	items = slices.Clone(items)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(items))
		it := items[at]
		switch kind := r.IntN(4); {
		case kind == 0 && len(items) > 4 && !slices.Contains(c.touched(), it.id):
			c.gone = append(c.gone, it.id)
			items = slices.Delete(items, at, at+1)
		case kind == 1 && !slices.Contains(c.touched(), it.id):
			c.edited[it.id] = it.text
			items[at].text = it.text + " " + words(r, 1)
		default:
			*next++
			c.added = append(c.added, *next)
			items = slices.Insert(items, at, item{*next, words(r, 6)})
		}
	}
	return items, c
}

// without is the document without a change; the second value names, for each
// entry that comes back, the entries between which it has to stand.
func without(now []item, c change) (items []item, back map[int][2]int) {
	for _, it := range now {
		if slices.Contains(c.added, it.id) {
			continue
		}
		if old, ok := c.edited[it.id]; ok {
			it.text = old
		}
		items = append(items, it)
	}
	has := func(id int) bool {
		return slices.ContainsFunc(items, func(it item) bool { return it.id == id })
	}
	back = map[int][2]int{}
	for at, it := range c.before {
		if !slices.Contains(c.gone, it.id) {
			continue
		}
		around := [2]int{-1, -1}
		for i := at - 1; i >= 0 && around[0] < 0; i-- {
			if has(c.before[i].id) {
				around[0] = c.before[i].id
			}
		}
		for i := at + 1; i < len(c.before) && around[1] < 0; i++ {
			if has(c.before[i].id) {
				around[1] = c.before[i].id
			}
		}
		back[it.id] = around
	}
	return items, back
}

// checkUndone compares a text with the document without a change.
func checkUndone(t *testing.T, got string, now []item, c change) {
	t.Helper()
	want, back := without(now, c)
	texts := map[string]int{}
	for _, it := range slices.Concat(want, c.before) {
		texts[it.text] = it.id
	}
	var order []int
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(got, "# Notes\n\n"), "\n"), "\n") {
		id, ok := texts[strings.TrimPrefix(line, "- ")]
		if !ok || !strings.HasPrefix(line, "- ") {
			t.Errorf("line %q was not there without the change", line)
		}
		order = append(order, id)
	}
	rest := slices.DeleteFunc(slices.Clone(order), func(id int) bool { _, b := back[id]; return b })
	ids := make([]int, len(want))
	for i, it := range want {
		ids[i] = it.id
	}
	if !slices.Equal(rest, ids) {
		t.Errorf("order %v, want %v", rest, ids)
	}
	for id, around := range back {
		at := slices.Index(order, id)
		if at < 0 {
			t.Errorf("entry %d did not come back", id)
		} else if lo, hi := slices.Index(order, around[0]), slices.Index(order, around[1]); lo > at || hi >= 0 && hi < at {
			t.Errorf("entry %d came back at %d, not between %d and %d: %v", id, at, lo, hi, order)
		}
	}
}

// An undo of any change of a random history either is a conflict, which it is
// only when a later change touched the same entry, or gives exactly the text
// without that change.
func TestUndoProperty(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	conflicts, clean := 0, 0
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		next := 0
		var items []item
		for range 8 {
			next++
			items = append(items, item{next, words(r, 6)})
		}
		s := newAdopted(t, map[string]string{"AGENTS.md": "# A\n", "SOUL.md": "# S\n", "IDENTITY.md": "# I\n", "memory/a.md": document(items)})
		var history []change
		var versions [][]item
		for i := range 10 {
			var c change
			items, c = mutate(r, items, &next)
			s.Write("memory/a.md", document(items))
			s.Git("commit", "-qam", fmt.Sprint(i))
			c.commit = s.Head()
			history, versions = append(history, c), append(versions, items)
		}
		for n, c := range history {
			var later []int
			for _, l := range history[n+1:] {
				later = append(later, l.touched()...)
			}
			overlaps := slices.ContainsFunc(c.touched(), func(id int) bool { return slices.Contains(later, id) })
			if r.IntN(2) == 0 && overlaps {
				continue
			}
			s.Git("reset", "-q", "--hard", history[len(history)-1].commit)
			state := s.state()
			_, err := s.undoAs(User, c.commit)
			var conflict *ConflictError
			switch {
			case errors.As(err, &conflict):
				conflicts++
				if !overlaps {
					t.Errorf("seed %d: undo of change %d is a conflict, though no later change touched its entries\n%s\n%+v", seed, n, document(items), c)
				}
				if s.state() != state || s.Read("memory/a.md") != document(items) {
					t.Errorf("seed %d: a conflict wrote something", seed)
				}
			case err != nil && !errors.Is(err, gitops.ErrNothing):
				t.Fatalf("seed %d: undo of change %d: %v", seed, n, err)
			case !overlaps:
				clean++
				checkUndone(t, s.Read("memory/a.md"), versions[len(versions)-1], c)
				if s.InHead("memory/a.md") != s.Read("memory/a.md") {
					t.Errorf("seed %d: HEAD and work tree differ", seed)
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d, change %d: %+v\nbefore the undo:\n%safter:\n%s", seed, n, c, document(items), s.Read("memory/a.md"))
			}
		}
		s.CheckClean()
	}
	if conflicts == 0 || clean < 30 {
		t.Errorf("%d conflicts and %d clean undos: the histories test nothing", conflicts, clean)
	}
}

// Whatever is edited, saved, noted and taken back: a flagged value gets into no
// object, and every other line that was saved is in HEAD.
func TestSecretProperty(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := newAdopted(t, nil, gittest.Config("core.autocrlf", []string{"false", "input", "true"}[seed]))
		keys := []string{stripeKey(), githubToken()}
		files := []string{"memory/a.md", "memory/b.txt", "memory/c.json", "memory/2026-03-01.md", "MEMORY.md", "USER.md"}
		var printed []any
		var harmless []string
		for i := range 25 {
			name := files[r.IntN(len(files))]
			line := fmt.Sprintf("- %s %d", words(r, 3), i)
			switch r.IntN(6) {
			case 0:
				s.Append(name, "- key "+keys[r.IntN(2)]+" "+words(r, 1)+"\n")
			case 1:
				s.Append(name, line+"\r\n")
			case 2:
				lines := strings.SplitAfter(s.readOr(name), "\n")
				s.Write(name, strings.Join(append(lines, line+" "+keys[r.IntN(2)]), "")) // no line end
			default:
				if old := s.readOr(name); old != "" && !strings.HasSuffix(old, "\n") {
					line = "\n" + line
				}
				s.Append(name, line+"\n")
				if strings.HasSuffix(name, ".md") {
					harmless = append(harmless, strings.TrimLeft(line, "\n- "))
				}
			}
			switch r.IntN(5) {
			case 0:
				if strings.Contains(s.Git("log", "-1", "--format=%B"), "workspace.adopt") {
					continue
				}
				res, err := s.undoAs(User, "HEAD")
				printed = append(printed, res, err)
				harmless = nil
			case 1:
				res := s.saveAs(Agent, SaveOptions{Message: "with " + keys[0]})
				printed = append(printed, res)
			case 2:
				printed = append(printed, s.saveAs(User, SaveOptions{Paths: []string{name}}))
			}
		}
		printed = append(printed, s.saveAs(Agent, SaveOptions{}))
		var head strings.Builder
		for _, name := range files {
			if _, err := s.Try("cat-file", "-e", "HEAD:"+name); err == nil {
				head.WriteString(s.InHead(name))
			}
		}
		for _, line := range harmless {
			if !strings.Contains(head.String(), line) {
				t.Errorf("seed %d: %q was saved and is not in HEAD", seed, line)
			}
		}
		for _, key := range keys {
			s.noValue(key, printed...)
		}
		s.Fsck()
	}
}

// readOr reads a work-tree file, "" when there is none.
func (s *space) readOr(name string) string {
	if _, ok := s.files()[name]; !ok {
		return ""
	}
	return s.Read(name)
}
