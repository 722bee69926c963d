//go:build unix

package gitops_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// An edit that leaves the size as it is, made between the look at a file and the end
// of its second, must show, even when the index is written in the next second.
func TestEditBeforeTheSecondEnds(t *testing.T) {
	t.Parallel()
	for name, point := range map[string]string{"saved": "drafted", "placed": "looked"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 10 { // the machine may take longer than a second
				if editBeforeTheSecondEnds(t, point) {
					return
				}
			}
			t.Error("no save was quick enough")
		})
	}
}

func editBeforeTheSecondEnds(t *testing.T, at string) (done bool) {
	t.Helper()
	r := gittest.New(t)
	repo := r.Open()
	defer func() { _ = repo.Close() }()
	if !gitops.LocalDisk(r.Dir) {
		t.Skip("the disk is not known to be local")
	}
	time.Sleep(1100 * time.Millisecond) // so that what is there is not racily clean
	r.Git("update-index", "-q", "--refresh")
	old := r.Read("MEMORY.md")
	text, edit := "- placed by us\n", "- typed by one\n"
	ch := gitops.Change{Path: "MEMORY.md", Content: []byte(text), HeadID: repo.BlobID([]byte(old)), IndexID: repo.BlobID([]byte(old))}
	if at == "looked" {
		ch.Place = &gitops.Place{Base: []byte(old), Existed: true, Content: []byte(text)}
	}
	var second int64
	seam := gitops.Seam{At: func(point string) {
		if point != at {
			return
		}
		f, err := os.OpenFile(r.Path("MEMORY.md"), os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := f.WriteAt([]byte(edit), 0); err != nil {
			t.Error(err)
		}
		second = mtime(t, f)
		_ = f.Close()
		time.Sleep(time.Until(time.Unix(second+1, int64(50*time.Millisecond))))
	}}
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(1200 * time.Millisecond)))
	began := time.Now().Unix()
	if ch.Place == nil {
		r.Write("MEMORY.md", text)
	}
	_, err := repo.Writer(seam.With(gitops.WriterOptions{})).Commit(context.Background(), gitops.Tx{Message: "x\n", Changes: []gitops.Change{ch}})
	if err != nil {
		t.Fatal(err)
	}
	if second != began {
		return false
	}
	r.CheckClean(" M MEMORY.md")
	return true
}

func mtime(t *testing.T, f *os.File) int64 {
	t.Helper()
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return fi.ModTime().Unix()
}
