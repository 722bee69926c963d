package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src    string
		valid  bool
		fields string // key@line=text, parted by |
		body   string
	}{
		"none":        {"# T\n", true, "", "# T\n"},
		"empty block": {"---\n---\nbody", true, "", "body"},
		"plain":       {"---\nname: a\nversion: 2.10\nat: 2026-05-01T09:00:00Z\n---\nb\n", true, "name@2=a|version@3=2.10|at@4=2026-05-01T09:00:00Z", "b\n"},
		"unquoted colon": {
			"---\nname: a\ndescription: Rule: never do X: do Y\ntype: feedback\n---\nbody\n", false,
			"name@2=a|description@3=Rule: never do X: do Y|type@4=feedback", "body\n",
		},
		"BOM, blank lines, CRLF, null": {
			"\xef\xbb\xbf\r\n---\r\nname: My Skill\r\ndescription: \"q text\"\r\nmetadata:\r\n---\r\n", true,
			"name@3=My Skill|description@4=q text|metadata@5=", "",
		},
		"quotes with text behind them": {"---\nname: x\ndescription: \"q\" text\n---\n", false, "name@2=x|description@3=\"q\" text", ""},
		"quoted keys and comments":     {"---\n# c\n\"a b\": 'it''s' # c\n'd': ~\n---\n", true, "a b@3=it's|d@4=", ""},
		"block text": {
			"---\ndescription: |\n  one: two\n  three\nfolded: >-\n  a\n  b\nlast: x\n---\n", true,
			"description@2=one: two\nthree\n|folded@5=a b|last@8=x", "",
		},
		"block text in a broken block": {
			"---\nbad: a: b\ndescription: |\n  one\n  two\nempty:\n---\n", false,
			"bad@2=a: b|description@3=one\ntwo|empty@6=", "",
		},
		"JSON on one line": {
			"---\nmetadata: {\"openclaw\": {\"os\": [\"linux\"]}}\n---\n", true,
			"metadata@2={\"openclaw\": {\"os\": [\"linux\"]}}", "",
		},
		"a list":        {"---\n# list\n- a\n- b: c\n---\n", false, "", ""},
		"twice one key": {"---\na: 1\na: 2\n---\n", false, "a@2=1|a@3=2", ""},
		"invalid UTF-8": {"---\na: caf\xe9\n---\n", true, "a@2=caf\ufffd", ""},
		"other scripts": {"---\n状态: 已解决\n---\n", true, "状态@2=已解决", ""},
		"no end":        {"---\na: b\n", true, "", "---\na: b\n"},
		"bombs":         {"---\na: " + strings.Repeat("[", 9000) + "\nb: c\n---\n", false, "a@2=" + strings.Repeat("[", 9000) + "|b@3=c", ""},
	} {
		b := Parse([]byte(c.src))
		var got []string
		for _, f := range b.Fields {
			got = append(got, fmt.Sprintf("%s@%d=%s", f.Key, f.Line, f.Text))
		}
		if s := strings.Join(got, "|"); s != c.fields {
			t.Errorf("%s: fields\n%s\nwant\n%s", name, s, c.fields)
		}
		if (b.Err == nil) != c.valid || string(b.Body()) != c.body {
			t.Errorf("%s: error %v, body %q", name, b.Err, b.Body())
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	const want = "map[openclaw:map[always:true emoji:x os:[linux darwin] requires:map[bins:[jq]]]]"
	for _, src := range []string{
		"metadata: {\"openclaw\": {\"emoji\": \"x\", \"always\": true, \"os\": [\"linux\", \"darwin\"], \"requires\": {\"bins\": [\"jq\"]}}}",
		"metadata:\n  {\n    \"openclaw\":\n      { \"emoji\": \"x\", \"always\": true, \"os\": [\"linux\", \"darwin\"], \"requires\": { \"bins\": [\"jq\"] } },\n  }",
		"metadata:\n  openclaw:\n    emoji: x\n    always: true\n    os: [linux, darwin]\n    requires:\n      bins:\n        - jq",
		"bad: a: b\nmetadata: {openclaw: {emoji: 'x', always: true, os: [linux, darwin,], requires: {bins: [jq]},},}",
		"os: &o [linux, darwin]\nmetadata:\n  openclaw: {emoji: x, always: true, os: *o, requires: {bins: [jq]}}",
	} {
		b := Parse([]byte("---\n" + src + "\n---\n"))
		f := b.Field("metadata")
		if f == nil || fmt.Sprint(f.Value) != want {
			t.Errorf("%s\n%v (%v)", src, f, b.Err)
		}
	}
	if f := Parse([]byte("---\nmetadata:\nflag: true\n---\n")); f.Field("metadata").Value != nil || f.Field("flag").Value != true {
		t.Errorf("null or bool wrong: %+v", f.Fields)
	}
	// A billion laughs: each list holds the one before it nine times.
	src := "---\na0: &a0 [x]\n"
	for i := range 20 {
		src += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	start := time.Now()
	if b := Parse([]byte(src + "---\n")); b.Err != nil || len(b.Fields) != 21 || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", b.Err, time.Since(start))
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, key, value, want string }{
		"plain":               {"---\na: b\nc: d\n---\nx\n", "a", "n", "---\na: n\nc: d\n---\nx\n"},
		"comment stays":       {"---\na: b # why\n---\n", "a", "n", "---\na: n # why\n---\n"},
		"quotes go":           {"---\na: \"b # c\" # d\n---\n", "a", "n", "---\na: n # d\n---\n"},
		"quotes where needed": {"---\na: b\n---\n", "a", "x: y", "---\na: \"x: y\"\n---\n"},
		"a time":              {"---\nlast_seen: 2026-05-01T09:00:00Z\n---\n", "last_seen", "2026-05-02T11:30:00Z", "---\nlast_seen: 2026-05-02T11:30:00Z\n---\n"},
		"no value":            {"---\na:\nc: d\n---\n", "a", "n", "---\na: n\nc: d\n---\n"},
		"no value, comment":   {"---\na: # c\n---\n", "a", "n", "---\na: n # c\n---\n"},
		"missing":             {"---\r\na: b\r\n---\r\nx\r\n", "k", "v", "---\r\na: b\r\nk: v\r\n---\r\nx\r\n"},
		"missing in an empty": {"---\n---\n", "k", "v", "---\nk: v\n---\n"},
		"several lines":       {"---\na: |\n  x\n  y\n\nc: d\n---\n", "a", "n", "---\na: n\n\nc: d\n---\n"},
		"broken block":        {"---\nbad: a: b # c\nstatus: x\n---\n", "bad", "n", "---\nbad: n\nstatus: x\n---\n"},
		"twice":               {"---\na: 1\na: 2\n---\n", "a", "3", "---\na: 3\na: 2\n---\n"},
	} {
		got, ok := Set([]byte(c.src), c.key, c.value)
		if !ok || string(got) != c.want {
			t.Errorf("%s: %v %q, want %q", name, ok, got, c.want)
		}
	}
	if got, ok := Set([]byte("text\n"), "a", "b"); ok || string(got) != "text\n" {
		t.Errorf("a text without frontmatter became %q", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"---\na: b # c\n\"d\": 'e'\nf: {g: [h]}\n---\nbody", "\xef\xbb\xbf\r\n---\r\nx: y: z\r\n...\r\n", "---\na: &x |\n  b\nc: *x\n---", "---\na:\n  - b\n# c\n---\n",
	} {
		f.Add([]byte(s), "a", "value")
	}
	f.Fuzz(func(t *testing.T, src []byte, key, value string) {
		if len(src) > 4096 || len(key) > 99 || len(value) > 999 {
			return
		}
		b := Parse(src)
		at := b.From
		for _, f := range b.Fields {
			if f.from < at || f.to < f.from || f.end < f.to || f.end > b.To {
				t.Fatalf("field %+v of %q", f, src)
			}
			if line := 1 + bytes.Count(src[:f.from], []byte("\n")); line != f.Line {
				t.Fatalf("field %+v stands in line %d", f, line)
			}
			at = f.end
		}
		out, ok := Set(src, key, value)
		if ok != b.Present() {
			t.Fatalf("set: %v", ok)
		}
		if !bytes.HasPrefix(out, src[:b.From]) || !bytes.HasSuffix(out, b.Body()) {
			t.Fatalf("other bytes changed:\n%q\n%q", src, out)
		}
	})
}

// FuzzSet: what was set is read again, in a good block and in a broken one.
func FuzzSet(f *testing.F) {
	f.Add("value", true)
	f.Add("x: \"y\" # z", false)
	f.Fuzz(func(t *testing.T, value string, broken bool) {
		src := "---\nname: a\nkey: old\nlast: b\n---\nbody\n"
		if broken {
			src = strings.Replace(src, "name: a", "name: a: b", 1)
		}
		if len(value) > 999 || strings.ToValidUTF8(value, "") != value || strings.ContainsAny(value, "\x00\u0085\u2028\u2029\ufeff") {
			return
		}
		out, _ := Set([]byte(src), "key", value)
		b := Parse(out)
		if got := b.Text("key"); got != value || b.Text("last") != "b" || string(b.Body()) != "body\n" {
			t.Fatalf("%q was written as %q and read as %q (%v)", value, out, got, b.Err)
		}
	})
}
