package connect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func testSettings(binary string) settings {
	return settings{command: shellCommand(binary), timeout: claudeTimeout, events: claudeEvents()}
}

// shapes of settings as users have them.
func settingsShapes() map[string]string {
	return map[string]string{
		"empty object":          "{}",
		"empty, newline":        "{}\n",
		"empty, space inside":   "{ }\n",
		"empty, lines inside":   "{\n}\n",
		"empty, comment inside": "{\n  // nothing yet\n}\n",
		"one line":              `{"model":"x"}`,
		"one line, comma":       `{"model":"x",}`,
		"two spaces":            "{\n  \"model\": \"x\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
		"tabs":                  "{\n\t\"model\": \"x\"\n}\n",
		"four spaces, crlf":     "{\r\n    \"model\": \"x\"\r\n}\r\n",
		"no newline at the end": "{\n  \"model\": \"x\"\n}",
		"byte order mark":       utf8BOM + "{\n  \"model\": \"x\"\n}\n",
		"comments":              "// mine\n{\n  \"model\": \"x\" // the good one\n  /* end */\n}\n// more\n",
		"trailing commas":       "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [],},\n    ],\n  },\n}\n",
		"comma after comment":   "{\n  \"model\": \"x\" /* a */ , // b\n}\n",
		"hooks empty":           "{\n  \"hooks\": {}\n}\n",
		"hooks empty, lines":    "{\n  \"hooks\": {\n  }\n}\n",
		"event empty":           "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
		"event empty, space":    "{\"hooks\": {\"Stop\": [ ], \"SessionEnd\": []}}",
		"other hooks":           "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"say done\"}\n        ]\n      }\n    ],\n    \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}]\n  },\n  \"model\": \"x\"\n}\n",
		"other hooks, one line": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say"}]}],"SessionStart":[{"hooks":[]}]}}`,
		"odd layout":            "{ \"hooks\" :\n{\"Stop\"\n:[ {\"hooks\":[]}\n]} , \"z\":[1,\n2] }",
		"a name twice":          "{\"hooks\":{\"Stop\":[{\"hooks\":[]}],\"Stop\":[]}}",
		"escaped names":         "{\"h\\u006foks\": {\"St\\u006fp\": [{\"hooks\": []}]}}\n",
	}
}

// TestAddRemove: all events are there after an add, a second one changes
// nothing, all else is as before, and a remove gives back every byte.
func TestAddRemove(t *testing.T) {
	t.Parallel()
	s := testSettings("/opt/it's here/git-claw")
	for name, text := range settingsShapes() {
		with, err := s.add([]byte(text), false)
		if err != nil {
			t.Errorf("%s: add: %v", name, err)
			continue
		}
		if got := claudeHooks(with); len(got) != len(s.events) || slices.ContainsFunc(got, func(c string) bool { return c != s.command }) {
			t.Errorf("%s: hooks %q in %s", name, got, with)
		}
		if again, err := s.add(with, false); err != nil || !bytes.Equal(again, with) {
			t.Errorf("%s: a second add: %v\n%s", name, err, again)
		}
		if !subset(t, text, string(with)) {
			t.Errorf("%s: something else changed:\n%s", name, with)
		}
		back, err := s.remove(with)
		if err != nil || string(back) != text || back == nil {
			t.Errorf("%s: remove: %v\n%q\nwas\n%q\nfrom\n%s", name, err, back, text, with)
		}
		if strings.Contains(text, "\r\n") && bytes.Contains(bytes.ReplaceAll(with, []byte("\r\n"), nil), []byte("\n")) {
			t.Errorf("%s: mixed line ends in %q", name, with)
		}
		other, err := testSettings("/other/git-claw").add(with, false)
		if err != nil || len(claudeHooks(other)) != len(s.events) || bytes.Contains(other, []byte("it's here")) {
			t.Errorf("%s: another binary: %v\n%s", name, err, other)
		}
		if back, err = s.remove(other); err != nil || string(back) != text {
			t.Errorf("%s: remove after another binary: %v\n%s", name, err, back)
		}
	}
}

// subset reports whether with has all that text has; what is added are hooks.
func subset(t *testing.T, text, with string) bool {
	t.Helper()
	return contains(plainJSON(t, with), plainJSON(t, text))
}

func plainJSON(t *testing.T, text string) any {
	t.Helper()
	std, err := hujson.Standardize([]byte(strings.TrimPrefix(text, utf8BOM)))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var v any
	if err := json.Unmarshal(std, &v); err != nil {
		t.Fatalf("%v in %s", err, std)
	}
	return v
}

func contains(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		for k := range want {
			ok = ok && contains(h[k], want[k])
		}
		return ok
	case []any:
		h, ok := have.([]any)
		for i := range want {
			ok = ok && i < len(h) && contains(h[i], want[i])
		}
		return ok
	}
	return have == want
}

func TestOwnFile(t *testing.T) {
	t.Parallel()
	s := testSettings("/opt/git-claw")
	for _, made := range []bool{false, true} {
		text, err := s.add(nil, made)
		if err != nil {
			t.Fatal(err)
		}
		if got := removable(text, "d"); (len(got) == 1) != made {
			t.Errorf("folder made %v, to be removed %v", made, got)
		}
		if back, err := s.remove(text); err != nil || back != nil {
			t.Errorf("left %q, %v", back, err)
		}
		if !json.Valid(text) {
			t.Errorf("not JSON: %s", text)
		}
	}
	want := `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "b=/opt/git-claw; test -x \"$b\" || b=git-claw; \"$b\" hooks run claude-code",
            "timeout": 60
          }
        ]
      }
    ],
`
	if text, _ := s.add(nil, false); !strings.HasPrefix(string(text), want) {
		t.Errorf("got %s", text)
	}
}

// TestChangedMeanwhile: the user or Claude Code wrote to the file after us.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := testSettings("/opt/git-claw")
	own, err := s.add(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, text, want string }{
		{"a member added", strings.Replace(string(own), "\n}\n", ",\n  \"model\": \"x\"\n}\n", 1), "{\n  \"model\": \"x\"\n}\n"},
		{"a member before", strings.Replace(string(own), "{\n", "{\n  \"model\": \"x\",\n", 1), "{\n  \"model\": \"x\"\n}\n"},
		{
			"a hook of the user in our list", strings.Replace(string(own), "\"timeout\": 60\n          }", "\"timeout\": 60\n          },\n          {\"type\": \"command\", \"command\": \"say\"}", 1),
			"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"say\"}\n        ]\n      }\n    ]\n  }\n}\n",
		},
		{
			"a group of the user", strings.Replace(string(own), "\"SessionStart\": [", "\"SessionStart\": [\n      {\"hooks\": []},", 1),
			"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n",
		},
		{"a comment", strings.Replace(string(own), "  \"hooks\": {", "  // mine\n  \"hooks\": {", 1), "{\n  // mine\n  \n}\n"},
		{"a comment in a list", strings.Replace(string(own), "\"Stop\": [", "\"Stop\": [ // mine", 1), "{\n  \"hooks\": {\n    \"Stop\": [ // mine\n      \n    ]\n  }\n}\n"},
		{"a comment around", "// mine\n" + string(own), "// mine\n{\n}\n"},
		{"a timeout changed", strings.Replace(string(own), "60", "5", 3), ""},
		{"an event taken out", string(testSettingsFor("/opt/git-claw", "Stop").whole(false)), ""},
		{"written anew", reindent(t, own, "\t"), ""},
		{"written anew on one line", reindent(t, own, ""), ""},
	}
	for _, tt := range tests {
		got, err := s.remove([]byte(tt.text))
		if err != nil || string(got) != tt.want || (got == nil) != (tt.want == "") {
			t.Errorf("%s: %v\n%q\nwant\n%q\nfrom\n%s", tt.name, err, got, tt.want, tt.text)
		}
	}
}

func testSettingsFor(binary string, events ...string) settings {
	s := testSettings(binary)
	s.events = events
	return s
}

func reindent(t *testing.T, text []byte, indent string) string {
	t.Helper()
	var out bytes.Buffer
	err := json.Compact(&out, text)
	if indent != "" {
		out.Reset()
		err = json.Indent(&out, text, "", indent)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n", "[]", "null", "{", "{\"hooks\": []}", "{\"hooks\": null}", "{\"hooks\": {\"Stop\": {}}}", "{\"a\" 1}", "\x00"} {
		if out, err := testSettings("/a").add([]byte(text), false); err == nil {
			t.Errorf("%q became %q", text, out)
		}
	}
}

func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`{"disableAllHooks": true}`: true, `{"disableAllHooks": false}`: false, `{}`: false, `x`: false} {
		if got := switchedOff([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzSettings: whatever the settings are, an add either fails or can be
// taken back exactly.
func FuzzSettings(f *testing.F) {
	for _, text := range settingsShapes() {
		f.Add([]byte(text))
	}
	s := testSettings("/opt/git-claw")
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("git-claw")) {
			t.Skip("not an input: it would be taken for what add has written")
		}
		with, err := s.add(text, false)
		if err != nil {
			return
		}
		back, err := s.remove(with)
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%v\n%q became\n%q and\n%q", err, text, with, back)
		}
	})
}
