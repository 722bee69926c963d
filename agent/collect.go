package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/memory"
)

// edit is one changed managed file, ready to be committed.
type edit struct {
	rel    string
	kind   memory.Kind
	added  bool // not in HEAD
	change gitops.Change
	old    []byte // content in HEAD, nil when added
	came   *Came  // from another machine, while it was being written
}

// maxBatch is how many bytes of changed files are in memory, and in one commit, at
// once: the first save of a folder of pictures must not need all of the memory.
const maxBatch = 64 << 20

// batch is how many of the entries are read at once; always one at least.
func (s *saver) batch(entries []gitops.StatusEntry) int {
	limit := s.ws.MaxFileBytes()
	if limit > 0 && int64(len(entries))*limit <= s.most {
		return len(entries)
	}
	sum := int64(0)
	for i, e := range entries {
		fi, err := os.Lstat(filepath.Join(s.ws.Repo.TopLevel, filepath.FromSlash(e.Path)))
		if err == nil && (limit <= 0 || fi.Size() <= limit) {
			sum += fi.Size()
		}
		if sum > s.most {
			return max(i, 1)
		}
	}
	return len(entries)
}

// mine lists the entries of this workspace's managed files. Partly staged ones
// are held back; so are staged removals beside one that is new, for they may be the
// other half of a rename. A file that was renamed by git mv alone, and edited before
// or after it, is not partly staged.
func (s *saver) mine() ([]gitops.StatusEntry, error) {
	var out []gitops.StatusEntry
	renamed := stagedRemovals(s.status.Entries)
	halves := false
	for _, e := range s.status.Entries {
		rel, ok := strings.CutPrefix(e.Path, s.ws.Prefix)
		if !ok || e.Submodule || !s.ws.Managed(rel) || s.ws.NeverRestore(rel) {
			continue
		}
		if s.baseline && e.Untracked() && s.ws.IgnoredByUs(rel) {
			continue // the adoption is about to ignore it
		}
		if e.Unmerged() {
			return nil, &gitops.ProgressError{What: "merge", Paths: []string{e.Path}, How: []string{"run 'git status' and resolve the conflict"}}
		}
		if partly(e, renamed) {
			s.skip(rel, 0, partlyStaged+": commit it with git, or unstage it with 'git restore --staged'", true)
			halves = halves || e.Index == 'A'
			continue
		}
		out = append(out, e)
	}
	if halves {
		out = slices.DeleteFunc(out, func(e gitops.StatusEntry) bool {
			if e.Index != 'D' {
				return false
			}
			s.skip(strings.TrimPrefix(e.Path, s.ws.Prefix), 0, "its removal is staged beside a new file that is "+partlyStaged, true)
			return true
		})
	}
	return out, nil
}

// partly reports whether what is staged of a file is a choice of somebody's. renamed are
// the contents of files whose removal is staged: with one of these the file was renamed.
func partly(e gitops.StatusEntry, renamed map[gitops.ID]bool) bool {
	return e.Partial() && (e.Index != 'A' || !renamed[e.IndexID])
}

// stagedRemovals are the contents of files whose removal is staged.
func stagedRemovals(entries []gitops.StatusEntry) map[gitops.ID]bool {
	var out map[gitops.ID]bool
	for _, e := range entries {
		if e.Index == 'D' && !e.HeadID.IsZero() {
			if out == nil {
				out = map[gitops.ID]bool{}
			}
			out[e.HeadID] = true
		}
	}
	return out
}

// collect reads changed files, holds back what may not be committed, and returns
// the rest.
func (s *saver) collect(ctx context.Context, entries []gitops.StatusEntry) ([]edit, error) {
	var out []edit
	for _, e := range entries {
		ed, ok, err := s.read(ctx, e, strings.TrimPrefix(e.Path, s.ws.Prefix))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if s.holdBack(&ed) {
			out = append(out, ed)
		} else if err := s.placeKept(ed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *saver) skip(rel string, line int, reason string, held bool) {
	s.res.Skipped = append(s.res.Skipped, Skipped{Path: rel, Line: line, Reason: reason, Held: held})
}

// read takes one status entry's content from the work tree.
func (s *saver) read(ctx context.Context, e gitops.StatusEntry, rel string) (edit, bool, error) {
	ed := edit{rel: rel, kind: s.ws.Kind(rel), added: e.HeadID.IsZero()}
	if ed.added && s.secretName(rel) {
		return ed, false, nil
	}
	ed.change = gitops.Change{Path: e.Path, HeadID: e.HeadID, IndexID: e.IndexID}
	if strings.HasSuffix(rel, "/") {
		s.skip(strings.TrimSuffix(rel, "/"), 0, "it is a repository of its own", false)
		return ed, false, nil
	}
	if e.Work == 'D' || e.Work == '.' && e.Index == 'D' {
		ed.change.Delete = true
		return ed, s.isGone(e, rel), nil
	}
	content, mode, err := s.ws.Repo.ReadWork(e.Path, s.ws.MaxFileBytes())
	var escape *gitops.EscapeError
	switch {
	case errors.Is(err, gitops.ErrTooLarge):
		s.skip(rel, 0, tooLarge(s.ws, rel), false)
		return ed, false, nil
	case errors.As(err, &escape):
		s.skip(rel, 0, escape.Reason, !ed.added)
		return ed, false, nil
	case errors.Is(err, fs.ErrPermission):
		s.skip(rel, 0, "it cannot be read: permission denied", true)
		return ed, false, nil
	case err != nil:
		return ed, false, err
	case mode == gitops.ModeAbsent: // removed in this moment; the next save sees it
		return ed, false, nil
	case mode == gitops.ModeSymlink && e.HeadMode != gitops.ModeSymlink:
		// A link is followed by nobody here, and a file that turned into one
		// has lost its text: that is for a person to look at.
		s.skip(rel, 0, isLink, !ed.added)
		return ed, false, nil
	}
	ed.change.Content, ed.change.Mode = content, mode
	if keepsMode(e, mode, s.ws) {
		ed.change.Mode = gitops.ModeAbsent
	}
	if !ed.added && e.HeadMode.IsFile() {
		if ed.old, err = s.ws.Repo.Objects().Blob(ctx, e.HeadID); err != nil {
			return ed, false, fmt.Errorf("read '%s' in HEAD: %w", rel, err)
		}
		err = s.keepCame(ctx, &ed)
	}
	return ed, err == nil, err
}

const isLink = "it is a symbolic link"

// isGone reports whether a file that git calls deleted is one that somebody
// removed. It is not when a folder above it became a link, to where a person moved
// all of it, nor when it is back already: some editors remove before they write.
func (s *saver) isGone(e gitops.StatusEntry, rel string) bool {
	if link := s.linkAbove(rel); link != "" {
		if !slices.ContainsFunc(s.res.Skipped, func(k Skipped) bool { return k.Path == link && k.Held }) {
			s.skip(link, 0, isLink+", and what git has below it is left alone", true)
		}
		return false
	}
	if e.Index == 'D' {
		return true
	}
	fi, err := os.Lstat(filepath.Join(s.ws.Root, filepath.FromSlash(rel)))
	return err != nil || fi.IsDir()
}

// linkAbove names the folder above a path that is a symbolic link, or "".
func (s *saver) linkAbove(rel string) string {
	for i, c := range rel {
		if c != '/' {
			continue
		}
		fi, err := os.Lstat(filepath.Join(s.ws.Root, filepath.FromSlash(rel[:i])))
		if err != nil {
			return ""
		}
		if fi.Mode()&fs.ModeSymlink != 0 {
			return rel[:i]
		}
	}
	return ""
}

// keepsMode: where the file system has no executable bit (core.fileMode=false)
// git reports the mode of the index, and that is the one to keep.
func keepsMode(e gitops.StatusEntry, mode gitops.Mode, ws *memory.Workspace) bool {
	return mode.IsFile() && (e.WorkMode.IsFile() && e.WorkMode != mode || e.Untracked() && !ws.FileModes())
}

// holdBack takes flagged added lines out of what will be committed (SPEC
// GN-21). It returns false when nothing is left to commit.
func (s *saver) holdBack(ed *edit) bool {
	if ed.change.Delete {
		return true
	}
	text := ed.change.Content
	kept, flagged := hooks.WithoutSecrets(s.scan, ed.old, text)
	if len(flagged) == 0 {
		return true
	}
	for _, f := range flagged {
		s.skip(ed.rel, f.Line, "secret: "+f.Kind, true)
	}
	if ed.change.Mode == gitops.ModeSymlink || !isText(ed.rel, text) {
		return false
	}
	if bytes.Equal(kept, ed.old) || ed.added && len(bytes.TrimSpace(kept)) == 0 {
		return false
	}
	ed.change.Content = kept
	return true
}

// secretName holds a new file back whose name is a secret: names are in trees,
// and in every list of files. The name that is told hides it.
func (s *saver) secretName(rel string) bool {
	masked, kind := s.scan.MaskName(rel)
	if kind == "" {
		return false
	}
	s.skip(masked, 0, "secret in its name: "+kind, true)
	return true
}

// isText reports whether lines can be held back one by one.
func isText(rel string, b []byte) bool {
	switch strings.ToLower(path.Ext(rel)) {
	case ".md", ".txt", ".markdown":
		return bytes.IndexByte(b, 0) < 0
	}
	return false
}
