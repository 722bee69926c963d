package lexical

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTerms pins what texts are indexed as. A change here is a change of
// AnalyserVersion.
func TestTerms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, terms string }{
		{"English", "The runners were running to the stations.", "runner run station"},
		{"negations", "don't can't won’t", ""},
		{"possessives", "Ann's O'Neill's rock'n'roll", "ann o neill rocknrol"},
		{"single quotes", "'quoted' ‘single’", "quot singl"},
		{"Chinese", "请用中文写日志", "请用 用中 中文 文写 写日 日志 志"},
		{"Chinese and Latin", "日志A2版本, 日a本", "日志 志 a2 版本 本 日 本"},
		{"Japanese", "データを移行", "デー ータ タを を移 移行 行"},
		{"half-width Kana", "ﾊﾝｶｸ ｶﾞｷﾞ", "ハン ンカ カク ク ガギ ギ"},
		{"Korean", "데이터를 옮겼다", "데이 이터 터를 를 옮겼 겼다 다"},
		{"Korean in letters", "데", "데"},
		{"Thai", "ภาษา", "ภา าษ ษา า"},
		{"Russian", "база данных была перенесена ещё раз", "баз дан был перенес ещ раз"},
		{"German", "Die Häuser und die Straßen sind nicht für uns", "die haus und die strass sind nicht fur uns"},
		{"Portuguese", "As decisões não são finais, os servidores estão na lista com uma nota", "decisa nao sao final os servidor esta na list com uma nota"},
		{"French", "l'eau est dans la maison avec nous", "l eau est dan la maison avec nou"},
		{"Arabic and Hebrew points", "بِكُم שָׁלוֹם", "بكم שלום"},
		{"Hindi", "हिन्दी में", "हिन्दी में"},
		{"snake case", "user_session_token", "user session token user_session_token"},
		{"path", "internal/httpx/retry.go", "intern httpx retri go retry.go internal/httpx/retry.go"},
		{"path and line", "httpx/retry.go:12:5", "httpx retri go retry.go 12 5 httpx/retry.go httpx/retry.go:12:5"},
		{"version", "v0.2.2", "v0 2 2 v0.2.2"},
		{"ticket", "JIRA-4312", "jira 4312 jira-4312"},
		{"camel case", "camelCase HTTPServer getHTTPCode2XX", "camel case camelcas http server httpserver get http code2 xx gethttpcode2xx"},
		{"languages", "C++ and c#, F#.", "c c++ c c# f f#"},
		{"address", "https://example.org/ann/b?q=1#frag", "http exampl org example.org ann b https://example.org/ann/b q 1 frag 1#frag"},
		{"e-mail", "anna.b@example.org", "anna b anna.b exampl org example.org anna.b@example.org"},
		{"Windows path", `C:\Users\ann\notes.md`, `c user ann note md notes.md users\ann\notes.md`},
		{"flags and names", "--dry-run std::vector<int>", "dry run dry-run std vector std::vector int"},
		{"numbers", "12,500 1,234,567 12,50 1,2345 1234,567", "12500 1234567 12 50 1 2345 1234 567"},
		{"time", "10:30 on 2026-03-04", "10 30 10:30 2026 03 04 2026-03-04"},
		{"accents", "Crème naïve Ångström cafe\u0301 ΣΊΣΥΦΟΣ", "creme naiv angstrom cafe σισυφοσ"},
		{"zero width", "zero\u200bwidth soft\u00adhyphen \u200dx 日\u200b本", "zerowidth softhyphen x 日本 本"},
		{"typographic hyphen", "co‑operate", "co oper co-operate"},
		{"compatibility", "Ｆｕｌｌ １２３ ﬁle ℃", "full 123 file c"},
		{"capitals", "the IT team in the US told it to us", "it team us told us"},
		{"only stop words", "the of and to be", ""},
		{"nothing", " \t\n?!… --- ___ \x00\x1b", ""},
		{"broken characters", "\xff\xfebad\xc3", "bad"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(NewAnalyser().analyse(c.text, english).Terms, " "); got != c.terms {
				t.Errorf("%q is indexed as\n%s\nnot\n%s", c.text, got, c.terms)
			}
		})
	}
}

// TestSameTerms: what people write one way and search another.
func TestSameTerms(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"résumé", "resume"},
		{"brûlée", "brulee"},
		{"Ёлка", "елка"},
		{"ёлки", "елкой"},
		{"cafe\u0301", "café"},
		{"İstanbul", "istanbul"},
		{"Łódź", "lodz"},
		{"ΣΊΣΥΦΟΣ", "σίσυφος"},
		{"ﾊﾝｶｸｶﾅ", "ハンカクカナ"},
		{"ｶﾞｷﾞ", "ガギ"},
		{"Ｆｕｌｌ", "full"},
		{"１２３", "123"},
		{"don’t", "don't"},
		{"l’eau", "l'eau"},
		{"co‑op", "co-op"},
		{"12,500", "12500"},
		{"stations", "Station"},
		{"JIRA-4312", "jira-4312"},
		{"zero\u200bwidth", "zerowidth"},
		{"перенесе\u0301на", "перенесена"},
	} {
		a := NewAnalyser()
		if x, y := a.analyse(c[0], english).Terms, a.analyse(c[1], english).Terms; !slices.Equal(x, y) {
			t.Errorf("%q is %q, %q is %q", c[0], x, c[1], y)
		}
	}
}

func TestLongWords(t *testing.T) {
	t.Parallel()
	a := NewAnalyser()
	for _, long := range []string{strings.Repeat("ab", 100), strings.Repeat("é", 100), strings.Repeat("ж", 100), strings.Repeat("a7", 4000), strings.Repeat("中", 100)} {
		terms := a.analyse(long, english).Terms
		if len(terms) == 0 {
			t.Errorf("no term of %q", long)
		}
		for _, term := range terms {
			if len(term) > maxWord || !utf8.ValidString(term) {
				t.Errorf("term %q of %d bytes", term, len(term))
			}
		}
		if words := a.ParseWords(long); len(words) != 1 || !slices.Contains(words[0].groups[0].forms, terms[0]) {
			t.Errorf("%q is not found", long)
		}
	}
}

// TestLinear: text that once took the square of its length.
func TestLinear(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	for _, unit := range []string{"a'", "a'b", "aB", "a.", "a/", "1,111,", "a#", "a\u200b", "中\u0301", "'", "::", "a--", "C++"} {
		t.Run(unit, func(t *testing.T) {
			text := strings.Repeat(unit, 1<<18/len(unit))
			if n := len(NewAnalyser().analyse(text, english).Terms); n > len(text) {
				t.Errorf("%d terms of %d bytes", n, len(text))
			}
		})
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]language{
		"the cat sat with them and that is for the dog":              english,
		"der Hund und die Katze sind nicht mit uns":                  german,
		"le chat est dans la maison avec nous pour les vacances":     french,
		"el perro está muy cerca de los gatos desde ayer pero sobre": spanish,
		"não são uma lista, também é das pessoas pelo mundo":         portuguese,
		"il gatto della casa è nel giardino con gli altri, anche":    italian,
		"kubectl rollout restart":                                    english,
		"":                                                           english,
	} {
		if got := NewAnalyser().analyse(text, english).language; got != want {
			t.Errorf("%q is taken for %s, not %s", text, codes[got], codes[want])
		}
	}
	if got := NewAnalyser().analyse("kubectl rollout", german).language; got != german {
		t.Errorf("a text without function words is taken for %s", codes[got])
	}
}
