package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// A host stands in for Claude Code: it reads its settings, and at each event
// runs the hooks it finds there with the event as JSON on stdin. It knows
// nothing of git claw.
type host struct {
	box     *sandbox.Box
	dir     string // the agent's folder
	session string
	ran     int // hooks that were run
}

// An edit is one use of a tool by the agent: text in the place of old, or the
// whole file where old is empty.
type edit struct{ path, old, text string }

// settings is the part of settings.json that says which hooks to run.
type settings struct {
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Type    string `json:"type"`
			Command string `json:"command"`
		} `json:"hooks"`
	} `json:"hooks"`
}

// event runs every hook for an event. subject is what matchers look at: the
// tool's name, or the source of a session.
func (h *host) event(ctx context.Context, name, subject string, fields map[string]any) error {
	payload := map[string]any{
		"session_id":      h.session,
		"transcript_path": filepath.Join(h.box.Home, ".claude", "projects", "demo", h.session+".jsonl"),
		"cwd":             h.dir,
		"permission_mode": "default",
		"hook_event_name": name,
	}
	for key, value := range fields {
		payload[key] = value
	}
	stdin, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	commands, err := h.commands(name, subject)
	if err != nil {
		return err
	}
	for _, command := range commands {
		result, err := h.box.Run(ctx, h.dir, string(stdin), "sh", "-c", command)
		if err != nil {
			return err
		}
		// Claude Code shows a failing hook and goes on; here it is a fault.
		if result.Code != 0 {
			return fmt.Errorf("hook of %s: exit %d: %s", name, result.Code, strings.TrimSpace(result.Both))
		}
		h.ran++
	}
	return nil
}

// commands lists the hooks for an event from the user's and the project's
// settings.
func (h *host) commands(event, subject string) ([]string, error) {
	var commands []string
	for _, path := range []string{
		filepath.Join(h.box.Home, ".claude", "settings.json"),
		filepath.Join(h.dir, ".claude", "settings.json"),
		filepath.Join(h.dir, ".claude", "settings.local.json"),
	} {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var s settings
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("read '%s': %w", path, err)
		}
		for _, group := range s.Hooks[event] {
			if group.Matcher != "" && group.Matcher != "*" {
				match, err := regexp.MatchString("^(?:"+group.Matcher+")$", subject)
				if err != nil {
					return nil, err
				}
				if !match {
					continue
				}
			}
			for _, hook := range group.Hooks {
				if hook.Type == "command" {
					commands = append(commands, hook.Command)
				}
			}
		}
	}
	return commands, nil
}

// turn is one question and what the agent does about it.
func (h *host) turn(ctx context.Context, prompt string, edits ...edit) error {
	if err := h.event(ctx, "UserPromptSubmit", "", map[string]any{"prompt": prompt}); err != nil {
		return err
	}
	for _, e := range edits {
		path := filepath.Join(h.dir, filepath.FromSlash(e.path))
		tool, input := "Write", map[string]any{"file_path": path, "content": e.text}
		if e.old != "" {
			tool, input = "Edit", map[string]any{"file_path": path, "old_string": e.old, "new_string": e.text}
		}
		if err := e.apply(path); err != nil {
			return err
		}
		fields := map[string]any{"tool_name": tool, "tool_input": input, "tool_response": map[string]any{"success": true}}
		if err := h.event(ctx, "PostToolUse", tool, fields); err != nil {
			return err
		}
	}
	return h.event(ctx, "Stop", "", map[string]any{"stop_hook_active": false})
}

// apply makes the edit in the file.
func (e edit) apply(path string) error {
	if e.old == "" {
		return put(path, []byte(e.text), false)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Count(text, []byte(e.old)) != 1 {
		return fmt.Errorf("edit '%s': the old text is not there exactly once", e.path)
	}
	return os.WriteFile(path, bytes.Replace(text, []byte(e.old), []byte(e.text), 1), 0o644)
}
