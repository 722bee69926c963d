package gitops

import "fmt"

// placeRecords lists what the transaction does to the work tree.
func (c *commitRun) placeRecords() []placeRecord {
	var out []placeRecord
	inside := c.repo.gitDirIsNear()
	for i := range c.tx.Changes {
		if ch := &c.tx.Changes[i]; ch.Place != nil {
			rec := c.placeRecord(ch, c.bases[ch.Path])
			rec.Seed, rec.Inside = fmt.Sprintf("%016x", c.repo.rand64()), inside
			out = append(out, rec)
		}
	}
	return out
}

func (c *commitRun) placeRecord(ch *Change, base TreeEntry) placeRecord {
	mode := ch.Mode
	if mode == ModeAbsent {
		mode = base.Mode
	}
	if mode == ModeAbsent || mode == ModeSymlink && !c.symlinks {
		mode = ModeFile
	}
	blob := ""
	if !ch.Place.Blob.IsZero() {
		blob = ch.Place.Blob.String()
	}
	return placeRecord{
		Path: []byte(ch.Path), Existed: ch.Place.Existed, Base: ch.Place.baseSum(), Blob: blob,
		Content: ch.Place.Content, Delete: ch.Place.Delete, Mode: mode,
		WasLink: base.Mode == ModeSymlink && c.symlinks,
		Chmod:   c.fileMode && base.Mode.IsFile() && mode.IsFile() && base.Mode != mode,
	}
}
