package agent

import (
	"bytes"
	"fmt"
)

// LossError: what was to be removed, or written over, holds a line that is in no
// commit, such as one that the secret scan keeps out of git.
type LossError struct {
	Path string // relative to the root
	Line int    // from 1, in the work tree
	// Remove: the file was to be removed.
	Remove bool
}

func (e *LossError) Error() string {
	verb := "write over"
	if e.Remove {
		verb = "remove"
	}
	return fmt.Sprintf("cannot %s '%s': line %d is in no commit", verb, e.Path, e.Line)
}

// ExitCode: the answer is no.
func (e *LossError) ExitCode() int { return 1 }

// Hints tells how to see the line, and how to keep it.
func (e *LossError) Hints() []string {
	return []string{"git claw diff -- " + shellQuote(e.Path), "copy the line elsewhere and take it out, or write 'claw:allow' in it when it is no secret"}
}

// reason is the error as it is told beside the path and the line.
func (e *LossError) reason() string {
	if e.Remove {
		return "it is in no commit, so the file is not removed"
	}
	return "it is in no commit, so the file is not written over"
}

// lastCopies refuses a plan that takes the last copy of a line away: one that no
// commit has and that no file of the plan holds afterwards. A file that git ignores
// is kept by nobody, as its owner wants. all looks at what is written over, too,
// which only a program that was not told what to write needs.
func (n *noter) lastCopies(edits []noteEdit, all bool) error {
	var stays map[string]bool
	for _, ed := range edits {
		if !ed.remove && !all || !ed.file.exists || ed.file.ignored != "" {
			continue
		}
		committed := ed.file.old
		if ed.file.dirty { // it is saved before
			committed = n.withoutSecrets(ed.file.old, ed.file.text)
		}
		if bytes.Equal(committed, ed.file.text) {
			continue
		}
		kept := map[string]bool{}
		addLines(kept, committed)
		if stays == nil {
			stays = map[string]bool{}
			for _, other := range edits {
				addLines(stays, other.next)
			}
		}
		for i, line := range bytes.Split(ed.file.text, []byte{'\n'}) {
			if key := string(bytes.TrimSpace(line)); key != "" && !kept[key] && !stays[key] {
				return &LossError{Path: ed.file.rel, Line: i + 1, Remove: ed.remove}
			}
		}
	}
	return nil
}

func addLines(to map[string]bool, text []byte) {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		to[string(bytes.TrimSpace(line))] = true
	}
}
