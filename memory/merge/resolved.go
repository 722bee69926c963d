package merge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/git-claw/git-claw/memory/contradiction"
	"github.com/git-claw/git-claw/memory/doc"
)

// choice is a contradiction of the base that both sides resolved, each in favour of other
// versions.
type choice struct{ versions [][]byte }

// reopened takes contradictions that were resolved in two ways out of the base: to the
// merge each choice would be the deletion of the other one's version, and nothing would
// be left.
func reopened(in Input) (Input, []choice) {
	var out []choice
	for _, m := range contradiction.Find(in.Base) {
		versions := contradiction.Versions(in.Base, m)
		ours, theirs := chosen(in.Ours, m, versions), chosen(in.Theirs, m, versions)
		if len(ours) == 0 || len(theirs) == 0 || slices.ContainsFunc(ours, func(v []byte) bool { return has(theirs, v) }) {
			continue
		}
		base, ok := contradiction.Resolve(in.Base, m.ID, func([][]byte) [][]byte { return nil })
		if !ok {
			continue
		}
		in.Base = base
		all := slices.Concat(ours, theirs)
		slices.SortFunc(all, bytes.Compare)
		out = append(out, choice{versions: all})
	}
	return in, out
}

// chosen are the versions that a side kept; none while it has the mark.
func chosen(text []byte, m contradiction.Mark, versions [][]byte) [][]byte {
	if slices.ContainsFunc(contradiction.Find(text), func(n contradiction.Mark) bool { return n.ID == m.ID }) {
		return nil
	}
	d := doc.Parse(text)
	var out [][]byte
	for _, v := range versions {
		if slices.ContainsFunc(d.Entries, func(e doc.Entry) bool { return bytes.Equal(e.OwnText(), v) }) {
			out = append(out, v)
		}
	}
	return out
}

func has(list [][]byte, v []byte) bool {
	return slices.ContainsFunc(list, func(w []byte) bool { return bytes.Equal(v, w) })
}

// marked puts a mark before versions that stand one after the other, in byte order.
func (c choice) marked(text []byte) ([]byte, bool) {
	d := doc.Parse(text)
	n := len(c.versions)
	for i := 0; i+n <= len(d.Entries); i++ {
		run := d.Entries[i : i+n]
		texts := make([][]byte, n)
		for k := range run {
			texts[k] = run[k].OwnText()
		}
		sorted := slices.Clone(texts)
		slices.SortFunc(sorted, bytes.Compare)
		if !slices.EqualFunc(sorted, c.versions, bytes.Equal) {
			continue
		}
		last := run[n-1]
		out := append(bytes.Clone(text[:run[0].Start]), marked(run)...)
		return append(out, text[last.Start+len(last.Text()):]...), true
	}
	return text, false
}

// marked writes entries as a contradiction: comments that all have stand once, before the mark.
func marked(run []doc.Entry) []byte {
	comments := run[0].Text()[:run[0].Own-run[0].Start]
	for _, e := range run[1:] {
		if !bytes.Equal(e.Text()[:e.Own-e.Start], comments) {
			comments = nil
		}
	}
	texts := make([][]byte, len(run))
	for k := range run {
		texts[k] = run[k].Text()
	}
	slices.SortFunc(texts, func(a, b []byte) int { return bytes.Compare(trimLines(a), trimLines(b)) })
	h := sha256.New()
	for _, v := range texts {
		h.Write(trimLines(v))
		h.Write([]byte{0})
	}
	m := contradiction.Mark{ID: hex.EncodeToString(h.Sum(nil)[:4]), N: len(run)}
	out := bytes.Clone(comments)
	out = append(append(out, indentOf(texts[0][len(comments):])...), m.String()...)
	for i, v := range texts {
		if i > 0 && !contradiction.StandsAlone(v) {
			out = append(out, '\n')
		}
		out = append(append(out, '\n'), v[len(comments):]...)
	}
	return out
}

// mergeChoices merges Markdown in which both sides may have resolved a contradiction.
func mergeChoices(in Input) Result {
	in, choices := reopened(in)
	res := mergeMarkdown(in)
	for _, c := range choices {
		if text, ok := c.marked(res.Content); ok {
			res.Content, res.Contradictions = text, res.Contradictions+1
		}
	}
	return res
}
