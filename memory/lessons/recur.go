package lessons

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
)

// Within reports whether so many times lie within so many days of each other, the last moment
// included (SPEC LR-12, LR-14).
func Within(times []time.Time, count, days int) bool {
	times = slices.SortedFunc(slices.Values(times), time.Time.Compare)
	for i := 0; count > 0 && i+count <= len(times); i++ {
		if times[i+count-1].Sub(times[i]) <= time.Duration(days)*24*time.Hour {
			return true
		}
	}
	return false
}

// TaskCount is in how many tasks a lesson occurred.
func (e *Entry) TaskCount() int {
	return len(slices.Compact(slices.Sorted(slices.Values(e.Tasks))))
}

// IsPromoted reports whether it became a rule or a skill.
func (e *Entry) IsPromoted() bool { return e.Status == Promoted || e.Status == PromotedToSkill }

// nothings are the whole text of entries that record that there was none.
var nothings = map[string]bool{
	"": true, "none": true, "n/a": true, "na": true, "-": true, "nothing": true, "nothing found": true, "nothing new": true, "nothing to do": true,
	"nothing to report": true, "nothing to record": true, "nothing to log": true, "nothing learned": true, "no errors": true, "no error": true,
	"no errors found": true, "no errors today": true, "no lessons": true, "no lessons today": true, "no new lessons": true, "no learnings": true,
	"no new learnings": true, "no changes": true, "no issues": true, "no issues found": true, "no results": true, "no results found": true,
	"no matches": true, "no feature requests": true, "no-op": true, "noop": true, "heartbeat_ok": true, "heartbeat ok": true,
	"no meaningful changes": true, "not needed": true,
}

// IsNothing recognises a normalised text that says that nothing happened (SPEC OM-53).
func IsNothing(text string) bool { return nothings[text] }

// Areas are the first words of keys (SPEC LR-08).
var Areas = []string{"api", "auth", "build", "config", "deps", "fs", "net", "runtime", "shell", "vcs", "simplify", "harden"}

// KeyProblem says what is wrong with a key that is to be written, "" when nothing is: `area.symptom`,
// lower case with hyphens, without names of files, versions and hosts (SPEC LR-08). A key that an
// entry has already is taken as it is.
func KeyProblem(key string) string {
	area, symptom, ok := strings.Cut(key, ".")
	switch {
	case !ok || area == "" || symptom == "":
		return "it is not area.symptom"
	case !slices.Contains(Areas, area):
		return "there is no area '" + area + "'"
	case strings.Contains(symptom, "."):
		return "a key names no file, version or host"
	}
	for word := range strings.SplitSeq(symptom, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return "a symptom is words of a-z and 0-9 with hyphens between them"
		}
		if n := strings.TrimPrefix(word, "v"); n != word && n != "" && strings.Trim(n, "0123456789") == "" {
			return "a key names no file, version or host"
		}
	}
	return ""
}

// MayKnow tells cheaply whether Known could find something in a text.
func MayKnow(src []byte, key, text string) bool {
	if key != "" && bytes.Contains(src, []byte(key)) {
		return true
	}
	word := ""
	for w := range strings.FieldsSeq(doc.Normalise(text)) {
		if len(w) > len(word) {
			word = w
		}
	}
	if doc.IsASCII(src) {
		return bytes.Contains(bytes.ToLower(src), []byte(word))
	}
	for l := range bytes.Lines(src) {
		if doc.IsASCII(l) {
			if bytes.Contains(bytes.ToLower(l), []byte(word)) {
				return true
			}
		} else if strings.Contains(doc.Normalise(string(l)), word) {
			return true
		}
	}
	return false
}

// Known finds the lessons that would be said again (SPEC LR-09): the first with the same text, and
// the first with the same key. -1 is none; an empty key is no key.
func (f *File) Known(key, text string) (byText, byKey int) {
	byText, byKey = -1, -1
	want := doc.Normalise(text)
	for i := range f.Entries {
		e := &f.Entries[i]
		if byKey < 0 && key != "" && e.Key == key {
			byKey = i
		}
		if byText < 0 && want != "" && doc.Normalise(e.Text) == want {
			byText = i
		}
	}
	return byText, byKey
}

// Names of the files and types of lessons.
const (
	Errors   = Dir + "ERRORS.md"
	Learned  = Dir + "LEARNINGS.md"
	Features = Dir + "FEATURE_REQUESTS.md"
)

// titles head new files.
var titles = map[string]string{Errors: "# Errors\n", Learned: "# Learnings\n", Features: "# Feature requests\n"}

// New is the text of a canonical file without lessons.
func New(rel string) []byte { return []byte(titles[rel]) }

// SetKey gives an entry without a key one.
func SetKey(src []byte, e *Entry, key string) []byte { return set(src, e, "key", key) }
