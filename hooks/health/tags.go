package health

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/header"
)

// tagsFamily looks at the tags of HOT and WARM files.
func tagsFamily() Family {
	om := on(memory.OpenClawMemory)
	var known header.Vocabulary
	return Family{
		Name: "tags",
		Checks: []Check{
			{
				ID: "TAG-001", Severity: Failure, Profiles: om, Rule: "OM-10", Meaning: "MEMORY.md and WARM notes have tags on line 2",
				Fix: "write '#tags: <tags>' as line 2, with words of a-z, 0-9 and hyphens",
			},
			{
				ID: "TAG-002", Severity: Failure, Profiles: om, Rule: "OM-11", Absent: noVocabulary, Meaning: "all tags are in the vocabulary",
				Fix: "use a tag of " + header.VocabularyPath,
			},
			{
				ID: "TAG-003", Severity: Failure, Profiles: om, Rule: "OM-12", Live: true, Since: true, Absent: noVocabulary,
				Meaning: "the vocabulary was changed by a person or an accepted proposal only",
				Fix:     "look at it with 'git claw show', and take it back with 'git claw undo' when it is wrong",
			},
		},
		Begin: func(ctx context.Context, r *Run) error {
			text, _, err := r.Text(ctx, header.VocabularyPath)
			known = header.ParseVocabulary(text)
			return err
		},
		Look: Over(isTagged, func(_ *Run, n *Note, out *Out) struct{} {
			readTags(n, known, out)
			return struct{}{}
		}, func(ctx context.Context, r *Run, _ []Fact[struct{}], out *Out) error {
			if !r.On("TAG-003") {
				return nil
			}
			return judgeVocabulary(ctx, r, out)
		}),
		Whole: func(_ *Run, changes []Change) bool {
			return slices.ContainsFunc(changes, func(c Change) bool { return c.Path == header.VocabularyPath })
		},
		Enter: intoWarm,
	}
}

// noVocabulary: a workspace without the list may use any tags (SPEC OM-12).
func noVocabulary(r *Run) string {
	if there, err := r.Has(context.Background(), header.VocabularyPath); err == nil && !there {
		return "there is no " + header.VocabularyPath
	}
	return ""
}

// isWarm recognises semantic and procedural notes.
func isWarm(_ *Run, f File) bool {
	return isMarkdown(f.Path) && (strings.HasPrefix(f.Path, "memory/semantic/") || strings.HasPrefix(f.Path, "memory/procedural/"))
}

// intoWarm says where HOT and WARM files lie.
func intoWarm(dir string) bool {
	return dir == "memory/" || strings.HasPrefix(dir, "memory/semantic/") || strings.HasPrefix(dir, "memory/procedural/")
}

func isTagged(r *Run, f File) bool { return f.Path == memoryFile || isWarm(r, f) }

func readTags(n *Note, known header.Vocabulary, out *Out) {
	const line = 2
	tags, ok := header.Tags(n.Text)
	switch {
	case !ok:
		out.Add(Finding{ID: "TAG-001", Path: n.Path, Line: line, Message: "line 2 has no tags", Expected: "#tags: <tags>", Actual: orNone(clip(string(n.Line(line))))})
	case len(tags) == 0:
		out.Add(Finding{ID: "TAG-001", Path: n.Path, Line: line, Message: "line 2 names no tag", Expected: "at least one tag", Actual: "none"})
	}
	for _, t := range tags {
		if !header.ValidTag(t) {
			out.Add(Finding{ID: "TAG-001", Path: n.Path, Line: line, Message: fmt.Sprintf("'%s' has not the form of a tag", clip(t)), Expected: "a-z, 0-9 and hyphens", Actual: clip(t)})
		} else if !known.Has(t) {
			out.Add(Finding{ID: "TAG-002", Path: n.Path, Line: line, Message: fmt.Sprintf("the tag '%s' is not in the vocabulary", clip(t)), Expected: "a tag of " + header.VocabularyPath, Actual: clip(t)})
		}
	}
}

// judgeVocabulary looks for changes of the list that are neither an accepted
// proposal nor a person's, and that nobody kept or took back.
func judgeVocabulary(ctx context.Context, r *Run, out *Out) error {
	if _, ok, err := r.Git.Adoption(ctx); err != nil || !ok {
		return err // nothing was recorded: nobody can tell
	}
	commits, err := r.Git.Since(ctx, header.VocabularyPath)
	if err != nil {
		return err
	}
	undone := undone(commits)
	for _, c := range commits {
		id, actor := c.Trailers.Get("Claw-Id"), actorOf(c)
		switch {
		case len(c.Parents) > 1, c.Trailers.Get("Claw-Event") == "vocab.change", strings.HasPrefix(c.Trailers.Get("Claw-Event"), "workspace."):
			continue
		case actor == "user", isUndo(c):
			continue
		case undone[c.ID.String()], id != "" && undone[id]:
			continue
		}
		kept, err := accepted(ctx, r, c.ID)
		if err != nil {
			return err
		}
		if kept {
			continue
		}
		if id == "" {
			id = c.ID.Short()
		}
		if actor == "" {
			actor = "somebody who did not say who"
		}
		out.Add(Finding{
			ID: "TAG-003", Path: header.VocabularyPath, Message: fmt.Sprintf("changed by %s in %s on %s", actor, id, c.Author.When.In(r.Now.Location()).Format(time.DateOnly)),
			Expected: "a person, or an accepted proposal", Actual: actor,
			Fix: "look at it with 'git claw show " + id + "', and take it back with 'git claw undo " + id + "' when it is wrong",
		})
	}
	return nil
}
