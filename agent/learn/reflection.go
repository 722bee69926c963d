package learn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/prefs"
)

// Reflection is what a finished task taught (SPEC SI-50), one line each.
type Reflection struct {
	Context, Reflection, Lesson string
	DryRun                      bool
}

// ParseReflection reads the three fields from a text with CONTEXT:, REFLECTION: and
// LESSON:.
func ParseReflection(text []byte) (Reflection, error) {
	records, _ := prefs.ParseReflections(text)
	if len(records) != 1 {
		return Reflection{}, &agent.UsageError{
			Problem: fmt.Sprintf("the text holds %d reflections", len(records)),
			Hint:    "write one with the lines CONTEXT:, REFLECTION: and LESSON:",
		}
	}
	r := records[0]
	return Reflection{Context: r.Context, Reflection: r.Reflection, Lesson: r.Lesson}, nil
}

// Reflect appends a reflection to reflections.log as one commit. A lesson that came up
// often enough becomes a candidate, in a commit of its own.
func Reflect(ctx context.Context, ws *memory.Workspace, caller agent.Caller, r Reflection) (*Captured, error) {
	if err := ready(ws, caller); err != nil {
		return nil, err
	}
	for _, f := range [][2]string{{"context", r.Context}, {"reflection", r.Reflection}, {"lesson", r.Lesson}} {
		if f[0] == "reflection" && f[1] == "" {
			continue
		}
		if err := prefs.CheckWords(f[0], f[1]); err != nil {
			return nil, err
		}
	}
	s := store{ws}
	out := &Captured{}
	record := prefs.NewReflection(clock(ws), r.Context, r.Reflection, r.Lesson)
	var err error
	out.Save, err = agent.Commit(ctx, ws, caller, agent.Rewrite{
		Paths: []string{s.rel(prefs.Reflections)}, DryRun: r.DryRun,
		Plan: func(files []agent.File) (agent.Planned, error) {
			return vet(files, agent.Planned{
				Event: agent.EventReflect, Area: area, Summary: r.Lesson, Trailers: gitops.Trailers{{Key: "Claw-Lesson", Value: lessonHash(r.Lesson)}},
				Edits: []agent.FileEdit{{Path: files[0].Path, Next: prefs.AppendReflection(files[0].Text, record)}},
			})
		},
	})
	if err != nil || r.DryRun {
		return out, err
	}
	more, err := countLessons(ctx, ws, caller)
	for _, c := range more {
		addSaved(out.Save, c.Save)
		out.Candidate = c.Candidate
	}
	return out, err
}

// addSaved adds the commits of one result to those of another.
func addSaved(to, from *agent.SaveResult) {
	if from == nil {
		return
	}
	to.Commits = append(to.Commits, from.Commits...)
	to.Skipped = append(to.Skipped, from.Skipped...)
	to.Detached = to.Detached || from.Detached
}

// lessonHash is what a trailer says of a lesson.
func lessonHash(lesson string) string {
	sum := sha256.Sum256([]byte(doc.Normalise(lesson)))
	return hex.EncodeToString(sum[:4])
}

// idsOf lists the ids of reflections, the last few of many.
func idsOf(records []reflected) string {
	const most = 5
	var ids []string
	for _, r := range records[max(0, len(records)-most):] {
		if r.ID != "" {
			ids = append(ids, r.ID)
		}
	}
	return strings.TrimRight(fmt.Sprintf("%d reflections: %s", len(records), strings.Join(ids, " ")), ": ")
}
