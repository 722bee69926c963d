package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// sharedBits are the permissions that everybody who shares the repository needs
// on files of ours in the git dir, whatever the umask is (core.sharedRepository,
// git-config(1)).
func (r *Repo) sharedBits(ctx context.Context) fs.FileMode {
	cfg, err := r.Config(ctx)
	if err != nil {
		return 0
	}
	v, _ := cfg.Get("core.sharedrepository")
	switch v {
	case "", "0", "umask":
		return 0
	case "1", "group":
		return 0o660
	case "2", "all", "world", "everybody":
		return 0o664
	}
	if n, err := strconv.ParseUint(v, 8, 32); err == nil {
		return fs.FileMode(n) & 0o666
	}
	if cfg.Bool("core.sharedrepository", false) {
		return 0o660
	}
	return 0
}

// share opens a file or a directory of ours to those who share the repository.
// Who does not own it cannot, and does not have to.
func (r *Repo) share(ctx context.Context, name string) {
	bits := r.sharedBits(ctx)
	if bits == 0 {
		return
	}
	fi, err := os.Lstat(name)
	if err != nil {
		return
	}
	if fi.IsDir() {
		bits |= bits & 0o444 >> 2
	}
	_ = os.Chmod(name, fi.Mode().Perm()|fi.Mode()&fs.ModeSetgid|bits)
}

// makeClawDir makes a directory for local state in the git dir.
func (r *Repo) makeClawDir(ctx context.Context, dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("prepare '%s': %w", dir, err)
	}
	r.share(ctx, dir)
	return nil
}
