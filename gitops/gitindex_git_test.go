package gitops_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

type patches []gitops.IndexPatch

// patchCase is a commit onto an index.
type patchCase struct {
	opts  []gittest.Option
	setUp func(l *indexLab)
	do    func(l *indexLab) patches
	part  bool // TREE does not know all of the index
}

// long is a directory of 4020 bytes.
var long = strings.Repeat(strings.Repeat("x", 200)+"/", 20)

// plainCases start from an index that is HEAD.
var plainCases = map[string]patchCase{
	"change": {do: func(l *indexLab) patches { return patches{l.set("notes/deep/er/a.md", "2\n")} }},
	"several": {do: func(l *indexLab) patches {
		return patches{
			l.set("MEMORY.md", "2\n"), l.set("zzz", "z\n"), l.set("AAA", "a\n"), del("src/main.txt"), l.set("notes/c.md", "c\n"),
			l.set("notes/deep/a", "a\n"), l.set("memory/2026-02-28.md", "x\n"), del("notes/b.md"),
		}
	}},
	"new directories": {do: func(l *indexLab) patches {
		return patches{l.set("memory/2026/11/a.md", "a\n"), l.set("memory/2026/12/b.md", "b\n"), l.set("m/x", "x\n")}
	}},
	"last of a directory": {do: func(l *indexLab) patches { return patches{del("notes/deep/er/a.md"), del("src/main.txt")} }},
	"everything removed": {do: func(l *indexLab) patches {
		var all patches
		for p := range strings.SplitSeq(l.Git("ls-files"), "\n") {
			all = append(all, del(p))
		}
		return all
	}},
	"nothing":        {do: func(*indexLab) patches { return nil }},
	"removed before": {do: func(*indexLab) patches { return patches{del("none"), del("notes/none"), del("notes")} }},
	"file for directory": {do: func(l *indexLab) patches {
		return patches{del("notes/deep/er/a.md"), l.set("notes/deep", "a file\n")}
	}},
	"directory for file": {do: func(l *indexLab) patches { return patches{del("MEMORY.md"), l.set("MEMORY.md/of/x", "x\n")} }},
	"order": {
		setUp: func(l *indexLab) {
			for _, p := range []string{"a.b", "a/b", "a/b/c-", "a0", "a-", "a/b0"} {
				if p != "a/b" {
					l.Write(p, p)
				}
			}
			l.Git("add", "-A")
			l.Git("commit", "-q", "-m", "x")
		},
		do: func(l *indexLab) patches {
			return patches{l.set("a/b/a", "1"), l.set("a/a", "2"), l.set("a/b.c", "3"), l.set("a.a", "4"), l.set("a00", "5"), l.set("a/b/d", "6")}
		},
	},
	"names": {do: func(l *indexLab) patches {
		return patches{
			l.set("sp ace/x y", "1"), l.set("\xff\xfe/\x80", "2"), l.set("new\nline", "3"), l.set("-dash", "4"), l.set(":(top)x", "5"),
			l.set(long+"4094", "6"), l.set(long+strings.Repeat("y", 75), "7"), l.set(long+strings.Repeat("y", 76), "8"), l.set(long+strings.Repeat("z", 3000), "9"),
		}
	}},
	"modes": {do: func(l *indexLab) patches {
		x, ln, sub := l.set("bin/run.sh", "x"), l.set("notes/link", "target"), l.set("MEMORY.md", "x\n")
		x.Mode, ln.Mode, sub.Mode = gitops.ModeFile, gitops.ModeSymlink, gitops.ModeExecutable
		return patches{x, ln, sub}
	}},
	"unborn": {opts: []gittest.Option{gittest.Unborn()}, do: func(l *indexLab) patches { return patches{l.set("a/b", "1"), l.set("c", "2")} }},
	"unborn with staged files": {
		opts: []gittest.Option{gittest.Unborn()}, part: true,
		setUp: func(l *indexLab) { l.Write("a/s", "1"); l.Write("b/t/c", "2"); l.Git("add", "-A") },
		do:    func(l *indexLab) patches { return patches{l.set("a/b", "1"), l.set("b/c/d", "2"), l.set("b/t/c", "2")} },
	},
}

// stagedCases start from one that is not.
var stagedCases = map[string]patchCase{
	"staged elsewhere": {
		part:  true,
		setUp: func(l *indexLab) { l.Append("AGENTS.md", "x\n"); l.Write("notes/new", "x\n"); l.Git("add", "-A") },
		do:    func(l *indexLab) patches { return patches{l.set("MEMORY.md", "2\n"), l.set("notes/deep/er/b", "2\n")} },
	},
	"staged elsewhere, tree known": {
		part: true,
		setUp: func(l *indexLab) {
			l.Append("AGENTS.md", "x\n")
			l.Write("notes/new", "x\n")
			l.Git("add", "-A")
			l.Git("write-tree") // TREE describes the index, not HEAD
		},
		do: func(l *indexLab) patches { return patches{l.set("MEMORY.md", "2\n"), l.set("notes/deep/er/b", "2\n")} },
	},
	"staged already": {
		part:  true,
		setUp: func(l *indexLab) { l.Write("new/a", "1"); l.Append("MEMORY.md", "2\n"); l.Git("add", "-A") },
		do: func(l *indexLab) patches {
			return patches{l.set("new/a", "1"), l.set("MEMORY.md", "# Memory\n\n- one fact\n2\n")}
		},
	},
	"staged already, tree known": {
		setUp: func(l *indexLab) {
			l.Write("new/a", "1")
			l.Append("MEMORY.md", "2\n")
			l.Git("add", "-A")
			l.Git("write-tree")
		},
		do: func(l *indexLab) patches {
			return patches{l.set("new/a", "1"), l.set("MEMORY.md", "# Memory\n\n- one fact\n2\n")}
		},
	},
	"kept": {
		part:  true,
		setUp: func(l *indexLab) { l.Append("notes/b.md", "x\n"); l.Git("add", "-A"); l.Git("write-tree") },
		do: func(l *indexLab) patches {
			k := l.set("notes/b.md", "of the commit\n")
			k.Keep = true
			return patches{k, l.set("notes/deep/er/a.md", "2\n")}
		},
	},
	"intent to add": {
		part:  true,
		setUp: func(l *indexLab) { l.Write("new/a", "1"); l.Write("new/b", "1"); l.Git("add", "-N", "new/a", "new/b") },
		do:    func(l *indexLab) patches { return patches{l.set("new/a", "1"), l.set("c", "1")} },
	},
	"version 3 becomes 2": {
		part:  true,
		setUp: func(l *indexLab) { l.Write("new/a", "1"); l.Git("add", "-N", "new/a") },
		do:    func(l *indexLab) patches { return patches{l.set("new/a", "1")} },
	},
	"assume valid": {
		setUp: func(l *indexLab) {
			l.Git("update-index", "--assume-unchanged", "MEMORY.md", "AGENTS.md")
			l.Git("write-tree")
		},
		do: func(l *indexLab) patches { return patches{l.set("MEMORY.md", "2\n")} },
	},
	"skip worktree elsewhere": {
		setUp: func(l *indexLab) {
			l.Git("update-index", "--skip-worktree", "MEMORY.md", "notes/b.md")
			l.Git("write-tree")
		},
		do: func(l *indexLab) patches { return patches{l.set("AGENTS.md", "2\n"), l.set("notes/c", "2\n")} },
	},
	"submodule": {
		setUp: func(l *indexLab) {
			l.Git("update-index", "--add", "--cacheinfo", "160000,"+l.Git("rev-parse", "HEAD")+",notes/sub")
			l.Git("commit", "-q", "-m", "x")
		},
		do: func(l *indexLab) patches { return patches{l.set("notes/sub.md", "2\n")} },
	},
	"resolved conflict": {
		setUp: func(l *indexLab) {
			l.Git("checkout", "-q", "-b", "other")
			l.Write("MEMORY.md", "theirs\n")
			l.Git("commit", "-q", "-a", "-m", "x")
			l.Git("checkout", "-q", "main")
			l.Write("MEMORY.md", "ours\n")
			l.Git("commit", "-q", "-a", "-m", "x")
			_, _ = l.Try("merge", "-q", "other")
			l.Write("MEMORY.md", "both\n")
			l.Git("add", "MEMORY.md")
			l.Git("commit", "-q", "-m", "merged")
		},
		do: func(l *indexLab) patches { return patches{l.set("MEMORY.md", "2\n")} },
	},
	"without TREE": {
		part: true,
		setUp: func(l *indexLab) {
			l.Git("rm", "-q", "-r", "--cached", ".")
			l.check(os.Remove(l.file))
			l.Git("add", "-A")
		},
		do: func(l *indexLab) patches { return patches{l.set("MEMORY.md", "2\n"), l.set("new/a", "2\n")} },
	},
}

// Each commit gives the index that git makes of it.
func TestPatchIndex(t *testing.T) {
	t.Parallel()
	cases := maps.Clone(plainCases)
	maps.Copy(cases, stagedCases)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newIndexLab(t, c.opts...)
			if c.setUp != nil {
				c.setUp(l)
			}
			l.patch(c.do(l), !c.part)
		})
	}
}

// After a commit by hand around the patched index, git finds nothing to do, and
// writes the same bytes: stat data, TREE and all.
func TestPatchIndexIsWhatGitCommits(t *testing.T) {
	t.Parallel()
	l := newIndexLab(t)
	old, head := l.raw(), l.headTree()
	l.Write("MEMORY.md", "changed\n")
	l.Write("new/er/a.md", "new\n")
	l.check(os.Remove(l.Path("notes/deep/er/a.md")))
	l.Git("add", "-A")
	l.Git("commit", "-q", "-m", "x")
	moves := l.moves(head, l.headTree())
	list := []gitops.IndexPatch{l.set("MEMORY.md", "changed\n"), l.set("new/er/a.md", "new\n"), del("notes/deep/er/a.md")}
	for i := range list {
		list[i].File = l.Path(list[i].Path)
	}
	got, err := gitops.PatchIndex(old, list, moves, gitops.PatchOptions{})
	l.check(err)
	if want := l.raw(); !bytes.Equal(got, want) {
		t.Errorf("the index is\n%q\ngit makes\n%q", got, want)
	}
	l.check(os.WriteFile(l.file, got, 0o666))
	l.CheckClean()
}

// What an index cannot take is refused by name.
func TestPatchIndexRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setUp func(l *indexLab)
		do    func(l *indexLab) []gitops.IndexPatch
		is    func(error) bool
	}{
		"skip-worktree": {
			func(l *indexLab) { l.Git("update-index", "--skip-worktree", "MEMORY.md") },
			func(l *indexLab) []gitops.IndexPatch { return []gitops.IndexPatch{l.set("MEMORY.md", "x")} },
			is[*gitops.SparseError],
		},
		"skip-worktree in the way": {
			func(l *indexLab) { l.Git("update-index", "--skip-worktree", "notes/b.md") },
			func(l *indexLab) []gitops.IndexPatch {
				return []gitops.IndexPatch{l.set("notes", "x"), del("notes/deep/er/a.md")}
			},
			is[*gitops.SparseError],
		},
		"unmerged elsewhere": {
			func(l *indexLab) {
				id := l.blob("x")
				_, err := l.TryEnv(nil, fmt.Sprintf("100644 %s 1\tu\n100644 %s 2\tu\n100644 %s 3\tu\n", id, id, id), "update-index", "--index-info")
				l.check(err)
			},
			func(l *indexLab) []gitops.IndexPatch { return []gitops.IndexPatch{l.set("MEMORY.md", "x")} },
			func(err error) bool {
				var p *gitops.ProgressError
				return errors.As(err, &p) && slices.Equal(p.Paths, []string{"u"})
			},
		},
		"file in the way":   {nil, func(l *indexLab) []gitops.IndexPatch { return []gitops.IndexPatch{l.set("MEMORY.md/x", "x")} }, is[*gitops.ClashError]},
		"folder in the way": {nil, func(l *indexLab) []gitops.IndexPatch { return []gitops.IndexPatch{l.set("notes", "x")} }, is[*gitops.ClashError]},
		"each other": {nil, func(l *indexLab) []gitops.IndexPatch {
			return []gitops.IndexPatch{l.set("n/x/y", "x"), l.set("n", "x")}
		}, is[*gitops.ClashError]},
		"twice":   {nil, func(l *indexLab) []gitops.IndexPatch { return []gitops.IndexPatch{l.set("n", "x"), del("n")} }, func(err error) bool { return err != nil }},
		"no name": {nil, func(l *indexLab) []gitops.IndexPatch { return []gitops.IndexPatch{l.set("", "x")} }, is[*gitops.EscapeError]},
		"a tree": {nil, func(l *indexLab) []gitops.IndexPatch {
			p := l.set("n", "x")
			p.Mode = gitops.ModeTree
			return []gitops.IndexPatch{p}
		}, gitops.IsIndexShape},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newIndexLab(t)
			if c.setUp != nil {
				c.setUp(l)
			}
			if out, err := gitops.PatchIndex(l.raw(), c.do(l), nil, gitops.PatchOptions{}); !c.is(err) || out != nil {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// Shapes that only git writes are recognised.
func TestIndexShapes(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]gittest.Option{
		"version 4": gittest.IndexV4(), "split": gittest.SplitIndex(), "sparse": gittest.SparseIndex("notes"), "fsmonitor": gittest.FSMonitor(),
		"untracked cache": gittest.UntrackedCache(), "sha256": gittest.SHA256(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newIndexLab(t, opt)
			_, err := gitops.PatchIndex(l.raw(), []gitops.IndexPatch{{Path: "n", Mode: gitops.ModeFile, ID: l.blobSHA1()}}, nil, gitops.PatchOptions{})
			if !gitops.IsIndexShape(err) && name != "sha256" || err == nil {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func (l *indexLab) blobSHA1() gitops.ID {
	id, err := gitops.ParseID(strings.Repeat("12", 20))
	l.check(err)
	return id
}

// index.skipHash leaves the checksum out where git did.
func TestPatchIndexSkipHash(t *testing.T) {
	t.Parallel()
	l := newIndexLab(t)
	old := l.raw()
	unsummed := append(slices.Clone(old[:len(old)-20]), make([]byte, 20)...)
	for name, c := range map[string]struct {
		old  []byte
		skip bool
		zero bool
	}{
		"git and setting": {unsummed, true, true}, "git only": {unsummed, false, false},
		"setting only": {old, true, false}, "no": {old, false, false},
	} {
		got, err := gitops.PatchIndex(c.old, []gitops.IndexPatch{l.set("n", "x")}, nil, gitops.PatchOptions{SkipHash: c.skip})
		l.check(err)
		body := got[:len(got)-20]
		if zero := bytes.Equal(got[len(got)-20:], make([]byte, 20)); zero != c.zero || !zero && !bytes.Equal(gitops.SumIndex(slices.Clone(body)), got) {
			t.Errorf("%s: checksum is %x", name, got[len(body):])
		}
	}
}

// The check at the end of tests that write notices a directory that is claimed to
// be another tree than it is.
func TestCheckCleanSeesWrongTrees(t *testing.T) {
	t.Parallel()
	said := gittest.Probe(t, func(t testing.TB) {
		l := newIndexLab(t)
		l.Append("MEMORY.md", "- staged\n")
		l.Git("add", "MEMORY.md")
		l.Git("write-tree")
		old := l.raw()
		nodes, _, err := gitops.CacheTree(old)
		l.check(err)
		// A patch that takes what the index has for what HEAD has.
		p := l.set("AGENTS.md", "x\n")
		head := l.headTree()
		next := l.trees(l.nextTree(head, []gitops.IndexPatch{p}))
		got, err := gitops.PatchIndex(old, []gitops.IndexPatch{p}, map[string]gitops.TreeMove{"": {Old: nodes[0].ID, New: next[""]}}, gitops.PatchOptions{})
		l.check(err)
		l.check(os.WriteFile(l.file, got, 0o666))
		l.Git("checkout", "-q", "--", "AGENTS.md")
		l.CheckClean("M  MEMORY.md", "M  AGENTS.md")
	})
	if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "names wrong trees") }) {
		t.Errorf("said: %q", said)
	}
}
