package merge

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                 string
		base, one, two, want string
	}{
		{"other keys", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"a\": 1,\n  \"c\": [1,\n 2]\n}\n", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": [1,\n 2]\n}\n"},
		{"one line", `{"a":1}`, `{"a":1,"b":2}`, `{"a":2}`, `{"a":2,"b":2}`},
		{"one line with spaces", `{"a": 1}`, `{"a": 1, "b": 2}`, `{"a": 2}`, `{"a": 2, "b": 2}`},
		{"one line, a space after the colon", `{"a": 1}`, `{"a": 1,"b": 2}`, `{"a": 2}`, `{"a": 2,"b": 2}`},
		{"one scalar, newer", `{"a":1}`, `{"a":5}`, `{"a":4}`, `{"a":4}`},
		{"a nested list", `{"a":[1]}`, `{"a":[1,2],"b":0}`, `{"a":[1,3]}`, `{"a":[1,2,3],"b":0}`},
		{"a list of which one side took out", `{"a":["x","y"]}`, `{"a":["y"]}`, `{"a":["x","y","z"]}`, `{"a":["y","z"]}`},
		{"a list that one side turned", `{"a":[1,2,3]}`, `{"a":[3,2,1]}`, `{"a":[1,2,3,4]}`, `{"a":[3,4,2,1]}`},
		{"a list turned in two ways, newer", `{"a":[1,2,3]}`, `{"a":[3,2,1]}`, `{"a":[2,1,3]}`, `{"a":[2,1,3]}`},
		{"a list with an element twice, newer", `{"a":[1]}`, `{"a":[1,1]}`, `{"a":[1,2]}`, `{"a":[1,2]}`},
		{"a list on lines", "{\n  \"a\": [\n    1\n  ]\n}\n", "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n", "{\n  \"a\": [\n    1,\n    3\n  ]\n}\n", "{\n  \"a\": [\n    1,\n    2,\n    3\n  ]\n}\n"},
		{"a list that both added", `{}`, `{"a":["x"]}`, `{"a":["y", "x"]}`, `{"a":["y", "x"]}`},
		{"a list emptied here", `{"a":[1]}`, `{"a":[]}`, `{"a":[1,2]}`, `{"a":[2]}`},
		{"objects with an id", `{"j":[{"id":"a","n":1},{"id":"b","n":1}]}`, `{"j":[{"id":"a","n":2},{"id":"b","n":1}]}`, `{"j":[{"id":"a","n":1,"x":0},{"id":"b","n":3},{"id":"c"}]}`, `{"j":[{"id":"a","n":2,"x":0},{"id":"b","n":3},{"id":"c"}]}`},
		{"one object without an id edited twice, newer", `{"j":[{"n":1}]}`, `{"j":[{"n":2}]}`, `{"j":[{"n":3}]}`, `{"j":[{"n":3}]}`},
		{"objects without an id", `{"j":[{"n":1}]}`, `{"j":[{"n":1},{"n":2}]}`, `{"j":[{"n":1},{"n":3}]}`, `{"j":[{"n":1},{"n":2},{"n":3}]}`},
		{"the time of a last check", `{"lastChecks":{"mail":10}}`, `{"lastChecks":{"mail":30}}`, `{"lastChecks":{"mail":20}}`, `{"lastChecks":{"mail":30}}`},
		{"a file that is a list", `["a"]`, `["a", "b"]`, `["a", "c"]`, `["a", "b", "c"]`},
		{"a base that does not parse", `{`, `{"a":1}`, `{"b":1}`, `{"a":1,"b":1}`},
		{"nested objects", "{\n\t\"o\": {\n\t\t\"x\": 1\n\t}\n}\n", "{\n\t\"o\": {\n\t\t\"x\": 1,\n\t\t\"y\": 2\n\t}\n}\n", "{\n\t\"o\": {\n\t\t\"x\": 3\n\t}\n}\n", "{\n\t\"o\": {\n\t\t\"x\": 3,\n\t\t\"y\": 2\n\t}\n}\n"},
		{"an object on one line", "{\n  \"o\": {\"x\": 1}\n}\n", "{\n  \"o\": {\"x\": 1, \"y\": 2}\n}\n", "{\n  \"o\": {\"x\": 3},\n  \"p\": 1\n}\n", "{\n  \"o\": {\"x\": 3, \"y\": 2},\n  \"p\": 1\n}\n"},
		{"deleted here, as it was there", `{"a":1,"b":2}`, `{"b":2}`, `{"a": 1,"b":3}`, `{"b": 3}`},
		{"deleted here, edited there", `{"a":1,"b":2}`, `{"b":2}`, `{"a":2,"b":2,"c":1}`, `{"a":2,"b":2,"c":1}`},
		{"large numbers and escapes", `{"n":1}`, `{"n":1,"x":12345678901234567890.0e3}`, `{"n":1,"y":"\u00e9\"}"}`, `{"n":1,"x":12345678901234567890.0e3,"y":"\u00e9\"}"}`},
		{"both added the file", "", `{"a":1}`, `{"b":1}`, `{"a":1,"b":1}`},
		{"white space only", `{"a":1,"b":[1, 2]}`, "{\n  \"a\": 1,\n  \"b\": [1,2]\n}\n", `{"a":1,"b":[1, 2],"c":3}`, "{\n  \"a\": 1,\n  \"b\": [1,2],\n  \"c\": 3\n}\n"},
		{"nothing left", `{"a":1,"b":1}`, `{"a":1}`, `{"b":1}`, `{}`},
		{"CRLF", "{\r\n \"a\": 1\r\n}\r\n", "{\r\n \"a\": 1,\r\n \"b\": 1\r\n}\r\n", "{\r\n \"a\": 2\r\n}\r\n", "{\r\n \"a\": 2,\r\n \"b\": 1\r\n}\r\n"},
	} {
		in := Input{Kind: JSON, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two), Newer: func() int { return 1 }}
		got := both(t, in)
		if got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, c.want)
		}
	}
	if got := both(t, Input{Kind: JSON, Base: []byte(`{"a":1}`), Ours: []byte(`{"a":2}`), Theirs: []byte(`{"a":3}`)}); got != `{"a":3}` {
		t.Errorf("nobody knows who was last: %s", got)
	}
	for _, bad := range []string{"", "[1]", `{"a":1`, `{"a":1,"a":2}`, "// c\n{}", "\xef\xbb\xbf{}"} {
		_, err := Three(Input{Kind: JSON, Base: []byte(`{"a":1}`), Ours: []byte(bad), Theirs: []byte(`{"a":2}`)})
		if !errors.Is(err, ErrText) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
