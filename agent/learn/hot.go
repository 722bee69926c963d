package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/prefs"
)

// emptyHot is memory.md before the first preference (SPEC SI-35).
const emptyHot = "# Preferences\n\n## " + prefs.Confirmed + "\n\n## " + prefs.Active + "\n\n## " + prefs.Recent + "\n"

// reader reads a file of the store; none is no error.
type reader func(name string) ([]byte, error)

// shelf works out how entries move between tiers. Nothing of it is written before the
// plan is complete.
type shelf struct {
	read  reader
	limit int               // lines of memory.md, 0 for no limit
	uses  map[string]string // latest uses, by id
	texts map[string][]byte // files as they are to be, by name
	gone  map[string]bool   // files that go
	moved []string          // ids that left memory.md for want of room
	count int               // entries that moved for another reason
}

// trailers tell what moved.
func (h *shelf) trailers() gitops.Trailers {
	var tr gitops.Trailers
	if len(h.moved) > 0 {
		tr = append(tr, gitops.Trailer{Key: "Claw-Moved", Value: strings.Join(h.moved, " ") + " (hot → warm)"})
	}
	if h.count > 0 {
		tr = append(tr, gitops.Trailer{Key: "Claw-Count", Value: strconv.Itoa(h.count)})
	}
	return tr
}

func (h *shelf) text(name string) ([]byte, error) {
	if t, ok := h.texts[name]; ok {
		return t, nil
	}
	t, err := h.read(name)
	if err != nil {
		return nil, err
	}
	if name == prefs.Hot && len(t) == 0 {
		t = []byte(emptyHot)
	}
	return t, nil
}

func (h *shelf) set(name string, text []byte) {
	if h.texts == nil {
		h.texts = map[string][]byte{}
	}
	h.texts[name] = text
}

// drop removes a file.
func (h *shelf) drop(name string) error {
	text, err := h.text(name)
	if err != nil {
		return err
	}
	h.set(name, text)
	h.gone = map[string]bool{name: true}
	return nil
}

// put adds an entry to the end of a file, unless it stands there already.
func (h *shelf) put(name string, e prefs.Entry) error {
	text, err := h.text(name)
	if err != nil {
		return err
	}
	for _, have := range prefs.ParseTier(text) {
		if e.ID != "" && have.ID == e.ID && doc.Normalise(have.Text) == doc.Normalise(e.Text) {
			return nil
		}
	}
	if name == prefs.Hot {
		h.set(name, prefs.AddHot(text, e))
		return nil
	}
	h.set(name, prefs.Add(text, titleOf(name), e))
	return nil
}

// titleOf is the title of a new file.
func titleOf(name string) string {
	name = strings.TrimSuffix(name, ".md")
	if rest, ok := strings.CutPrefix(name, "archive/"); ok {
		return "Archive " + strings.ReplaceAll(rest, "/", "-")
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}

// take removes entries, which are those of the file as it is now, from it.
func (h *shelf) take(name string, gone ...prefs.Entry) error {
	text, err := h.text(name)
	if err != nil {
		return err
	}
	slices.SortFunc(gone, func(a, b prefs.Entry) int { return b.Line - a.Line })
	for _, e := range gone {
		text = prefs.Remove(text, e)
	}
	h.set(name, text)
	return nil
}

// warmOf is the file that an entry goes to when it leaves memory.md.
func warmOf(e prefs.Entry) string {
	if l, ok := e.Preference(); ok {
		return prefs.WarmPath(l.Context)
	}
	return "domains/general.md"
}

// fixed: it is pinned, or stands among what is; it is never moved by itself.
func fixed(e prefs.Entry) bool { return e.Pin || e.Section == prefs.Confirmed }

// lastUse is the latest day on which an entry was used, "" where nothing tells.
func (h *shelf) lastUse(e prefs.Entry) string { return max(e.Since, e.LastUse, h.uses[e.ID]) }

// makeRoom moves entries of memory.md to their WARM files until it has no more lines
// than it may, least recently used ones first (SPEC SI-30, SI-37), what was written by
// hand last. keep stays. What is pinned stays as well; where that alone is too much, it
// is a *agent.RefusedError.
func (h *shelf) makeRoom(keep string) error {
	for {
		text, err := h.text(prefs.Hot)
		if err != nil {
			return err
		}
		lines := len(doc.SplitLines(text))
		if h.limit <= 0 || lines <= h.limit {
			return nil
		}
		all := slices.DeleteFunc(prefs.ParseTier(text), func(e prefs.Entry) bool { return fixed(e) || keep != "" && e.ID == keep })
		if len(all) == 0 {
			return &agent.RefusedError{
				Problem: fmt.Sprintf("there is no room: what is pinned needs all of the %d lines that memory.md may have", h.limit),
				Advice:  []string{"to make room: git claw candidate unpin <id>", "to see them: git claw candidate list --all"},
			}
		}
		oldest := slices.MinFunc(all, func(a, b prefs.Entry) int {
			return cmp.Or(compareBool(a.ID == "", b.ID == ""), cmp.Compare(h.lastUse(a), h.lastUse(b)), cmp.Compare(a.Since, b.Since), cmp.Compare(a.ID, b.ID))
		})
		if err := h.take(prefs.Hot, oldest); err != nil {
			return err
		}
		if err := h.put(warmOf(oldest), oldest); err != nil {
			return err
		}
		h.moved = append(h.moved, oldest.ID)
	}
}
