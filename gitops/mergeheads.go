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
