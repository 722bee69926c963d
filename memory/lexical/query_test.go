package lexical

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// show writes words as text, with ! for exact, " for quoted and * for prefixes.
func show(words []Word) string {
	var out []string
	for _, w := range words {
		s := w.Text
		if w.Quoted {
			s = `"` + s + `"`
		}
		if w.Exact {
			s += "!"
		}
		for _, g := range w.groups {
			if g.prefix {
				s += "*" + g.forms[0]
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestParseWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"words", "where is the database", "database"},
		{"quotes", `"exact phrase" rest`, `"exact phrase"! | rest`},
		{"curly quotes", "“one two” three”", `"one two"! | three`},
		{"German quotes", "„eins zwei“ drei", `"eins zwei"! | drei`},
		{"French quotes", "« un deux » trois", `"un deux"! | trois`},
		{"turned quotes", "»eins zwei« drei »vier«", `"eins zwei"! | drei | "vier"!`},
		{"CJK quotes", "「引用」『書名』", `"引用"! | "書名"!`},
		{"full-width quotes", "＂one two＂", `"one two"!`},
		{"open quote", `"one two`, "one | two"},
		{"open quote of another kind", `「one "two three"`, `one | "two three"!`},
		{"quotes that close nothing", `one« two "three four"`, `one | two | "three four"!`},
		{"inches", `5" screen`, "5! | screen"},
		{"empty quotes", `"" " " x`, "x"},
		{"quotes side by side", `"ann"bob"cem"`, `"ann"! | bob | "cem"!`},
		{"single quotes", "'one two'", "one | two"},
		{"again", "note Note NOTE notes", "note | notes"},
		{"again in quotes", `note book "note"`, `"note"! | book`},
		{"first in quotes", `"note" note`, `"note"!`},
		{"stop words", "the of and", ""},
		{"quoted stop words", `"the"`, ""},
		{"stop words in a phrase", `"the end of it"`, `"the end of it"!`},
		{"punctuation", "?!... --- ,;()[]{} \"!\"", ""},
		{"nothing", " \t\n", ""},
		{"identifiers", "user_session_token JIRA-4312 v0.2.2 internal/httpx retry.go a:b x@y co-op", "user_session_token! | JIRA-4312! | v0.2.2! | internal/httpx! | retry.go! | a:b! | x@y! | co-op!"},
		{"not identifiers", "note. -note #note @ann note: (note) end_", "note | ann | end"},
		{"languages", "C++ c# f#", "C++! | c#! | f#!"},
		{"numbers", "12,500 euros 12500", "12,500! | euros | 12500!"},
		{"apostrophes", "don't l'eau O’Neill", "l'eau | O’Neill"},
		{"regular expression", `re.* (left|right) [az]+ ^end$ \d+ a{2,3}`, `re | left | right | az | end | d | 2! | 3!`},
		{"escape sequences", "\\n \x1b[31mred\x00 \u202enot", "n | 31mred!"},
		{"one Han character", "日", "日*日"},
		{"two Han characters", "日志", "日志"},
		{"one quoted Han character", `"日"`, `"日"!*日`},
		{"quoted Han", `"日志 本"`, `"日志 本"!*本`},
		{"half-width Kana", "ﾊﾝｶｸ", "ハンカク"},
		{"mixed scripts", "日志2", "日志 | 2!"},
		{"capitals", "IT in the US it", "IT | US"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			words := NewAnalyser().ParseWords(c.text)
			if got := show(words); got != c.want {
				t.Errorf("%q is read as\n%s\nnot\n%s", c.text, got, c.want)
			}
			for _, w := range words {
				if len(w.groups) == 0 || w.whole >= len(w.groups) {
					t.Errorf("word %+v", w)
				}
			}
		})
	}
}

func TestParseManyWords(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "word%d ", i)
	}
	words := NewAnalyser().ParseWords(b.String())
	if len(words) != maxQueryWords || words[0].Text != "word0" || words[127].Text != "word127" {
		t.Errorf("%d words", len(words))
	}
	if words := NewAnalyser().ParseWords(strings.Repeat("日", 1<<20)); len(words) != 1 {
		t.Errorf("%d words of one run", len(words))
	}
	if words := NewAnalyser().ParseWords(strings.Repeat("« ", 1<<20)); len(words) != 0 {
		t.Errorf("%d words of open quotes", len(words))
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text, want string }{
		{"station", "two Stations, one STATION", "Stations|STATION"},
		{"decision", "die Entscheidung decisions", "decisions"},
		{"häuser", "Das Haus und die Häuser", "Haus|Häuser"},
		{"resume", "her Résumé", "Résumé"},
		{"retry", "in internal/httpx/retry.go.", "internal/httpx/retry.go"},
		{"12,500", "it cost 12,500 euros, 12500 in all, not 12 or 500", "12,500|12500"},
		{"12500", "it cost 12,500", "12,500"},
		{"日志", "请用中文写日志。日 志", "日志"},
		{"日志", "日\u200b志", "日\u200b志"},
		{"中文写", "请用中文写日志", "中文写"},
		{"日", "日志，今日", "日|日"},
		{"ガギ", "x ｶﾞｷﾞ y", "ｶﾞｷﾞ"},
		{"ハンカク", "ﾊﾝｶｸ", "ﾊﾝｶｸ"},
		{"full", "Ｆｕｌｌ ｗｉｄｔｈ", "Ｆｕｌｌ"},
		{"v0.2.2", "ｖ０．２．２!", "ｖ０．２．２"},
		{"file", "a ﬁle \xff", "ﬁle"},
		{"cafe", "cafe\u0301 \xff\xfe café", "cafe\u0301|café"},
		{"nothing", "else", ""},
		{"", "else", ""},
	} {
		a := NewAnalyser()
		var got []string
		for _, s := range a.Matcher(a.ParseWords(c.query)).Spans(c.text) {
			got = append(got, c.text[s[0]:s[1]])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q in %q: %q", c.query, c.text, got)
		}
	}
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	a := NewAnalyser()
	m := a.Matcher(a.ParseWords("retry token"))
	var got []float64
	for _, text := range []string{"nothing", "a retry", "retry, retried", "a token for the retry"} {
		got = append(got, m.Weigh(text))
	}
	if !slices.Equal(got, []float64{0, 1, 1.1, 2}) {
		t.Errorf("weights %v", got)
	}
}

// TestAbsurdWords: one word has a bounded number of terms, and is found all the same.
func TestAbsurdWords(t *testing.T) {
	t.Parallel()
	a := NewAnalyser()
	for _, text := range []string{strings.Repeat("备份窗口", 5000), strings.Repeat("a/b-", 9000) + "c", `"` + strings.Repeat("kiln ", 9000) + `"`} {
		words := a.ParseWords(text)
		if len(words) != 1 || len(words[0].groups) > maxQueryTerms || len(words[0].groups) < maxQueryTerms/2 {
			t.Errorf("%.12s: %d words, the first of %d terms", text, len(words), len(words[0].groups))
		}
		if w := words[0]; w.whole >= len(w.groups) {
			t.Errorf("%.12s: term %d of %d stands for all", text, w.whole, len(w.groups))
		}
	}
	// Quotes that nothing closes are no word, and none of the parts behind them is lost.
	if words := a.ParseWords(`“kiln” «heron "osprey" „crane « "a stork`); len(words) != 5 || !words[0].Quoted || words[1].Quoted || !words[2].Quoted || !words[3].Quoted || words[4].Quoted {
		t.Errorf("quotes: %+v", words)
	}
	for text, want := range map[string]string{`"..."`: "...", ` „->“ `: "->", `"a" b`: `"a" b`, `""`: `""`, `"`: `"`, "x": "x"} {
		if got := Unquoted(text); got != want {
			t.Errorf("%s is %s unquoted, want %s", text, got, want)
		}
	}
}
