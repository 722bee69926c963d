package verdict

import (
	"fmt"
	"strings"
	"testing"
)

func note(verdicts ...string) []byte {
	var b strings.Builder
	for _, v := range verdicts {
		name, at, _ := strings.Cut(v, " ")
		fmt.Fprintf(&b, `{"v":1,"at":%q,"by":"Wren <wren@example.org>","actor":"user","via":"tty","verdict":%q}`+"\n", at, name)
	}
	return []byte(b.String())
}

func TestLatest(t *testing.T) {
	t.Parallel()
	const early, late = "2026-03-01T08:00:00Z", "2026-03-01T10:00:00+01:00"
	for _, c := range []struct {
		note []byte
		want string
	}{
		{nil, ""},
		{[]byte("not json\n{}\n{\"verdict\":\"accept\"}\n"), ""},
		{note("accept " + early), Accept},
		{note("reject "+late, "accept "+early), Reject},
		{note("accept "+late, "reject "+early), Accept},
		{note("accept "+early, "reject "+early), Reject},
		{note("reject "+early, "defer "+early), Reject},
		{note("accept "+early, "comment "+late), Accept},
		{note("comment " + early), ""},
	} {
		v, ok := Latest(Parse(c.note))
		if v.Verdict != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, want %q", c.note, v.Verdict, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(note("accept 2026-03-01T08:00:00Z"))
	f.Fuzz(func(_ *testing.T, b []byte) { Latest(Parse(b)) })
}
