//go:build unix

package gitops_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// packed makes a repository of many versions in several packs.
func packed(t *testing.T, config ...string) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	for i := 0; i+1 < len(config); i += 2 {
		r.Git("config", config[i], config[i+1])
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	text := make([]byte, 0, 40_000)
	for i := range 60 {
		text = fmt.Appendf(text, "- line %d of %d\n", i, rnd.Uint64())
		if i%7 == 6 {
			text = text[rnd.IntN(len(text)/2):]
		}
		r.Write("MEMORY.md", string(text))
		r.Write(fmt.Sprintf("notes/n%d.md", i), string(text[len(text)/2:]))
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", fmt.Sprint(i))
		if i%20 == 19 {
			r.Git("repack", "-q", "-d", "-f", "--depth=40")
		}
	}
	return r
}

// Every object of a pack is read as git reads it, whatever it is a delta of.
func TestPackReader(t *testing.T) {
	t.Parallel()
	for name, config := range map[string][]string{
		"by place": nil, "by id": {"repack.usedeltabaseoffset", "false"}, "with a list of packs": {"core.multipackindex", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := packed(t, config...)
			if name == "with a list of packs" {
				r.Git("multi-pack-index", "write")
			}
			repo := r.Open()
			read := gitops.NewPackReader(repo)
			seen := 0
			for hex, want := range everyObject(t, r) {
				id, err := gitops.ParseID(hex)
				if err != nil {
					t.Fatal(err)
				}
				// More than are read that way: go-git goes on.
				if b, err := gitops.ReadObject(context.Background(), repo.Objects(), id, want[0]); err != nil || string(b) != want[1] {
					t.Errorf("%s %s: %d bytes, want %d, %v", want[0], id.Short(), len(b), len(want[1]), err)
				}
				b, ok := read(id, want[0])
				if loose, err := os.Stat(r.GitPath("objects/" + hex[:2] + "/" + hex[2:])); err == nil && loose != nil {
					continue
				}
				if !ok || string(b) != want[1] {
					t.Errorf("%s %s: %v, %d bytes, want %d", want[0], id.Short(), ok, len(b), len(want[1]))
				}
				seen++
			}
			if seen < 200 {
				t.Errorf("only %d objects were read from packs", seen)
			}
			id, err := gitops.ParseID(fmt.Sprintf("%040x", 12345))
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := read(id, "blob"); ok {
				t.Error("an object that is not there was read")
			}
		})
	}
}

// A damaged pack or index gives nothing, or what git wrote; never anything else.
func TestPackReaderDamaged(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	r := packed(t)
	r.Git("repack", "-q", "-a", "-d", "-f")
	good := everyObject(t, r)
	for _, ext := range []string{".pack", ".idx"} {
		files, err := filepath.Glob(r.GitPath("objects/pack") + "/*" + ext)
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		whole, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(files[0], 0o644); err != nil {
			t.Fatal(err)
		}
		rnd := rand.New(rand.NewPCG(5, 6))
		missed := 0
		for range 60 {
			bad := bytes.Clone(whole)
			for range 1 + rnd.IntN(20) {
				bad[rnd.IntN(len(bad))] ^= byte(1 + rnd.IntN(255))
			}
			if rnd.IntN(4) == 0 {
				bad = bad[:rnd.IntN(len(bad))]
			}
			if err := os.WriteFile(files[0], bad, 0o644); err != nil {
				t.Fatal(err)
			}
			repo := r.Open()
			read := gitops.NewPackReader(repo)
			for hex, want := range good {
				id, err := gitops.ParseID(hex)
				if err != nil {
					t.Fatal(err)
				}
				b, ok := read(id, want[0])
				if !ok {
					missed++
				}
				if ok && string(b) != want[1] {
					t.Errorf("%s %s is read as %q", want[0], id.Short(), b)
				}
			}
			_ = repo.Close()
		}
		if missed == 0 {
			t.Errorf("no damage to %s was noticed", ext)
		}
		if err := os.WriteFile(files[0], whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A pack that comes while the repository is open is found, and one that goes is not
// missed.
func TestPackReaderFollows(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	read := gitops.NewPackReader(r.Open())
	for i := range 3 {
		r.Write("MEMORY.md", fmt.Sprintf("- %d\n", i))
		r.Git("commit", "-q", "-a", "-m", "x")
		r.Git("repack", "-q", "-a", "-d")
		id, err := gitops.ParseID(r.Git("rev-parse", "HEAD:MEMORY.md"))
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := read(id, "blob"); !ok || string(b) != fmt.Sprintf("- %d\n", i) {
			t.Errorf("round %d: %v %q", i, ok, b)
		}
	}
}
