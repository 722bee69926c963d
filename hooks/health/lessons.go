package health

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/lessons"
)

const lessonArchive = "memory/archive/learnings/"

// lessonsFamily looks at what was learned from failures.
func lessonsFamily() Family {
	lr := on(memory.Learnings)
	return Family{
		Name: "lessons",
		Checks: []Check{
			// A team keeps the folder out of git, so what is staged tells nothing.
			{ID: "SCR-001", Severity: Warning, Profiles: lr, Rule: "LR-01", Live: true, Meaning: "the three files of lessons exist", Fix: "make an empty file"},
			{
				ID: "SCR-002", Severity: Failure, Profiles: lr, Rule: "LR-04", Meaning: "a lesson stands in one of the three files",
				Fix: "keep it where it belongs, and take it out of the other file",
			},
			{
				ID: "SCR-003", Severity: Warning, Profiles: lr, Rule: "LR-05", Meaning: "lessons can be read",
				Fix: "write it as '- <time> [TYPE-YYYYMMDD-abc] <text>', with LRN, ERR or FEAT as type",
			},
			{
				ID: "SCR-004", Severity: Warning, Profiles: lr, Rule: "LR-10", Live: true, Meaning: "no lesson waits for the archive longer than claw.learnings.ttlDays",
				Fix: "move it to the archive, or end its line in #pinned",
			},
			{
				ID: "SCR-005", Severity: Info, Profiles: lr, Rule: "LR-12", Meaning: "lessons that came up often",
				Fix: "decide whether it becomes a rule",
			},
			{ID: "SCR-006", Severity: Warning, Profiles: lr, Rule: "OM-53", Meaning: "no lesson says that there was nothing", Fix: "take it out"},
			{
				ID: "SCR-007", Severity: Failure, Profiles: lr, Rule: "LR-06", Meaning: "ids of lessons are unique, and those they refer to exist",
				Fix: "give one of them another id",
			},
			{
				ID: "SCR-008", Severity: Warning, Profiles: lr, Rule: "LR-10", Meaning: "only the three files are in " + lessons.Dir,
				Fix: "move its lessons to one of the three, or end a line of it in #pinned to keep it",
			},
			{
				ID: "SCR-009", Severity: Failure, Profiles: lr, Rule: "LR-17", Meaning: "what a lesson was promoted to is there",
				Fix: "write it there again, or take the status and to= out of the lesson",
			},
		},
		Look:  Over(isLesson, readLessons, judgeLessons),
		Whole: whenAny(isLesson),
		Enter: func(dir string) bool {
			return strings.HasPrefix(dir, lessons.Dir) || strings.HasPrefix(lessonArchive, dir) || strings.HasPrefix(dir, lessonArchive)
		},
	}
}

// isLesson: files of the folder and of its archive. A name that begins with a dot
// is no note of anybody's.
func isLesson(_ *Run, f File) bool {
	return f.Mode.IsFile() && !strings.HasPrefix(path.Base(f.Path), ".") &&
		(strings.HasPrefix(f.Path, lessons.Dir) || strings.HasPrefix(f.Path, lessonArchive) && isMarkdown(f.Path))
}

// lessonFact is what is compared of a lesson.
type lessonFact struct {
	id        string
	line, end int
	text      string // normalised; "" for one that is not compared
	seeAlso   []string
	to        string // where git claw promoted it to
	skill     bool   // it became a skill
}

func readLessons(r *Run, n *Note, out *Out) []lessonFact {
	if !isMarkdown(n.Path) {
		out.Add(strayFile(n.Path))
		return nil
	}
	f := lessons.Parse(n.Text)
	canonical := slices.Contains(lessons.Canonical, n.Path)
	if canonical {
		for _, p := range f.Problems {
			out.Add(Finding{ID: "SCR-003", Path: n.Path, Line: p.Line, Message: p.What, Expected: "a lesson", Actual: clip(string(n.Line(p.Line)))})
		}
	} else if strings.HasPrefix(n.Path, lessons.Dir) && !f.Pinned {
		out.Add(strayFile(n.Path))
	}
	facts := make([]lessonFact, 0, len(f.Entries))
	for i := range f.Entries {
		e := &f.Entries[i]
		fact := lessonFact{id: strings.Clone(e.ID), line: e.Line, end: e.EndLine}
		for _, id := range e.SeeAlso {
			fact.seeAlso = append(fact.seeAlso, strings.Clone(id))
		}
		if canonical {
			judgeLesson(r, n, e, out)
			if text := doc.Normalise(e.Text); !lessons.IsNothing(text) {
				fact.text = strings.Clone(text)
			}
			if e.IsPromoted() {
				fact.to, fact.skill = strings.Clone(e.To), e.Status == lessons.PromotedToSkill
			}
		}
		facts = append(facts, fact)
	}
	return facts
}

func strayFile(rel string) Finding {
	return Finding{ID: "SCR-008", Path: rel, Message: "it is none of the three files of lessons", Expected: "ERRORS.md, LEARNINGS.md or FEATURE_REQUESTS.md", Actual: clip(path.Base(rel))}
}

// judgeLesson looks at one lesson by itself.
func judgeLesson(r *Run, n *Note, e *lessons.Entry, out *Out) {
	add := func(f Finding) {
		f.Path, f.Line, f.EndLine = n.Path, e.Line, e.EndLine
		out.Add(f)
	}
	if lessons.IsNothing(doc.Normalise(e.Text)) && e.Text != "" {
		add(Finding{ID: "SCR-006", Message: "it says that there was nothing", Expected: "a lesson", Actual: clip(e.Text)})
	}
	promoted := e.IsPromoted()
	ttl := r.Int("learnings.ttlDays")
	if age := r.Now.Sub(e.Last()); !promoted && !e.Pinned && age > daysLong(ttl) {
		whole := int(age / daysLong(1))
		to := lessons.ArchivePath(n.Path, e.Last())
		add(Finding{
			ID: "SCR-004", Message: fmt.Sprintf("it came up last %d days ago", whole), Expected: fmt.Sprintf("at most %d days", ttl),
			Actual: fmt.Sprintf("%d days", whole), Fix: "move it to " + to + ", or end its line in #pinned", Measure: int64(whole),
		})
	}
	if why := repeated(r, e); why != "" && !promoted && e.Status != lessons.WontFix {
		add(Finding{ID: "SCR-005", Message: why, Actual: fmt.Sprintf("%d times", e.Count())})
	}
}

func daysLong(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// repeated says how a lesson came up often, or "".
func repeated(r *Run, e *lessons.Entry) string {
	count, days := r.Int("promote.count"), r.Int("promote.windowDays")
	if lessons.Within(e.Seen, count, days) {
		return fmt.Sprintf("[PROMOTE-CANDIDATE] %d times within %d days", count, days)
	}
	count, days = r.Int("promote.slowCount"), r.Int("promote.slowDays")
	if lessons.Within(e.Seen, count, days) && e.TaskCount() >= r.Int("promote.slowTasks") {
		return fmt.Sprintf("it comes back slowly: %d times within %d days, in %d tasks", count, days, e.TaskCount())
	}
	return ""
}

// lessonAt is where a lesson stands.
type lessonAt struct {
	path string
	lessonFact
}

func judgeLessons(ctx context.Context, r *Run, facts []Fact[[]lessonFact], out *Out) error {
	for _, rel := range lessons.Canonical {
		there, err := r.Has(ctx, rel)
		if err != nil {
			return err
		}
		if !there {
			out.Add(Finding{ID: "SCR-001", Path: rel, Message: "there is no such file", Expected: "a file", Actual: "none"})
		}
	}
	var all []lessonAt
	for _, f := range facts {
		for _, l := range f.Value {
			all = append(all, lessonAt{f.File.Path, l})
		}
	}
	// An archived lesson has its id from the file it was in.
	slices.SortStableFunc(all, func(a, b lessonAt) int {
		return cmp.Compare(archived(a.path), archived(b.path))
	})
	compareLessons(r, all, out)
	return judgePromoted(ctx, r, all, out)
}

func archived(rel string) int {
	if strings.HasPrefix(rel, lessonArchive) {
		return 0
	}
	return 1
}

// compareLessons looks for lessons that are there twice, and for references to none.
func compareLessons(r *Run, all []lessonAt, out *Out) {
	byID, byText := map[string]lessonAt{}, map[string]lessonAt{}
	for _, l := range all {
		if first, ok := byID[l.id]; ok {
			out.Add(Finding{
				ID: "SCR-007", Path: l.path, Line: l.line, Message: fmt.Sprintf("'%s' is the id of a lesson in '%s', line %d, too", clip(l.id), first.path, first.line),
				Expected: "an id of its own", Actual: clip(l.id),
			})
		} else {
			byID[l.id] = l
		}
		if l.text == "" {
			continue
		}
		if first, ok := byText[l.text]; !ok {
			byText[l.text] = l
		} else if first.path != l.path {
			out.Add(Finding{
				ID: "SCR-002", Path: l.path, Line: l.line, EndLine: l.end, Message: fmt.Sprintf("the same lesson stands in '%s', line %d", first.path, first.line),
				Expected: "one file", Actual: "two",
			})
		}
	}
	if slices.ContainsFunc(r.Large(), func(f File) bool { return isLesson(r, f) }) {
		return // nobody knows which ids are in it
	}
	for _, l := range all {
		for _, id := range l.seeAlso {
			if _, ok := byID[id]; !ok {
				out.Add(Finding{
					ID: "SCR-007", Severity: Warning, Path: l.path, Line: l.line, Message: fmt.Sprintf("it refers to '%s', which is no lesson", clip(id)),
					Expected: "the id of a lesson", Actual: clip(id), Fix: "correct the id, or take the reference out",
				})
			}
		}
	}
}

// judgePromoted: what git claw promoted is in the target, or was and somebody
// changed it since.
func judgePromoted(ctx context.Context, r *Run, all []lessonAt, out *Out) error {
	if !r.On("SCR-009") {
		return nil
	}
	for _, l := range all {
		if l.to == "" {
			continue
		}
		target, _, _ := strings.Cut(l.to, "#")
		why, err := missing(ctx, r, l, path.Clean(target))
		if err != nil {
			return err
		}
		if why != "" {
			out.Add(Finding{
				ID: "SCR-009", Path: l.path, Line: l.line, EndLine: l.end, Message: "it was promoted to '" + clip(l.to) + "', and " + why,
				Expected: "the lesson in " + clip(target), Actual: why,
			})
		}
	}
	return nil
}

// missing says why a promoted lesson is not where it went, or "".
func missing(ctx context.Context, r *Run, l lessonAt, target string) (string, error) {
	text, there, err := r.Text(ctx, target)
	if err != nil {
		return "", err
	}
	if there && (l.skill || l.text == "" || strings.Contains(doc.Normalise(string(text)), l.text)) {
		return "", nil
	}
	commits, err := r.Git.Others(ctx)
	if err != nil {
		return "", err
	}
	for _, c := range commits {
		to, _, _ := strings.Cut(c.Trailers.Get("Claw-To"), "#")
		if c.Trailers.Get("Claw-Event") == "promote" && (slices.Contains(c.Paths, target) || to == target) {
			return "", nil
		}
	}
	if !there {
		return "there is no such file", nil
	}
	return "it is not there", nil
}
