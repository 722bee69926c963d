package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/merge"
)

// arrival is one time that something came into a work tree from another machine. Who read
// a file before that, and writes all of it back later, does not know what came.
type arrival struct {
	At     time.Time `json:"at"`
	Source string    `json:"source"` // as a person calls it
	Before gitops.ID `json:"before"` // HEAD without what came, and with it
	After  gitops.ID `json:"after"`
}

// arrivals is the record of a work tree, the newest last. It is derived, and short-lived.
type arrivals struct {
	V    int       `json:"v"`
	List []arrival `json:"list"`
}

const (
	arrivalsVersion = 1
	maxArrivals     = 100
	maxArrivalBytes = 1 << 20
	// arrivalTime is how long a file is thought to be read before it is written.
	arrivalTime = 15 * time.Minute
)

func arrivalsFile(ws *memory.Workspace) string { return filepath.Join(ws.Repo.ClawDir(), "came") }

// readArrivals lists what came not long ago. What cannot be read is as good as none.
func readArrivals(ws *memory.Workspace) []arrival {
	b, err := gitops.ReadSmall(arrivalsFile(ws), maxArrivalBytes)
	if err != nil {
		return nil
	}
	var r arrivals
	if json.Unmarshal(b, &r) != nil || r.V != arrivalsVersion {
		return nil
	}
	now := ws.Now()
	return slices.DeleteFunc(r.List, func(a arrival) bool {
		return now.Sub(a.At).Abs() > arrivalTime || a.Before.IsZero() || a.After.IsZero()
	})
}

// changeArrivals changes the record. It is a convenience: failing to write it changes nothing.
func changeArrivals(ctx context.Context, ws *memory.Workspace, change func([]arrival) []arrival) {
	release, err := ws.Repo.Hold(ctx, "came-lock", "waiting for another 'git claw' to write down what came", time.Second)
	if err != nil {
		return
	}
	defer release()
	if os.MkdirAll(ws.Repo.ClawDir(), 0o777) != nil {
		return
	}
	list := change(readArrivals(ws))
	for list = list[max(0, len(list)-maxArrivals):]; len(list) > 0; list = list[1:] {
		b, err := json.Marshal(arrivals{arrivalsVersion, list})
		if err != nil {
			return
		}
		if len(b) <= maxArrivalBytes {
			_ = gitops.WriteFileAtomic(arrivalsFile(ws), b, 0o666)
			return
		}
	}
}

// recordArrival is called before HEAD moves: one that did not come harms nothing.
func recordArrival(ctx context.Context, ws *memory.Workspace, source string, from, to gitops.ID) {
	changeArrivals(ctx, ws, func(list []arrival) []arrival {
		list = slices.DeleteFunc(list, func(a arrival) bool { return a.Before == from && a.After == to })
		return append(list, arrival{At: ws.Now(), Source: source, Before: from, After: to})
	})
}

// Came is a file that was written by somebody who did not know what came into it from
// another machine meanwhile.
type Came struct {
	Path   string // relative to the workspace root
	Top    string // the same from the top level
	Source string
	// Kept: what came was united with what was written. Else it is only in the history,
	// between two commits.
	Kept          bool
	Before, After gitops.ID
}

// keepCame unites a file that takes back what came into it with what came, where who wrote
// it did not know that; see merge.Stale.
func (s *saver) keepCame(ctx context.Context, ed *edit) error {
	if !s.lookedForArrivals {
		s.arrivals, s.lookedForArrivals = readArrivals(s.ws), true
	}
	work, mode := ed.change.Content, ed.change.Mode
	if len(s.arrivals) == 0 || s.baseline || mode == gitops.ModeSymlink {
		return nil
	}
	for _, a := range slices.Backward(s.arrivals) {
		base, came, ok := s.cameInto(ctx, a, ed.change.Path)
		if !ok || !merge.Stale(entryKind(s.ws.Repo.TopLevel, ed.change.Path), base, came, ed.old, work) {
			continue
		}
		// Who holds such a text writes it again and again, so that what came is kept each
		// time; of what was taken out of it since, HEAD has nothing.
		converted, err := s.ws.Repo.Converted(ctx, []string{ed.change.Path})
		if err != nil {
			return err
		}
		ed.came = &Came{Path: ed.rel, Top: ed.change.Path, Source: a.Source, Before: a.Before, After: a.After}
		limit := s.ws.MaxFileBytes()
		merged, ok := s.ws.Repo.United(ctx, ed.change.Path, base, ed.old, work)
		if ok && (bytes.Equal(merged, work) || bytes.Equal(merged, ed.old)) {
			ed.came = nil
			return nil
		}
		if !ok || len(converted) > 0 || limit > 0 && int64(len(merged)) > limit || s.caller.Actor == User && !s.opt.Unseen {
			return nil // it is told
		}
		ed.came.Kept, ed.change.Content = true, merged
		if !s.opt.DryRun {
			ed.change.Place = &gitops.Place{Base: work, Existed: true, Content: merged}
		}
		return nil
	}
	return nil
}

// cameInto returns a file as it was before something came into it, and with that; ok is
// false where nothing did.
func (s *saver) cameInto(ctx context.Context, a arrival, path string) (base, came []byte, ok bool) {
	objects := s.ws.Repo.Objects()
	var sides [2]gitops.TreeEntry
	for i, commit := range []gitops.ID{a.Before, a.After} {
		tree, err := objects.TreeOf(ctx, commit)
		if err != nil {
			return nil, nil, false
		}
		if sides[i], _, err = objects.Lookup(ctx, tree, path); err != nil {
			return nil, nil, false
		}
	}
	before, after := sides[0], sides[1]
	if before.ID == after.ID || !after.Mode.IsFile() || !before.IsZero() && !before.Mode.IsFile() {
		return nil, nil, false
	}
	var texts [2][]byte
	for i, e := range sides {
		if e.IsZero() {
			continue
		}
		var err error
		if texts[i], err = objects.BlobWithin(ctx, e.ID, s.ws.MaxFileBytes()); err != nil {
			return nil, nil, false
		}
	}
	return texts[0], texts[1], true
}

// cameIn lists what came into the files of a commit.
func cameIn(edits []edit) []Came {
	var out []Came
	for _, e := range edits {
		if e.came != nil {
			out = append(out, *e.came)
		}
	}
	return out
}

// keptTrailers names the files in which what came was kept.
func (s *saver) keptTrailers(came []Came) (tr gitops.Trailers) {
	for _, c := range came {
		if c.Kept && len(s.scan.Scan([]byte(c.Path))) == 0 {
			tr = append(tr, gitops.Trailer{Key: "Claw-Kept", Value: c.Path})
		}
	}
	return tr
}

// placeKept puts a file of which nothing may be committed into the work tree alone: what
// came is in HEAD, and must not be missing there once nobody remembers that it came.
func (s *saver) placeKept(ed edit) error {
	if ed.change.Place == nil {
		return nil
	}
	return s.ws.Repo.PlaceWork(ed.change.Path, *ed.change.Place)
}
