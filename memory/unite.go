package memory

import (
	"strings"

	"github.com/git-claw/git-claw/memory/merge"
)

// unite is gitops.Unite by the rules for the files of a workspace. What it meets must not
// keep a repository from being mended.
func (w *Workspace) unite(path string, base, theirs, work []byte) (merged []byte, ok bool) {
	defer func() {
		if recover() != nil {
			merged, ok = nil, false
		}
	}()
	rel, inside := strings.CutPrefix(path, w.Prefix)
	if !inside {
		return nil, false
	}
	kind := merge.KindOf(rel, w.siRoot)
	if kind == merge.Text && strings.HasSuffix(rel, ".md") {
		kind = merge.Markdown
	}
	res, err := merge.Three(merge.Input{Kind: kind, Base: base, Ours: work, Theirs: theirs})
	return res.Content, err == nil
}
