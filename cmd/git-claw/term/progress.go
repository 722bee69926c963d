package term

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	progressDelay = time.Second            // shorter work shows nothing
	progressPause = 100 * time.Millisecond // between two writes
)

// Progress shows how far long work has come on one line of a terminal. It
// shows nothing during the first second, and clears its line at the end.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	now   func() time.Time
	title string
	width int

	start, last time.Time
	shown       bool
}

// NewProgress starts to count time. w is the terminal, or nil to show nothing
// (not a terminal, -q, --json); width is its columns.
func NewProgress(w io.Writer, now func() time.Time, title string, width int) *Progress {
	p := &Progress{w: w, now: now, title: title, width: width}
	if w != nil {
		p.start = now()
	}
	return p
}

// Update says that done of total steps are done; total 0 means that nobody
// knows. It may be called from several goroutines and as often as it suits.
func (p *Progress) Update(done, total int) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now()
	if t.Sub(p.start) < progressDelay || p.shown && t.Sub(p.last) < progressPause {
		return
	}
	text := fmt.Sprintf("%s: %d", Escape(p.title), done)
	if total > 0 {
		text = fmt.Sprintf("%s: %3d%% (%d/%d)", Escape(p.title), 100*done/total, done, total)
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", Truncate(text, p.width-1))
	p.last, p.shown = t, true
}

// Done clears the line.
func (p *Progress) Done() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
