package index

import (
	"errors"
	"io/fs"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/chunk"
	"github.com/git-claw/git-claw/memory/lexical"
)

// Snapshot is one state of the index, open for searching. Not for concurrent use.
type Snapshot struct {
	View    lexical.View
	Commit  gitops.ID // what HEAD was, or the revision asked for
	Pending int       // files that are not indexed yet, or not again
	Entries Entries
	Built   int      // files that were indexed for this snapshot
	Saved   bool     // what was indexed is on disk
	Closed  []string // folders that cannot be read, and so are not searched
	Large   int      // notes above claw.maxFileBytes, which are not searched either

	ws      *memory.Workspace
	dir     string
	roots   []string
	chunk   chunk.Options
	local   bool     // the disk is: its folders tell when names change
	folders []folder // that were walked

	news bool      // there is more to write down than what is pending
	m    *manifest // nil: nothing on disk that this stands on
	raw  []byte    // that manifest as it was read
	maps []mapping
}

// Close gives back the files. Nothing of the snapshot may be used afterwards.
func (s *Snapshot) Close() {
	for _, m := range s.maps {
		_ = m.Close()
	}
	s.maps = nil
}

// retries is how often a state is read again that was replaced while it was read.
const retries = 5

// load opens what is on disk.
func (s *Snapshot) load(key string) error {
	for try := 0; ; try++ {
		err := s.loadOnce(key)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || try == retries {
			return err
		}
	}
}

func (s *Snapshot) loadOnce(key string) error {
	m, raw, err := readManifest(s.dir)
	if err != nil {
		return err
	}
	if m.Key != key {
		return errNoIndex
	}
	fail := func(err error) error {
		s.Close()
		s.View.Parts, s.Entries = nil, Entries{}
		return err
	}
	data, err := m.Table.readAll(s.dir)
	if err != nil {
		return fail(err)
	}
	if s.Entries.table, err = readTable(data); err != nil {
		return fail(&DamagedError{m.Table.Name, err.Error()})
	}
	for i := range m.Segments {
		ref := &m.Segments[i]
		data, err := ref.read(s.dir)
		if err != nil {
			return fail(err)
		}
		s.maps = append(s.maps, data)
		seg, err := lexical.Open(data.data)
		if err != nil {
			return fail(err)
		}
		part, err := lexical.RestorePart(seg, ref.Live, ref.Drops)
		if err != nil {
			return fail(err)
		}
		s.View.Parts = append(s.View.Parts, part)
	}
	s.m, s.raw, s.Commit = m, raw, m.Commit
	return nil
}

// drop takes a file out of the view.
func (s *Snapshot) drop(rel string) error {
	for _, p := range s.View.Parts {
		if _, err := p.Drop(rel); err != nil {
			return err
		}
	}
	return nil
}
