package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/git-claw/git-claw/memory/recall"
)

func (l *lab) search(opt SearchOptions) []recall.Result {
	l.t.Helper()
	found, err := Search(context.Background(), l.ws(), l.options(opt))
	if err != nil {
		l.t.Fatalf("search %q: %v", opt.Query, err)
	}
	return found.Results
}

func (l *lab) options(opt SearchOptions) SearchOptions {
	opt.Clock = time.Now
	if opt.Warn == nil {
		opt.Warn = func(f string, a ...any) { l.t.Errorf("warning: "+f, a...) }
	}
	return opt
}

// first tells where the best answer stands.
func first(results []recall.Result) string {
	if len(results) == 0 {
		return "nothing"
	}
	return results[0].Path
}

// TestSearchOldID is SPEC T52: an id in a note of 500 days among 1,000 newer ones
// that hold parts of it comes first, whether notes age or not.
func TestSearchOldID(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	now := l.time()
	old := "memory/" + now.AddDate(0, 0, -500).Format(time.DateOnly) + ".md"
	l.write(old, "# Notes\n\n- the invoice REF-0500-11 was sent to the office\n")
	for i := range 1000 {
		day := now.AddDate(0, 0, -i%400).Format(time.DateOnly)
		l.write(fmt.Sprintf("memory/%s-%d.md", day, i), fmt.Sprintf("# Notes\n\n- invoice REF-0500 part %d-11 was sent, ref 0500 and 11 again\n", i))
	}
	l.gitCommit("notes")
	for _, decay := range []string{"false", "true"} {
		l.git("config", "claw.recall.decay", decay)
		for _, q := range []string{"REF-0500-11", "ref-0500-11", "where is invoice REF-0500-11"} {
			if got := first(l.search(SearchOptions{Query: q})); got != old {
				t.Errorf("decay %s: %q finds %s first", decay, q, got)
			}
		}
	}
	// A rare word is as little demoted.
	l.write(old, "# Notes\n\n- the invoice went to the ombudsman\n")
	if got := first(l.search(SearchOptions{Query: "invoice sent to the ombudsman"})); got != old {
		t.Errorf("a rare word in an old note comes behind %s", got)
	}
}

// TestSearchScripts is SPEC T53: two characters of text without spaces, and
// half-width forms.
func TestSearchScripts(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.write("memory/zh.md", "每晚的备份窗口改到两点半开始\n")
	l.write("memory/ja.md", "バックアップの時間をかえました\n")
	l.write("memory/ko.md", "백업시간을 바꾸었습니다\n")
	l.write("memory/other.md", "会議の記録 会议记录 회의 기록\n")
	l.gitCommit("notes")
	for q, want := range map[string]string{
		"份窗": "memory/zh.md", "备份": "memory/zh.md", "窓口": "nothing", "アッ": "memory/ja.md", "ｱｯ": "memory/ja.md",
		"時間": "memory/ja.md", "업시": "memory/ko.md", "晚": "memory/zh.md",
	} {
		if got := first(l.search(SearchOptions{Query: q})); got != want {
			t.Errorf("%q finds %s, want %s", q, got, want)
		}
	}
}

// TestSearchNow is SPEC T54: what is written is found at once, a search that may
// not catch up says so, and a dropped index changes no answer.
func TestSearchNow(t *testing.T) {
	t.Parallel()
	l := newLab(t, "agents/main", "memory/a.md", "- a heron\n", "memory/b.md", "- a stork\n")
	before := fmt.Sprint(l.search(SearchOptions{Query: "heron stork"}))
	if err := IndexDrop(l.ws()); err != nil {
		t.Fatal(err)
	}
	if after := fmt.Sprint(l.search(SearchOptions{Query: "heron stork"})); after != before {
		t.Errorf("a new index answers\n%s\nnot\n%s", after, before)
	}
	l.write("memory/c.md", "- a cormorant\n")
	l.write("memory/a.md", "- a heron and a cormorant\n")
	l.git("config", "claw.recall.catchupMs", "0")
	found, err := Search(context.Background(), l.ws(), l.options(SearchOptions{Query: "cormorant"}))
	if err != nil || len(found.Results) != 0 || found.Pending != 2 {
		t.Errorf("not catching up: %d results, %d pending, %v; want 0, 2", len(found.Results), found.Pending, err)
	}
	l.git("config", "--unset", "claw.recall.catchupMs")
	results := l.search(SearchOptions{Query: "cormorant"})
	if len(results) != 2 || !results[0].Unsaved || !results[0].Commit.IsZero() {
		t.Errorf("after writing: %+v", results)
	}
}

// TestSearchResults is SPEC T55: what a result says leads to the text, and to no
// private one.
func TestSearchResults(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.write("MEMORY.md", "# Memory\n\n- likes osprey tea\n")
	l.write("USER.md", "# User\n\n- the osprey person\n")
	l.write("self-improving/memory.md", "- prefers osprey names\n")
	l.write("memory/gone.md", "- an osprey that goes\n")
	l.write("memory/long.md", strings.Repeat("word ", 3000)+"osprey 😀"+strings.Repeat(" word", 3000)+"\n")
	l.gitCommit("one")
	l.remove("memory/gone.md")
	l.clock("2026-06-02T09:00:00Z")
	l.write("memory/new.md", "line\n\n- the osprey is back\n")
	l.gitCommit("two")

	for _, r := range l.search(SearchOptions{Query: "osprey", Tier: "all", Limit: 20}) {
		if n := len(utf16.Encode([]rune(r.Snippet))); n > 700 || n == 0 || !strings.Contains(r.Snippet, "osprey") {
			t.Errorf("%s: snippet of %d characters: %.80q", r.Path, n, r.Snippet)
		}
		text := l.git("show", r.Commit.String()+":"+r.Path)
		lines := strings.Split(text, "\n")
		if r.From < 1 || r.To < r.From || r.To > len(lines) || !strings.Contains(strings.Join(lines[r.From-1:r.To], "\n"), "osprey") {
			t.Errorf("%s:%d-%d of %s does not hold the word", r.Path, r.From, r.To, r.Commit)
		}
	}
	if got := first(l.search(SearchOptions{Query: "osprey goes", At: "HEAD~1"})); got != "memory/gone.md" {
		t.Errorf("--at HEAD~1 finds %s first", got)
	}
	l.write("memory/dirty.md", "- osprey unsaved\n")
	for _, r := range l.search(SearchOptions{Query: "osprey", At: "HEAD", Limit: 20}) {
		if r.Path == "memory/dirty.md" || r.Unsaved {
			t.Errorf("--at HEAD shows %s of the work tree", r.Path)
		}
	}
	l.remove("memory/dirty.md")
	for _, kind := range []string{"group", "cron", "subagent"} {
		for _, at := range []string{"", "HEAD"} {
			for _, r := range l.search(SearchOptions{Query: "osprey", Tier: "all", Limit: 20, Kind: kind, At: at}) {
				if r.Path == "MEMORY.md" || r.Path == "USER.md" || strings.HasPrefix(r.Path, "self-improving/") {
					t.Errorf("a %s session is shown %s", kind, r.Path)
				}
			}
		}
		var refused *RefusedError
		if _, err := Get(context.Background(), l.ws(), GetOptions{What: "MEMORY.md", Kind: kind}); !errors.As(err, &refused) {
			t.Errorf("get MEMORY.md in a %s session: %v", kind, err)
		}
	}
}

// TestSearchMasks: a secret that is held back in a note is not shown.
func TestSearchMasks(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/a.md", "- the billing token is "+fakeKey()+"\n")
	for _, r := range l.search(SearchOptions{Query: "billing token"}) {
		if strings.Contains(r.Snippet, fakeKey()) {
			t.Error("a snippet shows a secret")
		}
	}
	g, err := Get(context.Background(), l.ws(), GetOptions{What: "memory/a.md"})
	if err != nil || strings.Contains(g.Text, fakeKey()) || g.Text == "" {
		t.Errorf("get shows a secret, or nothing: %q, %v", g.Text, err)
	}
}

// keyBlock is made at run time, so that no scanner of this repository finds it.
func keyBlock() (block, body string) {
	body = strings.Repeat("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n", 40)
	dashes := strings.Repeat("-", 5)
	return dashes + "BEGIN RSA PRIVATE" + " KEY" + dashes + "\n" + body + dashes + "END RSA PRIVATE" + " KEY" + dashes + "\n", "b3BlbnNzaC1rZXkt"
}

// TestSearchKeyBlock: the lines of a key block do not tell what they are, and a chunk
// may begin in the middle of it. No snippet shows one.
func TestSearchKeyBlock(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	block, body := keyBlock()
	l.write("memory/a.md", "- the osprey key\n\n"+block+"\n- osprey after it\n")
	results := l.search(SearchOptions{Query: "osprey b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt", Limit: 20})
	if len(results) == 0 {
		t.Fatal("nothing found: the test shows nothing")
	}
	for _, r := range results {
		if strings.Contains(r.Snippet, body) {
			t.Errorf("a snippet of lines %d to %d shows the key", r.From, r.To)
		}
	}
}

// TestSearchPrivate: what get refuses, search does not show, wherever it lies.
func TestSearchPrivate(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/USER.md", "- osprey\n", "memory/old/memory.md", "- osprey\n", "memory/a.md", "- osprey\n", "self-improving/memory.md", "- osprey\n")
	for _, tier := range []string{"", "all"} {
		results := l.search(SearchOptions{Query: "osprey", Kind: "group", Tier: tier, Limit: 20})
		if len(results) != 1 || results[0].Path != "memory/a.md" {
			t.Errorf("tier %q: a group session finds %+v", tier, results)
		}
	}
}

// TestSearchSinceOld: what is new is found though many older notes fit better.
func TestSearchSinceOld(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	for i := range 400 {
		l.write(fmt.Sprintf("memory/n%d.md", i), "osprey osprey osprey\n")
	}
	l.gitCommit("old")
	l.git("config", "user.name", "Li")
	l.write("memory/new.md", "a long note about many other things among which is an osprey\n")
	l.git("add", "-A")
	l.git("-c", "user.useConfigOnly=false", "commit", "-q", "-m", "new", "--date", "2030-01-01T00:00:00Z")
	if results := l.search(SearchOptions{Query: "osprey", Since: "2029-01-01"}); len(results) != 1 || results[0].Path != "memory/new.md" {
		t.Errorf("since 2029: %+v", results)
	}
}

// TestSearchPhrase: what stands in quotes is exact where it stands like that.
func TestSearchPhrase(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/a.md", "- the window of the backup; the backup of the window, backup backup of windows\n", "memory/b.md", "- a note on many things, the Backup\n  Window among them, and on others\n")
	results := l.search(SearchOptions{Query: `"backup window"`})
	if first(results) != "memory/b.md" || !results[0].Parts.Exact {
		t.Errorf("finds %+v", results)
	}
	for _, r := range results[1:] {
		if r.Parts.Exact {
			t.Errorf("%s is called exact", r.Path)
		}
	}
}
