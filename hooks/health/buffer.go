package health

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/buffer"
	"github.com/git-claw/git-claw/memory/daily"
)

// bufferFamily looks at the working buffer and what rotates it. git ignores these
// files, so a commit says nothing of them, unless it has them.
func bufferFamily() Family {
	om := on(memory.OpenClawMemory)
	return Family{
		Name: "buffer",
		Checks: []Check{
			{
				ID: "BUF-001", Severity: Warning, Profiles: om, Rule: "OM-21", Live: true, Meaning: "the working buffer exists",
				Fix: "write " + buffer.Path + " with the four lines of its header when a task begins",
			},
			{
				ID: "BUF-002", Severity: Failure, Profiles: om, Rule: "OM-21", Live: true, Meaning: "the working buffer has a valid header",
				Fix: "write the four lines: " + buffer.Title + ", created, last_active, a blank one",
			},
			{
				ID: "BUF-003", Severity: Failure, Profiles: om, Rule: "OM-27", Live: true, Meaning: "the working buffer has at most claw.buffer.maxLines lines",
				Fix: "move what is done to today's note",
			},
			{
				ID: "BUF-004", Severity: Failure, Profiles: om, Rule: "OM-25", Live: true, Meaning: "no unfinished task lies in a buffer that nobody works on",
				Fix: "go on with the task, or move its lines to today's note",
			},
			{
				ID: "BUF-005", Severity: Failure, Profiles: om, Rule: "OM-75", Live: true, Loss: true, Meaning: "no buffer waits to be recovered",
				Fix: "move what it holds to today's note, then remove the file",
			},
			{
				ID: "BUF-006", Severity: Failure, Profiles: om, Rule: "OM-75", Live: true, Loss: true, Meaning: "no rotation was broken off",
				Fix: "move what it holds to today's note, then remove the file",
			},
			{
				ID: "BUF-007", Severity: Failure, Profiles: om, Rule: "OM-33", Live: true, Meaning: "nobody holds the lock of the buffer",
				Fix: "wait until the other command ends",
			},
			{
				ID: "BUF-008", Severity: Warning, Profiles: om, Rule: "OM-65", Live: true, Meaning: "the working buffer is small",
				Fix: "move what is done to today's note",
			},
			{
				ID: "BUF-009", Severity: Failure, Profiles: om, Rule: "OM-32", Live: true, Loss: true, Meaning: "what was rotated last is still in its daily note",
				Fix: "bring it back from the commit with 'git claw show'",
			},
			{
				ID: "BUF-010", Severity: Failure, Profiles: om, Rule: "OM-34", Meaning: "git does not track the working buffer",
				Fix: "git rm --cached, then commit; the file stays where it is",
			},
		},
		Look: Over[struct{}](isBuffer, nil, judgeBuffer),
	}
}

// bufferFiles are the buffer and the files beside it.
var bufferFiles = [...]string{buffer.Path, buffer.LockPath, buffer.RotatingPath, buffer.PendingPath}

func isBuffer(_ *Run, f File) bool { return slices.Contains(bufferFiles[:], f.Path) }

func judgeBuffer(ctx context.Context, r *Run, _ []Fact[struct{}], out *Out) error {
	if r.On("BUF-010") {
		if err := judgeTrackedBuffer(ctx, r, out); err != nil {
			return err
		}
	}
	if r.On("BUF-009") {
		if err := judgeRotation(ctx, r, out); err != nil {
			return err
		}
	}
	if r.On("BUF-001", "BUF-002", "BUF-003", "BUF-004", "BUF-005", "BUF-006", "BUF-007", "BUF-008") {
		return judgeBufferFiles(ctx, r, out)
	}
	return nil
}

func judgeBufferFiles(ctx context.Context, r *Run, out *Out) error {
	text, there, err := r.Text(ctx, buffer.Path)
	if err != nil {
		return err
	}
	var b *buffer.Buffer
	if there {
		b = buffer.Parse(text)
		judgeBufferText(r, b, out)
	} else {
		out.Add(Finding{ID: "BUF-001", Path: buffer.Path, Message: "there is no such file", Expected: "a file", Actual: "none"})
	}
	locked, live, err := lockOf(ctx, r, b)
	if err != nil {
		return err
	}
	stale := r.WS.Settings.Duration("buffer.staleAfter")
	if b != nil && b.Unfinished() && b.Old(r.Now, stale) && !live {
		out.Add(Finding{
			ID: "BUF-004", Path: buffer.Path, Line: b.Tasks[0].Line, Message: fmt.Sprintf("a task is not finished, and the buffer was last active %s", since(r, b.LastActive)),
			Expected: "active within " + stale.String(), Actual: "not active",
		})
	}
	if locked {
		f := Finding{ID: "BUF-007", Path: buffer.LockPath, Message: "another command is at work on the buffer", Expected: "no lock", Actual: "a live one"}
		if !live {
			f.Severity, f.Message, f.Actual, f.Fix = Warning, "nobody holds this lock any more", "a stale one", "remove the file"
		}
		out.Add(f)
	}
	for _, left := range []struct{ id, path, what string }{
		{"BUF-005", buffer.PendingPath, "a buffer waits to be recovered"},
		{"BUF-006", buffer.RotatingPath, "a rotation was broken off"},
	} {
		there, err := r.Has(ctx, left.path)
		if err != nil {
			return err
		}
		if there && (left.id == "BUF-005" || !live) {
			out.Add(Finding{ID: left.id, Path: left.path, Message: left.what, Expected: "no such file", Actual: "a file"})
		}
	}
	return nil
}

func judgeBufferText(r *Run, b *buffer.Buffer, out *Out) {
	if b.Wrong != "" {
		out.Add(Finding{ID: "BUF-002", Path: buffer.Path, Line: b.WrongLine, Message: b.Wrong, Expected: "the header of a buffer", Actual: "another line"})
	}
	limited(out, "BUF-003", buffer.Path, 0, b.Lines, r.Int("buffer.maxLines"), "lines")
	limited(out, "BUF-008", buffer.Path, 0, b.Lines, r.Int("buffer.warnLines")-1, "lines")
	if most := r.Int("buffer.maxActive"); len(b.Tasks) > most {
		limited(out, "BUF-008", buffer.Path, b.Tasks[most].Line, len(b.Tasks), most, "active task lines")
	}
}

// lockOf reports whether the buffer is locked, and by somebody who is still there.
func lockOf(ctx context.Context, r *Run, b *buffer.Buffer) (locked, live bool, err error) {
	text, locked, err := r.Text(ctx, buffer.LockPath)
	if err != nil || !locked {
		return false, false, err
	}
	by := buffer.Liveness{
		Now: r.Now, Host: r.Hostname, Alive: r.Alive,
		ForeignTTL: r.WS.Settings.Duration("lock.foreignTTL"), StaleAfter: r.WS.Settings.Duration("buffer.staleAfter"),
	}
	if b != nil {
		by.LastActive = b.LastActive
	}
	return true, buffer.ParseLock(text).Live(by), nil
}

func since(r *Run, t time.Time) string {
	return "at " + t.In(r.Now.Location()).Format("2006-01-02 15:04")
}

// judgeTrackedBuffer looks at what git tracks; of a commit, at what it touches.
func judgeTrackedBuffer(ctx context.Context, r *Run, out *Out) error {
	tracked, err := r.Tracked(ctx)
	if err != nil {
		return err
	}
	for _, rel := range bufferFiles {
		if !slices.Contains(tracked, rel) || rel == buffer.Path && r.WS.Settings.String("buffer.track") == "branch" {
			continue
		}
		f := Finding{
			ID: "BUF-010", Path: rel, Message: "git tracks what changes with every step of a task", Expected: "not tracked", Actual: "tracked",
			Fix: "git rm --cached " + rel + ", then commit; the file stays where it is",
		}
		_, before, err := r.Git.AtAdoption(ctx, rel)
		if err != nil {
			return err
		}
		if before {
			f.Severity = Warning
		}
		out.Add(f)
	}
	return nil
}

// judgeRotation looks whether the body of the last rotation is where it was put. A
// later commit that is no merge may have changed it (SPEC OM-32).
func judgeRotation(ctx context.Context, r *Run, out *Out) error {
	c, ok, err := r.Git.Newest(ctx, "buffer.rotate")
	if err != nil || !ok {
		return err
	}
	hash := c.Trailers.Get("Claw-Content-Hash")
	if hash == "" {
		return nil // nothing to compare with
	}
	has := func(text []byte, there bool, err error) (bool, error) {
		return there && buffer.HasContent(text, hash), err
	}
	for _, rel := range c.Paths {
		day := memory.DayOf(rel)
		if day == "" {
			continue
		}
		places := []string{rel, daily.ArchivePath(day, day+".md")}
		if there, err := has(r.Git.At(ctx, c.ID, rel)); err != nil || !there {
			if err == nil {
				out.Add(lost(rel, c, "the commit does not hold the body that its trailer names"))
			}
			return err
		}
		for _, p := range places {
			for _, read := range []func(context.Context, string) ([]byte, bool, error){r.Text, r.Git.Head} {
				if there, err := has(read(ctx, p)); err != nil || there {
					return err
				}
			}
		}
		changed, err := changedLater(ctx, r, c, places, has)
		if err == nil && !changed {
			out.Add(lost(rel, c, "the body of the last rotation is gone, and no later commit changed it"))
		}
		return err
	}
	return nil
}

func lost(rel string, c gitops.Commit, what string) Finding {
	return Finding{
		ID: "BUF-009", Path: rel, Message: what, Expected: "the body of " + c.ID.Short(), Actual: "not there",
		Fix: "bring it back with 'git claw show " + c.ID.Short() + "'",
	}
}

// changedLater reports whether a commit after c that is no merge took the body out
// of one of the places.
func changedLater(ctx context.Context, r *Run, c gitops.Commit, places []string, has func([]byte, bool, error) (bool, error)) (bool, error) {
	commits, err := r.Git.Since(ctx, places...)
	if err != nil {
		return false, err
	}
	for _, k := range commits { // newest first
		if k.ID == c.ID {
			break
		}
		if len(k.Parents) != 1 {
			continue
		}
		for _, p := range places {
			before, err := has(r.Git.At(ctx, k.Parents[0], p))
			if err != nil {
				return false, err
			}
			after, err := has(r.Git.At(ctx, k.ID, p))
			if err != nil || before && !after {
				return err == nil, err
			}
		}
	}
	return false, nil
}
