package gitops

import (
	"context"
	"time"
)

// statRules is how stat data is compared here.
type statRules struct {
	times     bool  // core.checkStat is not minimal: nanoseconds, ctime and inode count
	ctime     bool  // core.trustctime
	mode      bool  // core.fileMode
	identity  bool  // the system has ctime and inodes
	index     int64 // when the index was written, in nanoseconds
	emptyBlob ID
}

func (r *Repo) statRules(ctx context.Context, ix *readIndexFile) (statRules, error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return statRules{}, err
	}
	check, _ := cfg.Get("core.checkstat")
	return statRules{
		times:     check != "minimal",
		ctime:     cfg.Bool("core.trustctime", true),
		mode:      fullStat && cfg.Bool("core.filemode", true),
		identity:  fullStat,
		index:     ix.stamp.mtime,
		emptyBlob: r.BlobID(nil),
	}, nil
}

// same reports whether a file still is what the index has, as far as stat data
// tells; racy, whether it may have been edited since without a trace in it.
// Nanoseconds are compared where git stored some: an edit in the second in which
// the index was written shows in them.
func (c statRules) same(e *indexEntry, s Stat) (same, racy bool) {
	d := &e.stat
	sec, ns := splitNano(s.MTime)
	fine := c.times && d.mtimeNS != 0
	switch {
	case d.mtime != sec || fine && d.mtimeNS != ns || d.size != uint32(s.Size):
		return false, false
	case d.size == 0 && e.id != c.emptyBlob:
		return false, false // git's mark for an entry that must be looked at
	case c.mode && e.mode != s.Mode:
		return false, false
	}
	if c.times && c.identity {
		csec, cns := splitNano(s.CTime)
		if c.ctime && (d.ctime != csec || d.ctimeNS != 0 && d.ctimeNS != cns) || d.ino != uint32(s.Ino) {
			return false, false
		}
	}
	if fine {
		return true, s.MTime >= c.index
	}
	isec := c.index / int64(time.Second)
	return true, s.MTime/int64(time.Second) >= isec
}

// splitNano cuts a time into the seconds, as git truncates them, and the rest.
func splitNano(t int64) (sec, ns uint32) {
	s, n := t/int64(time.Second), t%int64(time.Second)
	if n < 0 {
		s, n = s-1, n+int64(time.Second)
	}
	return uint32(s), uint32(n)
}
