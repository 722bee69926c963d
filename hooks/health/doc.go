// Package health tests a workspace: numbered checks (SPEC 12) over a snapshot
// of it, which is the work tree, the index or a commit.
//
// Examine looks at all of a snapshot, ExamineStaged at what a commit is about to
// change. Each file is read once, whatever number of checks look at it, and no
// more than a few are in memory at a time. Files are looked at side by side; the
// report does not depend on which comes first.
//
// # How to add a family
//
// A family is a file `<name>.go` that holds the rows of its checks and the
// functions that look, and a line in [families]. Its test is `<name>_test.go`
// with a function that returns cases, and a line in allCases.
//
//	func lessonsFamily() Family {
//		return Family{
//			Name:   "lessons",
//			Checks: []Check{{ID: "SCR-003", Severity: Warning, Profiles: on(memory.Learnings), Rule: "LR-05", Meaning: "...", Fix: "..."}},
//			Look:   Over(isLesson, readLessons, compareLessons),
//		}
//	}
//
// Over takes three functions. The first says which files the family looks at.
// The second looks at one of them: it is called side by side for many, so it
// changes nothing but what it is given, and returns what the third must know of
// the file (copy what you keep: a piece of the text would hold all of it). The
// third is called once, after all files, with these facts in order of path; it is
// where files are compared and where git is asked. Either of the last two may be
// nil.
//
// What is found goes to Out.Add. A finding names its check, the file, the line
// (0: the whole file), what was expected and what is there, each in a few words,
// never the value of a secret. Where a number is over its limit, Measure holds it:
// a commit that leaves it as it was, or makes it smaller, is not to blame.
// Findings of a check that does not run are dropped, so a family need not ask;
// before dear work it may, by Run.On.
//
// What the look at each file needs beforehand, such as a list that lies in another
// file, is read in Begin.
//
// A family never reads the work tree by itself. Run.Snapshot has files that were
// not looked at, and those that git ignores; Run.Git has history, dates and refs.
// A check that depends on these, on the clock or on locks is marked Live: it says
// nothing about what a commit changes. A staged run reads only what the commit
// changes; a family that compares files says in Whole when it must see all of its
// own, and in Enter where they lie.
package health
