package health

import (
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/buffer"
)

// bufferText is a buffer that was active at a time, with more below its header.
func bufferText(active, more string) string {
	return "# Working Buffer\ncreated: 2026-03-01T08:00:00Z\nlast_active: " + active + "\n\n" + more
}

const (
	fresh = "2026-03-01T11:30:00Z" // half an hour before now
	task  = "## Active Task:\n- move the job\n"
)

func bufferCases() []checkCase {
	with := func(active, more string) tree { return tree{buffer.Path: bufferText(active, more)} }
	and := func(t tree, path, text string) tree {
		t[path] = text
		return t
	}
	lock := func(host string, pid, started string) string {
		return `{"pid":` + pid + `,"host":"` + host + `","started":"` + started + `","cmd":"rotate"}`
	}
	locked := func(active, text string) tree { return and(with(active, task), buffer.LockPath, text) }
	live, dead := lock("here", "7", "2026-03-01T11:59:00Z"), lock("here", "8", "2026-03-01T11:59:00Z")
	return []checkCase{
		{id: "BUF-001", name: "there", ignored: with(fresh, "")},
		{id: "BUF-001", name: "not there", want: []string{"WARN " + buffer.Path}},
		{id: "BUF-001", name: "tracked", edge: true, files: with(fresh, "")},
		{id: "BUF-002", name: "valid", ignored: with(fresh, task)},
		{id: "BUF-002", name: "nothing but the header", edge: true, ignored: tree{buffer.Path: strings.TrimRight(bufferText(fresh, ""), "\n")}},
		{id: "BUF-002", name: "no buffer", edge: true},
		{id: "BUF-002", name: "of a foreign form", ignored: tree{buffer.Path: "# Notes\n- x\n"}, want: []string{"FAIL " + buffer.Path + ":1"}},
		{id: "BUF-002", name: "empty", edge: true, ignored: tree{buffer.Path: ""}, want: []string{"FAIL " + buffer.Path + ":1"}},
		{id: "BUF-002", name: "a time without zone", edge: true, ignored: with("2026-03-01T11:30:00", task), want: []string{"FAIL " + buffer.Path + ":3"}},
		{id: "BUF-003", name: "80 lines", edge: true, ignored: with(fresh, items(76))},
		{id: "BUF-003", name: "81 lines", edge: true, ignored: with(fresh, items(77)), want: []string{"FAIL " + buffer.Path}},
		{id: "BUF-004", name: "fresh", ignored: with(fresh, task)},
		{id: "BUF-004", name: "a second less than two hours", edge: true, ignored: with("2026-03-01T10:00:01Z", task)},
		{id: "BUF-004", name: "two hours", edge: true, ignored: with("2026-03-01T10:00:00Z", task), want: []string{"FAIL " + buffer.Path + ":6"}},
		{id: "BUF-004", name: "old, and nothing to do", edge: true, ignored: with("2026-02-01T10:00:00Z", "## Active Task:\n\n## Notes\n- x\n")},
		{id: "BUF-004", name: "old, and somebody holds the lock", edge: true, ignored: locked("2026-03-01T10:00:00Z", live), alive: []int{7}},
		{id: "BUF-004", name: "old, and the lock is stale", edge: true, ignored: locked("2026-03-01T10:00:00Z", dead), want: []string{"FAIL " + buffer.Path + ":6"}},
		{id: "BUF-004", name: "no header, so nobody knows", edge: true, ignored: tree{buffer.Path: "# Notes\n## Active Task:\n- x\n"}},
		{id: "BUF-005", name: "nothing waits", ignored: with(fresh, task)},
		{id: "BUF-005", name: "waits", ignored: tree{buffer.PendingPath: bufferText(fresh, task)}, want: []string{"FAIL " + buffer.PendingPath}},
		{id: "BUF-005", name: "an empty one waits too", edge: true, ignored: tree{buffer.PendingPath: ""}, want: []string{"FAIL " + buffer.PendingPath}},
		{id: "BUF-006", name: "no rotation", ignored: with(fresh, task)},
		{id: "BUF-006", name: "broken off", ignored: tree{buffer.RotatingPath: "x"}, want: []string{"FAIL " + buffer.RotatingPath}},
		{id: "BUF-006", name: "at work", edge: true, ignored: tree{buffer.RotatingPath: "x", buffer.LockPath: live}, alive: []int{7}},
		{id: "BUF-006", name: "its process died", edge: true, ignored: tree{buffer.RotatingPath: "x", buffer.LockPath: dead}, want: []string{"FAIL " + buffer.RotatingPath}},
		{id: "BUF-007", name: "no lock", ignored: with(fresh, task)},
		{id: "BUF-007", name: "live", ignored: locked(fresh, live), alive: []int{7}, want: []string{"FAIL " + buffer.LockPath}},
		{id: "BUF-007", name: "stale", ignored: locked(fresh, dead), want: []string{"WARN " + buffer.LockPath}},
		{id: "BUF-007", name: "elsewhere, nine minutes old", edge: true, ignored: locked(fresh, lock("there", "1", "2026-03-01T11:50:01Z")), want: []string{"FAIL " + buffer.LockPath}},
		{id: "BUF-007", name: "elsewhere, ten minutes old", edge: true, ignored: locked(fresh, lock("there", "1", "2026-03-01T11:50:00Z")), want: []string{"WARN " + buffer.LockPath}},
		{id: "BUF-007", name: "of another form, the buffer is active", edge: true, ignored: locked(fresh, "4711\n"), want: []string{"FAIL " + buffer.LockPath}},
		{id: "BUF-007", name: "of another form, the buffer is old", edge: true, ignored: locked("2026-03-01T10:00:00Z", "4711\n"), want: []string{"WARN " + buffer.LockPath}},
		{id: "BUF-008", name: "63 lines, 3 tasks", edge: true, ignored: with(fresh, "## Active Task:\n"+items(3)+"\n"+strings.Repeat("\n", 54))},
		{id: "BUF-008", name: "64 lines", edge: true, ignored: with(fresh, items(60)), want: []string{"WARN " + buffer.Path}},
		{id: "BUF-008", name: "4 tasks", edge: true, ignored: with(fresh, "## Active Task:\n"+items(4)), want: []string{"WARN " + buffer.Path + ":9"}},
		{id: "BUF-010", name: "ignored", ignored: with(fresh, task), git: &fakeGit{tracked: []string{"MEMORY.md"}}},
		{id: "BUF-010", name: "tracked", files: with(fresh, task), git: &fakeGit{adopted: tree{}, tracked: []string{buffer.Path, buffer.LockPath}}, want: []string{"FAIL " + buffer.Path, "FAIL " + buffer.LockPath}},
		{id: "BUF-010", name: "tracked before adoption", edge: true, files: with(fresh, task), git: &fakeGit{adopted: with(fresh, ""), tracked: []string{buffer.Path}}, want: []string{"WARN " + buffer.Path}},
		{
			id: "BUF-010", name: "tracked because a setting says so", edge: true, local: []string{"claw.buffer.track=branch"}, files: with(fresh, task),
			git: &fakeGit{adopted: tree{}, tracked: []string{buffer.Path, buffer.PendingPath}}, want: []string{"FAIL " + buffer.PendingPath},
		},
	}
}

// rotationCases are those of BUF-009.
func rotationCases() []checkCase {
	const (
		note     = "memory/2026-02-20.md"
		archived = "memory/archive/2026/02/2026-02-20.md"
		title    = "# 2026-02-20\n\n## Buffer 2026-02-20T08:00:00Z - 2026-02-20T09:00:00Z\n\n"
		body     = "## Active Task:\n- move the job\n"
		closed   = "\nUpdated: 2026-02-20\nDecisions: none\nSignal: none\nOpen: none\n"
	)
	id := func(s string) gitops.ID {
		id, err := gitops.ParseID(strings.Repeat(s, 40))
		if err != nil {
			panic(err)
		}
		return id
	}
	rotate := commitWith("2026-02-20T09:00:00Z", []string{note}, "Claw-Event: buffer.rotate", "Claw-Content-Hash: "+buffer.ContentHash([]byte(body)))
	rotate.ID = id("a")
	edit := commitWith("2026-02-21T09:00:00Z", []string{note})
	edit.ID, edit.Parents = id("b"), []gitops.ID{id("a")}
	merge := edit
	merge.Parents = []gitops.ID{id("a"), id("c")}
	git := func(head string, since ...gitops.Commit) *fakeGit {
		return &fakeGit{
			newest: map[string]gitops.Commit{"buffer.rotate": rotate}, since: append(since, rotate), head: tree{note: head},
			at: map[gitops.ID]tree{id("a"): {note: title + body + closed}, id("b"): {note: head}},
		}
	}
	return []checkCase{
		{id: "BUF-009", name: "never rotated"},
		{id: "BUF-009", name: "in its note", files: tree{note: title + body + closed}, git: git(title + body + closed)},
		{id: "BUF-009", name: "text was added", edge: true, files: tree{note: title + body + "\n- more\n" + closed}, git: git(title + body + closed)},
		{id: "BUF-009", name: "in the archive", edge: true, files: tree{archived: title + body}, git: git("")},
		{id: "BUF-009", name: "not saved yet", edge: true, files: tree{note: title}, git: git(title + body + closed)},
		{id: "BUF-009", name: "a later commit changed it", edge: true, files: tree{note: title}, git: git(title, edit)},
		{id: "BUF-009", name: "a merge lost it", edge: true, files: tree{note: title}, git: git(title, merge), want: []string{"FAIL " + note}},
		{id: "BUF-009", name: "gone", git: git(title), want: []string{"FAIL " + note}},
		{
			id: "BUF-009", name: "the commit does not hold it", files: tree{note: title + body}, want: []string{"FAIL " + note},
			git: &fakeGit{newest: map[string]gitops.Commit{"buffer.rotate": rotate}, at: map[gitops.ID]tree{id("a"): {note: title}}},
		},
	}
}
