package buffer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/stamp"
)

const sample = "# Working Buffer\ncreated: 2026-05-02T08:10:00+02:00\nlast_active: 2026-05-02T08:41:12,5+02:00\n\n## Active Task:\n- move the nightly job to 02:30\n  - nested\n-\n- \n* star\n- second\n\n### Notes\n- no task\n"

func at(s string) time.Time {
	t, ok := stamp.Parse(s)
	if !ok {
		panic(s)
	}
	return t
}

func TestParse(t *testing.T) {
	t.Parallel()
	b := Parse([]byte(sample))
	if b.Wrong != "" || stamp.Format(b.Created) != "2026-05-02T08:10:00+02:00" || stamp.Format(b.LastActive) != "2026-05-02T08:41:12+02:00" || b.Lines != 14 {
		t.Errorf("%+v", b)
	}
	if got := fmt.Sprint(b.Tasks); got != "[{move the nightly job to 02:30 6} {second 11}]" || !b.Unfinished() {
		t.Error(got)
	}
	if !strings.HasPrefix(string(b.Body()), "## Active Task:\n") {
		t.Errorf("body %q", b.Body())
	}
	crlf := Parse([]byte("\ufeff" + strings.ReplaceAll(sample, "\n", "\r\n")))
	if crlf.Wrong != "" || fmt.Sprint(crlf.Tasks) != fmt.Sprint(b.Tasks) || !bytes.HasPrefix(crlf.Body(), []byte("## Active")) {
		t.Errorf("CRLF: %+v", crlf)
	}
	for src, want := range map[string]string{
		"": "1", "# Buffer\n": "1", "# Working Buffer\n": "2", "# Working Buffer\ncreated: today\n": "2",
		"# Working Buffer\ncreated: 2026-05-02T08:10:00Z\n":                                                        "3",
		"# Working Buffer\ncreated: 2026-05-02T08:10:00Z\nlast_active: 2026-05-02 08:10:00Z\n":                     "3",
		"# Working Buffer\ncreated: 2026-05-02T08:10:00Z\nlast_active: 2026-05-02T08:10:00Z\n## Active Task:\n- x": "4",
		"# Working Buffer\ncreated: 2026-05-02T08:10:00Z\nlast_active: 2026-05-02T08:10:00Z":                       "0",
		"# Working Buffer\ncreated: 2026-05-02T08:10:00Z\nlast_active: 2026-05-02T08:10:00Z\n\n":                   "0",
	} {
		if b := Parse([]byte(src)); fmt.Sprint(b.WrongLine) != want || (b.Wrong == "") != (want == "0") {
			t.Errorf("%q: line %d %s, want line %s", src, b.WrongLine, b.Wrong, want)
		}
	}
}

// TestOld: 2 h are old, a second less is not.
func TestOld(t *testing.T) {
	t.Parallel()
	b := Parse([]byte(strings.Replace(sample, ",5", "", 1)))
	if now := at("2026-05-02T08:41:12Z"); !b.Old(now, 2*time.Hour) || b.Old(now.Add(-time.Second), 2*time.Hour) {
		t.Error("2 h")
	}
	if Parse([]byte("# Other\n")).Old(at("2026-05-02T08:41:12Z"), 2*time.Hour) {
		t.Error("a text without header is old")
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	now := at("2026-05-02T10:00:00Z")
	head := "# Working Buffer\ncreated: 2026-05-02T08:10:00+02:00\nlast_active: 2026-05-02T10:00:00Z\n\n"
	old := strings.Replace(head, "10:00:00Z", "08:41:12Z", 1)
	for name, c := range map[string]struct{ src, want string }{
		"nothing":       {"", "# Working Buffer\ncreated: 2026-05-02T10:00:00Z\nlast_active: 2026-05-02T10:00:00Z\n\n## Active Task:\n- new one\n"},
		"no section":    {old, head + "## Active Task:\n- new one\n\n"},
		"empty section": {old + "## Active Task:\n\n## Notes\n", head + "## Active Task:\n- new one\n\n## Notes\n"},
		"goes on":       {old + "## Active Task:\n- a\n  - b\n\n## Notes\n", head + "## Active Task:\n- a\n  - b\n- new one\n\n## Notes\n"},
		"no newline":    {old + "## Active Task:", head + "## Active Task:\n- new one\n"},
		"CRLF":          {strings.ReplaceAll(old+"## Active Task:\n- a\n", "\n", "\r\n"), strings.ReplaceAll(head+"## Active Task:\n- a\n- new one\n", "\n", "\r\n")},
	} {
		if got, ok := Add([]byte(c.src), "new\none", now); !ok || string(got) != c.want {
			t.Errorf("%s: %v %q, want %q", name, ok, got, c.want)
		}
	}
	if got, ok := Add([]byte("# My buffer\n"), "x", now); ok || string(got) != "# My buffer\n" {
		t.Errorf("a foreign buffer became %q", got)
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	now := at("2026-05-02T10:00:00Z")
	by := Liveness{Now: now, Host: "here", Alive: func(pid int) bool { return pid == 7 }, ForeignTTL: 10 * time.Minute, StaleAfter: 2 * time.Hour, LastActive: now.Add(-time.Hour)}
	quiet := by
	quiet.LastActive = now.Add(-2 * time.Hour)
	for name, c := range map[string]struct {
		text string
		by   Liveness
		want bool
	}{
		"alive":           {`{"pid":7,"host":"here","started":"2026-01-01T00:00:00Z","cmd":"x"}`, by, true},
		"dead":            {`{"pid":8,"host":"here","started":"2026-05-02T09:59:59Z","cmd":"x"}`, by, false},
		"elsewhere":       {`{"pid":8,"host":"there","started":"2026-05-02T09:50:01Z"}`, by, true},
		"elsewhere, old":  {`{"pid":8,"host":"there","started":"2026-05-02T09:50:00Z"}`, by, false},
		"other form":      {"1234", by, true},
		"empty":           {"", by, true},
		"other, quiet":    {"1234", quiet, false},
		"no buffer":       {"", Liveness{Now: now, StaleAfter: time.Hour}, false},
		"no time":         {`{"pid":7,"host":"here"}`, quiet, false},
		"negative number": {`{"pid":-1,"host":"here","started":"2026-05-02T09:59:59Z"}`, quiet, false},
	} {
		if got := ParseLock([]byte(c.text)).Live(c.by); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzBuffer(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("# Working Buffer\r\ncreated: 2026-05-02T08:10:00Z\r\nlast_active: 2026-05-02T08:10:00Z\r\n\r\n```\r\n## Active Task:\r\n- x"))
	now := at("2026-05-02T10:00:00Z")
	f.Fuzz(func(t *testing.T, src []byte) {
		ParseLock(src)
		b := Parse(src)
		out, ok := Add(src, "new", now)
		if !ok {
			if b.Wrong == "" || !bytes.Equal(out, src) {
				t.Fatalf("refused: %q", src)
			}
			return
		}
		n := Parse(out)
		if n.Wrong != "" || !n.LastActive.Equal(now) || len(n.Tasks) != len(b.Tasks)+1 && len(bytes.TrimSpace(src)) > 0 {
			t.Fatalf("%d tasks, then %d:\n%q\n%q", len(b.Tasks), len(n.Tasks), src, out)
		}
	})
}
