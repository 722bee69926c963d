package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// languages are those that a set must have; those of jaKo may be there as well.
var (
	languages = []string{"en", "de", "pt", "ru", "zh"}
	jaKo      = []string{"ja", "ko"}
	kinds     = []string{
		"keyword", "paraphrase", "id", "date", "name", "code", "substring",
		"contradiction", "old", "new", "cross",
	}
)

// Limits of a set that is worth measuring with.
const (
	minQuestions   = 170
	minLanguage    = 20
	minKind        = 5
	paraphraseHalf = 2 // one in so many is a paraphrase
)

// Evidence is a piece of one line of a note, or of another one that answers
// as well.
type Evidence struct {
	Path string     `json:"path"` // below the workspace, with slashes
	Text string     `json:"text"` // stands on exactly one line of the file
	Or   []Evidence `json:"or,omitempty"`

	line int // 1-based, set by resolve
}

// in reports whether a result holds the line, or one of the others.
func (e Evidence) in(r Result) bool {
	return r.Path == e.Path && r.From <= e.line && e.line <= r.To ||
		slices.ContainsFunc(e.Or, func(o Evidence) bool { return o.in(r) })
}

// A Question is what a person asks, and where the answer stands.
type Question struct {
	ID       string     `json:"id"`
	Lang     string     `json:"lang"`
	Kind     string     `json:"kind"`
	Query    string     `json:"query"`
	Evidence []Evidence `json:"evidence"`
}

// loadSet reads questions.jsonl in dir and finds the line of each piece of
// evidence in dir/workspace. The error joins all faults of single questions.
func loadSet(dir string) ([]Question, error) {
	content, err := os.ReadFile(filepath.Join(dir, "questions.jsonl"))
	if err != nil {
		return nil, err
	}
	var set []Question
	var faults []error
	notes := notebook{root: filepath.Join(dir, "workspace"), lines: map[string][]string{}}
	ids, queries := map[string]bool{}, map[string]bool{}
	for n, line := range bytes.Split(bytes.TrimSpace(content), []byte("\n")) {
		q, err := parseQuestion(line)
		if err == nil && (ids[q.ID] || queries[q.Query]) {
			err = errors.New("the id or the query stands there twice")
		}
		if err == nil {
			err = notes.resolve(&q)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("questions.jsonl:%d: '%s': %w", n+1, q.ID, err))
			continue
		}
		ids[q.ID], queries[q.Query] = true, true
		set = append(set, q)
	}
	return set, errors.Join(faults...)
}

func parseQuestion(line []byte) (Question, error) {
	var q Question
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&q); err != nil {
		return q, err
	}
	switch {
	case q.ID == "" || strings.TrimSpace(q.Query) == "" || len(q.Evidence) == 0:
		return q, errors.New("id, query or evidence is missing")
	case !slices.Contains(kinds, q.Kind):
		return q, fmt.Errorf("unknown kind '%s'", q.Kind)
	case !slices.Contains(languages, q.Lang) && !slices.Contains(jaKo, q.Lang):
		return q, fmt.Errorf("unknown language '%s'", q.Lang)
	case q.Kind == "contradiction" && len(q.Evidence) < 2:
		return q, errors.New("a contradiction needs the old and the new line")
	}
	return q, nil
}

// notebook reads each note once.
type notebook struct {
	root  string
	lines map[string][]string
}

func (n notebook) read(path string) ([]string, error) {
	if lines, ok := n.lines[path]; ok {
		return lines, nil
	}
	content, err := os.ReadFile(filepath.Join(n.root, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	n.lines[path] = strings.Split(string(content), "\n")
	return n.lines[path], nil
}

// resolve sets the line of each piece of evidence.
func (n notebook) resolve(q *Question) error {
	where := map[string]bool{}
	for i := range q.Evidence {
		if err := n.locate(&q.Evidence[i], where); err != nil {
			return err
		}
	}
	if q.Kind != "paraphrase" {
		return nil
	}
	if shared, all := n.overlap(q); 2*shared > all {
		return fmt.Errorf("no paraphrase: %d of its %d words stand in the evidence", shared, all)
	}
	return nil
}

// locate sets the line of one piece and of those that may stand for it. where
// holds the places that the question has named before.
func (n notebook) locate(e *Evidence, where map[string]bool) error {
	lines, err := n.read(e.Path)
	if err != nil {
		return err
	}
	found := 0
	for k, line := range lines {
		if c := strings.Count(line, e.Text); c > 0 {
			found += c
			e.line = k + 1
		}
	}
	if found != 1 || strings.TrimSpace(e.Text) == "" {
		return fmt.Errorf("'%s' stands %d times in '%s', not once", e.Text, found, e.Path)
	}
	place := fmt.Sprintf("%s:%d", e.Path, e.line)
	if where[place] {
		return fmt.Errorf("'%s' is evidence twice", place)
	}
	where[place] = true
	for i := range e.Or {
		if err := n.locate(&e.Or[i], where); err != nil {
			return err
		}
	}
	return nil
}

// overlap counts the words of a query that stand in its evidence as they are.
// Short words say nothing, and Chinese has no words to split at; both are left
// out.
func (n notebook) overlap(q *Question) (shared, all int) {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	have := map[string]bool{}
	var add func(evidence []Evidence)
	add = func(evidence []Evidence) {
		for _, e := range evidence {
			for _, w := range words(n.lines[e.Path][e.line-1]) {
				have[w] = true
			}
			add(e.Or)
		}
	}
	add(q.Evidence)
	for _, w := range words(q.Query) {
		if len([]rune(w)) < 4 || strings.ContainsFunc(w, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Hangul) }) {
			continue
		}
		if all++; have[w] {
			shared++
		}
	}
	return shared, all
}

// checkSet tells in what a set falls short as a whole.
func checkSet(set []Question) error {
	var faults []error
	kind, lang := map[string]int{}, map[string]int{}
	for _, q := range set {
		kind[q.Kind]++
		lang[q.Lang]++
	}
	if len(set) < minQuestions {
		faults = append(faults, fmt.Errorf("%d questions, want %d", len(set), minQuestions))
	}
	if n := kind["paraphrase"]; n*paraphraseHalf < len(set) {
		faults = append(faults, fmt.Errorf("%d of %d questions are paraphrases, want half", n, len(set)))
	}
	for _, k := range kinds {
		if kind[k] < minKind {
			faults = append(faults, fmt.Errorf("%d questions of kind '%s', want %d", kind[k], k, minKind))
		}
	}
	for _, l := range languages {
		if lang[l] < minLanguage {
			faults = append(faults, fmt.Errorf("%d questions in '%s', want %d", lang[l], l, minLanguage))
		}
	}
	return errors.Join(faults...)
}
