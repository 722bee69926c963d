package gitops_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// everyObject reads all objects with git cat-file: id to kind and content.
func everyObject(t *testing.T, r *gittest.Repo) map[string][2]string {
	t.Helper()
	out, err := r.TryEnv(nil, "", "cat-file", "--batch", "--batch-all-objects", "--unordered")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][2]string{}
	in := bufio.NewReader(strings.NewReader(out + "\n"))
	for {
		var id, kind string
		var size int
		head, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return all
		}
		if _, err := fmt.Sscanf(head, "%s %s %d\n", &id, &kind, &size); err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		b := make([]byte, size+1)
		if _, err := io.ReadFull(in, b); err != nil {
			t.Fatal(err)
		}
		all[id] = [2]string{kind, string(b[:size])}
	}
}

func TestObjectsEqualCatFile(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]gittest.Option{
		"loose": nil, "packed": {gittest.Packed()}, "sha256": {gittest.SHA256()}, "alternates": {gittest.Alternates()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, opts...)
			long := strings.Repeat("a line that is in many versions of the file\n", 400)
			for i := range 12 { // deltas
				r.Write("MEMORY.md", fmt.Sprintf("%s- fact %d\n", long, i))
				r.Git("commit", "-q", "-a", "-m", fmt.Sprint(i))
			}
			r.Write("empty", "")
			r.Write("binary", string([]byte{0, 1, 2, 255}))
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "odd")
			if name == "packed" {
				r.Git("repack", "-q", "-a", "-d", "-f", "--depth=50")
			}
			objects := r.Open().Objects()
			ctx := context.Background()
			seen := 0
			for hex, want := range everyObject(t, r) {
				id, err := gitops.ParseID(hex)
				if err != nil {
					t.Fatal(err)
				}
				b, err := gitops.ReadObject(ctx, objects, id, want[0])
				if err != nil || string(b) != want[1] {
					t.Errorf("%s %s: %d bytes, want %d (%v)", want[0], id.Short(), len(b), len(want[1]), err)
				}
				if name != "sha256" && name != "alternates" && !gitops.ThroughGoGit(objects, id, want[0]) {
					t.Errorf("go-git does not see %s %s", want[0], id.Short())
				}
				wrong := map[string]string{"blob": "tree", "tree": "commit", "commit": "blob"}[want[0]]
				if _, err := gitops.ReadObject(ctx, objects, id, wrong); err == nil {
					t.Errorf("%s %s was read as a %s", want[0], id.Short(), wrong)
				}
				seen++
			}
			if seen < 40 {
				t.Errorf("only %d objects", seen)
			}
		})
	}
}

// A blob that is larger than is asked for is refused, wherever it lies, and the ones
// after it are read.
func TestBlobWithin(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]gittest.Option{
		"loose": nil, "packed": {gittest.Packed()}, "sha256": {gittest.SHA256()}, "alternates": {gittest.Alternates()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, opts...)
			sizes := map[string]int{"small": 10, "even": 1000, "large": 1001, "huge": 2 << 20}
			for file, n := range sizes {
				r.Write(file, strings.Repeat(file[:1], n))
			}
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "sizes")
			if name == "packed" {
				r.Git("repack", "-q", "-a", "-d")
			}
			objects, ctx := r.Open().Objects(), context.Background()
			for range 3 { // the first few objects of a pack are read another way
				for _, file := range []string{"huge", "small", "large", "even"} {
					id, err := gitops.ParseID(r.Git("rev-parse", "HEAD:"+file))
					if err != nil {
						t.Fatal(err)
					}
					b, err := objects.BlobWithin(ctx, id, 1000)
					if over := sizes[file] > 1000; errors.Is(err, gitops.ErrTooLarge) != over || !over && (err != nil || len(b) != sizes[file]) {
						t.Fatalf("%s: %d bytes, %v", file, len(b), err)
					}
					if b, err := objects.BlobWithin(ctx, id, 0); err != nil || len(b) != sizes[file] {
						t.Fatalf("%s without a limit: %d bytes, %v", file, len(b), err)
					}
				}
			}
		})
	}
}

func TestMissingObject(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	objects, ctx := r.Open().Objects(), context.Background()
	id, err := gitops.ParseID(strings.Repeat("ab", 20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := objects.Blob(ctx, id); !errors.Is(err, gitops.ErrNoObject) {
		t.Errorf("error is %v", err)
	}
	if _, err := objects.Blob(ctx, gitops.ID{}); !errors.Is(err, gitops.ErrNoObject) {
		t.Errorf("error is %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := objects.Blob(cancelled, id); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// Objects that appear or move while the repository is open are found, from
// several goroutines.
func TestObjectsMove(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo, ctx := r.Open(), context.Background()
	read := func() error {
		h, err := repo.Head(ctx)
		if err != nil {
			return err
		}
		c, err := repo.Objects().Commit(ctx, h.Commit)
		if err != nil {
			return err
		}
		e, ok, err := repo.Objects().Lookup(ctx, c.Tree, "notes/deep/er/a.md")
		if err != nil || !ok {
			return fmt.Errorf("%v %w", ok, err)
		}
		b, err := repo.Objects().Blob(ctx, e.ID)
		if string(b) != "a\n" {
			return fmt.Errorf("%q %w", b, err)
		}
		return err
	}
	for i := range 4 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := read(); err != nil {
					t.Errorf("round %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		r.Append("MEMORY.md", "- x\n")
		r.Git("commit", "-q", "-a", "-m", "x")
		r.Git("repack", "-q", "-a", "-d")
		r.Git("pack-refs", "--all")
	}
}

// A broken pack is git's to complain about; go-git would panic or lie.
func TestBrokenPack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	r := gittest.New(t, gittest.Packed())
	packs, err := filepath.Glob(r.GitPath("objects/pack") + "/*.pack")
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	b, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(packs[0], 0o644); err != nil {
		t.Fatal(err)
	}
	repo, ctx := r.Open(), context.Background()
	head, err := repo.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	good := everyObject(t, r)
	for at := 12; at < len(b)-20; at += 7 {
		bad := bytes.Clone(b)
		bad[at] ^= 0x55
		if err := os.WriteFile(packs[0], bad, 0o644); err != nil {
			t.Fatal(err)
		}
		again := r.Open()
		if c, err := again.Objects().Commit(ctx, head.Commit); err == nil && c.Tree.String() != r.Git("log", "-1", "--format=%T") {
			t.Errorf("byte %d: commit is %+v", at, c)
		}
		for hex, want := range good {
			id, err := gitops.ParseID(hex)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := gitops.ReadObject(ctx, again.Objects(), id, want[0]); err == nil && string(got) != want[1] {
				t.Errorf("byte %d: %s %s is read as %q", at, want[0], id.Short(), got)
			}
		}
		_ = again.Close()
	}
	if err := os.WriteFile(packs[0], b, 0o644); err != nil {
		t.Fatal(err)
	}
	r.CheckClean()
}
