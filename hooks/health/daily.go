package health

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/daily"
)

// closureFamily looks at how days were closed. Today's note is not judged.
func closureFamily() Family {
	om := on(memory.OpenClawMemory)
	const fix = "add the four lines at its end: Updated, Decisions, Signal, Open"
	return Family{
		Name: "closures",
		Checks: []Check{
			{ID: "EPI-001", Severity: Failure, Profiles: om, Rule: "OM-42", Live: true, Meaning: "yesterday's note ends with a closure block", Fix: fix},
			{ID: "EPI-002", Severity: Warning, Profiles: om, Rule: "OM-42", Live: true, Meaning: "older active daily notes end with a closure block", Fix: fix},
		},
		Look: Over(isActiveDay, readClosure, nil),
	}
}

func isActiveDay(_ *Run, f File) bool {
	_, ok := daily.Active(f.Path)
	return ok
}

func readClosure(r *Run, n *Note, out *Out) struct{} {
	day, _ := daily.Active(n.Path)
	id := "EPI-002"
	switch age := daily.Age(day, r.Now); {
	case age <= 0:
		return struct{}{}
	case age == 1:
		id = "EPI-001"
	}
	c, at, ok := daily.FindClosure(n.Text)
	if !ok {
		out.Add(Finding{ID: id, Path: n.Path, Message: "it does not end with a closure block", Expected: "a closure block", Actual: "none"})
		return struct{}{}
	}
	line := 1 + strings.Count(string(n.Text[:at]), "\n")
	for i, f := range c.Fields() {
		switch {
		case *f == "":
			out.Add(Finding{ID: id, Path: n.Path, Line: line + i, Message: "'" + daily.Keys[i] + "' is empty", Expected: "a word, none among them", Actual: "nothing", Fix: "write what it was, or none"})
		case i == 0 && !daily.IsDay(*f):
			out.Add(Finding{ID: id, Path: n.Path, Line: line, Message: "'Updated' is no date", Expected: "YYYY-MM-DD", Actual: clip(*f), Fix: "write the date as YYYY-MM-DD"})
		}
	}
	return struct{}{}
}

// daysFamily looks at the names of notes, and reads none of them.
func daysFamily() Family {
	om := on(memory.OpenClawMemory)
	return Family{
		Name: "days",
		Checks: []Check{
			{
				ID: "EPI-003", Severity: Warning, Profiles: om, Rule: "OM-40", Meaning: "notes with a date in their name have a known form and a real date",
				Fix: "name it YYYY-MM-DD.md, or YYYY-MM-DD-<words>.md",
			},
			{
				ID: "EPI-004", Severity: Failure, Profiles: om, Rule: "OM-45", Meaning: "at most claw.episodic.maxActive daily notes are active",
				Fix: "move the oldest to memory/archive/YYYY/MM/",
			},
			{
				ID: "EPI-005", Severity: Warning, Profiles: om, Rule: "OM-44", Live: true, Meaning: "no active daily note is older than claw.episodic.ttlDays",
				Fix: "move it to memory/archive/YYYY/MM/",
			},
			{
				ID: "EPI-007", Severity: Failure, Profiles: om, Rule: "LY-01", Meaning: "a day has one daily note",
				Fix: "unite them with 'git claw note --merge <date>'",
			},
			{
				ID: "EPI-008", Severity: Warning, Profiles: om, Rule: "OM-44", Mend: moveToArchive, Meaning: "archived notes lie in the folder of their date",
				Fix: "move it to the folder of its year and month",
			},
		},
		Look:  Over[struct{}](isMemoryNote, nil, judgeDays),
		Whole: whenActiveDayComes,
		Enter: intoDays,
	}
}

// isMemoryNote: a link is none, for its target has a name of its own.
func isMemoryNote(_ *Run, f File) bool {
	return f.Mode.IsFile() && isMarkdown(f.Path) && strings.HasPrefix(f.Path, "memory/")
}

// whenActiveDayComes: days are counted when there is one more.
func whenActiveDayComes(_ *Run, changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool {
		_, ok := daily.Active(c.Path)
		return ok && c.Old.IsZero()
	})
}

// intoDays says where active days lie.
func intoDays(dir string) bool {
	rest, ok := strings.CutPrefix(dir, "memory/")
	rest = strings.TrimPrefix(rest, "episodic/")
	return ok && (rest == "" || strings.Trim(rest, "0123456789-/") == "")
}

func judgeDays(_ context.Context, r *Run, facts []Fact[struct{}], out *Out) error {
	most, ttl := r.Int("episodic.maxActive"), r.Int("episodic.ttlDays")
	first := map[string]string{} // of a day, its first note
	active := 0
	for _, f := range facts {
		rel := f.File.Path
		judgeName(rel, out)
		if day, ok := daily.Archived(rel); ok {
			if want := daily.ArchivePath(day, path.Base(rel)); want != rel {
				out.Add(Finding{ID: "EPI-008", Path: rel, Message: "it lies in another folder than that of its date", Expected: want, Actual: rel, Fix: "move it to " + want})
			}
			continue
		}
		day, ok := daily.Active(rel)
		if !ok {
			continue
		}
		active++
		if age := daily.Age(day, r.Now); age > ttl {
			to := daily.ArchivePath(day, path.Base(rel))
			out.Add(Finding{
				ID: "EPI-005", Path: rel, Message: fmt.Sprintf("%d days old, and still active", age), Measure: int64(age),
				Expected: fmt.Sprintf("at most %d days", ttl), Actual: fmt.Sprintf("%d days", age), Fix: "move it to " + to,
			})
		}
		if other, ok := first[day]; ok {
			out.Add(Finding{
				ID: "EPI-007", Path: rel, Message: "the day has another note, '" + other + "'", Expected: "one note", Actual: "two",
				Fix: "git claw note --merge " + day,
			})
		} else {
			first[day] = rel
		}
	}
	limited(out, "EPI-004", "", 0, active, most, "active daily notes")
	return nil
}

func judgeName(rel string, out *Out) {
	switch _, verdict := daily.Name(rel); verdict {
	case daily.NoSuchDay:
		out.Add(Finding{ID: "EPI-003", Path: rel, Message: "no calendar has this day", Expected: "a real date", Actual: clip(path.Base(rel))})
	case daily.OddForm:
		out.Add(Finding{ID: "EPI-003", Path: rel, Message: "the date is not written YYYY-MM-DD", Expected: "YYYY-MM-DD", Actual: clip(path.Base(rel))})
	}
}

// moveToArchive moves an archived note to the folder of its date, where nothing is
// in the way.
func moveToArchive(r *Run, f Finding) (Mending, bool) {
	there, err := r.Has(context.Background(), f.Expected)
	return Mending{
		Path: f.Path, To: f.Expected, Event: "episodic.archive", Area: "daily", Summary: "move " + path.Base(f.Path) + " to the folder of its date",
	}, err == nil && !there
}
