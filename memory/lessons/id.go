package lessons

import (
	"crypto/sha256"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
)

// Dir is the folder of lessons below the root.
const Dir = ".learnings/"

// Canonical are the files that hold lessons; others are free.
var Canonical = []string{Dir + "ERRORS.md", Dir + "LEARNINGS.md", Dir + "FEATURE_REQUESTS.md"}

// ArchivePath is where an entry that occurred last at a time goes (SPEC LR-10).
func ArchivePath(rel string, last time.Time) string {
	return "memory/archive/learnings/" + last.Format("2006/01/") + rel[strings.LastIndexByte(rel, '/')+1:]
}

// types are those of an id.
var types = []string{"LRN", "ERR", "FEAT"}

// splitID takes an id apart: TYPE, day as YYYY-MM-DD, rest. False for what is none, templates among
// it.
func splitID(id string) (typ, day string, ok bool) {
	parts := strings.SplitN(id, "-", 3)
	if len(parts) != 3 || len(parts[1]) != len("20060102") || parts[2] == "" || parts[2] == "XXX" {
		return "", "", false
	}
	t, err := time.Parse("20060102", parts[1])
	if err != nil || !isType(parts[0]) || strings.ContainsFunc(parts[2], func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return "", "", false
	}
	return parts[0], t.Format(time.DateOnly), true
}

func isType(s string) bool {
	for _, t := range types {
		if s == t {
			return true
		}
	}
	return false
}

// NewID makes the id of a lesson: three characters from a hash of its text, other ones while taken
// says that there is such an id (SPEC LR-06).
func NewID(typ string, day time.Time, text string, taken func(id string) bool) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(doc.Normalise(text)))
	for {
		n := int(sum[0])<<16 | int(sum[1])<<8 | int(sum[2])
		id := typ + "-" + day.Format("20060102") + "-"
		for range 3 {
			id += string(letters[n%len(letters)])
			n /= len(letters)
		}
		if taken == nil || !taken(id) {
			return id
		}
		sum = sha256.Sum256(sum[:])
	}
}

// idAt reads `[ID]` at the beginning of a text. looks reports that it is one of a type that is
// written wrongly; a template is not.
func idAt(text string) (id, rest string, looks bool) {
	inner, ok := strings.CutPrefix(text, "[")
	if !ok {
		return "", text, false
	}
	inner, rest, ok = strings.Cut(inner, "]")
	if !ok || strings.HasPrefix(rest, "(") { // a link
		return "", text, false
	}
	if _, _, ok := splitID(inner); ok {
		return inner, strings.TrimLeft(rest, " \t"), true
	}
	typ, day, _ := strings.Cut(inner, "-")
	template := strings.Contains(day, "YYYY") || strings.HasSuffix(day, "-XXX")
	return "", text, isType(typ) && day != "" && !template
}
