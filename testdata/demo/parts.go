package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// today is the note of the day on which the demo takes place.
const today = "memory/2026-11-23.md"

// before shows the folder as its owner knows it.
func (t *tour) before() {
	t.clock("2026-11-23T09:00:00Z")
	t.do(func() error { return layOut(t.ctx, t.box, t.dir) })
	t.say("git claw on a sample workspace. Lines with $ are real commands, run here and now,")
	t.say("below them is what they print; lines with # explain.")
	t.title("A folder that an agent has been writing for three weeks")
	t.say("Mika runs a small tea ware shop; the agent Juniper keeps its memory in Markdown.")
	t.say("Mika committed by hand now and then. Who wrote what, and why, is not to be seen.")
	t.show([]string{"backup"}, "git", "log", "--date=short", "--format=%ad %an: %s")
	t.show([]string{"memory/2026-11-20.md"}, "git", "status", "--short")
}

// adopt makes the folder a git claw workspace.
func (t *tour) adopt() {
	t.title("Adopt it, once")
	t.say("init commits what lay around, adds settings and ignore rules, changes no line.")
	t.claw([]string{"adopted"}, "init")
}

// connect installs the hooks in the host.
func (t *tour) connect() {
	t.clock("2026-11-23T09:10:00Z")
	t.title("Connect the program that runs the agent, once")
	t.say("The change to the host's settings is shown first; --remove takes it out again.")
	t.showSome(16, []string{"settings", "UserPromptSubmit"}, "git", "claw", "connect", "claude-code", "--yes")
}

// work is a morning of the agent.
func (t *tour) work() {
	h := t.host
	h.session = "morning"
	t.title("The agent works; nobody types a git command")
	t.say("A scripted host plays Claude Code: it runs the hooks from its settings, no more.")

	t.clock("2026-11-23T09:20:00Z")
	t.do(func() error {
		// Mika, in an editor, before the agent is asked anything.
		return edit{
			"memory/wishlist.md", "- Cup with a logo as a single piece, asked for once.",
			"- Cup with a logo as a single piece, asked for twice.",
		}.apply(filepath.Join(t.dir, "memory", "wishlist.md"))
	})
	t.do(func() error {
		return h.event(t.ctx, "SessionStart", "startup", map[string]any{"source": "startup"})
	})
	t.turn("2026-11-23T09:30:00Z", "K-1112 will be late, the kiln writes. What do I tell customers?",
		edit{today, "", "# 2026-11-23\n\n" +
			"- 青窑来信：K-1112 晚一周，改到 2026-12-16。\n" +
			"- Four customers wait for logo cups; drafted one answer for all, Mika sends it.\n"},
		edit{
			"memory/suppliers.md", "with logo, expected 2026-12-09.",
			"with logo, expected 2026-12-16 (a week late).",
		})
	t.turn("2026-11-23T10:05:00Z", "They keep asking. Can you answer faster?",
		edit{
			"SOUL.md", "- Nothing leaves this machine without a yes: no mail, no order, no post.",
			"- Nothing leaves this machine without a yes: no order, no post. Short mails may go out.",
		},
		edit{
			today, "Mika sends it.\n",
			"Mika sends it.\n- Mika wants faster answers; short mails need no yes from now on.\n",
		})
	t.turn("2026-11-23T10:40:00Z", "The payment provider sent a new key, keep it at hand.",
		edit{
			today, "from now on.\n",
			"from now on.\n- Payment provider, new key: " + fakeKey() + "\n- A test payment of 1 EUR went through.\n",
		})
	t.do(func() error {
		return h.event(t.ctx, "SessionEnd", "other", map[string]any{"reason": "other"})
	})
	t.wait()
	t.do(func() error {
		if h.ran == 0 {
			return fmt.Errorf("connect installed no hook that ran")
		}
		return nil
	})
}

// turn is a turn of the host, told to the reader.
func (t *tour) turn(at, prompt string, edits ...edit) {
	t.clock(at)
	paths := make([]string, len(edits))
	for i, e := range edits {
		paths[i] = e.path
	}
	t.say("%s  Mika: \"%s\"", at[11:16], prompt)
	t.say("       Juniper writes %s.", strings.Join(paths, ", "))
	t.do(func() error { return t.host.turn(t.ctx, prompt, edits...) })
	t.wait()
}

// night is a rewrite of MEMORY.md by a host, as OpenClaw does it at 03:00, and
// the next morning's first turn, which finds it.
func (t *tour) night() {
	h := t.host
	t.do(func() error {
		path := filepath.Join(t.dir, "MEMORY.md")
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, append(text, dream...), 0o644)
	})
	h.session = "tuesday"
	t.clock("2026-11-24T08:50:00Z")
	t.say("03:00  Overnight a host promotes notes into MEMORY.md, with nobody there.")
	t.do(func() error {
		return h.event(t.ctx, "SessionStart", "startup", map[string]any{"source": "startup"})
	})
	t.turn("2026-11-24T08:50:00Z", "Good morning. Anything I should know?",
		edit{"memory/2026-11-24.md", "", "# 2026-11-24\n\n- K-1107 (30 pieces) arrives today; shelf two is free.\n"})
}

// dream is what a nightly promotion adds; each bullet names where it is from.
const dream = `
## Promoted From Short-Term Memory (2026-11-24)

<!-- openclaw-memory-promotion:memory/2026-11-23.md:3 -->
- K-1112 comes a week late: 2026-12-16.
<!-- openclaw-memory-promotion:memory/packing.md:5 -->
- 杯子用纸丝，盖碗用气泡膜。
`

// fakeKey has the shape of a payment key and is put together here, so that
// no scanner of secrets, ours included, finds one in this source.
func fakeKey() string {
	sum := sha256.Sum256([]byte("not a key"))
	return "sk_" + "live_" + hex.EncodeToString(sum[:])[:24]
}
