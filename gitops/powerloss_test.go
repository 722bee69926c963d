//go:build unix

package gitops_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// A machine that loses power keeps of a file what was synced, and of what was
// written since anything: all, nothing, a part, zeros. Of the names in a directory it
// keeps any state since the directory was synced. powerCut replays a trace of writes
// on that machine.
type powerCut struct {
	rnd   *rand.Rand
	names map[string]*name
	made  map[string]*inode // what was written under a name, whatever became of the name
}

// name is a path: what it named since its directory was synced, the oldest first.
type name struct{ states []*inode }

// inode is a file: its content now and when it was synced. A directory has none.
type inode struct {
	dir         bool
	data, saved []byte
}

func (n *name) now() *inode {
	if len(n.states) == 0 {
		return nil
	}
	return n.states[len(n.states)-1]
}

func (p *powerCut) name(path string) *name {
	if p.names[path] == nil {
		p.names[path] = &name{[]*inode{nil}}
	}
	return p.names[path]
}

func (p *powerCut) set(path string, i *inode) {
	n := p.name(path)
	n.states = append(n.states, i)
}

func (p *powerCut) do(op gitops.DiskOp) {
	switch op.Kind {
	case "write":
		p.made[op.Path] = &inode{data: op.Data}
		p.set(op.Path, p.made[op.Path])
	case "overwrite":
		p.name(op.Path).now().data = op.Data
	case "append":
		i := p.name(op.Path).now()
		if i == nil {
			i = &inode{}
			p.set(op.Path, i)
		}
		i.data = append(slices.Clone(i.data), op.Data...)
	case "truncate":
		i := p.name(op.Path).now()
		i.data = slices.Clone(i.data[:len(op.Data)])
	case "link":
		p.set(op.To, p.name(op.Path).now())
	case "rename":
		p.set(op.To, p.name(op.Path).now())
		p.set(op.Path, nil)
	case "remove":
		p.set(op.Path, nil)
	case "mkdir":
		p.set(op.Path, &inode{dir: true})
	case "sync":
		i := p.name(op.Path).now()
		i.saved = i.data
	case "syncdir":
		for path, n := range p.names {
			if filepath.Dir(path) == op.Path {
				n.states = n.states[len(n.states)-1:]
			}
		}
	case "syncall":
		for _, n := range p.names {
			n.states = n.states[len(n.states)-1:]
			if i := n.now(); i != nil {
				i.saved = i.data
			}
		}
	}
}

// left is what is on the disk after the cut. Names of one file stay names of one.
func (p *powerCut) left() (out map[string]*inode, torn map[*inode]*inode) {
	out, torn = map[string]*inode{}, map[*inode]*inode{}
	ordered := p.rnd.IntN(2) == 0 // as on a file system with a journal: no name is newer than the others
	share := p.rnd.Float64()
	for _, path := range slices.Sorted(maps.Keys(p.names)) {
		states := p.names[path].states
		at := p.rnd.IntN(len(states))
		if ordered {
			at = int(share * float64(len(states)))
		}
		i := states[at]
		if i == nil {
			continue
		}
		if torn[i] == nil {
			torn[i] = &inode{dir: i.dir, data: p.torn(i)}
		}
		out[path] = torn[i]
	}
	return out, torn
}

func (p *powerCut) torn(i *inode) []byte {
	same := 0
	for same < min(len(i.data), len(i.saved)) && i.data[same] == i.saved[same] {
		same++
	}
	if same == len(i.data) && same == len(i.saved) {
		return i.data
	}
	fresh := i.data[same:]
	switch p.rnd.IntN(4) {
	case 0:
		return i.data
	case 1:
		return i.saved
	case 2:
		return i.data[:same+p.rnd.IntN(len(fresh)+1)]
	}
	return append(slices.Clone(i.data[:same]), make([]byte, len(fresh))...) // blocks that were never written
}

// traced makes saves and returns what they wrote; "ack" stands where one was
// acknowledged.
func traced(t *testing.T, r *gittest.Repo, opt gitops.WriterOptions, seam gitops.Seam, saves int) []gitops.DiskOp {
	t.Helper()
	repo := r.Open()
	defer func() { _ = repo.Close() }()
	var ops []gitops.DiskOp
	seam.Trace = func(op gitops.DiskOp) {
		op.Data = slices.Clone(op.Data)
		ops = append(ops, op)
	}
	w := repo.Writer(seam.With(opt))
	for i := range saves {
		file := fmt.Sprintf("memory/n%d.md", i%4)
		if i%5 == 4 {
			file = fmt.Sprintf("memory/new/d%d/n.md", i)
		}
		r.Write(file, fmt.Sprintf("- line %d\n", i))
		res, err := gittest.Save(context.Background(), repo, w, fmt.Sprintf("save %d\n", i), file)
		if err == nil && i%3 == 2 {
			ops = append(ops, gitops.DiskOp{Kind: "ack", Path: res.Commit.String()})
			res, err = w.Commit(context.Background(), placedLine(r, repo, file, i))
		}
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, gitops.DiskOp{Kind: "ack", Path: res.Commit.String()})
	}
	return ops
}

// placedLine puts a line into a saved file together with its commit.
func placedLine(r *gittest.Repo, repo *gitops.Repo, file string, i int) gitops.Tx {
	base := []byte(r.Read(file))
	content := fmt.Appendf(slices.Clone(base), "- placed %d\n", i)
	id := repo.BlobID(base)
	return gitops.Tx{Message: fmt.Sprintf("place %d\n", i), Changes: []gitops.Change{{
		Path: file, Content: content, HeadID: id, IndexID: id, Place: &gitops.Place{Base: base, Existed: true, Content: content},
	}}}
}

// lossRun is a trace with the repository it was made in, and as that was before.
type lossRun struct {
	repo   *gittest.Repo
	before string // a copy of the git dir
	ops    []gitops.DiskOp
}

func newLossRun(t *testing.T, opt gitops.WriterOptions, seam gitops.Seam, saves int) *lossRun {
	t.Helper()
	return newLossRunOf(t, func(r *gittest.Repo) []gitops.DiskOp { return traced(t, r, opt, seam, saves) })
}

func newLossRunOf(t *testing.T, trace func(r *gittest.Repo) []gitops.DiskOp) *lossRun {
	t.Helper()
	r := gittest.New(t)
	if !gitops.LocalDisk(r.Dir) {
		t.Skip("the disk is not known to be local")
	}
	if err := os.Mkdir(filepath.Join(r.Dir, ".git", "claw"), 0o777); err != nil { // made with the queue
		t.Fatal(err)
	}
	before := filepath.Join(r.Base, "before")
	if err := os.CopyFS(before, os.DirFS(filepath.Join(r.Dir, ".git"))); err != nil {
		t.Fatal(err)
	}
	return &lossRun{r, before, trace(r)}
}

// cut cuts the power at so many moments of the trace, and looks at what the next
// command makes of what is left.
func (l *lossRun) cut(t testing.TB, cuts int, rnd *rand.Rand) {
	t.Helper()
	for c := range cuts {
		if !l.at(t, (c+1)*len(l.ops)/cuts, rnd) {
			return
		}
	}
}

func (l *lossRun) at(t testing.TB, moment int, rnd *rand.Rand) bool {
	t.Helper()
	r, ops := l.repo, l.ops[:moment]
	gitDir := filepath.Join(r.Dir, ".git")
	p := &powerCut{rnd: rnd, names: namesOf(t, l.before, gitDir), made: map[string]*inode{}}
	var acked []string
	refs := lossRefs{may: []string{""}}
	for _, op := range ops {
		switch op.Kind {
		case "ack":
			acked = append(acked, op.Path)
		case "refs":
			refs.do(op)
		default:
			p.do(op)
		}
	}
	left, torn := p.left()
	rebuilt := rebuild(t, r, gitDir, left)
	defer func() { _ = os.RemoveAll(rebuilt) }()
	repo, err := gitops.Open(context.Background(), gitops.NewGit(r.Env()), rebuilt)
	if err != nil {
		t.Errorf("after %d operations: open: %v", len(ops), err)
		return false
	}
	defer func() { _ = repo.Close() }()
	if err := gitops.SetRefInodes(repo, func(temp string) uint64 { return p.refInode(left, torn, gitDir, rebuilt, temp) }); err != nil {
		t.Fatal(err)
	}
	gitops.WithBoot(repo, "another")
	fail := func(format string, args ...any) bool {
		t.Errorf("after %d operations, %d acknowledged: %s", len(ops), len(acked), fmt.Sprintf(format, args...))
		return false
	}
	if err := os.WriteFile(filepath.Join(rebuilt, "memory", "after.md"), []byte("- after\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := gittest.Save(context.Background(), repo, repo.Writer(gitops.WriterOptions{LockTimeout: 300 * time.Millisecond}), "after\n", "memory/after.md"); err != nil {
		return fail("the next command: %v", err)
	}
	git := func(args ...string) (string, error) {
		out, err := repo.Git.Run(context.Background(), gitops.Cmd{Dir: rebuilt, Args: args})
		return string(out), err
	}
	history, err := git("rev-list", "HEAD")
	if err != nil {
		return fail("history: %v", err)
	}
	for _, id := range acked {
		if !strings.Contains(history, id) {
			return fail("commit %s was acknowledged and is lost", id)
		}
	}
	if out, err := git("fsck", "--strict", "--no-dangling", "--no-progress"); err != nil {
		return fail("fsck: %v %s", err, out)
	}
	if out, err := git("diff", "--cached", "--name-only"); err != nil || out != "" {
		return fail("the index is not HEAD's: %q %v", out, err)
	}
	if out, err := git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/claw", "refs/claw", "refs/notes"); err != nil || !refs.allow(out) {
		return fail("refs are %q, %v, not one of %q", out, err, refs.may)
	}
	if lock := anyLock(filepath.Join(rebuilt, ".git")); lock != "" {
		return fail("'%s' is left", lock)
	}
	return true
}

func TestPowerLoss(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	cuts := 60
	if os.Getenv(bigVariable) != "" {
		cuts = 600
	}
	for _, d := range []gitops.Durability{gitops.DurabilityJournal, gitops.DurabilityFull} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			l := newLossRun(t, gitops.WriterOptions{Durability: d}, gitops.Seam{}, 8)
			n := cuts
			if d == gitops.DurabilityFull {
				n /= 3 // the journal has the most to mend
			}
			l.cut(t, n, rand.New(gittest.Rand(t.Name())))
		})
		t.Run(string(d)+", large", func(t *testing.T) {
			t.Parallel()
			l := newLossRun(t, gitops.WriterOptions{Durability: d}, gitops.Seam{RedoBound: 1}, 8)
			l.cut(t, cuts/3, rand.New(gittest.Rand(t.Name())))
		})
	}
}

// The harness must notice when nothing is waited for, and when there is no record.
func TestPowerLossWithoutProtection(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	for name, tt := range map[string]struct {
		opt  gitops.WriterOptions
		seam gitops.Seam
	}{
		"no sync":        {gitops.WriterOptions{Durability: gitops.DurabilityNone}, gitops.Seam{}},
		"no sync, large": {gitops.WriterOptions{Durability: gitops.DurabilityNone}, gitops.Seam{RedoBound: 1}},
		"no record":      {gitops.WriterOptions{}, gitops.Seam{NoRedo: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLossRun(t, tt.opt, tt.seam, 8)
			said := gittest.Probe(t, func(t testing.TB) { l.cut(t, 200, rand.New(gittest.Rand(name))) })
			if len(said) == 0 {
				t.Error("a writer without this protection survives all power cuts")
			}
			t.Logf("noticed: %.300q", said)
		})
	}
}
