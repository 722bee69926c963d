package health

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/breadcrumb"
	"github.com/git-claw/git-claw/memory/daily"
)

// layersFamily looks at breadcrumbs, at what they point to, and at the reference
// files that are opened by name.
func layersFamily() Family {
	three := on(memory.ThreeLayer)
	return Family{
		Name: "layers",
		Checks: []Check{
			{
				ID: "L2-001", Severity: Failure, Profiles: three, Rule: "TL-31", Meaning: "a breadcrumb has at most claw.breadcrumb.maxBytes bytes",
				Fix: "move the older half of its lines to the file of the same name in reference/",
			},
			{
				ID: "L2-002", Severity: Warning, Profiles: three, Rule: "TL-32", Meaning: "a fact of a breadcrumb is one line and points to its detail",
				Fix: "write the fact on one line, with '" + breadcrumb.Mark + "reference/<file>.md' at its end",
			},
			{
				ID: "L2-003", Severity: Failure, Profiles: three, Rule: "TL-32", Loss: true, Meaning: "what is pointed to in reference/ exists",
				Fix: "write the file, bring it back from history, or take the pointer out",
			},
			{
				ID: "L3-001", Severity: Warning, Profiles: three, Rule: "TL-40", Live: true, Meaning: "each file of reference/ is pointed to",
				Fix: "write a breadcrumb in memory/ that points to it",
			},
			{
				ID: "L3-002", Severity: Failure, Profiles: three, Rule: "TL-04", Live: true, Meaning: "reference/ is in no search path",
				Fix: "take it out of claw.recall.paths",
			},
		},
		Look: Over(isLayer, readLayer, judgeLayers),
		// A file that goes away leaves pointers behind in any note.
		Whole: func(_ *Run, changes []Change) bool {
			return slices.ContainsFunc(changes, func(c Change) bool { return c.New.IsZero() && isReference(c.Path) })
		},
	}
}

func isReference(rel string) bool { return strings.HasPrefix(rel, breadcrumb.ReferenceDir) }

// isLayer: rule files, notes and references. Skills have reference folders of their
// own.
func isLayer(_ *Run, f File) bool {
	switch f.Kind {
	case memory.KindL1, memory.KindMemory, memory.KindDaily, memory.KindNote, memory.KindReference:
		return isMarkdown(f.Path)
	}
	return false
}

// layerFact is what a file says of reference/.
type layerFact struct {
	links []breadcrumb.Link
	names []string
}

func readLayer(r *Run, n *Note, out *Out) layerFact {
	if breadcrumb.Is(n.Path) {
		limited(out, "L2-001", n.Path, 0, len(n.Text), r.Int("breadcrumb.maxBytes"), "bytes")
		for _, f := range breadcrumb.Facts(n.Doc()) {
			switch {
			case f.Pointer == "":
				out.Add(Finding{ID: "L2-002", Path: n.Path, Line: f.Line, Message: "a fact without a pointer to its detail", Expected: breadcrumb.Mark + "reference/<file>.md", Actual: "none"})
			case !f.OneLine:
				out.Add(Finding{ID: "L2-002", Path: n.Path, Line: f.Line, Message: "a fact of more than one line", Expected: "one line", Actual: "more"})
			}
		}
	}
	fact := layerFact{names: breadcrumb.Mentions(n.Text)}
	if pointsOn(n.Path) {
		fact.links = breadcrumb.Pointers(n.Text)
	}
	return fact
}

// pointsOn reports whether the pointers of a file must lead somewhere: those of
// past days are history, and those of a reference are nobody's breadcrumbs.
func pointsOn(rel string) bool {
	if isReference(rel) || strings.HasPrefix(rel, "memory/archive/") {
		return false
	}
	_, verdict := daily.Name(rel)
	return verdict == daily.NotDated
}

func judgeLayers(ctx context.Context, r *Run, facts []Fact[layerFact], out *Out) error {
	named := map[string]bool{}
	for _, f := range facts {
		for _, name := range f.Value.names {
			if name != f.File.Path {
				named[name] = true
			}
		}
		for _, l := range f.Value.links {
			target, there := path.Clean(l.Target), false
			if isReference(target) { // and not `reference/../x`
				var err error
				if there, err = r.Has(ctx, target); err != nil {
					return err
				}
			}
			if !there {
				out.Add(Finding{ID: "L2-003", Path: f.File.Path, Line: l.Line, Message: "it points to '" + clip(l.Target) + "', which does not exist", Expected: "a file", Actual: "none"})
			}
		}
	}
	for _, f := range facts {
		if rel := f.File.Path; isReference(rel) && f.File.Mode.IsFile() && !named[rel] && !strings.EqualFold(path.Base(rel), "README.md") {
			out.Add(Finding{ID: "L3-001", Path: rel, Message: "nothing points to it, so nobody opens it", Expected: "a pointer", Actual: "none"})
		}
	}
	judgeSearchPaths(r, out)
	return nil
}

// judgeSearchPaths: while the layers are on, search leaves reference/ out whatever
// the settings name; but who names it expects to find it.
func judgeSearchPaths(r *Run, out *Out) {
	for _, value := range r.WS.Settings.All("recall.paths") {
		for p := range strings.FieldsSeq(value) {
			if clean := path.Clean(p) + "/"; isReference(clean) {
				out.Add(Finding{ID: "L3-002", Message: "claw.recall.paths names '" + clip(p) + "'", Expected: "no reference/", Actual: clip(p)})
			}
		}
	}
}
