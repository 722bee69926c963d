package index

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory/lexical"
)

// same refreshes, and compares with an index that is built now.
func (w *world) same(what string) *answers {
	w.t.Helper()
	got := w.refresh(Options{})
	if d := w.fresh().differs(got); d != "" {
		w.t.Fatalf("%s: a fresh index (-) and this one (+) differ:\n%s", what, d)
	}
	return got
}

// several is a workspace whose index has several segments and drops.
func several(t testing.TB) *world {
	t.Helper()
	w := newWorld(t, "")
	rnd := rand.New(gittest.Rand("several"))
	for i := range 12 {
		w.note(fmt.Sprintf("memory/n%d.md", i), text(rnd))
	}
	w.commit()
	w.refresh(Options{})
	for i := range 3 {
		w.note(fmt.Sprintf("memory/n%d.md", i), text(rnd)+"unsaved\n")
		w.refresh(Options{})
	}
	return w
}

// damages are what can happen to a file.
var damages = map[string]func(*rand.Rand, []byte) []byte{
	"flip": func(rnd *rand.Rand, b []byte) []byte {
		b = slices.Clone(b)
		for range 1 + rnd.IntN(3) {
			b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
		}
		return b
	},
	"cut":    func(rnd *rand.Rand, b []byte) []byte { return b[:rnd.IntN(len(b))] },
	"empty":  func(*rand.Rand, []byte) []byte { return nil },
	"longer": func(_ *rand.Rand, b []byte) []byte { return append(slices.Clone(b), 0) },
	"zeros":  func(_ *rand.Rand, b []byte) []byte { return make([]byte, len(b)) },
	"delete": func(*rand.Rand, []byte) []byte { return []byte("delete") },
}

// restored puts content into a file with the time it had.
func restored(t testing.TB, name string, content []byte, keepTime bool) {
	t.Helper()
	fi, err := os.Stat(name)
	if err == nil {
		err = os.WriteFile(name, content, 0o666)
	}
	if err == nil && keepTime {
		err = os.Chtimes(name, fi.ModTime(), fi.ModTime())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryFileDamaged(t *testing.T) {
	t.Parallel()
	w := several(t)
	rnd := rand.New(gittest.Rand(t.Name()))
	want := w.same("at first")
	aside := w.dir() + ".damaged"
	for kind, damage := range damages {
		for _, keepTime := range []bool{false, true} {
			for _, file := range w.files() {
				if keepTime && (kind == "zeros" || kind == "delete" || kind == "empty") {
					continue
				}
				if file == lockName || file == queueName {
					continue
				}
				name := filepath.Join(w.dir(), file)
				before, err := os.ReadFile(name)
				if errors.Is(err, os.ErrNotExist) {
					continue // an index that was built anew has fewer segments
				} else if err != nil {
					t.Fatal(err)
				}
				_ = os.RemoveAll(aside)
				if after := damage(rnd, before); string(after) == "delete" {
					_ = os.Remove(name)
				} else {
					restored(t, name, after, keepTime)
				}
				what := fmt.Sprintf("%s %s, time kept %v", kind, file, keepTime)
				warned := 0
				warn := func(string, ...any) { warned++ }
				if d := want.differs(w.refresh(Options{ReadOnly: true, Warn: warn})); d != "" {
					t.Fatalf("%s, read-only: before (-) and after (+):\n%s", what, d)
				}
				if d := want.differs(w.refresh(Options{Warn: warn})); d != "" {
					t.Fatalf("%s: before (-) and after (+):\n%s", what, d)
				}
				if file == manifestName && kind == "delete" {
					continue // there is no index, which is no damage
				}
				if _, err := os.Stat(aside); err != nil || warned != 2 {
					t.Errorf("%s: %d warnings, put aside: %v", what, warned, err)
				}
				got := w.refresh(Options{Warn: warn})
				if d := want.differs(got); d != "" || warned != 2 || got.built > 0 {
					t.Fatalf("%s: after it was built anew: %d warnings, %d built, %s", what, warned, got.built, d)
				}
				if left := w.unnamed(); len(left) > 0 {
					t.Fatalf("%s: left over %q", what, left)
				}
			}
		}
	}
}

// forge makes the manifest take the stat data that a file has now for those that
// were written: what a disk does that changes bits in silence.
func (w *world) forge(file string) {
	w.t.Helper()
	m, _, err := readManifest(w.dir())
	if err != nil {
		w.t.Fatal(err)
	}
	refs := []*fileRef{&m.Table}
	for i := range m.Segments {
		refs = append(refs, &m.Segments[i].fileRef)
	}
	for _, r := range refs {
		if r.Name == file {
			if r.Stat, _, err = lstat(filepath.Join(w.dir(), file)); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	if err := writeManifest(w.dir(), m, func(string) {}); err != nil {
		w.t.Fatal(err)
	}
}

// A flipped bit that no stat data tell of may give a wrong score, but no panic and
// no error but the one that calls for a rebuild, after which all is right.
func TestSilentDamage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	w := several(t)
	rnd := rand.New(gittest.Rand(t.Name()))
	w.same("at first")
	for range 40 {
		files := slices.DeleteFunc(w.files(), func(f string) bool { return !strings.Contains(f, "-") })
		file := files[rnd.IntN(len(files))]
		name := filepath.Join(w.dir(), file)
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		restored(t, name, damages["flip"](rnd, before), false)
		w.forge(file)
		w.note("memory/n5.md", text(rnd)) // drops a file of a segment
		ws := w.open()
		s, err := Refresh(context.Background(), ws, Options{Sleep: sleep})
		if err != nil {
			t.Fatalf("refresh: %v", err)
		}
		_, err = answersOf(s)
		var damaged *DamagedError
		if err != nil && !errors.Is(err, lexical.ErrCorrupt) && !errors.As(err, &damaged) && !strings.Contains(err.Error(), "found ") {
			t.Errorf("search in %s: %v", file, err)
		}
		s.Close()
		_ = ws.Repo.Close()
		if d := w.fresh().differs(w.refresh(Options{Rebuild: true})); d != "" {
			t.Fatalf("after a rebuild: %s", d)
		}
	}
}

// The index of the top level and those of other workspaces lie in one folder.
func TestDamageBesideOtherWorkspaces(t *testing.T) {
	t.Parallel()
	w := several(t)
	sub := &world{Repo: w.Repo, t: t, sub: "team/"}
	sub.note("memory/a.md", "- amber\n")
	want := sub.refresh(Options{})
	restored(t, filepath.Join(w.dir(), manifestName), []byte("x"), false)
	w.refresh(Options{Warn: func(string, ...any) {}})
	if got := sub.refresh(Options{}); got.built > 0 || want.differs(got) != "" {
		t.Errorf("damage at the top level: the workspace below it built %d", got.built)
	}
}

// A manifest of another version, of other settings, or of something else.
func TestOtherManifest(t *testing.T) {
	t.Parallel()
	w := several(t)
	want := w.same("at first")
	m, _, err := readManifest(w.dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*manifest){
		func(m *manifest) { m.Key = "2" + m.Key[1:] },
		func(m *manifest) { m.Key = "" },
		func(m *manifest) { m.Table.Name = "../" + m.Table.Name },
		func(m *manifest) { m.Table.Name = "" },
		func(m *manifest) { m.Segments = m.Segments[:1] },
		func(m *manifest) { m.Segments = append(slices.Clone(m.Segments), m.Segments[0]) },
		func(m *manifest) { m.Segments[0].Drops = []byte("none") },
		func(m *manifest) { m.Next = 0 },
		func(m *manifest) { m.Commit = gitops.ID{} },
		func(m *manifest) { m.Clock = 1 << 62 },
	} {
		other, _, err := readManifest(w.dir())
		if err != nil {
			t.Fatal(err)
		}
		change(other)
		_ = writeManifest(w.dir(), other, func(string) {})
		ws := w.open()
		s, err := Refresh(context.Background(), ws, Options{Sleep: sleep})
		if err != nil {
			t.Fatalf("manifest %+v: %v", other, err)
		}
		if _, err := answersOf(s); err != nil && other.Key == m.Key && len(other.Segments) == len(m.Segments) {
			t.Errorf("manifest %+v: %v", other, err)
		}
		s.Close()
		_ = ws.Repo.Close()
		if d := want.differs(w.refresh(Options{Rebuild: true})); d != "" {
			t.Fatalf("manifest %+v: after a rebuild %s", other, d)
		}
		m, _, _ = readManifest(w.dir())
	}
	// JSON that is none, under a right checksum.
	for _, text := range []string{"", "{", "null", "[]", `{"segments":[null]}`, `{"next":-5}`, `{"next":1e99}`} {
		sum := fmt.Sprintf("%08x\n%s", crc32.Checksum([]byte(text), castagnoli()), text)
		restored(t, filepath.Join(w.dir(), manifestName), []byte(sum), false)
		got := w.refresh(Options{Warn: t.Logf})
		if d := want.differs(got); d != "" || !got.saved {
			t.Errorf("manifest '%s': saved %v, %s", text, got.saved, d)
		}
	}
}

// Who merely met files of an update that was replaced puts nothing aside, and
// nobody does while another updates.
func TestQuarantineLooksTwice(t *testing.T) {
	t.Parallel()
	w := several(t)
	if damaged, ok := quarantine(context.Background(), w.dir(), false, sleep); damaged || !ok {
		t.Errorf("a sound index: damaged %v, ok %v", damaged, ok)
	}
	restored(t, filepath.Join(w.dir(), manifestName), []byte("x"), false)
	lock, err := await(context.Background(), sleep, filepath.Join(w.dir(), lockName))
	if err != nil {
		t.Fatal(err)
	}
	if damaged, ok := quarantine(context.Background(), w.dir(), false, nil); damaged || ok {
		t.Errorf("beside an update: damaged %v, ok %v", damaged, ok)
	}
	ws := w.open()
	s, err := Refresh(context.Background(), ws, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := w.fresh().differs(w.answers(s)); d != "" || s.Saved {
		t.Errorf("beside an update: saved %v, %s", s.Saved, d)
	}
	s.Close()
	_ = ws.Repo.Close()
	_ = lock.Close()
	if damaged, ok := quarantine(context.Background(), w.dir(), false, sleep); !damaged || !ok {
		t.Errorf("a damaged index: damaged %v, ok %v", damaged, ok)
	}
}
