package health

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/lessons"
	"github.com/git-claw/git-claw/memory/prefs"
)

// prefsFamily looks at the files of the store of preferences.
func prefsFamily() Family {
	si := on(memory.SelfImproving)
	scan := secret.New()
	return Family{
		Name: "preferences",
		Checks: []Check{
			{
				ID: "PRF-001", Severity: Failure, Profiles: si, Rule: "SI-30", Meaning: "the store's memory.md has at most claw.si.hotMaxLines lines",
				Fix: "git claw tick",
			},
			{
				ID: "PRF-002", Severity: Warning, Profiles: si, Rule: "SI-31", Meaning: "files of domains and projects have at most claw.si.warmMaxLines lines",
				Fix: "part it in two, by what it is about",
			},
			{
				ID: "PRF-003", Severity: Failure, Profiles: si, Rule: "SI-13", Meaning: "candidates can be read, and their ids fit what they say",
				Fix: "correct the line, or bring the file back from history",
			},
			{
				ID: "PRF-004", Severity: Failure, Profiles: si, Rule: "SI-23", Meaning: "candidates wait for a decision, and their counters fit each other",
				Fix: "correct the number, or bring the file back from history",
			},
			{
				ID: "PRF-005", Severity: Warning, Profiles: si, Rule: "SI-16", Meaning: "corrections.md has at most claw.si.correctionsMax entries",
				Fix: "move the oldest to the store's archive/",
			},
			{
				ID: "PRF-006", Severity: Warning, Profiles: si, Rule: "SI-33", Live: true, Meaning: "what was not used for long has left its tier",
				Fix: "git claw tick",
			},
			{
				ID: "PRF-007", Severity: Warning, Profiles: si, Rule: "SI-44", Mend: writeIndex, Meaning: "index.md says what is in the store",
				Fix: "git claw health --fix",
			},
			{
				ID: "PRF-008", Severity: Warning, Profiles: si, Rule: "SI-52", Meaning: "reflections can be read",
				Fix: "begin a record with '== <time> r-<8 hex>', and give it a LESSON",
			},
			{
				ID: "PRF-010", Severity: Warning, Profiles: si, Rule: "SI-40", Meaning: "no two preferences of one level contradict each other",
				Fix: "ask which one holds, and take the other out",
			},
			{
				ID: "PRF-011", Severity: Failure, Profiles: si, Rule: "SI-70", Meaning: "no credentials, payment cards and accounts in the store",
				Fix: "take the line out, and change what it gave away: git keeps what was committed; 'claw:allow' in the line lets it pass",
			},
			{
				ID: "PRF-013", Severity: Info, Profiles: si, Rule: "SI-51", Live: true, Meaning: "lessons that came up often and are no candidates",
				Fix: "git claw tick",
			},
		},
		Look: Over(isPrefs, func(r *Run, n *Note, out *Out) prefFact {
			for _, f := range scan.Scan(n.Text) {
				out.Add(Finding{ID: "PRF-011", Path: n.Path, Line: f.Line, EndLine: f.EndLine, Message: "it must not be stored: " + f.Kind, Expected: "none", Actual: f.Kind})
			}
			return readPrefs(r, n, out)
		}, judgePrefs),
		Whole: whenAny(isPrefs),
	}
}

func isPrefs(r *Run, f File) bool { return f.Mode.IsFile() && strings.HasPrefix(f.Path, r.WS.SIRoot()) }

// prefFact is what is compared of a file of the store.
type prefFact struct {
	row       prefs.IndexRow // of a file of a tier
	entries   []prefs.Entry
	ids       []string // of candidates that wait or were rejected
	index     string   // index.md itself
	reflected []prefs.Reflection
	uses      map[string]string // days on which preferences were asked for again
}

func readPrefs(r *Run, n *Note, out *Out) prefFact {
	rel := strings.TrimPrefix(n.Path, r.WS.SIRoot())
	tier, _, _ := prefs.Place(rel)
	switch {
	case tier != prefs.NoTier:
		judgeTier(r, n, tier, out)
		return prefFact{row: prefs.Row(rel, n.Text), entries: prefs.ParseTier(n.Text)}
	case rel == prefs.Corrections:
		limited(out, "PRF-005", n.Path, 0, len(prefs.ParseCorrections(n.Text)), r.Int("si.correctionsMax"), "corrections")
		return prefFact{uses: prefs.Uses(n.Text)}
	case rel == prefs.OldCorrections:
		return prefFact{uses: prefs.Uses(n.Text)}
	case rel == prefs.Reflections, rel == prefs.Notes:
		records, problems := prefs.ParseReflections(n.Text)
		for _, p := range problems {
			out.Add(Finding{ID: "PRF-008", Path: n.Path, Line: p.Line, Message: p.What, Expected: "a record", Actual: clip(string(n.Line(p.Line)))})
		}
		return prefFact{reflected: records}
	case rel == prefs.Rejected:
		var fact prefFact
		for _, e := range prefs.ParseRejected(n.Text) {
			fact.ids = append(fact.ids, e.ID)
		}
		return fact
	case rel == prefs.Index:
		return prefFact{index: string(n.Text)}
	case strings.HasPrefix(rel, prefs.Pending) && isMarkdown(rel):
		return readCandidate(r, n, out)
	}
	return prefFact{}
}

// judgeTier looks at a file of a tier by itself.
func judgeTier(r *Run, n *Note, tier prefs.Tier, out *Out) {
	switch tier {
	case prefs.TierHot:
		limited(out, "PRF-001", n.Path, 0, len(n.Lines()), r.Int("si.hotMaxLines"), "lines")
	case prefs.TierWarm:
		limited(out, "PRF-002", n.Path, 0, len(n.Lines()), r.Int("si.warmMaxLines"), "lines")
	}
}

// judgeUnused looks for entries that nobody used for longer than their tier keeps them. A
// correction that repeats one is a use of it.
func judgeUnused(r *Run, facts []Fact[prefFact], out *Out) {
	uses := map[string]string{}
	for _, f := range facts {
		for id, day := range f.Value.uses {
			uses[id] = max(uses[id], day)
		}
	}
	for _, f := range facts {
		tier, _, _ := prefs.Place(f.Value.row.Path)
		after := r.Int("si.warmDays")
		if tier == prefs.TierWarm {
			after = r.Int("si.coldDays")
		}
		if tier != prefs.TierHot && tier != prefs.TierWarm {
			continue
		}
		for _, e := range f.Value.entries {
			last := max(e.Since, e.LastUse, uses[e.ID])
			if e.ID == "" || e.Pin || e.Section == prefs.Confirmed || !daily.IsDay(last) {
				continue // nobody confirmed it here, or it stays
			}
			if age := daily.Age(last, r.Now); age > after {
				to := r.WS.SIRoot() + prefs.ColdPath(r.Now)
				if l, ok := e.Preference(); tier == prefs.TierHot && ok {
					to = r.WS.SIRoot() + prefs.WarmPath(l.Context)
				}
				out.Add(Finding{
					ID: "PRF-006", Path: f.File.Path, Line: e.Line, EndLine: e.EndLine, Message: fmt.Sprintf("not used for %d days", age), Measure: int64(age),
					Expected: fmt.Sprintf("at most %d days", after), Actual: fmt.Sprintf("%d days", age), Fix: "move it to " + to,
				})
			}
		}
	}
}

// readCandidate looks at a file in pending/. One that neither its name nor its head
// calls a candidate is somebody's note.
func readCandidate(r *Run, n *Note, out *Out) prefFact {
	c := prefs.ParseCandidate(n.Text)
	name := strings.TrimSuffix(path.Base(n.Path), ".md")
	if !strings.HasPrefix(name, "cand-") && !strings.HasPrefix(c.ID, "cand-") {
		return prefFact{}
	}
	add := func(id string, line int, message, want, have string) {
		out.Add(Finding{ID: id, Path: n.Path, Line: line, Message: message, Expected: want, Actual: clip(orNone(have))})
	}
	for _, p := range c.Problems {
		add("PRF-003", p.Line, p.What, "a candidate", string(n.Line(p.Line)))
	}
	if c.Status != "" && !slices.Contains(prefs.Statuses, c.Status) {
		add("PRF-003", 0, "no status is called so", strings.Join(prefs.Statuses, ", "), c.Status)
	}
	if c.Line != (prefs.Line{}) {
		for _, have := range []string{name, c.ID} {
			if want := c.Line.ID(); have != want && have != "" {
				add("PRF-003", 0, "the id is not that of the line", want, have)
				break
			}
		}
	}
	switch most := r.Int("si.maxIgnores"); {
	case prefs.Decided(c.Status):
		add("PRF-004", 0, "it was decided, and waits still", "pending or deferred", c.Status)
	case c.Ignored > c.Asks:
		add("PRF-004", 0, "it was ignored more often than asked", fmt.Sprintf("at most %d", c.Asks), fmt.Sprint(c.Ignored))
	case most > 0 && c.Ignored >= most:
		add("PRF-004", 0, fmt.Sprintf("it was ignored %d times, and waits still", c.Ignored), fmt.Sprintf("less than %d", most), fmt.Sprint(c.Ignored))
	case !c.LastSeen.IsZero() && c.LastSeen.Before(c.FirstSeen):
		add("PRF-004", 0, "it was seen last before it was seen first", "first_seen, then last_seen", c.LastSeen.Format(time.RFC3339))
	}
	for _, o := range c.Occurrences {
		if !c.FirstSeen.IsZero() && o.At.Before(c.FirstSeen) || !c.LastSeen.IsZero() && o.At.After(c.LastSeen) {
			add("PRF-004", o.Line, "it occurred before it was seen first, or after it was seen last", "a time between first_seen and last_seen", o.At.Format(time.RFC3339))
		}
	}
	return prefFact{ids: []string{name, c.ID}}
}

func judgePrefs(ctx context.Context, r *Run, facts []Fact[prefFact], out *Out) error {
	judgeIndex(r, facts, out)
	judgeContradictions(facts, out)
	judgeUnused(r, facts, out)
	if !r.On("PRF-013") {
		return nil
	}
	return judgeReflections(ctx, r, facts, out)
}

func judgeIndex(r *Run, facts []Fact[prefFact], out *Out) {
	index, there := "", false
	var rows []prefs.IndexRow
	for _, f := range facts {
		if f.File.Path == r.WS.SIRoot()+prefs.Index {
			index, there = f.Value.index, true
		}
		if f.Value.row.Path != "" {
			rows = append(rows, f.Value.row)
		}
	}
	have := strings.ReplaceAll(index, "\r\n", "\n")
	switch {
	case len(rows) == 0, slices.ContainsFunc(r.Large(), func(f File) bool { return isPrefs(r, f) }):
	case !there:
		out.Add(Finding{ID: "PRF-007", Path: r.WS.SIRoot() + prefs.Index, Message: "there is no such file", Expected: "a file", Actual: "none"})
	case have != string(prefs.RenderIndex(rows, prefs.LastCompaction([]byte(index)))):
		out.Add(Finding{ID: "PRF-007", Path: r.WS.SIRoot() + prefs.Index, Message: "it does not say what is in the store", Expected: "what git claw writes", Actual: "another text"})
	}
}

// writeIndex writes index.md anew, but not over one that somebody else wrote.
func writeIndex(r *Run, f Finding) (Mending, bool) {
	ctx := context.Background()
	old, there, err := r.Text(ctx, f.Path)
	if err != nil || there && !bytes.HasPrefix(old, []byte("# Index\n\nLast compaction: ")) {
		return Mending{}, false
	}
	files, err := r.Snapshot.Files(ctx)
	if err != nil {
		return Mending{}, false
	}
	var rows []prefs.IndexRow
	for _, file := range files {
		rel, ok := strings.CutPrefix(file.Path, r.WS.SIRoot())
		if tier, _, _ := prefs.Place(rel); !ok || tier == prefs.NoTier {
			continue
		}
		text, ok, err := r.Text(ctx, file.Path)
		if err != nil || !ok {
			return Mending{}, false
		}
		rows = append(rows, prefs.Row(rel, text))
	}
	return Mending{
		Path: f.Path, Content: prefs.RenderIndex(rows, prefs.LastCompaction(old)), Event: "heartbeat", Area: "prefs", Summary: "write index.md anew",
	}, true
}

// judgeContradictions: of two preferences of one level that differ, the later one
// wins; where neither is later somebody must say.
func judgeContradictions(facts []Fact[prefFact], out *Out) {
	type key struct {
		level            prefs.Level
		context, pattern string
	}
	type place struct {
		path string
		prefs.Entry
		want string
	}
	all := map[key][]place{}
	for _, f := range facts {
		tier, level, _ := prefs.Place(f.Value.row.Path)
		if tier != prefs.TierHot && tier != prefs.TierWarm {
			continue
		}
		for _, e := range f.Value.entries {
			if l, ok := e.Preference(); ok {
				k := key{level, doc.Normalise(l.Context), doc.Normalise(l.Pattern)}
				all[k] = append(all[k], place{f.File.Path, e, doc.Normalise(l.Preference)})
			}
		}
	}
	for _, list := range all {
		newest := slices.MaxFunc(list, func(a, b place) int { return cmp.Compare(a.Since, b.Since) }).Since
		list = slices.DeleteFunc(list, func(p place) bool { return p.Since != newest })
		for _, p := range list[1:] {
			if p.want != list[0].want {
				out.Add(Finding{
					ID: "PRF-010", Path: p.path, Line: p.Line, EndLine: p.EndLine, Message: fmt.Sprintf("'%s', line %d, wants something else", list[0].path, list[0].Line),
					Expected: "one preference", Actual: "two",
				})
				break
			}
		}
	}
}

// judgeReflections looks for lessons that came up often and that nobody was asked
// about.
func judgeReflections(ctx context.Context, r *Run, facts []Fact[prefFact], out *Out) error {
	type record struct {
		path string
		prefs.Reflection
	}
	known, wanted := map[string]bool{}, map[string]bool{}
	all := map[string][]record{}
	for _, f := range facts {
		for _, id := range f.Value.ids {
			known[id] = true
		}
		for _, e := range f.Value.entries {
			known[e.ID] = true
			if l, ok := e.Preference(); ok {
				wanted[doc.Normalise(l.Preference)] = true
			}
		}
		for _, rec := range f.Value.reflected {
			if lesson := doc.Normalise(rec.Lesson); lesson != "" {
				all[lesson] = append(all[lesson], record{f.File.Path, rec})
			}
		}
	}
	count, days := r.Int("si.lessonCount"), r.Int("si.windowDays")
	for lesson, list := range all {
		if len(list) < count || wanted[lesson] || slices.ContainsFunc(list, func(rec record) bool { return known[rec.LineOf().ID()] }) {
			continue
		}
		var times []time.Time
		for _, rec := range list {
			at, ok := rec.At, true
			if at.IsZero() {
				var err error
				if at, ok, err = r.Git.LineDate(ctx, rec.path, rec.Line); err != nil {
					return err
				}
			}
			if ok {
				times = append(times, at)
			}
		}
		if lessons.Within(times, count, days) {
			out.Add(Finding{
				ID: "PRF-013", Path: list[0].path, Line: list[0].Line, EndLine: list[0].EndLine, Actual: fmt.Sprintf("%d times", len(list)),
				Message: fmt.Sprintf("a lesson that came up %d times within %d days is no candidate", count, days),
			})
		}
	}
	return nil
}
