package gittest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Status is `git status --porcelain` by lines, every untracked file by itself.
// Paths are not quoted.
func (r *Repo) Status() []string {
	r.t.Helper()
	return lines(r.Git("--no-optional-locks", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"))
}

// lines cuts what ends in NULs.
func lines(s string) []string {
	var out []string
	for l := range strings.SplitSeq(s, "\x00") {
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}

// CheckClean is how a test that writes ends: every object and ref is sound, git
// status says what is expected (lines such as " M MEMORY.md"; none: clean), no
// edit is hidden from it, the index is HEAD's tree with the staged ones of these
// lines as its only difference, and neither locks nor temporary files are left.
func (r *Repo) CheckClean(status ...string) {
	r.t.Helper()
	r.Fsck()
	r.checkRefs()
	r.checkLeftovers()
	if r.spec.bare {
		return
	}
	slices.Sort(status)
	got := r.Status()
	slices.Sort(got)
	if !slices.Equal(got, status) {
		r.t.Errorf("git status says %q, want %q", got, status)
	}
	r.checkIndex(got)
	if !r.spec.sparse {
		r.checkHidden(got)
		r.checkCacheTree()
	}
}

// checkCacheTree has git compute each directory that the TREE extension of the
// index claims to know: with a wrong one git would commit something else than the
// index, and hide what is staged.
func (r *Repo) checkCacheTree() {
	r.t.Helper()
	b, err := os.ReadFile(r.GitPath("index"))
	if err != nil {
		return
	}
	index := filepath.Join(r.Base, "tree-index")
	defer func() { _ = os.Remove(index) }()
	must(r.t, os.WriteFile(index, b, 0o666))
	env := []string{"GIT_INDEX_FILE=" + index, "GIT_TEST_CHECK_CACHE_TREE=1"}
	if _, err := r.TryEnv(env, "", "-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "update-index", "--force-write-index"); err != nil {
		r.t.Errorf("the index names wrong trees: %v", err)
	}
}

// Fsck checks every object and ref.
func (r *Repo) Fsck() {
	r.t.Helper()
	if r.spec.sparse {
		// git add and git update-index of 2.39 to 2.47 put trees into a sparse
		// index that they do not write; write-tree makes up for it.
		r.Git("write-tree")
	}
	if out, err := r.Try("fsck", "--strict", "--no-dangling", "--no-progress"); err != nil {
		r.t.Errorf("git fsck: %v\n%s", err, out)
	}
}

// checkRefs reads every ref and its reflog.
func (r *Repo) checkRefs() {
	r.t.Helper()
	refs := r.Git("for-each-ref", "--format=%(refname) %(objecttype)")
	for l := range strings.SplitSeq(refs, "\n") {
		name, kind, _ := strings.Cut(l, " ")
		if strings.HasPrefix(name, "refs/heads/") && kind != "commit" {
			r.t.Errorf("ref '%s' is a '%s'", name, kind)
		}
	}
	if _, err := r.Try("reflog", "show", "HEAD", "--"); err != nil && !r.spec.unborn && !r.spec.bare {
		r.t.Errorf("reflog of HEAD: %v", err)
	}
}

// Staged is what an index holds: path to mode and id.
func (r *Repo) staged(index string) map[string]string {
	r.t.Helper()
	var env []string
	if index != "" {
		env = append(env, "GIT_INDEX_FILE="+index)
	}
	out, err := r.TryEnv(env, "", "ls-files", "-s", "-z")
	must(r.t, err)
	m := map[string]string{}
	for _, l := range lines(out) {
		meta, path, _ := strings.Cut(l, "\t")
		m[path+"\x00"+meta[strings.LastIndexByte(meta, ' '):]] = meta
	}
	return m
}

// checkIndex compares the index with a fresh one, read from HEAD's tree. Paths
// that status shows as staged may differ.
func (r *Repo) checkIndex(status []string) {
	r.t.Helper()
	known := map[string]bool{}
	for _, l := range status {
		if l[0] != ' ' && l[0] != '?' || l[1] == 'A' {
			known[l[3:]] = true
		}
	}
	want := map[string]string{}
	if _, err := r.Try("rev-parse", "-q", "--verify", "HEAD"); err == nil {
		fresh := filepath.Join(r.Base, "fresh-index")
		defer func() { _ = os.Remove(fresh) }()
		if _, err := r.TryEnv([]string{"GIT_INDEX_FILE=" + fresh}, "", "-c", "core.splitIndex=false", "read-tree", "HEAD"); err != nil {
			r.t.Errorf("read-tree: %v", err)
			return
		}
		want = r.staged(fresh)
	}
	got := r.staged("")
	for k, v := range want {
		if p, _, _ := strings.Cut(k, "\x00"); got[k] != v && !known[p] {
			r.t.Errorf("index holds %q at '%s', HEAD %q", got[k], p, v)
		}
	}
	for k, v := range got {
		if p, _, _ := strings.Cut(k, "\x00"); want[k] == "" && !known[p] {
			r.t.Errorf("index holds %q at '%s', HEAD nothing", v, p)
		}
	}
}

// checkHidden asks git status again with an index that knows nothing of file
// times, so that every file is read: an entry that wrongly looks unchanged shows
// as a difference.
func (r *Repo) checkHidden(status []string) {
	r.t.Helper()
	if _, err := os.Stat(r.GitPath("index")); err != nil {
		return
	}
	blank := filepath.Join(r.Base, "blank-index")
	defer func() { _ = os.Remove(blank) }()
	env := []string{"GIT_INDEX_FILE=" + blank}
	off := []string{"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"}
	listed, err := r.TryEnv(nil, "", "ls-files", "-s", "-z")
	must(r.t, err)
	if _, err := r.TryEnv(env, listed, append(off, "update-index", "-z", "--index-info")...); err != nil {
		r.t.Errorf("copy index: %v", err)
		return
	}
	out, err := r.TryEnv(env, "", append(off, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")...)
	must(r.t, err)
	got := lines(out)
	slices.Sort(got)
	if slices.ContainsFunc(status, func(l string) bool { return l[1] == 'A' }) {
		return // --intent-to-add does not survive the copy
	}
	if !slices.Equal(got, status) {
		r.t.Errorf("git status hides edits: it says %q, with all files read %q", status, got)
	}
}

// checkLeftovers finds locks and temporary files.
func (r *Repo) checkLeftovers() {
	r.t.Helper()
	dirs := []string{r.GitPath(".")}
	if common := r.GitPath("objects/.."); common != dirs[0] {
		dirs = append(dirs, common)
	}
	for _, dir := range dirs {
		must(r.t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if strings.HasSuffix(p, ".lock") {
				r.t.Errorf("stale lock '%s'", p)
			}
			return nil
		}))
		list, _ := os.ReadDir(filepath.Join(dir, "claw"))
		for _, d := range list {
			if n := d.Name(); !slices.Contains([]string{"lock", "redo", "held", "refs", "machine-id", "values.json", "came", "came-lock"}, n) && !strings.HasPrefix(n, "unsaved") {
				r.t.Errorf("left over: '%s'", filepath.Join(dir, "claw", d.Name()))
			}
		}
	}
}
