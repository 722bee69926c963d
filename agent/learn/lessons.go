package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/prefs"
)

// reflected is a reflection and where it stands.
type reflected struct {
	prefs.Reflection
	file string
}

// countLessons makes a candidate of each lesson that came up often enough since its last
// candidate (SPEC SI-51, SI-53). The answer depends on the files alone, so that whoever
// counts finds the same. A passive workspace learns from corrections only (SI-74).
func countLessons(ctx context.Context, ws *memory.Workspace, caller agent.Caller) ([]*Captured, error) {
	if ws.Settings.String("si.mode") == "passive" {
		return nil, nil
	}
	s := store{ws}
	groups := map[string][]reflected{}
	for _, name := range []string{prefs.Reflections, prefs.Notes} {
		text, _, err := s.read(name)
		if err != nil {
			return nil, err
		}
		records, _ := prefs.ParseReflections(text)
		for _, r := range records {
			if lesson := doc.Normalise(r.Lesson); lesson != "" {
				groups[lesson] = append(groups[lesson], reflected{r, name})
			}
		}
	}
	count := int(ws.Settings.Int("si.lessonCount"))
	var often []string
	for lesson, list := range groups {
		if count > 0 && len(list) >= count {
			often = append(often, lesson)
		}
	}
	if len(often) == 0 {
		return nil, nil
	}
	slices.Sort(often)
	var out []*Captured
	for _, lesson := range often {
		c, err := s.countLesson(ctx, caller, groups[lesson], count)
		if err != nil {
			return out, err
		}
		if c != nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// countLesson looks at one lesson. What cannot be a candidate, because a person wrote
// words into the log that are none, stays what it is.
func (s store) countLesson(ctx context.Context, caller agent.Caller, list []reflected, count int) (*Captured, error) {
	snap, err := load(s.ws)
	if err != nil {
		return nil, err
	}
	if err := s.dates(ctx, list); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r reflected) bool { return r.At.IsZero() })
	slices.SortStableFunc(list, func(a, b reflected) int { return a.At.Compare(b.At) })
	line, since, rule := snap.known(list)
	if rule {
		return nil, nil
	}
	list = slices.DeleteFunc(list, func(r reflected) bool { return !r.At.After(since) })
	times := make([]time.Time, len(list))
	for i, r := range list {
		times[i] = r.At
	}
	last, ok := prefs.Within(times, count, int(s.ws.Settings.Int("si.windowDays")))
	if !ok {
		return nil, nil
	}
	until := slices.IndexFunc(list, func(r reflected) bool { return r.At.After(last) })
	if until < 0 {
		until = len(list)
	}
	list = list[:until]
	if line == (prefs.Line{}) {
		line = list[max(0, len(list)-count)].LineOf()
	}
	if line.Check() != nil {
		return nil, nil
	}
	c := &capture{
		store: s, line: line, id: line.ID(), kind: Kinds[0], source: "reflection", seen: prefs.Occurrence{At: last.UTC(), Quote: idsOf(list)},
		trailers: gitops.Trailers{{Key: "Claw-Source", Value: "reflection"}, {Key: "Claw-Lesson", Value: lessonHash(line.Preference)}},
	}
	return c.commit(ctx, caller, false)
}

// known finds out whether a lesson was a candidate before: by which line, and until when
// it was counted. rule: it is one already.
func (s *snapshot) known(list []reflected) (line prefs.Line, since time.Time, rule bool) {
	lesson := doc.Normalise(list[0].Lesson)
	for _, p := range s.byID {
		if l, ok := p.entry.Preference(); ok && doc.Normalise(l.Preference) == lesson {
			return line, since, true
		}
	}
	for _, r := range list {
		l := r.LineOf()
		if w := s.pending[l.ID()]; w != nil {
			if line = l; w.cand.LastSeen.After(since) {
				since = w.cand.LastSeen
			}
		}
		if rej, ok := s.rejected[l.ID()]; ok {
			if day, err := time.ParseInLocation(time.DateOnly, rej.Day, s.ws.Now().Location()); err == nil && day.AddDate(0, 0, 1).After(since) {
				since = day.AddDate(0, 0, 1).Add(-time.Nanosecond)
			}
		}
	}
	return line, since, false
}

// dates gives bare reflections the time of the commit that added them; one that is in no
// commit yet has none.
func (s store) dates(ctx context.Context, list []reflected) error {
	repo := s.ws.Repo
	for i := range list {
		if !list[i].At.IsZero() {
			continue
		}
		b, err := repo.BlameLine(ctx, "", s.ws.Prefix+s.rel(list[i].file), list[i].Line)
		var ge *gitops.GitError
		if errors.As(err, &ge) {
			continue // a file that git does not have
		}
		if err != nil {
			return err
		}
		if b.Commit.IsZero() {
			continue
		}
		c, err := repo.Objects().Commit(ctx, b.Commit)
		if err != nil {
			return fmt.Errorf("read '%s': %w", b.Commit.Short(), err)
		}
		list[i].At = c.Author.When
	}
	return nil
}
