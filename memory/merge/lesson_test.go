package merge

import (
	"strings"
	"testing"
)

const err1 = "- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=deps.module-not-found seen=2026-05-02T09:10:00Z "

func TestLessons(t *testing.T) {
	t.Parallel()
	const block = "## [LRN-20260502-abc] insight\n\n**Logged**: 2026-05-02T10:00:00Z\n**Priority**: low\n**Status**: pending\n**Area**: infra\n\n### Summary\nThe cache is cold after a deploy\n\n### Metadata\n- Seen: 2026-05-02\n- Tags: a\n\n---\n"
	for _, c := range []struct{ name, base, one, two, want string }{
		{
			"stamps, status and pin", err1 + "npm needs a prefix\n",
			"- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=deps.module-not-found seen=2026-05-02T09:10:00Z,2026-05-03T10:00:00Z npm needs a prefix #pinned\n",
			"- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=deps.module-not-found task=T1 seen=2026-05-02T09:10:00Z,2026-05-02T12:00:00Z status=resolved npm needs a prefix\n",
			"- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=deps.module-not-found task=T1 seen=2026-05-02T09:10:00Z,2026-05-02T12:00:00Z,2026-05-03T10:00:00Z status=resolved npm needs a prefix #pinned\n",
		},
		{
			"the further status", err1 + "status=pending x y z\n", err1 + "status=promoted to=TOOLS.md#npm x y z\n", err1 + "status=resolved x y z\n",
			err1 + "status=promoted to=TOOLS.md#npm x y z\n",
		},
		{
			"one id, two lessons", "# Errors\n",
			"# Errors\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=net.timeout the proxy drops idle connections\n",
			"# Errors\n- 2026-05-02T09:11:00Z [ERR-20260502-k3f] key=fs.full logs filled the disk\n",
			"# Errors\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=net.timeout the proxy drops idle connections\n- 2026-05-02T09:11:00Z [ERR-20260502-ux8] key=fs.full logs filled the disk\n",
		},
		{
			"one lesson on two machines", "# Errors\n",
			"# Errors\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=net.timeout seen=2026-05-02T09:10:00Z the proxy drops idle connections\n",
			"# Errors\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=net.timeout seen=2026-05-02T09:10:00Z,2026-05-04T09:10:00Z the proxy drops idle connections\n",
			"# Errors\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=net.timeout seen=2026-05-02T09:10:00Z,2026-05-04T09:10:00Z the proxy drops idle connections\n",
		},
		{
			"blocks", block, strings.Replace(strings.Replace(block, "low", "high", 1), "- Seen: 2026-05-02", "- Seen: 2026-05-02, 2026-05-04", 1),
			strings.Replace(strings.Replace(block, "pending", "resolved", 1), "- Seen: 2026-05-02", "- Seen: 2026-05-02, 2026-05-03", 1),
			strings.Replace(strings.Replace(strings.Replace(block, "low", "high", 1), "- Seen: 2026-05-02", "- Seen: 2026-05-02, 2026-05-03, 2026-05-04", 1), "pending", "resolved", 1),
		},
		{
			"two new blocks", "# Lessons\n", "# Lessons\n\n" + block, "# Lessons\n\n" + strings.ReplaceAll(strings.ReplaceAll(block, "abc", "xyz"), "cache", "queue"),
			"# Lessons\n\n" + block + "\n" + strings.ReplaceAll(strings.ReplaceAll(block, "abc", "xyz"), "cache", "queue"),
		},
	} {
		got := both(t, Input{Kind: Lessons, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two)})
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		for _, side := range []string{c.one, c.two} {
			if again := both(t, Input{Kind: Lessons, Base: []byte(c.base), Ours: []byte(side), Theirs: []byte(got)}); again != got {
				t.Errorf("%s: merged again\n%s\nwant\n%s", c.name, again, got)
			}
		}
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	const id = " <!-- id=cand-7c1e09ab42d3 pin=0 since=2026-05-02 -->\n"
	for _, c := range []struct{ name, base, one, two, want string }{
		{"pinned here, edited there", "- start with the result" + id, "- start with the result" + strings.Replace(id, "pin=0", "pin=1", 1), "- start with the result, always" + id, "- start with the result, always" + strings.Replace(id, "pin=0", "pin=1", 1)},
		{"confirmed on two machines", "", "- start with the result" + id, "- start with the result" + strings.Replace(id, "05-02", "05-01", 1), "- start with the result" + strings.Replace(id, "05-02", "05-01", 1)},
		{
			"moved and pinned here, edited there", "## Confirmed Preferences\n\n## Active Patterns\n\n- start with the result" + id,
			"## Confirmed Preferences\n\n- start with the result" + strings.Replace(id, "pin=0", "pin=1", 1) + "\n## Active Patterns\n",
			"## Confirmed Preferences\n\n## Active Patterns\n\n- say the result first" + id,
			"## Confirmed Preferences\n\n- say the result first" + strings.Replace(id, "pin=0", "pin=1", 1) + "\n## Active Patterns\n",
		},
	} {
		got := both(t, Input{Kind: Markdown, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two)})
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestCandidate is T41 of the specification, as far as it is one file.
func TestCandidate(t *testing.T) {
	t.Parallel()
	file := func(status, first, last, asks, ignored, more string, occurrences ...string) string {
		return "---\nid: cand-7c1e09ab42d3\nstatus: " + status + "\nfirst_seen: " + first + "\nlast_seen: " + last + "\nasks: " + asks + "\nignored: " + ignored + "\n" + more +
			"---\n[writing:report] \"long introduction\" -> \"start with the result\"\n\n## Occurrences\n- " + strings.Join(occurrences, "\n- ") + "\n"
	}
	const one, two, three = "2026-05-01T09:00:00Z session=a1 \"skip the intro\"", "2026-05-02T11:30:00Z session=b7 \"again: result first\"", "2026-05-03T08:00:00Z session=c2 \"result!\""
	got := both(t, Input{
		Kind:   Candidate,
		Base:   []byte(file("pending", "2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z", "0", "0", "", one)),
		Ours:   []byte(file("pending", "2026-05-01T09:00:00Z", "2026-05-03T08:00:00Z", "1", "1", "", one, three)),
		Theirs: []byte(file("deferred", "2026-05-01T09:00:00Z", "2026-05-02T11:30:00Z", "2", "0", "defer_until: 2026-05-09\n", one, two)),
	})
	want := file("deferred", "2026-05-01T09:00:00Z", "2026-05-03T08:00:00Z", "2", "1", "defer_until: 2026-05-09\n", one, two, three)
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	got = both(t, Input{
		Kind:   Candidate,
		Ours:   []byte(file("pending", "2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z", "10", "0", "", one)),
		Theirs: []byte(file("deferred", "2026-05-02T11:30:00Z", "2026-05-02T11:30:00Z", "9", "0", "", two)),
	})
	if want := file("deferred", "2026-05-01T09:00:00Z", "2026-05-02T11:30:00Z", "10", "0", "", one, two); got != want {
		t.Errorf("without a base:\n%s\nwant\n%s", got, want)
	}
	got = both(t, Input{ // one machine heard an answer, the other asked again
		Kind:   Candidate,
		Base:   []byte(file("pending", "2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z", "1", "0", "last_asked: 2026-05-02T09:00:00Z\n", one)),
		Ours:   []byte(file("pending", "2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z", "1", "0", "last_asked: 2026-05-02T09:00:00Z\nanswered: 9\n", one)),
		Theirs: []byte(file("pending", "2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z", "11", "1", "last_asked: 2026-05-03T09:00:00Z\nanswered: 10\n", one)),
	})
	if want := file("pending", "2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z", "11", "1", "last_asked: 2026-05-03T09:00:00Z\nanswered: 10\n", one); got != want {
		t.Errorf("asks:\n%s\nwant\n%s", got, want)
	}
}
