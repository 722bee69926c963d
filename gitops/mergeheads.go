package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// MergeHeads are the commits that a merge in progress brings in, the further
// parents of the commit that ends it; none where no merge is in progress.
func (r *Repo) MergeHeads() ([]ID, error) {
	b, err := os.ReadFile(filepath.Join(r.GitDir, "MERGE_HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what is merged: %w", err)
	}
	var out []ID
	for line := range bytes.FieldsSeq(b) {
		id, err := ParseID(string(line))
		if err != nil {
			return nil, fmt.Errorf("read what is merged: %w", err)
		}
		out = append(out, id)
	}
	return out, nil
}

// PickedHead returns the commit that is being picked, in a cherry-pick or a
// rebase, zero outside of one.
func (r *Repo) PickedHead() (ID, error) {
	b, err := os.ReadFile(filepath.Join(r.GitDir, "CHERRY_PICK_HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return ID{}, nil
	}
	if err != nil {
		return ID{}, fmt.Errorf("read what is picked: %w", err)
	}
	id, err := ParseID(string(bytes.TrimSpace(b)))
	if err != nil {
		return ID{}, fmt.Errorf("read what is picked: %w", err)
	}
	return id, nil
}
