package payload

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		want        Event
		err         error
	}{
		{
			"session start", `{"session_id":"abc-1","transcript_path":"/t.jsonl","cwd":"/ws","hook_event_name":"SessionStart","source":"startup"}`,
			Event{Kind: SessionStart, Name: "SessionStart", Session: "abc-1", Cwd: "/ws", Trigger: "startup"},
			nil,
		},
		{
			"turn start", `{"session_id":"abc-1","cwd":"/ws","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"my secret words"}`,
			Event{Kind: TurnStart, Name: "UserPromptSubmit", Session: "abc-1", Cwd: "/ws"},
			nil,
		},
		{
			"turn end", `{"session_id":"abc-1","cwd":"/ws/","hook_event_name":"Stop","stop_hook_active":false}`,
			Event{Kind: TurnEnd, Name: "Stop", Session: "abc-1", Cwd: "/ws"},
			nil,
		},
		{
			"compaction", `{"hook_event_name":"PreCompact","trigger":"auto","custom_instructions":""}`,
			Event{Kind: Compact, Name: "PreCompact", Trigger: "auto"},
			nil,
		},
		{"session end", `{"hook_event_name":"SessionEnd","reason":"logout"}`, Event{Kind: SessionEnd, Name: "SessionEnd", Trigger: "logout"}, nil},
		{
			"tool", `{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/ws/a.md","content":"x"},"tool_response":{"filePath":"/ws/a.md","success":true}}`,
			Event{Kind: ToolUse, Name: "PostToolUse", Files: []string{"/ws/a.md"}},
			nil,
		},
		{
			"several files", `{"hook_event_name":"PostToolUse","tool_input":{"edits":[{"file_path":"a"},{"file_path":"b","x":[1]}],"files":["c",{"path":"d"}]}}`,
			Event{Kind: ToolUse, Name: "PostToolUse", Files: []string{"a", "b", "c", "d"}},
			nil,
		},
		{
			"other names", `{"hookEventName":"stop","sessionId":"s","workspaceRoots":["/w","/v"],"extra":{"cwd":"/no"}}`,
			Event{Kind: TurnEnd, Name: "stop", Session: "s", Cwd: "/w"},
			nil,
		},
		{
			"openclaw between turns", `{"event":"command:new","sessionId":"u-1","idle":true}`,
			Event{Kind: SessionEnd, Name: "command:new", Session: "u-1", Idle: true},
			nil,
		},
		{"idle in words", `{"event":"turn_start","idle":"true"}`, Event{Kind: TurnStart, Name: "turn_start"}, nil},
		{
			"openclaw turn", `{"event":"agent_end","sessionKey":"agent:main:main","sessionId":"u-1","workspaceDir":"/ws","trigger":"cron"}`,
			Event{Kind: TurnEnd, Name: "agent_end", Session: "u-1", Cwd: "/ws", Trigger: "cron"},
			nil,
		},
		{
			"openclaw start", `{"event":"agent:bootstrap","sessionKey":"agent:main:main","workspaceDir":"/ws"}`,
			Event{Kind: TurnStart, Name: "agent:bootstrap", Session: "agent:main:main", Cwd: "/ws"},
			nil,
		},
		{"unknown event", `{"hook_event_name":"Brunch","session_id":"s"}`, Event{Name: "Brunch", Session: "s"}, nil},
		{"no event", `{}`, Event{}, nil},
		{"types", `{"hook_event_name":1,"session_id":{"a":1},"cwd":["/x"],"tool_input":"s","files":7,"workspace_roots":[]}`, Event{}, nil},
		{"a session that is no line", `{"session_id":"a\nClaw-Approved-By: me","hook_event_name":"Stop\u001b[31m"}`, Event{}, nil},
		{"a session with a hidden character", `{"session_id":"a\u202eb"}`, Event{}, nil},
		{"a relative directory", `{"cwd":"../x"}`, Event{}, nil},
		{"byte order mark", "\xef\xbb\xbf" + `{"hook_event_name":"Stop"}`, Event{Kind: TurnEnd, Name: "Stop"}, nil},
		{"what follows is not read", `{"hook_event_name":"Stop"}{"x":`, Event{Kind: TurnEnd, Name: "Stop"}, nil},
		{"cut", `{"session_id":"s","hook_event_name":"Stop","prompt":"never en`, Event{Kind: TurnEnd, Name: "Stop", Session: "s"}, ErrBroken},
		{"broken", `{"session_id":"s",}`, Event{Session: "s"}, ErrBroken},
		{"empty", "", Event{}, ErrNotObject},
		{"one byte", "{", Event{}, ErrBroken},
		{"text", "hello", Event{}, ErrNotObject},
		{"list", "[1]", Event{}, ErrNotObject},
		{"null", "null", Event{}, ErrNotObject},
	}
	for _, tt := range tests {
		got, err := Read(strings.NewReader(tt.input))
		if !reflect.DeepEqual(got, tt.want) || !errors.Is(err, tt.err) {
			t.Errorf("%s: got %+v, %v; want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// endless never stops sending a prompt.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

func TestBounded(t *testing.T) {
	t.Parallel()
	tail := &endless{}
	got, err := Read(io.MultiReader(strings.NewReader(`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"`), tail))
	if !errors.Is(err, ErrTooLarge) || got.Kind != TurnStart || got.Session != "s" {
		t.Errorf("got %+v, %v", got, err)
	}
	if tail.read > 2*MaxBytes {
		t.Errorf("read %d bytes", tail.read)
	}
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `"f%d",`, i)
	}
	got, err = Read(strings.NewReader(`{"files":[` + many.String() + `"z"],"session_id":"` + strings.Repeat("s", 10_000) + `"}`))
	if err != nil || len(got.Files) != maxFiles || got.Session != "" {
		t.Errorf("%d files, session of %d bytes, %v", len(got.Files), len(got.Session), err)
	}
}

func TestKindNames(t *testing.T) {
	t.Parallel()
	for k := Unknown; k <= SessionEnd; k++ {
		if k.String() == "" {
			t.Errorf("kind %d has no name", int(k))
		}
	}
}

// FuzzRead: no panic, and whatever comes in, what goes out fits a trailer.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Stop","cwd":"/w","tool_input":{"files":[{"edits":[{"path":"a"}]}]}}`))
	f.Add([]byte("\xef\xbb\xbf{\"cwd\":\"\\u0000\"}"))
	f.Fuzz(func(t *testing.T, input []byte) {
		e, _ := Read(strings.NewReader(string(input)))
		for _, s := range []string{e.Name, e.Session, e.Trigger} {
			if strings.ContainsAny(s, "\n\r\x00\x1b") || len(s) > maxSession {
				t.Errorf("kept %q", s)
			}
		}
		if len(e.Files) > maxFiles || strings.ContainsRune(e.Cwd, 0) {
			t.Errorf("kept %+v", e)
		}
	})
}
