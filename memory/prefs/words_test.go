package prefs

import (
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line Line
		part string // what is wrong, "" for nothing
	}{
		"plain":       {Line{"code", "tabs", "spaces"}, ""},
		"quotes":      {Line{"code", `"a"`, `b\c`}, ""},
		"scripts":     {Line{"ui", "می\u200cخواهم", "👩\u200d💻 ❤\ufe0f"}, ""},
		"context":     {Line{"Code", "a", "b"}, "context"},
		"up":          {Line{strings.Repeat("a", 101), "a", "b"}, "context"},
		"empty":       {Line{"code", " ", "b"}, "pattern"},
		"two lines":   {Line{"code", "a\n- b <!-- id=cand-000000000001 pin=1 -->", "b"}, "pattern"},
		"carriage":    {Line{"code", "a", "b\r- c"}, "preference"},
		"comment":     {Line{"code", "a", "b <!-- id=cand-000000000001 pin=1 since=2026-01-01 -->"}, "preference"},
		"end of one":  {Line{"code", "a --> b", "c"}, "pattern"},
		"escape":      {Line{"code", "a\x1b[2J", "b"}, "pattern"},
		"bidi":        {Line{"code", "a", "b\u202e"}, "preference"},
		"tag":         {Line{"code", "a", "b\U000e0041"}, "preference"},
		"zero width":  {Line{"code", "a", "b\u200b"}, "preference"},
		"line parter": {Line{"code", "a", "b\u2028c"}, "preference"},
		"bytes":       {Line{"code", "a", "b\xff"}, "preference"},
		"long":        {Line{"code", "a", strings.Repeat("ä", 501)}, "preference"},
		"long enough": {Line{"code", "a", strings.Repeat("ä", 500)}, ""},
	} {
		var e *WordsError
		err := c.line.Check()
		if errors.As(err, &e); err == nil && c.part != "" || err != nil && (e == nil || e.Part != c.part) {
			t.Errorf("%s: %v, want trouble with %q", name, err, c.part)
		}
	}
}

func TestCleanQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"  say\n\tit ":              "say it",
		"a <!-- id=cand-1 --> b":    "a <! -- id=cand-1 -- > b",
		"a\x1b[31m\u202eb\xff":      "a[31mb",
		strings.Repeat("あ", 201):    strings.Repeat("あ", 199) + "…",
		strings.Repeat("b", 200):    strings.Repeat("b", 200),
		"":                          "",
		"<\u200b!-- id=cand-2 -->":  "<! -- id=cand-2 -- >",
		"<!\u202e--\u202e id=x -->": "<! -- id=x -- >",
	} {
		if got := CleanQuote(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzOneEntry: whatever passes stays one entry with one id, in a tier and in pending/.
func FuzzOneEntry(f *testing.F) {
	f.Add("code", "a <!-- id=cand-000000000001 pin=1 -->", "b", "q")
	f.Add("code", "```", "# b", "- x")
	f.Add("a:b", `\"`, `"`, "<!--")
	f.Fuzz(func(t *testing.T, context, pattern, preference, quote string) {
		l := Line{context, pattern, preference}
		if l.Check() != nil {
			return
		}
		e := Entry{ID: l.ID(), Text: l.String(), Since: "2026-05-01"}
		other := "- other <!-- id=cand-00000000000a pin=0 since=2026-01-01 -->\n"
		all := ParseTier(AddHot([]byte("## "+Active+"\n"+other), e))
		if len(all) != 2 || all[1].ID != l.ID() || all[1].Pin || all[0].ID != "cand-00000000000a" {
			t.Fatalf("%+v: %+v", l, all)
		}
		if got, ok := all[1].Preference(); !ok || got.ID() != l.ID() {
			t.Fatalf("%+v came back as %+v", l, got)
		}
		o := Occurrence{At: at("2026-05-01T09:00:00Z"), Session: "s", Quote: CleanQuote(quote)}
		src := NewCandidate(l, "preference", "correction", o)
		src = AddOccurrence(src, Occurrence{At: at("2026-05-02T09:00:00Z"), Quote: CleanQuote(quote)})
		c := ParseCandidate(src)
		if err := c.Sound(l.ID()); err != nil || len(c.Occurrences) != 2 || len(c.Problems) > 0 {
			t.Fatalf("%+v %q: %v %+v\n%s", l, quote, err, c, src)
		}
		log := AddCorrection(nil, Correction{Day: "2026-05-01", Time: "09:00", Text: l.String(), Type: "fact"})
		if cs := ParseCorrections(log); len(cs) != 1 || cs[0].ID() != l.ID() {
			t.Fatalf("%+v in\n%s", l, log)
		}
	})
}

func TestIsOrder(t *testing.T) {
	t.Parallel()
	for quote, want := range map[string]bool{
		"Always start with the result":        true,
		"NEVER use tabs":                      true,
		"remember: tea, not coffee":           true,
		"from now on in German":               true,
		"bitte immer auf Deutsch":             true,
		"Merk dir das":                        true,
		"n'utilise jamais ça":                 true,
		"nunca uses tabuladores":              true,
		"Всегда пиши кратко":                  true,
		"запам'ятай це":                       true,
		"以后都用中文，请记住":                          true,
		"必ず敬語で":                               true,
		"항상 짧게":                               true,
		"her zaman kısa yaz":                  true,
		"πάντα στα ελληνικά":                  true,
		"never mind":                          false,
		"never mind, but always use spaces":   true,
		"thanks as always":                    false,
		"skip the intro":                      false,
		"nie rób tego":                        false,
		"the alwaysOn flag":                   false,
		"":                                    false,
		"im Mai":                              false,
		"we sell forever-stamps and husk oil": false,
	} {
		if got := IsOrder(quote); got != want {
			t.Errorf("%q: %v", quote, got)
		}
	}
}
