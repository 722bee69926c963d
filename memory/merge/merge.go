package merge

import (
	"bytes"
	"errors"
)

// ErrText says that these contents can only be merged as text, by git: a kind without a rule, a binary
// file, JSON that does not parse.
var ErrText = errors.New("only a merge as text is possible")

// Input is one file in three versions. Base is empty where both sides added the file.
type Input struct {
	Kind               Kind
	Base, Ours, Theirs []byte

	// Newer tells which side was committed last, for a value that cannot be united: below zero ours,
	// above zero theirs, zero when nobody knows. It is asked only then; nil knows nothing. All machines
	// must hear the same answer, so it goes by commits and not by clocks.
	Newer func() int

	// Archived reports that an entry that one side deleted stands in an archive now; nil: no entry does.
	// Its edits by the other side are handed back as Result.Moved instead of being a contradiction.
	Archived func(entry []byte) bool
}

// Result is the merged file.
type Result struct {
	Content []byte
	// Contradictions counts the entries of Content that wait for a person to choose, where the file is
	// not that of one side as it was.
	Contradictions int
	// Overruled are the values of which one side's was taken and the other's was not.
	Overruled []Overruled
	// Moved are the edits of entries that stand in an archive now; see Follow.
	Moved []Edit
}

// Edit is an entry before and after one side changed it, with LF line ends.
type Edit struct{ Old, New []byte }

// Three merges two versions of a file that have one base. It changes none of them; the result may be
// one of them. The only error is ErrText.
func Three(in Input) (Result, error) {
	if in.Kind == Text || binary(in.Base) || binary(in.Ours) || binary(in.Theirs) {
		return Result{}, ErrText
	}
	switch {
	case bytes.Equal(in.Ours, in.Theirs), bytes.Equal(in.Base, in.Theirs):
		return Result{Content: in.Ours}, nil
	case bytes.Equal(in.Base, in.Ours):
		return Result{Content: in.Theirs}, nil
	}
	// From here on nobody knows which side is ours.
	if bytes.Compare(in.Ours, in.Theirs) > 0 {
		in.Ours, in.Theirs = in.Theirs, in.Ours
		if newer := in.Newer; newer != nil {
			in.Newer = func() int { return -newer() }
		}
	}
	switch in.Kind {
	case Derived:
		return Result{Content: in.Theirs}, nil // the larger bytes
	case JSON:
		return mergeJSON(in)
	}
	return withLineEnds(in, func(in Input) Result {
		switch in.Kind {
		case Lines, JSONLines, Records:
			return mergeSet(in)
		case Daily:
			return mergeDaily(in)
		}
		return mergeChoices(in)
	}), nil
}

// binary is git's own test.
func binary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// withLineEnds has a merge see LF only, where each text has one kind of line end; the result gets the
// kind that one side chose. Texts of mixed line ends keep them line by line.
func withLineEnds(in Input, merge func(Input) Result) Result {
	crlf := [3]bool{}
	var ended []bool
	for i, text := range [3][]byte{in.Base, in.Ours, in.Theirs} {
		lf, both := bytes.Count(text, newline), bytes.Count(text, crlfEnd)
		if both != 0 && both != lf {
			return merge(in)
		}
		crlf[i] = both > 0
		if i > 0 && lf > 0 {
			ended = append(ended, crlf[i])
		}
	}
	if !crlf[0] && !crlf[1] && !crlf[2] {
		return merge(in)
	}
	in.Base, in.Ours, in.Theirs = toLF(in.Base), toLF(in.Ours), toLF(in.Theirs)
	out := merge(in)
	keep := true
	switch {
	case len(ended) == 1:
		keep = ended[0]
	case len(ended) == 2:
		keep = pick3(crlf)
	}
	if keep {
		out.Content = bytes.ReplaceAll(out.Content, newline, crlfEnd)
	}
	return out
}

var (
	newline = []byte("\n")
	crlfEnd = []byte("\r\n")
)

func toLF(text []byte) []byte { return bytes.ReplaceAll(text, crlfEnd, newline) }

// pick3 returns the value that one side changed; where both did, in different ways, the value of the
// first side in order.
func pick3[T comparable](v [3]T) T {
	if v[1] == v[0] {
		return v[2]
	}
	return v[1]
}
