package curate

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/lessons"
)

// note is a daily note.
type note struct {
	path, day string
	text      []byte
}

// weight says how much speaks for a fact; what weighs more comes first when not all fit.
type weight int

const (
	repeated   weight = iota + 1 // many days say it
	signal                       // a closure block tells it as what was learned
	decided                      // a decision
	remembered                   // it was to be remembered
)

// fact is something that daily notes say and that may be worth keeping.
type fact struct {
	text string // one line
	day  string // of the note, YYYY-MM-DD
	path string
	weight
}

// line is the fact as an item of MEMORY.md.
func (f fact) line() string {
	if f.weight == decided {
		return "- " + f.text + " (decided " + f.day + ")"
	}
	return "- " + f.text + " (" + f.day + ")"
}

// rememberTag marks a line of a daily note that is to be kept.
const rememberTag = "#remember"

// repeats is on how many days a line has to stand.
const repeats = 3

// gather finds the facts of daily notes: lines with #remember, decisions, what closure
// blocks say was decided or learned, and lines that stand on many days. Each is there once,
// in the order of the days; what known has is left out. A line that holds a secret is none.
func gather(notes []note, known map[string]bool) []fact {
	g := &gatherer{known: known, at: map[string]int{}, days: map[string]map[string]bool{}, scan: secret.New()}
	for _, n := range notes {
		c, at, ok := daily.FindClosure(n.text)
		if !ok {
			at = len(n.text)
		}
		g.entries(n, doc.Parse(n.text[:at]))
		if ok {
			for _, part := range strings.Split(c.Decisions, ";") {
				g.add(n, part, decided)
			}
			for _, part := range strings.Split(c.Signal, ";") {
				g.add(n, part, signal)
			}
		}
	}
	out := slices.DeleteFunc(g.facts, func(f fact) bool { return f.weight == 0 && len(g.days[doc.Normalise(f.text)]) < repeats })
	for i := range out {
		out[i].weight = max(out[i].weight, repeated)
	}
	slices.SortStableFunc(out, func(a, b fact) int { return cmp.Compare(a.day, b.day) })
	return out
}

type gatherer struct {
	known map[string]bool
	facts []fact
	at    map[string]int             // of a normalised text, its fact
	days  map[string]map[string]bool // on which it stands
	scan  *secret.Scanner
}

func (g *gatherer) entries(n note, d *doc.Doc) {
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Item && e.Kind != doc.Paragraph || e.Level > 0 || moved(e) {
			continue
		}
		text := strings.Join(strings.Fields(strings.TrimLeft(string(e.OwnText()), "-*+ \t")), " ")
		switch rest, ok := strings.CutPrefix(text, DecisionMark); {
		case tagged(text):
			g.add(n, untagged(text), remembered)
		case ok:
			g.add(n, rest, decided)
		case e.Kind == doc.Item:
			g.add(n, text, 0)
		}
	}
}

// moved: what stands below such a heading came from a rule file or the buffer.
func moved(e *doc.Entry) bool {
	return slices.ContainsFunc(e.Path(), func(title string) bool {
		return strings.HasPrefix(title, "Trimmed from ") || strings.HasPrefix(title, "Buffer ")
	})
}

func tagged(text string) bool { return slices.Contains(strings.Fields(text), rememberTag) }

func untagged(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(w string) bool { return w == rememberTag }), " ")
}

// add notes that a day says something. The strongest reason counts, and the day on which it
// was said last.
func (g *gatherer) add(n note, text string, w weight) {
	text = strings.TrimSpace(text)
	key := doc.Normalise(text)
	if lessons.IsNothing(key) || g.known[key] || len(text) > longestFact || strings.Contains(text, "<!--") || len(g.scan.Scan([]byte(text))) > 0 {
		return
	}
	if g.days[key] == nil {
		g.days[key] = map[string]bool{}
	}
	g.days[key][n.day] = true
	i, ok := g.at[key]
	if !ok {
		g.at[key] = len(g.facts)
		g.facts = append(g.facts, fact{text: text, day: n.day, path: n.path, weight: w})
		return
	}
	f := &g.facts[i]
	f.weight = max(f.weight, w)
	f.day, f.path = n.day, n.path
}

// longestFact bounds a line of MEMORY.md, in bytes.
const longestFact = 500

var dated = regexp.MustCompile(` \((decided )?\d{4}-\d\d-\d\d\)$`)

// says collects what a text says already, normalised and without the days of facts.
func says(into map[string]bool, text []byte) {
	d := doc.Parse(text)
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Kind == doc.Item || e.Kind == doc.Paragraph {
			own := strings.TrimSpace(strings.TrimLeft(string(e.OwnText()), "-*+ \t"))
			into[doc.Normalise(dated.ReplaceAllString(own, ""))] = true
			if label, _, ok := strings.Cut(own, " → "); ok { // an active decision
				into[doc.Normalise(label)] = true
			}
		}
	}
}

// drafted reads the items of what a model wrote: one line each, nothing that hides or is
// known, no secret. Text that is no list gives none.
func drafted(reply []byte, known map[string]bool) []string {
	scan := secret.New()
	var out []string
	seen := map[string]bool{}
	for line := range strings.SplitSeq(strings.ToValidUTF8(string(reply), ""), "\n") {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
			if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				return -1
			}
			return r
		}, text)), " ")
		key := doc.Normalise(dated.ReplaceAllString(text, ""))
		if lessons.IsNothing(key) || known[key] || seen[key] || len(text) > longestFact || strings.Contains(text, "<!--") || len(scan.Scan([]byte(text))) > 0 {
			continue
		}
		seen[key] = true
		out = append(out, "- "+text)
	}
	return out
}
