package health

import "github.com/git-claw/git-claw/memory/buffer"

func sessionCases() []checkCase {
	at := func(lastActive string) tree {
		return tree{buffer.Path: "# Working Buffer\ncreated: 2026-03-01T07:00:00Z\nlast_active: " + lastActive + "\n\n"}
	}
	locked := at("2026-03-01T08:00:00Z")
	locked[buffer.LockPath] = `{"pid":4711,"host":"here","started":"2026-03-01T11:59:00Z","cmd":"rotate"}`
	return []checkCase{
		{id: "SES-001", name: "no buffer"},
		{id: "SES-001", name: "two hours ago", edge: true, ignored: at("2026-03-01T10:00:00Z")},
		{id: "SES-001", name: "a second less", edge: true, ignored: at("2026-03-01T10:00:01Z"), want: []string{"INFO " + buffer.Path}},
		{id: "SES-001", name: "a live lock", ignored: locked, alive: []int{4711}, want: []string{"INFO " + buffer.LockPath}},
		{id: "SES-001", name: "a lock of a process that is gone", ignored: locked},
		{id: "SES-001", name: "no valid header", edge: true, ignored: tree{buffer.Path: "last_active: 2026-03-01T11:00:00Z\n"}},
	}
}
