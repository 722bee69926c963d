package lexical

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzAnalyse: any text has terms, a query of it finds them, and what is marked is
// whole characters.
func FuzzAnalyse(f *testing.F) {
	f.Add("The user_session_token of internal/httpx/retry.go:12 is v0.2.2.", `"exact phrase" token 12,500`)
	f.Add("日\u200b志 ﾊﾝｶｸ ｶﾞｷﾞ 데이터 ภาษา", "「日志」 日 ガギ")
	f.Add("don't l'eau C++ c# C:\\x\\y cafe\u0301 ﬁ ½ ℃ \xff\xfe", "„a« »b« \x1b[31m ﷺ")
	f.Add("HTTPServer ёлка Straße İ 1,234,567", "httpserver елка strasse i̇ 1234567")
	f.Fuzz(func(t *testing.T, text, query string) {
		a := NewAnalyser()
		terms := a.analyse(text, english)
		for _, term := range terms.Terms {
			if term == "" || len(term) > maxWord || !utf8.ValidString(term) {
				t.Errorf("term %q", term)
			}
		}
		if terms.Length > len(terms.Terms) {
			t.Errorf("%d words in %d terms", terms.Length, len(terms.Terms))
		}
		words := a.ParseWords(query)
		if len(words) > maxQueryWords {
			t.Errorf("%d words", len(words))
		}
		for _, w := range words {
			if len(w.groups) == 0 || w.whole >= len(w.groups) || w.Text == "" {
				t.Errorf("word %+v", w)
			}
		}
		checkSpans(t, a, words, text)
		if terms.language == english && len(text) < 2000 {
			checkOwnWords(t, a, text, terms.Terms)
		}
	})
}

func checkSpans(t *testing.T, a *Analyser, words []Word, text string) {
	t.Helper()
	m := a.Matcher(words)
	end := -1
	for _, s := range m.Spans(text) {
		if s[0] <= end || s[1] <= s[0] || s[1] > len(text) {
			t.Fatalf("span %v after %d in %d bytes", s, end, len(text))
		}
		end = s[1]
		for _, at := range s {
			if at < len(text) && utf8.ValidString(text) && !utf8.RuneStart(text[at]) {
				t.Errorf("span %v of %q cuts a character", s, text)
			}
		}
	}
	if (m.Weigh(text) > 0) != (end >= 0) {
		t.Errorf("weight %v, spans to %d", m.Weigh(text), end)
	}
}

// checkOwnWords: the words of a text, asked for, are terms of it.
func checkOwnWords(t *testing.T, a *Analyser, text string, terms []string) {
	t.Helper()
	for _, w := range a.ParseWords(text) {
		for _, g := range w.groups {
			if !g.prefix && !slices.ContainsFunc(g.forms, func(f string) bool { return slices.Contains(terms, f) }) {
				t.Errorf("%q: %q of the word %q is no term of it: %q", text, g.forms, w.Text, terms)
			}
		}
	}
}

// FuzzOpen: TestDamageEverywhere from what the fuzzer thinks of.
func FuzzOpen(f *testing.F) {
	b := NewBuilder()
	b.Add(fileOf("a", "alpha beta", "alpha 日志"))
	b.Add(fileOf("memory/3.md", "alpha und das ist der Rest"))
	s, totals, err := b.Build()
	if err != nil {
		f.Fatal(err)
	}
	healthy := NewPart(s, totals)
	f.Add(bytes.Clone(s.data))
	words := NewAnalyser().ParseWords("alpha beta 日 rest")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, err := range tryAll(data, words, healthy, true) {
			t.Error(err)
		}
	})
}
