package lesson

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/lessons"
)

// TestNoLessonIsLost: whatever is captured, promoted, accepted, rejected and edited by hand
// in whatever order, with a clock that goes back at times: each lesson is an entry of one
// canonical file, or its words are in the history of the entry that has its key; and its
// times are all there.
func TestNoLessonIsLost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	approved := 0
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 9))
		l := newLab(t)
		times := map[string]map[string]bool{} // of an id, when it came up
		said := map[string]string{}           // a text, and the id it went to
		kinds := []Kind{Error, Lesson, Feature}
		keys := []string{"", "", "deps.a", "fs.b", "net.c"}
		hand := 0
		for range 60 {
			l.Later(time.Duration(r.IntN(72)-12) * time.Hour)
			switch r.IntN(6) {
			case 0, 1, 2:
				text := fmt.Sprintf("lesson %c of %d", 'A'+r.IntN(2)*32, r.IntN(12))
				got := l.capture(CaptureOptions{Kind: kinds[r.IntN(3)], Text: text, Key: keys[r.IntN(len(keys))], Task: fmt.Sprintf("T%d", r.IntN(3))})
				if times[got.ID] == nil {
					times[got.ID] = map[string]bool{}
				}
				times[got.ID][l.Now().UTC().Format(time.RFC3339)] = true
				said[doc.Normalise(text)] = got.ID
			case 3:
				hand++
				rel := lessons.Canonical[r.IntN(3)]
				l.write(rel, l.read(rel)+fmt.Sprintf("\nby hand %d\n", hand))
			case 4:
				list, err := List(context.Background(), l.ws(), true)
				if err != nil {
					t.Fatal(err)
				}
				if len(list) == 0 {
					continue
				}
				_, err = Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: list[r.IntN(len(list))].ID, Reason: Severity})
				var refused *agent.RefusedError
				if err != nil && !errors.As(err, &refused) {
					t.Fatal(err)
				}
			case 5:
				l.decide(r)
			}
		}
		head := ""
		found := map[string]int{}
		for _, rel := range lessons.Canonical {
			text := l.InHead(rel)
			head += text
			f := lessons.Parse([]byte(text))
			for i := range f.Entries {
				e := &f.Entries[i]
				found[e.ID]++
				for at := range times[e.ID] {
					if !strings.Contains(string(e.Source()), at) {
						t.Errorf("seed %d: '%s' did not come up at %s: %s", seed, e.ID, at, e.Source())
					}
				}
			}
		}
		log := l.git("log", "--format=%b")
		for text, id := range said {
			if found[id] != 1 {
				t.Errorf("seed %d: '%s' is there %d times", seed, id, found[id])
			}
			if !strings.Contains(doc.Normalise(head+log), text) {
				t.Errorf("seed %d: '%s' is nowhere", seed, text)
			}
		}
		approved += strings.Count(log, "Claw-Approved-By: ")
		l.git("fsck", "--strict")
	}
	if approved < 4 {
		t.Errorf("only %d promotions were accepted", approved)
	}
}

// decide accepts or rejects a proposal as a person.
func (l *lab) decide(r *rand.Rand) {
	l.t.Helper()
	ctx, ws := context.Background(), l.ws()
	list, err := proposal.List(ctx, ws, false)
	if err != nil {
		l.t.Fatal(err)
	}
	if len(list.Proposals) == 0 {
		return
	}
	p := list.Proposals[r.IntN(len(list.Proposals))]
	ap, err := proposal.Approve(ctx, ws, person)
	if err != nil {
		l.t.Fatal(err)
	}
	if r.IntN(3) == 0 {
		err = proposal.Reject(ctx, ws, person, p, ap, "no")
	} else if _, err = proposal.Accept(ctx, ws, person, p, proposal.AcceptOptions{Approval: ap}); err != nil {
		var stale *proposal.StaleError
		if errors.As(err, &stale) {
			_, err = proposal.Refresh(ctx, l.ws(), person, p)
			if errors.As(err, &stale) {
				err = nil // it overlaps, and waits on
			}
		}
	}
	if err != nil {
		l.t.Fatal(err)
	}
}
