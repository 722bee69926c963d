package gitops

import (
	"context"
	"fmt"
)

// PlaceWork puts a file into the work tree without a commit: text that must not
// go into git, or that could not. The file is replaced only while it still is
// what pl says, complete or not at all; else *WorkTreeChangedError. An existing
// file keeps its mode.
func (r *Repo) PlaceWork(name string, pl Place) error {
	if err := CheckPath(name); err != nil {
		return err
	}
	rec := placeRecord{
		Path: []byte(name), Existed: pl.Existed, Base: pl.baseSum(), Content: pl.Content, Delete: pl.Delete,
		Mode: ModeFile, Seed: fmt.Sprintf("%016x", r.rand64()), Inside: r.gitDirIsNear(),
	}
	p, err := r.newPlacing([]placeRecord{rec})
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.check(); err != nil {
		return err
	}
	if err := r.makeClawDir(context.Background(), r.ClawDir()); err != nil {
		return err
	}
	defer p.cleanUp()
	if err := p.prepare(); err != nil {
		return err
	}
	if left, err := p.finish(); err != nil || len(left) == 0 {
		return err
	}
	return &WorkTreeChangedError{Path: name}
}
