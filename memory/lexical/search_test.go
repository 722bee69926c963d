package lexical

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// found lists the chunks that a query finds, in order of their names.
func found(t testing.TB, v View, q Query) (string, Result) {
	t.Helper()
	q.Weights, q.Limit = DefaultWeights(), 1000
	r, err := v.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range r.Hits {
		key, err := v.Stored(h)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s#%d", key, h.Chunk))
		if h.Score <= 0 {
			t.Errorf("%s has the score %v", key, h.Score)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " "), r
}

func words(query string) []Word { return NewAnalyser().ParseWords(query) }

func TestSearch(t *testing.T) {
	t.Parallel()
	v := View{Parts: []*Part{
		segmentOf(t, fileOf("zh", "请用中文写日志", "别的话。日"), fileOf("ja", "データベースを移行", "ﾊﾝｶｸ"), fileOf("ko", "데이터베이스를 옮겼다")),
		segmentOf(t,
			fileOf("code", "see internal/httpx/retry.go:12 and user_session_token", "retry the camelCase of HTTPServer in v0.2.2"),
			fileOf("talk", "the IT team said it costs 12,500", "l'eau, C++ and c# by anna@example.org"),
			fileOf("lang", "der Server ist nicht mit den Häusern auf und das", "её ёлка стояла"), fileOf("cv", "her résumé")),
	}}
	for query, want := range map[string]string{
		"日志": "zh#0", "写日": "zh#0", "中文写": "zh#0", "文日": "", "日": "zh#0 zh#1",
		"ベース": "ja#0", "ﾍﾞｰｽ": "ja#0", "ハンカク": "ja#1", "ンカ": "ja#1", "데이": "ko#0", "이스를": "ko#0",
		"httpx": "code#0", "retry.go": "code#0", "internal/httpx/retry.go": "code#0", "session": "code#0",
		"retries": "code#0 code#1", "camel": "code#1", "camelcase": "code#1", "httpserver": "code#1", "v0.2.2": "code#1",
		"12500": "talk#0", "12,500": "talk#0", "IT": "talk#0", "eau": "talk#1", "c++": "talk#1", "example.org": "talk#1",
		"haus": "lang#0", "hausern": "lang#0", "елки": "lang#1", "resume": "cv#0", "RÉSUMÉ": "cv#0",
		"walrus": "", "": "",
	} {
		// The name of a file is searched too; none of the queries has one.
		q := Query{Words: words(query)}
		if got, _ := found(t, v, q); got != want && !heldOnly(t, v, q, want) {
			t.Errorf("%q finds %q, not %q", query, got, want)
		}
	}
}

// heldOnly compares the chunks that hold all words: one that holds part of an
// identifier is found too.
func heldOnly(t *testing.T, v View, q Query, want string) bool {
	t.Helper()
	q.Weights, q.Limit = DefaultWeights(), 1000
	r, err := v.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range r.Hits {
		if key, err := v.Stored(h); err != nil {
			t.Fatal(err)
		} else if h.Held == 1<<len(q.Words)-1 {
			out = append(out, fmt.Sprintf("%s#%d", key, h.Chunk))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ") == want
}

func TestHeld(t *testing.T) {
	t.Parallel()
	f := fileOf("memory/walrus.md", "alpha beta", "beta", "gamma JIRA-1")
	f.Chunks[1].Heading = "Alpha plan"
	f.Chunks[2].Days = []string{"2026-03-04"}
	g := fileOf("memory/other.md", "jira 1 and alpha gamma")
	g.Days = []string{"2025-03-04"}
	v := View{Parts: []*Part{segmentOf(t, f, g)}}
	q := Query{
		Words: words(`alpha beta walrus JIRA-1 "gamma alpha"`), Days: []Day{OnDay("2026-03-04"), InMonth("2025-03"), EachYearOn("03-04")},
		Weights: DefaultWeights(), Limit: 10,
	}
	r, err := v.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, h := range r.Hits {
		key, err := v.Stored(h)
		if err != nil {
			t.Fatal(err)
		}
		got[fmt.Sprintf("%s#%d", key, h.Chunk)] = fmt.Sprintf("%08b", h.Held)
	}
	for chunk, held := range map[string]string{
		"memory/walrus.md#0": "00000111", // by the path, too
		"memory/walrus.md#1": "00000111", // alpha by the heading
		"memory/walrus.md#2": "10101100",
		"memory/other.md#0":  "11010001", // not the whole of JIRA-1
	} {
		if got[chunk] != held {
			t.Errorf("%s holds %s, not %s", chunk, got[chunk], held)
		}
	}
	if want := []int{3, 2, 3, 1, 1, 1, 1, 2}; !slices.Equal(r.Chunks, want) {
		t.Errorf("chunks that hold each: %v, not %v", r.Chunks, want)
	}
}

func TestAttrs(t *testing.T) {
	t.Parallel()
	a, b, c := fileOf("a", "alpha"), fileOf("b", "alpha", "alpha beta"), fileOf("c", "alpha")
	a.Attrs, b.Attrs = []string{"x"}, []string{"x", "y"}
	v := View{Parts: []*Part{segmentOf(t, a, b), segmentOf(t, c)}}
	for _, q := range []struct {
		with, without []string
		want          string
		held          int
	}{
		{nil, nil, "a#0 b#0 b#1 c#0", 4},
		{[]string{"x"}, nil, "a#0 b#0 b#1", 3},
		{[]string{"y", "none"}, nil, "b#0 b#1", 2},
		{[]string{"none"}, nil, "", 0},
		{nil, []string{"y"}, "a#0 c#0", 2},
		{nil, []string{"x", "none"}, "c#0", 1},
		{[]string{"x"}, []string{"y"}, "a#0", 1},
		{[]string{"x"}, []string{"x"}, "", 0},
	} {
		got, r := found(t, v, Query{Words: words("alpha"), With: q.with, Without: q.without})
		if got != q.want || r.Chunks[0] != q.held {
			t.Errorf("with %q, without %q: %q, held by %d", q.with, q.without, got, r.Chunks[0])
		}
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	a, b, c := fileOf("a", "one", "two"), fileOf("b", "three"), fileOf("c", "four")
	a.Days, b.Days = []string{"2026-03-04"}, []string{"2025-12-31", "broken"}
	c.Chunks[0].Days = []string{"2026-03-05", "2026-03-04"}
	v := View{Parts: []*Part{segmentOf(t, a), segmentOf(t, b, c)}}
	for want, day := range map[string]Day{
		"a#0 a#1 c#0": OnDay("2026-03-04"), "c#0": OnDay("2026-03-05"), "b#0": InMonth("2025-12"), "": InMonth("2024-03"),
	} {
		if got, _ := found(t, v, Query{Days: []Day{day}}); got != want {
			t.Errorf("%v finds %q, not %q", day, got, want)
		}
	}
	if got, _ := found(t, v, Query{Days: []Day{EachYearIn("03"), EachYearOn("12-31"), InMonth("2026-03"), InMonth("2026-03")}}); got != "a#0 a#1 b#0 c#0" {
		t.Errorf("all days find %q", got)
	}
	if !OnDay("2026-03-04").Complete() || !EachYearOn("03-04").Complete() || InMonth("2026-03").Complete() || InMonth("2026-03").Complete() || EachYearIn("03").Complete() {
		t.Error("what is a complete day is wrong")
	}
}

func TestDrops(t *testing.T) {
	t.Parallel()
	p := segmentOf(t, fileOf("a", "alpha", "beta"), fileOf("b", "alpha gamma"), fileOf("c"))
	if drops, err := p.MarshalDrops(); drops != nil || err != nil {
		t.Errorf("drops of a fresh part: %v, %v", drops, err)
	}
	before := p.Clone()
	for i, want := range []bool{true, false} {
		if was, err := p.Drop("a"); was != want || err != nil {
			t.Errorf("drop %d: %v, %v", i, was, err)
		}
	}
	if was, err := p.Drop("none"); was || err != nil {
		t.Errorf("drop of a file that is not there: %v, %v", was, err)
	}
	drops, err := p.MarshalDrops()
	if err != nil {
		t.Fatal(err)
	}
	again, err := RestorePart(p.Segment, p.Live, drops)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*Part{"dropped": p, "restored": again, "cloned": again.Clone()} {
		got, r := found(t, View{Parts: []*Part{p}}, Query{Words: words("alpha beta")})
		if got != "b#0" || !slices.Equal(r.Chunks, []int{1, 0}) || p.Dropped() != 3 || p.Docs() != 6 || p.Live != (Totals{2, 1, 2}) {
			t.Errorf("%s: %q, %v, %d of %d dropped, live %+v", name, got, r.Chunks, p.Dropped(), p.Docs(), p.Live)
		}
		if stored, ok, err := p.Get("a"); stored != nil || ok || err != nil {
			t.Errorf("%s: get of a dropped file: %q, %v, %v", name, stored, ok, err)
		}
		if stored, ok, err := p.Get("b"); string(stored) != "b" || !ok || err != nil {
			t.Errorf("%s: get: %q, %v, %v", name, stored, ok, err)
		}
		var each []string
		if err := p.Each(func(stored []byte) bool { each = append(each, string(stored)); return true }); err != nil || !slices.Equal(each, []string{"b", "c"}) {
			t.Errorf("%s: each: %q, %v", name, each, err)
		}
	}
	if got, _ := found(t, View{Parts: []*Part{before}}, Query{Words: words("beta")}); got != "a#1" {
		t.Errorf("a drop reaches the part it was cloned from: %q", got)
	}
	for _, drops := range []string{"x", "\x00\x00\x00\x00\x00\x00\x00\x00", strings.Repeat("\xff", 64)} {
		if _, err := RestorePart(p.Segment, p.Live, []byte(drops)); !isCorrupt(err) {
			t.Errorf("drops %q: %v", drops, err)
		}
	}
}

// TestMergeAll: nothing is left, or nothing was there.
func TestMergeAll(t *testing.T) {
	t.Parallel()
	p := segmentOf(t, fileOf("a", "alpha"))
	if _, err := p.Drop("a"); err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]*Part{"all dropped": {p}, "empty": {segmentOf(t)}, "both": {segmentOf(t), p}} {
		m := merged(t, parts)
		if got, _ := found(t, View{Parts: []*Part{m, segmentOf(t, fileOf("b", "alpha"))}}, Query{Words: words("alpha 日"), Without: []string{"x"}}); got != "b#0" {
			t.Errorf("%s: %q", name, got)
		}
		if _, ok, err := m.Get("a"); ok || err != nil {
			t.Errorf("%s: get: %v, %v", name, ok, err)
		}
	}
	if got, r := found(t, View{}, Query{Words: words("alpha")}); got != "" || r.Chunks[0] != 0 {
		t.Errorf("an empty view finds %q", got)
	}
}

func TestHolding(t *testing.T) {
	t.Parallel()
	bare := segmentOf(t, fileOf("bare"))
	p := segmentOf(t, fileOf("a", "one", "two"), fileOf("b", "three"))
	f := fileOf("b", "three")
	v := View{Parts: []*Part{bare, p}}
	hits, err := v.Holding(f.Chunks[0].Hash)
	if err != nil || len(hits) != 1 || hits[0].Part != 1 || hits[0].Chunk != 0 {
		t.Fatalf("hits %+v, %v", hits, err)
	}
	if stored, err := v.Stored(hits[0]); string(stored) != "b" || err != nil {
		t.Errorf("stored %q, %v", stored, err)
	}
	if _, err := p.Drop("b"); err != nil {
		t.Fatal(err)
	}
	if hits, err := v.Holding(f.Chunks[0].Hash); len(hits) != 0 || err != nil {
		t.Errorf("a dropped chunk is held: %+v, %v", hits, err)
	}
}

// TestMergeIdentity: merging what has no drops writes the same index as building
// it at once.
func TestMergeIdentity(t *testing.T) {
	t.Parallel()
	a, b := fileOf("a", "alpha beta", "日志 REF-0500-11"), fileOf("b", "gamma alpha", "Größe und das ist der Rest")
	whole := segmentOf(t, a, b)
	for name, parts := range map[string][]*Part{"one": {whole}, "two": {segmentOf(t, a), segmentOf(t, b)}} {
		m := merged(t, parts)
		if m.Live != whole.Live || m.Docs() != whole.Docs() {
			t.Errorf("%s: %+v, not %+v", name, m.Live, whole.Live)
		}
		if !slices.Equal(m.Segment.files, whole.Segment.files) || !slices.Equal(m.Segment.lengths, whole.Segment.lengths) {
			t.Errorf("%s: files %v of %v words", name, m.Segment.files, m.Segment.lengths)
		}
		again := merged(t, []*Part{m})
		for _, q := range []string{"alpha", "日志", "REF-0500-11", "größen", "b"} {
			if got, want := answers(t, View{[]*Part{again}}, q), answers(t, View{[]*Part{whole}}, q); !slices.Equal(got, want) {
				t.Errorf("%s: %q: %q, not %q", name, q, got, want)
			}
		}
	}
}
