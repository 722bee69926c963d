package payload

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes is how much of the input is read. Tool results and pasted prompts
// reach megabytes; what is wanted comes before or between them.
const MaxBytes = 16 << 20

// Limits of what is kept of one event.
const (
	maxSession = 200
	maxName    = 64
	maxPath    = 4096
	maxFiles   = 256
)

// Errors of [Read]. The event holds what was read before the fault, so a hook
// can go on.
var (
	ErrNotObject = errors.New("hook input is not a JSON object")
	ErrBroken    = errors.New("hook input is broken or cut off")
	ErrTooLarge  = errors.New("hook input is too large")
)

// Kind is what an event means for a workspace.
type Kind int

// The kinds of events.
const (
	Unknown Kind = iota
	SessionStart
	TurnStart // the agent is about to work
	ToolUse   // a tool or sub-agent has ended
	TurnEnd   // the agent has ended its work, a part of it, or was stopped
	Compact   // the context is about to be compacted
	SessionEnd
)

func (k Kind) String() string {
	return [...]string{"unknown", "session-start", "turn-start", "tool-use", "turn-end", "compact", "session-end"}[k]
}

// Event is what is kept of a hook's input.
type Event struct {
	Kind    Kind
	Name    string   // the host's name for the event, printable
	Session string   // the host's id of the session: one printable line, "" if none
	Cwd     string   // absolute directory the host works in, "" if none
	Files   []string // paths that a tool was given; it may have read or written them
	Trigger string   // what caused it, in the host's words: startup, resume, auto, cron, ...
	Idle    bool     // the host knows that no turn was running: what is dirty is not the agent's
}

// Read reads one event. It returns the event in every case; see the errors.
func Read(r io.Reader) (Event, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	var e Event
	err := e.read(json.NewDecoder(skipBOM(limited)))
	e.Kind = kindOf(e.Name)
	switch {
	case err != nil && limited.N == 0:
		err = ErrTooLarge
	case err != nil && !errors.Is(err, ErrNotObject):
		err = ErrBroken
	}
	return e, err
}

// read takes the members of the object, each as a whole, and keeps the wanted.
func (e *Event) read(dec *json.Decoder) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ErrNotObject
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return ErrBroken
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		e.member(plain(name), value)
	}
	_, err := dec.Token()
	return err
}

// member takes one member of the object by its plain name.
func (e *Event) member(name string, value json.RawMessage) {
	switch name {
	case "hookeventname", "hookevent", "eventname", "event":
		set(&e.Name, line(value, maxName))
	case "sessionid", "conversationid":
		// Sent by the host beside a key; the id is the narrower one.
		if s := line(value, maxSession); s != "" {
			e.Session = s
		}
	case "sessionkey", "threadid":
		set(&e.Session, line(value, maxSession))
	case "cwd", "workspacedir", "workingdirectory", "projectdir":
		set(&e.Cwd, absolute(value))
	case "workspaceroots":
		var roots []json.RawMessage
		if json.Unmarshal(value, &roots) == nil && len(roots) > 0 {
			set(&e.Cwd, absolute(roots[0]))
		}
	case "source", "trigger", "reason":
		set(&e.Trigger, line(value, maxName))
	case "idle":
		e.Idle = string(value) == "true"
	case "toolinput", "toolresponse", "toolargs":
		e.files(value, 0)
	case "filepath", "files":
		e.file(name, value, 0)
	}
}

// files collects the paths an object of a tool names.
func (e *Event) files(value json.RawMessage, depth int) {
	var object map[string]json.RawMessage
	if depth > 3 || json.Unmarshal(value, &object) != nil {
		return
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		e.file(plain(name), object[name], depth)
	}
}

func (e *Event) file(name string, value json.RawMessage, depth int) {
	switch name {
	case "filepath", "path", "notebookpath":
		if p := path(value); p != "" && len(e.Files) < maxFiles && !slices.Contains(e.Files, p) {
			e.Files = append(e.Files, p)
		}
	case "files", "edits":
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return
		}
		for _, v := range list {
			if len(v) > 0 && v[0] == '"' {
				e.file("path", v, depth)
			} else {
				e.files(v, depth+1)
			}
		}
	}
}

// kindOf knows the events of Claude Code, of agents that took over its hooks,
// and of OpenClaw. SubagentStop ends a part of a turn, as a tool does.
func kindOf(name string) Kind {
	switch plain(name) {
	case "sessionstart":
		return SessionStart
	case "userpromptsubmit", "beforesubmitprompt", "agentbootstrap", "turnstart":
		return TurnStart
	case "posttooluse", "posttoolusefailure", "subagentstop", "afterfileedit", "aftershellexecution":
		return ToolUse
	case "stop", "stopfailure", "agentend", "commandstop", "turnpart":
		return TurnEnd
	case "precompact", "sessioncompactbefore":
		return Compact
	case "sessionend", "commandnew", "commandreset", "sessionautoreset", "gatewayshutdown", "gatewayprerestart":
		return SessionEnd
	}
	return Unknown
}

// plain is a name without case and punctuation.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// set keeps the first value that says something.
func set(to *string, s string) {
	if *to == "" {
		*to = s
	}
}

// line reads a string that may stand in a trailer or a message: one line,
// printable, no longer than limit; "" for anything else.
func line(value json.RawMessage, limit int) string {
	var s string
	if json.Unmarshal(value, &s) != nil || len(s) > limit {
		return ""
	}
	if s = strings.TrimSpace(s); strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return ""
	}
	return s
}

// path reads a path. Its bytes are the host's; JSON cannot carry all names.
func path(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil || len(s) > maxPath || strings.ContainsRune(s, 0) {
		return ""
	}
	return s
}

func absolute(value json.RawMessage) string {
	p := path(value)
	if !filepath.IsAbs(p) {
		return ""
	}
	return filepath.Clean(p)
}

// skipBOM drops a byte order mark, which some shells put before piped text.
func skipBOM(r io.Reader) io.Reader {
	head := make([]byte, 3)
	n, _ := io.ReadFull(r, head) // a fault shows again at the next read
	head = head[:n]
	if string(head) == "\xef\xbb\xbf" {
		head = nil
	}
	return io.MultiReader(strings.NewReader(string(head)), r)
}
