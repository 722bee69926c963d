package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	type row struct {
		Path string   `json:"path"`
		List []string `json:"list"`
	}
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"plain", row{"a<b>&.md", []string{"记"}}, `{"schema":"claw.x/1","path":"a<b>&.md","list":["记"]}`},
		{"empty", struct{}{}, `{"schema":"claw.x/1"}`},
		{"hidden", row{Path: "a\x1b\u009b\u202e\u200b\U000e0041\n"}, `{"schema":"claw.x/1","path":"a\u001b\u009b\u202e\u200b\udb40\udc41\n","list":null}`},
		{"stray byte", row{Path: "a\xff"}, `{"schema":"claw.x/1","path":"a\ufffd","list":null}`},
	}
	for _, tt := range tests {
		var b bytes.Buffer
		if err := writeJSON(&b, "claw.x/1", tt.v); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if err := writeJSON(&bytes.Buffer{}, "claw.x/1", func() {}); err == nil {
		t.Error("a function was written")
	}
}

func FuzzWriteJSON(f *testing.F) {
	f.Add("a\u202e\x00\U000e0041\\u202e\"")
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := writeJSON(&b, "claw.x/1", map[string]string{"s": s}); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(strings.TrimSuffix(b.String(), "\n"), term.Hidden); i >= 0 {
			t.Errorf("%q holds a hidden character", b.String())
		}
		plain, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		var want string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatalf("%q: %v", b.String(), err)
		}
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, map[string]string{"schema": "claw.x/1", "s": want}) {
			t.Errorf("read back %q, want %q", got, want)
		}
	})
}
