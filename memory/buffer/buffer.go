package buffer

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/stamp"
)

// The buffer and the files beside it.
const (
	Path         = "memory/working-buffer.md"
	LockPath     = Path + ".lock"
	RotatingPath = Path + ".rotating"
	PendingPath  = Path + ".pending"
)

// Title is the first line of the buffer.
const Title = "# Working Buffer"

const (
	createdKey  = "created: "
	activeKey   = "last_active: "
	taskHeading = "## Active Task:"
	headerLines = 4
)

// Buffer is the working buffer.
type Buffer struct {
	Created, LastActive time.Time
	Tasks               []Task
	Lines               int
	// Wrong says why the header is none, "" when it is valid; WrongLine is where, from 1. Without a
	// header there are no times.
	Wrong     string
	WrongLine int

	src          []byte
	body         int // offset behind the header
	activeAt     int // offsets of the time in last_active
	activeEnd    int
	beforeHeader int // length of a byte order mark
}

// Task is an active task line.
type Task struct {
	Text string
	Line int // from 1
}

// Parse reads a buffer; no input is an error.
func Parse(src []byte) *Buffer {
	b := &Buffer{src: src, Lines: len(doc.SplitLines(src))}
	b.header()
	d := doc.Parse(src)
	for i := range d.Entries {
		e := &d.Entries[i]
		path := e.Path()
		if e.Kind != doc.Item || e.Level > 0 || len(path) == 0 || strings.TrimSuffix(path[len(path)-1], ":") != "Active Task" {
			continue
		}
		first, _, _ := strings.Cut(string(e.OwnText()), "\n")
		if text, ok := strings.CutPrefix(strings.TrimSpace(first), "- "); ok && strings.TrimSpace(text) != "" {
			b.Tasks = append(b.Tasks, Task{Text: strings.TrimSpace(text), Line: e.OwnLine})
		}
	}
	return b
}

// header reads the four lines of SPEC OM-21. The blank one may be missing where nothing follows.
func (b *Buffer) header() {
	if bytes.HasPrefix(b.src, []byte("\ufeff")) {
		b.beforeHeader = len("\ufeff")
	}
	at := b.beforeHeader
	for number := 1; number <= headerLines; number++ {
		line, _, more := bytes.Cut(b.src[at:], []byte("\n"))
		text := strings.TrimRight(string(line), " \t\r")
		switch number {
		case 1:
			if text != Title {
				b.wrong(number, "the first line is not '"+Title+"'")
				return
			}
		case 2:
			var ok bool
			if b.Created, ok = stamp.Parse(strings.TrimPrefix(text, createdKey)); !ok || !strings.HasPrefix(text, createdKey) {
				b.wrong(number, "the second line is not 'created: <time>'")
				return
			}
		case 3:
			var ok bool
			if b.LastActive, ok = stamp.Parse(strings.TrimPrefix(text, activeKey)); !ok || !strings.HasPrefix(text, activeKey) {
				b.wrong(number, "the third line is not 'last_active: <time>'")
				return
			}
			b.activeAt, b.activeEnd = at+len(activeKey), at+len(text)
		default:
			if text != "" {
				b.wrong(number, "the fourth line is not blank")
				return
			}
		}
		at += len(line)
		if more {
			at++
		}
		b.body = at
	}
}

func (b *Buffer) wrong(line int, what string) {
	b.Wrong, b.WrongLine = what, line
	b.Created, b.LastActive, b.body = time.Time{}, time.Time{}, 0
}

// Body is what stands behind the header; all of a buffer without one.
func (b *Buffer) Body() []byte { return b.src[b.body:] }

// Unfinished reports that something is left to do (SPEC OM-26).
func (b *Buffer) Unfinished() bool { return len(b.Tasks) > 0 }

// Old reports that nobody was active for a time (SPEC OM-25). A buffer without a header is not old:
// nobody knows.
func (b *Buffer) Old(now time.Time, after time.Duration) bool {
	return b.Wrong == "" && now.Sub(b.LastActive) >= after
}

// Add puts a line of the active task at its end and says that somebody is active. A text that is empty
// gets a header; one with a header that is wrong is left as it is, and false returned.
func Add(src []byte, line string, now time.Time) ([]byte, bool) {
	item := "- " + strings.Join(strings.Fields(line), " ")
	at := stamp.Format(now)
	if len(bytes.TrimSpace(src)) == 0 {
		return fmt.Appendf(nil, "%s\n%s%s\n%s%s\n\n%s\n%s\n", Title, createdKey, at, activeKey, at, taskHeading, item), true
	}
	b := Parse(src)
	if b.Wrong != "" {
		return src, false
	}
	src = doc.Replace(src, b.activeAt, b.activeEnd, at)
	d := doc.Parse(src)
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Heading || strings.TrimSuffix(e.Title(), ":") != "Active Task" {
			continue
		}
		end := e.End
		for _, next := range d.Entries[i+1:] {
			if next.Kind == doc.Heading {
				break
			}
			end = next.End
		}
		if end == e.End && (e.Next > e.End || e.End == len(src)) {
			return doc.Replace(src, end, end, onNewLine(src[:end], item, doc.EOL(src))), true
		}
		return doc.InsertLines(src, end, []string{item}), true
	}
	return doc.AppendLines(src, []string{taskHeading, item}), true
}

func onNewLine(before []byte, line, eol string) string {
	if n := len(before); n > 0 && before[n-1] != '\n' {
		return eol + line + eol
	}
	return line + eol
}
