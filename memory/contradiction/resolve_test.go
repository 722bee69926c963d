package contradiction

import (
	"strings"
	"testing"
)

func TestVersionsAndResolve(t *testing.T) {
	t.Parallel()
	const mark = "<!-- claw:conflict id=0123abcd kind=edit n=2 -->"
	const text = "# Memory\n\n- before\n" + mark + "\n- the port is 80\n- the port is 81\n- after\n\nend\n"
	m := Find([]byte(text))
	if len(m) != 1 {
		t.Fatalf("marks are %+v", m)
	}
	versions := Versions([]byte(text), m[0])
	if len(versions) != 2 || string(versions[0]) != "- the port is 80" || string(versions[1]) != "- the port is 81" {
		t.Fatalf("versions are %q", versions)
	}
	tests := []struct {
		name   string
		choose func([][]byte) [][]byte
		want   string
	}{
		{"first", func(v [][]byte) [][]byte { return v[:1] }, "# Memory\n\n- before\n- the port is 80\n- after\n\nend\n"},
		{"second", func(v [][]byte) [][]byte { return v[1:] }, "# Memory\n\n- before\n- the port is 81\n- after\n\nend\n"},
		{"both", func(v [][]byte) [][]byte { return v }, "# Memory\n\n- before\n- the port is 80\n- the port is 81\n- after\n\nend\n"},
		{"neither", func([][]byte) [][]byte { return nil }, "# Memory\n\n- before\n- after\n\nend\n"},
		{"new", func([][]byte) [][]byte { return [][]byte{[]byte("- the port is 82")} }, "# Memory\n\n- before\n- the port is 82\n- after\n\nend\n"},
	}
	for _, tt := range tests {
		if got, ok := Resolve([]byte(text), "0123abcd", tt.choose); !ok || string(got) != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.name, got, ok, tt.want)
		}
		crlf := strings.ReplaceAll(text, "\n", "\r\n")
		if got, ok := Resolve([]byte(crlf), "0123abcd", tt.choose); !ok || string(got) != strings.ReplaceAll(tt.want, "\n", "\r\n") {
			t.Errorf("%s with CRLF: %q %v", tt.name, got, ok)
		}
	}
	// At the end of a file without a line end; one version, deleted by the other side.
	const last = "- a\n<!-- claw:conflict id=0123abcd kind=delete n=1 -->\n- the port is 80"
	if got, ok := Resolve([]byte(last), "0123abcd", func(v [][]byte) [][]byte { return v[:1] }); !ok || string(got) != "- a\n- the port is 80" {
		t.Errorf("kept: %q %v", got, ok)
	}
	if got, ok := Resolve([]byte(last), "0123abcd", func([][]byte) [][]byte { return nil }); !ok || string(got) != "- a\n" {
		t.Errorf("deleted: %q %v", got, ok)
	}
	for _, bad := range []string{"- a\n", "```\n" + text + "```\n", "# M\n" + mark + "\n- only one\n"} {
		if _, ok := Resolve([]byte(bad), "0123abcd", func(v [][]byte) [][]byte { return v }); ok {
			t.Errorf("%q was resolved", bad)
		}
	}
}

// TestResolveBlocks: paragraphs and tables that are both kept stay two.
func TestResolveBlocks(t *testing.T) {
	t.Parallel()
	const mark = "<!-- claw:conflict id=0123abcd kind=edit n=2 -->\n"
	for _, v := range [][2]string{{"One text.", "Another\ntext."}, {"| a |\n|---|\n| 1 |", "| a |\n|---|\n| 2 |"}} {
		text := "# M\n\n" + mark + v[0] + "\n\n" + v[1] + "\n\n- end\n"
		want := "# M\n\n" + v[0] + "\n\n" + v[1] + "\n\n- end\n"
		if got, ok := Resolve([]byte(text), "0123abcd", func(v [][]byte) [][]byte { return v }); !ok || string(got) != want {
			t.Errorf("%v %q, want %q", ok, got, want)
		}
	}
}
