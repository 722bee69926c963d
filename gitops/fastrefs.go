package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// UpdateRefs moves refs in process, in the common shape of repository. What a git that
// is killed would leave, locks that nobody can tell from those of a living one and some
// of the refs moved, the next command finishes or withdraws.
func (w *fastWriter) UpdateRefs(ctx context.Context, ups []RefUpdate, reason string) error {
	return w.updateRefs(ctx, ups, reason, func(cfg *Config) error {
		var last error
		for range maxTries {
			t := &refRun{fastWriter: w, ctx: ctx, cfg: cfg, disk: w.disk()}
			if last = t.run(ups, reason); !errors.Is(last, errRefTouched) {
				return last
			}
		}
		return &MovedError{Subject: ups[0].Name}
	})
}

// errRefTouched: the file of a ref is another one than a moment ago.
var errRefTouched = errors.New("a ref was written meanwhile")

// refRun is one transaction.
type refRun struct {
	*fastWriter
	ctx  context.Context
	cfg  *Config
	disk *disk
	bits fs.FileMode // core.sharedRepository

	intent refIntent
	log    *os.File // where the intent is written
	held   []string // locks
	mover  *refMover
}

func (t *refRun) run(ups []RefUpdate, reason string) (err error) {
	if err := t.plan(ups, reason); err != nil {
		return err
	}
	t.bits = t.repo.sharedBits(t.ctx)
	t.mover = &refMover{ctx: t.ctx, repo: t.repo, disk: t.disk, sync: t.syncs(), bits: t.bits, dirs: map[string]bool{}}
	if t.log, err = t.repo.openIntent(t.ctx, t.disk, t.syncs()); err != nil {
		return err
	}
	defer func() { _ = t.log.Close() }()
	defer t.dropTemps()
	if err := t.prepare(); err != nil {
		return err
	}
	t.at("refs prepared")
	if err := t.decide(); err != nil {
		t.release()
		return err
	}
	t.at("refs decided")
	// From here on it is done, by us or by the next command.
	if err := t.mover.forward(&t.intent, t.at); err != nil {
		return err
	}
	t.at("refs moved")
	return t.repo.endIntent(t.disk, t.log, t.syncs())
}

// decide does what is done under the locks before the transaction counts.
func (t *refRun) decide() error {
	if err := t.lock(); err != nil {
		return err
	}
	t.ctx = context.WithoutCancel(t.ctx)
	t.mover.ctx = t.ctx
	t.at("refs locked")
	if err := t.check(); err != nil {
		return err
	}
	if t.seam().noIntent {
		return nil
	}
	return decideIntent(t.disk, t.log, t.syncs())
}

func (t *refRun) syncs() bool { return t.opt.Durability != DurabilityNone }

func (t *refRun) at(point string) {
	if at := t.seam().at; at != nil {
		at(point)
	}
}

func (t *refRun) seam() seam {
	if t.opt.test == nil {
		return seam{}
	}
	return *t.opt.test
}

// plan works out what is to be done, or leaves it to git.
func (t *refRun) plan(ups []RefUpdate, reason string) error {
	who, err := t.who()
	if err != nil {
		return err
	}
	reason = OneLine(reason)
	head, ok := t.repo.headFromFiles()
	if !ok || reason == "" || len(ups) == 0 {
		return errLeftToGit
	}
	sorted := slices.Clone(ups)
	slices.SortFunc(sorted, func(a, b RefUpdate) int { return strings.Compare(a.Name, b.Name) })
	names := map[string]bool{head.Ref: true} // whose log is HEAD's as well
	for _, u := range sorted {
		if !plainRef(u.Name) || names[u.Name] || u.Old == u.New {
			return errLeftToGit
		}
		names[u.Name] = true
	}
	for _, u := range sorted {
		for dir := parentDir(u.Name); dir != ""; dir = parentDir(dir) {
			if names[dir] {
				return errLeftToGit
			}
		}
		m := refMove{Ref: u.Name, Old: hexOrNone(u.Old), New: hexOrNone(u.New), Was: t.repo.refMark(u.Name)}
		if m.New != "" {
			if _, err := t.repo.objects.Commit(t.ctx, u.New); err != nil {
				return errLeftToGit // which tells what is wrong with it
			}
			m.Log, m.LogNew = reflogLine(u.Old, u.New, who, reason), logsRef(t.cfg, u.Name)
		}
		if fi, err := os.Lstat(t.repo.refLog(u.Name)); err == nil && !fi.Mode().IsRegular() || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errLeftToGit
		}
		t.intent.Moves = append(t.intent.Moves, m)
	}
	return nil
}

// who is the committer with the time, for reflogs, where git is not needed for it.
func (t *refRun) who() (string, error) {
	if t.repo.leftToGit(t.cfg) != "" || t.repo.Git.env.Getenv("GIT_COMMITTER_DATE") != "" {
		return "", errLeftToGit
	}
	if why, err := t.repo.hookOfGit(t.ctx, t.cfg, "reference-transaction"); err != nil || why != "" {
		return "", errors.Join(err, errLeftToGit)
	}
	name, ok := (&commitRun{gitWriter: t.gitWriter, cfg: t.cfg}).person("committer")
	if !ok {
		return "", errLeftToGit
	}
	now := t.repo.Git.env.Now()
	return fmt.Sprintf("%s %d %s", name, now.Unix(), now.Format("-0700")), nil
}

// plainRef reports whether a name is one of a ref beyond doubt (git-check-ref-format(1)),
// and all worktrees share it.
func plainRef(name string) bool {
	parts := strings.Split(name, "/")
	if len(parts) < 3 || parts[0] != "refs" || slices.Contains([]string{"bisect", "worktree", "rewritten"}, parts[1]) {
		return false
	}
	for _, p := range parts {
		if p == "" || p[0] == '.' || p[0] == '-' || strings.HasSuffix(p, ".") || strings.HasSuffix(p, ".lock") || strings.Contains(p, "..") {
			return false
		}
		if strings.ContainsFunc(p, func(c rune) bool { return !isWordByte(c) && c != '.' && c != '-' && c != '_' && c != '+' }) {
			return false
		}
	}
	return true
}

func isWordByte(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func hexOrNone(id ID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// prepare writes the files that become locks and refs, and the intent that names them.
func (t *refRun) prepare() error {
	together := len(t.intent.Moves) > syncedOneByOne
	for i := range t.intent.Moves {
		m := &t.intent.Moves[i]
		text := heldText
		if m.New != "" {
			text = m.New + "\n"
		} else {
			t.intent.Deletes = true
		}
		var err error
		if m.lockFile, err = t.mover.temp(text, m.New != "" && t.syncs() && !together); err != nil {
			return err
		}
	}
	if together && t.syncs() {
		if err := t.disk.syncAll(t.log); err != nil {
			return fmt.Errorf("sync: %w", err)
		}
	}
	if t.intent.Deletes {
		var err error
		if t.intent.Packed, err = t.mover.temp(heldText, false); err != nil {
			return err
		}
	}
	if t.seam().noIntent {
		return nil
	}
	t.intent.Synced = t.syncs()
	return t.repo.writeIntent(t.disk, t.log, &t.intent)
}

// lock takes the locks in the order of the names, as git does, and then that of the
// packed refs: nobody may pack a ref that is being deleted.
func (t *refRun) lock() error {
	for _, m := range t.intent.Moves {
		if err := t.take(m.lockFile, t.repo.refPath(m.Ref)+".lock"); err != nil {
			return err
		}
	}
	if t.intent.Deletes {
		return t.take(t.intent.Packed, t.repo.packedRefs()+".lock")
	}
	return nil
}

func (t *refRun) take(f lockFile, lock string) error {
	var err error
	for range fanOutTries { // git removes a folder that is empty at the moment
		if err = t.mover.makeDir(filepath.Dir(lock)); err == nil {
			err = t.repo.takeLock(t.ctx, t.disk, t.mover.path(f.Temp), lock, t.opt.LockTimeout)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	switch {
	case err == nil:
		t.held = append(t.held, lock)
	case errors.Is(err, syscall.ENOTDIR):
		return errLeftToGit // another ref is in the way
	}
	return err
}

// check compares, under the locks.
func (t *refRun) check() error {
	packed, err := readPackedRefs(t.repo.packedRefs())
	if err != nil {
		return err
	}
	for _, m := range t.intent.Moves {
		if t.repo.refMark(m.Ref) != m.Was {
			return errRefTouched
		}
		now, err := t.repo.refNow(m.Ref, packed)
		if err != nil {
			return err
		}
		if now != m.Old && !t.seam().noCAS {
			return &MovedError{Subject: m.Ref}
		}
		if m.Old == "" && packed.clashes(m.Ref) {
			return errLeftToGit
		}
	}
	return nil
}

// release gives back what is held, the last first, and withdraws the intent.
func (t *refRun) release() {
	for _, lock := range slices.Backward(t.held) {
		_ = t.disk.remove(lock)
		t.mover.dirs[filepath.Dir(lock)] = true
	}
	if t.mover.syncDirs() != nil {
		return // the intent stays, for the next command
	}
	for _, m := range t.intent.Moves {
		t.mover.removeEmpty(t.repo.refPath(m.Ref), "")
	}
	_ = t.repo.endIntent(t.disk, t.log, false)
}

// dropTemps removes what nothing names any more. While an intent is there its files
// are, too, so that no other file can be taken for one of them.
func (t *refRun) dropTemps() {
	if fi, err := t.log.Stat(); err == nil && fi.Size() == 0 {
		t.mover.dropTemps(&t.intent)
	}
}
