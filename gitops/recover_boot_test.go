//go:build unix

package gitops_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// lostPower is a repository with some commits, and every state that its files had
// between them: the very files, as a disk has them that lost the renames since.
type lostPower struct {
	t    *testing.T
	r    *gittest.Repo
	repo *gitops.Repo

	branch string
	n      int
}

const placedFile, savedFile, newFile = "memory/2026-03-01.md", "MEMORY.md", "memory/new/n.md"

func newLostPower(t *testing.T, opts ...gittest.Option) *lostPower {
	t.Helper()
	p := &lostPower{t: t, r: gittest.New(t, opts...)}
	p.repo = p.r.Open()
	p.branch = p.r.Git("symbolic-ref", "HEAD")
	p.keep()
	return p
}

// keep keeps the files of this moment by hard links.
func (p *lostPower) keep() {
	for _, name := range p.names() {
		if _, err := os.Lstat(p.path(name)); err == nil {
			must(p.t, os.Link(p.path(name), p.kept(name, p.n)))
		}
	}
	p.n++
}

func (p *lostPower) names() []string { return []string{"ref", "index", "log", "file"} }

func (p *lostPower) path(name string) string {
	switch name {
	case "ref":
		return p.repo.CommonDir + "/" + p.branch
	case "index":
		return p.repo.GitDir + "/index"
	case "log":
		return p.repo.CommonDir + "/logs/" + p.branch
	}
	return p.r.Path(placedFile)
}

func (p *lostPower) kept(name string, n int) string {
	return fmt.Sprintf("%s/kept-%s-%d", p.r.Base, name, n)
}

// lose puts back the file of an earlier moment.
func (p *lostPower) lose(name string, n int) {
	if _, err := os.Lstat(p.kept(name, n)); err != nil {
		must(p.t, os.Remove(p.path(name)))
		return
	}
	must(p.t, os.Rename(p.kept(name, n), p.path(name)))
}

// commit commits one file that was edited, one that is placed, and at first one
// that is new.
func (p *lostPower) commit() gitops.Result {
	p.t.Helper()
	ctx := context.Background()
	p.r.Append(savedFile, fmt.Sprintf("- saved %d\n", p.n))
	tx, _, err := gittest.Transaction(ctx, p.repo, fmt.Sprintf("commit %d\n", p.n), savedFile)
	must(p.t, err)
	tx.Changes = append(tx.Changes, p.placed(placedFile, true))
	if _, err := os.Lstat(p.r.Path(newFile)); err != nil {
		tx.Changes = append(tx.Changes, p.placed(newFile, false))
	}
	res, err := p.repo.Writer(gitops.WriterOptions{}).Commit(ctx, tx)
	must(p.t, err)
	p.keep()
	return res
}

func (p *lostPower) placed(name string, existed bool) gitops.Change {
	var base []byte
	var id gitops.ID
	if existed {
		base = []byte(p.r.Read(name))
		id = p.repo.BlobID(base)
	}
	content := append(base[:len(base):len(base)], fmt.Sprintf("- placed %d\n", p.n)...)
	return gitops.Change{
		Path: name, Content: content, HeadID: id, IndexID: id,
		Place: &gitops.Place{Base: base, Existed: existed, Content: content},
	}
}

// boot is the first command after the machine was started again.
func (p *lostPower) boot() {
	p.t.Helper()
	gitops.WithBoot(p.repo, "another boot")
	if !p.repo.NeedsRecovery() {
		p.t.Error("nobody looks after the boot")
	}
	left, err := p.repo.Recover(context.Background())
	if err != nil || len(left) > 0 {
		p.t.Errorf("recover: %q %v", left, err)
	}
	if p.repo.NeedsRecovery() {
		p.t.Error("the journal is not renewed")
	}
}

// objects lists the files of the objects that the commits since the first wrote.
func (p *lostPower) objects() []string {
	var out []string
	for _, line := range strings.Split(p.r.Git("rev-list", "--objects", "HEAD", "^HEAD~"+fmt.Sprint(p.n-1)), "\n") {
		id := strings.Fields(line)[0]
		out = append(out, filepath.Join(p.repo.CommonDir, "objects", id[:2], id[2:]))
	}
	return out
}

// check: all of the commits are there, in history, index and work tree.
func (p *lostPower) check(head string) {
	p.t.Helper()
	_ = os.Remove(p.r.GitPath("index.damaged"))
	p.r.CheckClean()
	if now := p.r.Head(); now != head {
		p.t.Errorf("HEAD is %s, want %s", now, head)
	}
	for name, line := range map[string]string{savedFile: "saved", placedFile: "placed"} {
		for i := 1; i < p.n; i++ {
			if want := fmt.Sprintf("- %s %d\n", line, i); !strings.Contains(p.r.Read(name), want) || !strings.Contains(p.r.InHead(name), want) {
				p.t.Errorf("%q is lost", want)
			}
		}
	}
	if n := len(strings.Fields(p.r.Git("reflog", "--format=%H", "HEAD"))); n < p.n {
		p.t.Errorf("%d lines in the reflog, want %d", n, p.n)
	}
}

// Whatever the disk lost of three commits comes back.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"plain", "linked worktree"} {
		var opts []gittest.Option
		if shape != "plain" {
			opts = []gittest.Option{gittest.LinkedWorktree()}
		}
		for mask := range 1 << 4 {
			for back := range 3 {
				t.Run(fmt.Sprintf("%s/%04b/%d", shape, mask, back), func(t *testing.T) {
					t.Parallel()
					p := newLostPower(t, opts...)
					for range 3 {
						p.commit()
					}
					head := p.r.Head()
					objects := p.objects()
					for i, name := range p.names() {
						if mask&(1<<i) != 0 {
							p.lose(name, back)
						}
					}
					for i, name := range objects {
						must(t, os.Chmod(name, 0o644))
						switch (i + mask) % 4 {
						case 0:
							must(t, os.Remove(name))
						case 1:
							must(t, os.Truncate(name, 0))
						case 2:
							must(t, os.WriteFile(name, make([]byte, 100), 0o644))
						}
					}
					p.boot()
					p.check(head)
				})
			}
		}
	}
}

// Files that are there and hold nothing.
func TestPowerCutEmptiesFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ref", "index", "file", "all"} {
		for _, zeros := range []bool{false, true} {
			t.Run(fmt.Sprint(name, zeros), func(t *testing.T) {
				t.Parallel()
				p := newLostPower(t)
				p.commit()
				p.commit()
				head := p.r.Head()
				for _, n := range []string{"ref", "index", "file"} {
					if n != name && name != "all" {
						continue
					}
					fi, err := os.Lstat(p.path(n))
					must(t, err)
					f, err := os.OpenFile(p.path(n), os.O_WRONLY, 0)
					must(t, err)
					must(t, f.Truncate(0))
					if zeros {
						must(t, f.Truncate(fi.Size()))
					}
					must(t, f.Close())
					must(t, os.Chtimes(p.path(n), fi.ModTime(), fi.ModTime()))
				}
				// git cannot even find the repository's HEAD now.
				p.boot()
				p.check(head)
			})
		}
	}
}

// What a person did since is not undone, whatever the journal still holds.
func TestBootLeavesWhatWasDoneSince(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		do     func(p *lostPower)
		status []string
	}{
		"nothing":     {do: func(*lostPower) {}},
		"reset":       {do: func(p *lostPower) { p.r.Git("reset", "-q", "--hard", "HEAD~1") }},
		"soft reset":  {do: func(p *lostPower) { p.r.Git("reset", "-q", "--soft", "HEAD~1") }, status: []string{"M  " + placedFile, "M  " + savedFile}},
		"mixed reset": {do: func(p *lostPower) { p.r.Git("reset", "-q", "HEAD~1") }, status: []string{" M " + placedFile, " M " + savedFile}},
		"revert":      {do: func(p *lostPower) { p.r.Git("revert", "--no-edit", "HEAD") }},
		"amend":       {do: func(p *lostPower) { p.r.Git("commit", "-q", "--amend", "-m", "other") }},
		"switch":      {do: func(p *lostPower) { p.r.Git("switch", "-q", "-c", "other", "HEAD~1") }},
		"delete": {do: func(p *lostPower) {
			p.r.Git("switch", "-q", "--detach", "HEAD~1")
			p.r.Git("branch", "-q", "-D", "main")
		}},
		"pack":          {do: func(p *lostPower) { p.r.Git("gc", "-q") }},
		"edit":          {do: func(p *lostPower) { p.r.Write(placedFile, "by hand\n") }, status: []string{" M " + placedFile}},
		"edit back":     {do: func(p *lostPower) { p.r.Write(placedFile, "## morning\n- note\n") }, status: []string{" M " + placedFile}},
		"empty":         {do: func(p *lostPower) { p.r.Write(placedFile, "") }, status: []string{" M " + placedFile}},
		"remove":        {do: func(p *lostPower) { p.r.Remove(newFile) }, status: []string{" D " + newFile}},
		"stage":         {do: func(p *lostPower) { p.r.Write(placedFile, "by hand\n"); p.r.Git("add", placedFile) }, status: []string{"M  " + placedFile}},
		"unstage":       {do: func(p *lostPower) { p.r.Git("reset", "-q", "HEAD~1", "--", placedFile) }, status: []string{"MM " + placedFile}},
		"remove staged": {do: func(p *lostPower) { p.r.Git("rm", "-q", savedFile) }, status: []string{"D  " + savedFile}},
		"ref deleted":   {do: func(p *lostPower) { p.r.Git("update-ref", "-d", "refs/claw/x") }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newLostPower(t)
			p.commit()
			res := p.commit()
			must(t, p.repo.Writer(gitops.WriterOptions{}).UpdateRefs(context.Background(),
				[]gitops.RefUpdate{{Name: "refs/claw/x", New: res.Commit}}, "x"))
			test.do(p)
			before := p.r.Git("show-ref", "--head") + gittest.ReadFile(t, p.r.GitPath("HEAD"))
			p.boot()
			if after := p.r.Git("show-ref", "--head") + gittest.ReadFile(t, p.r.GitPath("HEAD")); after != before {
				t.Errorf("refs were\n%s\nand are\n%s", before, after)
			}
			p.r.CheckClean(test.status...)
		})
	}
}
