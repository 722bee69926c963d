package gitops

import (
	"bytes"
	"errors"
	"fmt"
)

func (r *Repo) tempName() string { return fmt.Sprintf(".claw-%016x.tmp", r.rand64()) }

// placeRecords is what the journal needs to finish the work tree.
func (c *commitRun) placeRecords() []placeRecord {
	var out []placeRecord
	for _, ch := range c.tx.Changes {
		if ch.Place == nil {
			continue
		}
		out = append(out, placeRecord{
			Path: []byte(ch.Path), Existed: ch.Place.Existed, Base: sum(ch.Place.Base),
			Content: ch.Place.Content, Delete: ch.Place.Delete, Mode: ch.Mode,
		})
	}
	return out
}

// stillBase reports whether a file is what the caller based its change on.
func (p *Place) stillBase(b []byte, exists bool) bool {
	return exists == p.Existed && (!exists || bytes.Equal(b, p.Base))
}

// checkPlaces refuses the commit while an edit made meanwhile would be
// overwritten by it.
func (c *commitRun) checkPlaces() error {
	for _, ch := range c.tx.Changes {
		if ch.Place == nil {
			continue
		}
		b, mode, err := c.repo.ReadWork(ch.Path, 0)
		if err != nil {
			return err
		}
		if !ch.Place.stillBase(b, mode != ModeAbsent) {
			return &WorkTreeChangedError{Path: ch.Path}
		}
	}
	return nil
}

// place puts the files of the transaction into the work tree. A file that was
// edited in the moment since checkPlaces is left alone and named.
func (c *commitRun) place(stage string) (left string, err error) {
	if len(c.placeRecords()) == 0 {
		return "", nil
	}
	root, err := c.repo.openRoot()
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	for _, ch := range c.tx.Changes {
		if ch.Place == nil {
			continue
		}
		err := placeFile(root, ch.Path, *ch.Place, ch.Mode, ch.Place.stillBase, c.repo.tempName())
		var changed *WorkTreeChangedError
		if errors.As(err, &changed) {
			left = ch.Path
		} else if err != nil {
			return left, err
		}
	}
	return left, c.repo.refreshIndex(c.ctx, stage)
}
