package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/git-claw/git-claw/agent"
)

// FuzzMergeDriver: whatever the three files and the path are, the command ends with 0 and a file that has
// what both sides added, or with 1 and a file that has both sides whole (of a binary file, or of JSON, one
// side as it was), or with 255 and without a file.
func FuzzMergeDriver(f *testing.F) {
	for i, path := range []string{
		"memory/x.md", "MEMORY.md", "memory/2026-05-02.md", "memory/s.json", "memory/l.jsonl", ".learnings/ERRORS.md", ".claw/tags.txt",
		"self-improving/index.md", "self-improving/reflections.log", "skills/x/SKILL.md", "skills/x/run.sh", "a\nb.md", "../x.md", "/etc/x.md", "-x.md", "", "\xff.md", "memory/ü \t.md",
	} {
		for fault := range uint8(8) {
			if fault != 0 && i > 4 {
				break
			}
			f.Add(path, []byte("---\na: 1\n---\n\n# T\n\n- one\n- two\n"), []byte("---\na: 2\n---\n\n# T\n\n- one x\n"), []byte("# T\r\n\r\n- one y\r\n- two\r\n| a |\n"), uint8(i), fault)
		}
	}
	f.Add("memory/x.md", []byte{}, []byte("\x00"), []byte("<<<<<<< a\n=======\n>>>>>>> b\n"), uint8(7), uint8(0))
	f.Add("memory/s.json", []byte("{}"), []byte(`{"a":[1,{"id":2}]}`), []byte(`{"a":[1,{"id":3}],`), uint8(7), uint8(0))
	f.Add("memory/x.md", []byte("```\n"), bytes.Repeat([]byte("- a line of some length\n"), 4000), []byte("\xff\xfe\n"), uint8(9), uint8(0))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, path string, o, a, b []byte, marker, fault uint8) {
		env, _ := testEnv(t)
		dir, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		env.Dir = dir
		const ours, theirs = "- said by ours alone", "- said by theirs alone"
		a, b = append(bytes.Clone(a), "\n\n"+ours+"\n"...), append(bytes.Clone(b), "\n\n"+theirs+"\n"...)
		names := []string{"O", "A", "B"}
		for i, text := range [][]byte{o, a, b} {
			name := filepath.Join(dir, names[i])
			switch fault >> i & 1 {
			case 0:
				err = os.WriteFile(name, text, 0o600)
			case 1:
				if fault&8 != 0 { // there, and no file
					err = os.Mkdir(name, 0o700)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		code := run(context.Background(), env, []string{"merge-driver", "--marker-size=" + strconv.Itoa(int(marker)), "--", "O", "A", "B", path})
		got, err := os.ReadFile(filepath.Join(dir, "A"))
		if code == exitNoMerge {
			if fault&2 == 0 {
				t.Fatalf("no merge, and nothing was in the way: %q %v", got, err)
			}
			return
		}
		if err != nil || code != 0 && code != 1 || code == 0 && fault&7 != 0 {
			t.Fatalf("%d with %q, %v", code, got, err)
		}
		binary := bytes.IndexByte(o, 0) >= 0 || bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0
		json := agent.MergeFile{Path: path}.Whole()
		if code == 1 && (binary || json) && bytes.Equal(got, a) {
			return
		}
		if code == 0 && (json || filepath.Base(path) == "index.md") {
			return
		}
		for side, token := range map[int]string{1: ours, 2: theirs} {
			if fault>>side&1 == 0 && !bytes.Contains(got, []byte(token)) {
				t.Fatalf("%d without %q in\n%q\nof\n%q\n%q\n%q", code, token, got, o, a, b)
			}
		}
		if code == 0 {
			return
		}
		for side, text := range map[int][]byte{1: a, 2: b} {
			for l := range bytes.Lines(text) {
				bare := bytes.TrimRight(l, "\r\n")
				other := map[int][]byte{1: b, 2: a}[side]
				if fault == 0 && bytes.Contains(o, bare) && !bytes.Contains(other, bare) {
					continue // the other side deleted it, and git merged that as text
				}
				if fault>>side&1 == 0 && !bytes.Contains(got, bare) {
					t.Fatalf("%q is lost in\n%q\nof\n%q\n%q\n%q", l, got, o, a, b)
				}
			}
		}
	})
}
