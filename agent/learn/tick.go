package learn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
	"github.com/git-claw/git-claw/memory/stamp"
)

// Ticked is what the periodic work did.
type Ticked struct {
	Save *agent.SaveResult
	// Actions tell what was done, in order; none: HEARTBEAT_OK.
	Actions []string
	// Skipped are files that could not be read, which were left as they are.
	Skipped []string
	// Waiting is how many candidates can be asked about now.
	Waiting int
	// Full: so many that it is time to ask (SPEC SI-20).
	Full bool
}

// Tick does the periodic work of a workspace, a commit for each step that changes
// something (SPEC 10.4, SI-60): proposals that were decided elsewhere are closed,
// questions that nobody answered are counted, lessons become candidates, preferences that
// nobody used move on, doubles go, index.md is made anew. With nothing to do nothing is
// written but heartbeat-state.md, which git ignores.
func Tick(ctx context.Context, ws *memory.Workspace, caller agent.Caller) (*Ticked, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	t := &ticker{ws: ws, caller: caller, started: ws.Now(), out: &Ticked{Save: &agent.SaveResult{}}}
	if p := ws.Repo.Progress(); p != nil {
		return t.out, p
	}
	for _, step := range []func(context.Context) error{t.proposals, t.decided, t.timeouts, t.lessons, t.tiers, t.index} {
		if err := step(ctx); err != nil {
			t.state(ctx, "failed")
			return t.out, err
		}
	}
	t.count()
	if len(t.out.Skipped) == 0 && len(t.out.Save.Skipped) == 0 {
		if err := t.mark(ctx); err != nil {
			return t.out, err
		}
	}
	t.state(ctx, "")
	return t.out, nil
}

type ticker struct {
	ws      *memory.Workspace
	caller  agent.Caller
	started time.Time
	snap    *snapshot
	out     *Ticked
	// compacted: doubles were taken out, which index.md tells.
	compacted bool
	reviewed  gitops.ID // what the marker names
}

// did tells how many of something had something done to them.
func (t *ticker) did(n int, what, done string) {
	if n > 1 {
		what += "s"
	}
	if n > 0 {
		t.out.Actions = append(t.out.Actions, fmt.Sprintf("%d %s %s", n, what, done))
	}
}

// proposals closes what was decided without being closed, and what is about a candidate
// that was decided.
func (t *ticker) proposals(ctx context.Context) error {
	settled, err := proposal.Settle(ctx, t.ws, t.caller)
	t.did(len(settled), "proposal", "closed")
	if err != nil {
		return err
	}
	if t.snap, err = load(t.ws); err != nil {
		return err
	}
	open, err := proposalsOf(ctx, t.ws)
	if err != nil {
		return err
	}
	for id, list := range open {
		_, rule := t.snap.byID[id]
		_, rejected := t.snap.rejected[id]
		if t.snap.pending[id] != nil || !rule && !rejected {
			continue
		}
		if err := closeAll(ctx, t.ws, t.caller, list, "the candidate was decided"); err != nil {
			return err
		}
		t.did(len(list), "proposal", "superseded")
	}
	return nil
}

// timeouts counts questions that nobody answered in time (SPEC SI-23).
func (t *ticker) timeouts(ctx context.Context) error {
	days := t.ws.Settings.Int("si.askTimeoutDays")
	now := t.ws.Now()
	ignored, dropped := 0, 0
	for _, w := range t.snap.waits() {
		if w.err != nil {
			t.out.Skipped = append(t.out.Skipped, fmt.Sprintf("%s: %v", t.snap.rel(w.name), w.err))
			continue
		}
		unanswered, err := t.snap.unanswered(ctx, t.caller, w)
		if err != nil {
			return err
		}
		if !unanswered || now.Sub(w.cand.Asked()) < time.Duration(days)*24*time.Hour {
			continue
		}
		gone, err := t.snap.ignore(ctx, t.caller, w, t.out.Save)
		if err != nil {
			return err
		}
		if !gone {
			ignored++
			continue
		}
		dropped++
		open, err := proposalsOf(ctx, t.ws)
		if err != nil {
			return err
		}
		if err := closeAll(ctx, t.ws, t.caller, open[w.cand.ID], "nobody answered"); err != nil {
			return err
		}
	}
	t.did(ignored, "question", "without an answer")
	t.did(dropped, "candidate", "rejected, for nobody answered")
	return nil
}

func (t *ticker) lessons(ctx context.Context) error {
	made, err := countLessons(ctx, t.ws, t.caller)
	n := 0
	for _, c := range made {
		addSaved(t.out.Save, c.Save)
		n += len(c.Save.Commits)
	}
	t.did(n, "lesson", "that came up often")
	if err != nil || n == 0 {
		return err
	}
	return t.snap.reload()
}

func (t *ticker) tiers(ctx context.Context) error {
	hot, err := t.snap.demote(ctx, t.caller, prefs.TierHot, t.out.Save)
	if err != nil {
		return err
	}
	t.did(hot, "preference", "moved to warm, unused")
	warm, err := t.snap.demote(ctx, t.caller, prefs.TierWarm, t.out.Save)
	if err != nil {
		return err
	}
	t.did(warm, "preference", "moved to cold, unused")
	twice, err := t.snap.compact(ctx, t.caller, t.out.Save)
	if err != nil {
		return err
	}
	t.compacted = twice > 0
	t.did(twice, "double", "taken out")
	over, err := t.snap.evict(ctx, t.caller, t.out.Save)
	t.did(over, "preference", "moved to warm, for there was no room")
	return err
}

// indexHead begins every index.md that git claw writes. Another text is somebody's own.
const indexHead = "# Index\n\nLast compaction: "

// index makes index.md anew (SPEC SI-44).
func (t *ticker) index(ctx context.Context) error {
	if len(t.snap.tiers) == 0 {
		return nil
	}
	rows := make([]prefs.IndexRow, len(t.snap.tiers))
	for i, f := range t.snap.tiers {
		rows[i] = prefs.RowOf(f.name, f.text, f.entries)
	}
	render := func(old []byte) []byte {
		last := prefs.LastCompaction(old)
		if t.compacted {
			last = t.started.Format(time.DateOnly)
		}
		return prefs.RenderIndex(rows, last)
	}
	current := func(old []byte, there bool) bool {
		lf := bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n"))
		return there && (bytes.Equal(lf, render(old)) || !bytes.HasPrefix(lf, []byte(indexHead)))
	}
	old, there, err := t.snap.read(prefs.Index)
	if err != nil || current(old, there) {
		return err
	}
	res, err := agent.Commit(ctx, t.ws, t.caller, agent.Rewrite{Paths: []string{t.snap.rel(prefs.Index)}, Whole: true, Plan: func(files []agent.File) (agent.Planned, error) {
		if current(files[0].Text, files[0].Exists) {
			return agent.Planned{}, nil
		}
		return vet(files, agent.Planned{Event: agent.EventHeartbeat, Area: area, Summary: "write index.md anew", Edits: []agent.FileEdit{{Path: files[0].Path, Next: render(files[0].Text)}}})
	}})
	addSaved(t.out.Save, res)
	if err == nil && len(res.Commits) > 0 {
		t.out.Actions = append(t.out.Actions, "index.md written")
	}
	return err
}

// count tells what can be asked.
func (t *ticker) count() {
	for _, w := range t.snap.pending {
		if t.snap.view(w).Eligible {
			t.out.Waiting++
		}
	}
	batch := int(t.ws.Settings.Int("si.askBatch"))
	t.out.Full = batch > 0 && t.out.Waiting >= batch
}

// Marker is the ref that names the commit up to which the store was looked at (SPEC
// SI-63). It stays on this machine.
func Marker(ws *memory.Workspace) string {
	sum := sha256.Sum256([]byte(ws.Prefix))
	return "refs/claw/heartbeat/" + hex.EncodeToString(sum[:4])
}

// mark moves the marker. Somebody else's tick that did so meanwhile saw the same.
func (t *ticker) mark(ctx context.Context) error {
	head, err := t.ws.Repo.Head(ctx)
	if err != nil || head.Commit.IsZero() {
		return err
	}
	refs, err := t.ws.Repo.Refs(ctx, Marker(t.ws))
	if err != nil {
		return err
	}
	up := gitops.RefUpdate{Name: Marker(t.ws), New: head.Commit}
	for _, r := range refs {
		up.Old = r.ID
	}
	t.reviewed = head.Commit
	if up.Old == up.New {
		return nil
	}
	w, err := agent.Writer(ctx, t.ws)
	if err != nil {
		return err
	}
	if err := w.UpdateRefs(ctx, []gitops.RefUpdate{up}, "claw: tick"); err != nil && !moved(err) {
		return err
	}
	return nil
}

// state writes heartbeat-state.md (SPEC SI-62), where git ignores it. It is there to be
// looked at, nothing reads it: failing to write it changes nothing.
func (t *ticker) state(ctx context.Context, result string) {
	if t.snap == nil || len(t.snap.tiers)+len(t.snap.pending) == 0 {
		return
	}
	rel := t.snap.rel(prefs.Heartbeat)
	old, there, err := t.snap.read(prefs.Heartbeat)
	if err != nil {
		return
	}
	if !there {
		rules, err := t.ws.Repo.CheckIgnore(ctx, []string{t.ws.Prefix + rel})
		if _, ok := rules[t.ws.Prefix+rel]; err != nil || !ok {
			return
		}
	}
	if result == "" {
		if result = "changed"; len(t.out.Actions) == 0 {
			result = "HEARTBEAT_OK"
		}
	}
	last := "none"
	if len(t.out.Actions) > 0 {
		last = strings.Join(t.out.Actions, "; ")
	}
	changed := "never"
	if c, err := t.ws.Repo.Objects().Commit(ctx, t.reviewed); err == nil {
		changed = stamp.Format(c.Committer.When.In(t.started.Location()))
	}
	next := fmt.Appendf(nil, "# Heartbeat\n\nlast_heartbeat_started_at: %s\nlast_reviewed_change_at: %s\nlast_heartbeat_result: %s\nlast_actions: %s\n",
		stamp.Format(t.started), changed, result, last)
	if !bytes.Equal(old, next) {
		_ = t.ws.Repo.PlaceWork(t.ws.Prefix+rel, gitops.Place{Base: old, Existed: there, Content: next})
	}
}
