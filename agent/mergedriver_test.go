package agent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/merge"
)

// driverIn makes a driver over three files in a folder.
func driverIn(t testing.TB, dir string, o, a, b []byte, path string) *mergeDriver {
	t.Helper()
	for name, text := range map[string][]byte{"O": o, "A": a, "B": b} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := gitops.NewGit(gitops.Env{Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}, Dir: dir, Now: time.Now})
	return &mergeDriver{git: git, merge: merge.Three, file: MergeFile{Base: "O", Ours: "A", Theirs: "B", Path: path, Marker: 9}}
}

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDriverBreaks: whatever happens while it merges, the file holds both sides, and nothing else is left.
func TestDriverBreaks(t *testing.T) {
	t.Parallel()
	const want = "- a\n<<<<<<<<< ours\n- one\n=========\n- two\n>>>>>>>>> theirs\n- z\n"
	for name, broken := range map[string]func(merge.Input) (merge.Result, error){
		"a panic":  func(merge.Input) (merge.Result, error) { panic("no such entry") },
		"an error": func(merge.Input) (merge.Result, error) { return merge.Result{}, errors.New("cannot") },
		"an index": func(merge.Input) (merge.Result, error) {
			return merge.Result{Content: make([]byte, 1)[:len(os.Args)+1]}, nil
		},
	} {
		dir := t.TempDir()
		d := driverIn(t, dir, []byte("- a\n- z\n"), []byte("- a\n- one\n- z\n"), []byte("- a\n- two\n- z\n"), "memory/x.md")
		d.merge = func(in merge.Input) (merge.Result, error) {
			// Killed here, the process would leave this.
			if got := mustRead(t, filepath.Join(dir, "A")); string(got) != want {
				t.Errorf("%s: while it merges the file holds\n%s", name, got)
			}
			return broken(in)
		}
		conflicts, err := d.run(context.Background())
		if !conflicts || err == nil {
			t.Errorf("%s: %v %v", name, conflicts, err)
		}
		if got := mustRead(t, filepath.Join(dir, "A")); string(got) != want {
			t.Errorf("%s: the file holds\n%s", name, got)
		}
		if left, _ := os.ReadDir(dir); len(left) != 3 {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}

func TestDriverCannotRead(t *testing.T) {
	t.Parallel()
	for gone, want := range map[string]string{
		"O": "<<<<<<< ours\n- one\n=======\n- two\n>>>>>>> theirs\n",
		"A": "<<<<<<< ours\n=======\n- two\n>>>>>>> theirs\n",
		"B": "<<<<<<< ours\n- one\n=======\n>>>>>>> theirs\n",
	} {
		dir := t.TempDir()
		d := driverIn(t, dir, nil, []byte("- one\n"), []byte("- two\n"), "memory/x.md")
		d.file.Marker = 0
		if err := os.Remove(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
		conflicts, err := d.run(context.Background())
		if got := mustRead(t, filepath.Join(dir, "A")); !conflicts || err == nil || string(got) != want {
			t.Errorf("without %s: %v %v\n%s", gone, conflicts, err, got)
		}
	}
	dir := t.TempDir()
	d := driverIn(t, dir, nil, []byte("- one\n"), []byte("- two\n"), "memory/x.md")
	d.file.Ours = "no/such/folder"
	var lost *LostMergeError
	if _, err := d.run(context.Background()); !errors.As(err, &lost) {
		t.Errorf("a place that cannot be written: %v", err)
	}
}

func TestDriverText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := bytes.Repeat([]byte("- a line of text\n"), 5000)
	more := func(s string) []byte { return append(bytes.Clone(big), s...) }
	d := driverIn(t, dir, big, more("- one\n"), more("- two\n"), "memory/x.md")
	if conflicts, err := d.run(context.Background()); conflicts || err != nil {
		t.Fatalf("%v %v", conflicts, err)
	}
	if got := mustRead(t, filepath.Join(dir, "A")); !bytes.HasSuffix(got, []byte("- one\n- two\n")) {
		t.Errorf("merged: …%s", got[len(got)-60:])
	}
	// Over the limit, it is git that merges.
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte("[claw]\n\tmaxFileBytes = 70k\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d = driverIn(t, dir, big, more("- one\n"), more("- two\n"), "memory/x.md")
	if conflicts, err := d.run(context.Background()); !conflicts || err != nil {
		t.Fatalf("over the limit: %v %v", conflicts, err)
	}
	if got := mustRead(t, filepath.Join(dir, "A")); !bytes.HasSuffix(got, []byte("<<<<<<<<< ours\n- one\n=========\n- two\n>>>>>>>>> theirs\n")) {
		t.Errorf("over the limit: …%s", got[len(got)-90:])
	}
	// What git merges without a conflict is no conflict.
	d = driverIn(t, dir, []byte("a\nb\nc\nd\n"), []byte("A\nb\nc\nd\n"), []byte("a\nb\nc\nD\n"), "skills/x/SKILL.md")
	if conflicts, err := d.run(context.Background()); conflicts || err != nil {
		t.Errorf("a skill: %v %v", conflicts, err)
	}
	if got := mustRead(t, filepath.Join(dir, "A")); string(got) != "A\nb\nc\nD\n" {
		t.Errorf("a skill: %q", got)
	}
	// A step that both worded anew waits for a choice; git's markers are not the end of it.
	d = driverIn(t, dir, []byte("1. say hello to all\n2. wave\n"), []byte("1. say hello to all, loudly\n2. wave\n"), []byte("1. say hello to all, softly\n2. wave\n"), "skills/x/SKILL.md")
	if conflicts, err := d.run(context.Background()); conflicts || err != nil {
		t.Errorf("a step of a skill: %v %v", conflicts, err)
	}
	if got := string(mustRead(t, filepath.Join(dir, "A"))); !strings.Contains(got, "kind=edit n=2 -->\n1. say hello to all, loudly\n1. say hello to all, softly\n2. wave\n") {
		t.Errorf("a step of a skill: %q", got)
	}
	d = driverIn(t, dir, []byte("echo a\n"), []byte("echo b\n"), []byte("echo c\n"), "skills/x/run.sh")
	if conflicts, err := d.run(context.Background()); !conflicts || err != nil {
		t.Errorf("a program: %v %v", conflicts, err)
	}
	// Without git both sides stay.
	d = driverIn(t, dir, nil, []byte("a\n"), []byte("b\n"), "skills/x/SKILL.md")
	d.git = gitops.NewGit(gitops.Env{Environ: []string{"PATH=/nowhere"}, Dir: dir, Now: time.Now})
	if conflicts, err := d.run(context.Background()); !conflicts || err == nil {
		t.Errorf("without git: %v %v", conflicts, err)
	}
	if got := mustRead(t, filepath.Join(dir, "A")); string(got) != "<<<<<<<<< ours\na\n=========\nb\n>>>>>>>>> theirs\n" {
		t.Errorf("without git: %q", got)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	if len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestDriverKind(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for rel, text := range map[string]string{
		"agents/a/.claw/config":                     "[claw \"si\"]\n\troot = prefs/x\n",
		"agents/b/.claw/config":                     "[claw \"si\"]\n\troot = ../../etc\n",
		"agents/b/self-improving/memory/memory.md":  "x\n",
		"agents/a/memory/.claw/nothing/of/interest": "",
	} {
		name := filepath.Join(top, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]merge.Kind{
		"agents/a/MEMORY.md":                             merge.Markdown,
		"agents/a/memory/2026-05-02.md":                  merge.Daily,
		"agents/a/prefs/x/index.md":                      merge.Derived,
		"agents/a/prefs/x/pending/cand-1.md":             merge.Candidate,
		"agents/a/self-improving/index.md":               merge.Markdown, // given to the driver by somebody
		"agents/a/skills/x/SKILL.md":                     merge.Text,
		"agents/a/.claw/tags.txt":                        merge.Lines,
		"agents/a/notes/own.md":                          merge.Markdown,
		"agents/b/self-improving/memory/index.md":        merge.Derived,
		"agents/b/self-improving/memory/reflections.log": merge.Records,
		// No workspace in the work tree, as in a bare repository.
		"else/where/memory/2026-05-02.md":    merge.Daily,
		"else/.learnings/ERRORS.md":          merge.Lessons,
		"else/self-improving/index.md":       merge.Derived,
		"else/.claw/tombstones":              merge.Lines,
		"memory/state.json":                  merge.JSON,
		"MEMORY.md":                          merge.Markdown,
		"docs/README.md":                     merge.Markdown,
		"docs/skills/a/reference/SKILL.md":   merge.Markdown, // below a folder named reference
		"docs/skills/a/SKILL.md":             merge.Text,
		"a/b.bin":                            merge.Text,
		"else/memory/archive/learnings/x.md": merge.Lessons,
	} {
		if got := driverKind(top, file); got != want {
			t.Errorf("%s is %d, not %d", file, got, want)
		}
	}
}

// TestDriverNewer: of two values the one committed last wins, on both machines.
func TestDriverNewer(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/state.json", "{\n  \"n\": 1\n}\n")
	l.git("branch", "two")
	l.clock("2026-05-03T10:00:00Z")
	l.write("memory/state.json", "{\n  \"n\": 2,\n  \"a\": 1\n}\n")
	l.gitCommit("newer")
	newer := strings.TrimSpace(l.git("rev-parse", "HEAD"))
	l.git("checkout", "-q", "two")
	l.clock("2026-05-02T10:00:00Z")
	l.write("memory/state.json", "{\n  \"n\": 3,\n  \"b\": 1\n}\n")
	l.gitCommit("older")
	older := strings.TrimSpace(l.git("rev-parse", "HEAD"))
	for head, other := range map[string]string{newer: older, older: newer} {
		l.git("checkout", "-q", head)
		d := driverIn(t, t.TempDir(), []byte(l.git("show", newer+"^:memory/state.json")), []byte(l.git("show", head+":memory/state.json")), []byte(l.git("show", other+":memory/state.json")), "memory/state.json")
		files := d.git.Env().Dir
		d.file.Base, d.file.Ours, d.file.Theirs = filepath.Join(files, "O"), filepath.Join(files, "A"), filepath.Join(files, "B")
		d.file.Marker = defaultMarker
		d.git = gitops.NewGit(gitops.Env{Environ: append(l.env, "GITHEAD_"+other+"=two"), Dir: l.dir, Now: time.Now})
		if conflicts, err := d.run(context.Background()); conflicts || err != nil {
			t.Fatalf("%v %v", conflicts, err)
		}
		if got := mustRead(t, filepath.Join(files, "A")); string(got) != "{\n  \"n\": 2,\n  \"a\": 1,\n  \"b\": 1\n}\n" {
			t.Errorf("on %s: %s", head, got)
		}
	}
}

// FuzzDriver: it never ends without a complete file, and says when that holds markers.
func FuzzDriver(f *testing.F) {
	f.Add("memory/x.md", []byte("- a\n"), []byte("- a\n- b"), []byte("- a\n- c\r\n"))
	f.Add("memory/x.json", []byte("{}"), []byte("{"), []byte("{\"a\":1}"))
	f.Add("skills/x", []byte(""), []byte("a"), []byte("b"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, path string, o, a, b []byte) {
		if bytes.IndexByte([]byte(path), 0) >= 0 || bytes.Equal(a, b) {
			return
		}
		dir, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		d := driverIn(t, dir, o, a, b, path)
		conflicts, err := d.run(context.Background())
		got, rerr := os.ReadFile(filepath.Join(dir, "A"))
		if rerr != nil || err != nil {
			t.Fatalf("%v %v", err, rerr)
		}
		marked := bytes.Contains(got, []byte(">>>>>>>>> "))
		switch {
		case isBinary(o) || isBinary(a) || isBinary(b):
			if !conflicts || !bytes.Equal(got, a) {
				t.Fatalf("a binary file: %v %q", conflicts, got)
			}
		case conflicts && d.file.Whole():
			if !bytes.Equal(got, a) {
				t.Fatalf("JSON that cannot be merged: %q", got)
			}
		case conflicts && !marked:
			t.Fatalf("a conflict without markers: %q", got)
		case !conflicts && marked && !bytes.Contains(together(o, a, b), []byte(">>>>>>>>> ")):
			t.Fatalf("markers without a conflict: %q", got)
		}
	})
}

func together(o, a, b []byte) []byte { return bytes.Join([][]byte{o, a, b}, []byte("\n")) }

func FuzzBothSides(f *testing.F) {
	f.Add([]byte("a\nb\nc"), []byte("a\nx\r\nc\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		out := bothSides(a, b, 7)
		if bytes.Equal(a, b) {
			if !bytes.Equal(out, a) {
				t.Fatalf("%q", out)
			}
			return
		}
		head, rest, ok := bytes.Cut(out, []byte("<<<<<<< ours"))
		ours, rest, ok2 := bytes.Cut(rest, []byte("======="))
		theirs, tail, ok3 := bytes.Cut(rest, []byte(">>>>>>> theirs"))
		if !ok || !ok2 || !ok3 || bytes.ContainsAny(together(a, b, nil), "<>=") {
			return
		}
		flat := func(parts ...[]byte) string {
			return strings.NewReplacer("\r", "", "\n", "").Replace(string(bytes.Join(parts, nil)))
		}
		if flat(head, ours, tail) != flat(a) || flat(head, theirs, tail) != flat(b) {
			t.Fatalf("%q and %q in %q", a, b, out)
		}
	})
}
