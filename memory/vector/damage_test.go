package vector_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/vector"
)

// small writes a store of one file of two vectors and returns its bytes.
func small(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	add(t, open(t, dir, 9), some(1, 0, 2, 9))
	b, err := os.ReadFile(only(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read opens a directory that holds b as its only file, and checks what must hold
// for any b.
func read(t *testing.T, b []byte) (s *vector.Store, dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "damaged.vec"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, 9)
	for _, m := range scan(t, s, some(1, 0, 1, 9)[0].Vec, 10, nil) {
		if !s.Has(m.Hash) {
			t.Errorf("found %v", m)
		}
	}
	s.Has(hashOf(0))
	s.Has(hashOf(1))
	for _, e := range s.Stat().Damaged {
		if e.Path != filepath.Join(dir, "damaged.vec") || e.Reason == "" || !strings.Contains(e.Error(), "damaged.vec") {
			t.Errorf("damage is %+v", e)
		}
	}
	return s, dir
}

// use reads b and repairs it. It returns the state before the repair.
func use(t *testing.T, b []byte) vector.Stat {
	t.Helper()
	s, dir := read(t, b)
	st := s.Stat()
	if _, err := s.Keep(all); err != nil {
		t.Fatal(err)
	}
	add(t, s, some(1, 0, 2, 9)) // what an owner does that was told Has is false
	for _, s := range []*vector.Store{s, open(t, dir, 9)} {
		if again := s.Stat(); !s.Has(hashOf(0)) || !s.Has(hashOf(1)) || len(again.Damaged) != 0 {
			t.Errorf("after the repair: %+v", again)
		}
		if got := scan(t, s, some(1, 0, 1, 9)[0].Vec, 1, nil); got[0].Hash != hashOf(0) {
			t.Errorf("after the repair found %v", got)
		}
	}
	return st
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	whole := small(t)
	if st := use(t, whole); st.Vectors != 2 || len(st.Damaged)+st.Foreign != 0 {
		t.Fatalf("the undamaged file gives %+v", st)
	}
	for i := range whole {
		b := append([]byte(nil), whole...)
		b[i] ^= 0x10
		if st := use(t, b); len(st.Damaged)+st.Foreign == 0 {
			t.Errorf("byte %d of %d is flipped: %+v", i, len(whole), st)
		}
	}
}

func TestCutAndGrownFiles(t *testing.T) {
	t.Parallel()
	whole := small(t)
	for n := range whole {
		if st := use(t, whole[:n]); len(st.Damaged) != 1 || st.Files != 0 {
			t.Errorf("cut to %d bytes: %+v", n, st)
		}
	}
	if st := use(t, append(whole, 0)); len(st.Damaged) != 1 || st.Files != 0 {
		t.Errorf("one byte longer: %+v", st)
	}
}

func TestOneDamagedVectorCostsOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	entries := some(1, 0, 50, 16)
	add(t, open(t, dir, 16), entries)
	path := only(t, dir)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1 // the last component of the highest hash
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, 16)
	if got := scan(t, s, entries[0].Vec, 100, nil); len(got) != 49 {
		t.Errorf("found %d of 49", len(got))
	}
	lost := 0
	for _, e := range entries {
		if !s.Has(e.Hash) {
			lost++
		}
	}
	if st := s.Stat(); lost != 1 || st.Files != 1 || len(st.Damaged) != 1 {
		t.Errorf("%d lost, %+v", lost, st)
	}
	add(t, s, entries)
	if st := s.Stat(); st.Vectors != 50 || st.Files != 1 || len(st.Damaged) != 0 {
		t.Errorf("after adding again: %+v", st)
	}
}

// TestCutWhileOpen: a mapped file that is cut off would end the process with
// SIGBUS.
func TestCutWhileOpen(t *testing.T) {
	t.Parallel()
	ops := map[string]func(s *vector.Store){
		"scan": func(s *vector.Store) { scan(t, s, some(1, 0, 1, 64)[0].Vec, 5, nil) },
		"has":  func(s *vector.Store) { s.Has(hashOf(1999)); s.Has(hashOf(0)) },
		"keep": func(s *vector.Store) {
			if _, err := s.Keep(all); err != nil {
				t.Error(err)
			}
		},
		"merge": func(s *vector.Store) { add(t, s, some(7, 5000, 3000, 64)) },
	}
	for name, op := range ops {
		dir := t.TempDir()
		add(t, open(t, dir, 64), some(1, 0, 2000, 64))
		s := open(t, dir, 64)
		if err := os.Truncate(only(t, dir), 100); err != nil {
			t.Fatal(err)
		}
		op(s)
		if runtime.GOOS == "windows" {
			continue // not mapped: the store goes on with what it read
		}
		again := some(1, 0, 2000, 64)
		add(t, s, again)
		if !s.Has(hashOf(0)) || !s.Has(hashOf(1999)) {
			t.Errorf("%s: what was added is not there", name)
		}
		fresh := open(t, dir, 64)
		if st := fresh.Stat(); len(st.Damaged) != 0 || !fresh.Has(hashOf(1999)) {
			t.Errorf("%s: left behind %+v", name, st)
		}
	}
}

func TestPanicsOfCallersGoThrough(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 2)
	add(t, s, some(1, 0, 3, 2))
	mine := errors.New("mine")
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, mine) {
			t.Errorf("recovered %v", err)
		}
	}()
	_, err := s.Scan([]float32{1, 2}, 1, func([16]byte) bool { panic(mine) })
	t.Errorf("no panic: %v", err)
}

func TestStrangeThingsInTheDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.vec"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, 2)
	if st := s.Stat(); len(st.Damaged) != 1 || st.Files != 0 {
		t.Errorf("stat is %+v", st)
	}
	add(t, s, some(1, 0, 3, 2))
	if err := s.Drop(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) != 1 || left[0] != "README" {
		t.Errorf("left are %q", left)
	}
}

// FuzzOpen tries each input as it is and with sums that fit, which is as far as
// chance never gets.
func FuzzOpen(f *testing.F) {
	whole := small(f)
	f.Add(whole)
	f.Add(whole[:40])
	f.Add([]byte("clawvec\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		read(t, b)
		if vector.Reseal(b) {
			read(t, b)
		}
	})
}
