package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory/buffer"
	"github.com/git-claw/git-claw/memory/frontmatter"
	"github.com/git-claw/git-claw/memory/header"
	"github.com/git-claw/git-claw/memory/lessons"
	"github.com/git-claw/git-claw/skills"
)

// The acceptance tests of SPEC section 14 that are about health, each in a
// repository, with the clock of gittest: noon of 1 March 2026, UTC.

const everyProfile = "three_layer openclaw_memory learnings self_improving skills"

// newListed is an adopted workspace of openclaw whose .claw/config lists profiles.
func newListed(t *testing.T, profiles string, files map[string]string) *space {
	t.Helper()
	all := map[string]string{"AGENTS.md": "# Agents\n", "SOUL.md": "# Soul\n", "IDENTITY.md": "# Identity\n"}
	for name, text := range files {
		all[name] = text
	}
	s := newAdopted(t, all, gittest.Config("claw.timezone", "UTC"))
	if profiles != "" {
		s.Git("config", "-f", ".claw/config", "claw.profiles", profiles)
		s.saveAs(User, SaveOptions{})
	}
	return s
}

// check runs checks and compares what they find, as "BUF-003 FAIL path:line". The
// examination changes nothing.
func (s *space) check(name, ids string, want ...string) []health.Finding {
	s.t.Helper()
	state, files := s.state(), s.files()
	rep := s.health(HealthOptions{Only: strings.Fields(ids)})
	if got := found(rep); !slices.Equal(got, want) {
		s.t.Errorf("%s: got %q, want %q", name, got, want)
	}
	if s.state() != state {
		s.t.Errorf("%s: health changed HEAD, refs or index", name)
	}
	sameFiles(s.t, name, files, s.files(), nil)
	return rep.Findings
}

// staged compares the failures of what the next commit brings in.
func (s *space) staged(name string, want ...string) {
	s.t.Helper()
	s.Git("add", "-A")
	got := slices.DeleteFunc(found(s.health(HealthOptions{Staged: true})), func(f string) bool { return !strings.Contains(f, " FAIL ") })
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: staged got %q, want %q", name, got, want)
	}
}

func found(rep *health.Report) []string {
	var out []string
	for _, f := range rep.Findings {
		text := f.ID + " " + string(f.Status) + " " + f.Path
		if f.Line > 0 {
			text += fmt.Sprintf(":%d", f.Line)
		}
		out = append(out, text)
	}
	return out
}

// ends is how these tests end: the record of the last examination is meant to stay.
func (s *space) ends(status ...string) {
	s.t.Helper()
	if err := os.Remove(healthFile(s.open())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.t.Fatal(err)
	}
	s.CheckClean(status...)
}

// workingBuffer has so many lines.
func workingBuffer(lines int) string {
	head := "# Working Buffer\ncreated: 2026-03-01T08:00:00Z\nlast_active: 2026-03-01T11:30:00Z\n\n## Active Task:\n"
	return head + strings.Repeat("- step\n", lines-strings.Count(head, "\n"))
}

// T01, the half of the check.
func TestT01(t *testing.T) {
	t.Parallel()
	s := newListed(t, everyProfile, nil)
	s.Write(buffer.Path, workingBuffer(80))
	s.check("80 lines", "BUF-003")
	s.Write(buffer.Path, workingBuffer(81))
	s.check("81 lines", "BUF-003", "BUF-003 FAIL "+buffer.Path)
	s.ends()
}

// T08, the half of the checks.
func TestT08(t *testing.T) {
	t.Parallel()
	const warm = "memory/semantic/projects.md"
	s := newListed(t, everyProfile, nil)
	verified := func(day string) {
		s.Write(warm, "# Projects\n#tags: tasks\n> last_verified: "+day+"\n\n- one\n")
	}
	verified("2026-01-31")
	s.check("29 days", "WARM-001 WARM-002")
	verified("2026-01-30")
	s.check("30 days", "WARM-001 WARM-002", "WARM-002 FAIL "+warm+":3")
	verified("2026-03-01")
	s.check("today", "WARM-001 WARM-002")
	verified("2026-03-02")
	s.check("tomorrow", "WARM-001 WARM-002", "WARM-001 FAIL "+warm+":3")
	s.ends("?? " + warm)
}

// T09, the half of the check: the tag is named, and passes once it is in the list.
func TestT09(t *testing.T) {
	t.Parallel()
	const warm = "memory/semantic/projects.md"
	s := newListed(t, everyProfile, map[string]string{
		warm: "# Projects\n#tags: tasks gardening\n> last_verified: 2026-02-28\n", header.VocabularyPath: "tasks\n",
	})
	list := s.check("an unknown tag", "TAG-002", "TAG-002 FAIL "+warm+":2")
	if len(list) == 1 && !strings.Contains(list[0].Message, "gardening") {
		t.Errorf("the tag is not named: %s", list[0].Message)
	}
	s.Append(header.VocabularyPath, "gardening\n")
	s.saveAs(User, SaveOptions{})
	s.check("a known tag", "TAG-002")
	s.ends()
}

// T10, the half of the check.
func TestT10(t *testing.T) {
	t.Parallel()
	const errs = ".learnings/ERRORS.md"
	s := newListed(t, everyProfile, nil)
	seen := func(last string) {
		s.Write(errs, "- 2026-02-20T09:00:00Z [ERR-20260220-k3f] key=deps.missing seen=2026-02-20T09:00:00Z,2026-02-22T09:00:00Z,"+last+"T09:00:00Z install first\n")
		s.saveAs(Agent, SaveOptions{})
	}
	seen("2026-02-27")
	list := s.check("three times in 7 days", "SCR-005", "SCR-005 INFO "+errs+":1")
	if len(list) == 1 && !strings.Contains(list[0].Message, "[PROMOTE-CANDIDATE]") {
		t.Errorf("message %q", list[0].Message)
	}
	seen("2026-02-28")
	s.check("three times in 8 days", "SCR-005")
	s.CheckClean()
}

func TestT12(t *testing.T) {
	t.Parallel()
	const errs = ".learnings/ERRORS.md"
	const template = "```\n## [ERR-YYYYMMDD-XXX] name\n\n**Logged**: time\n```\n\n"
	const block = "## [ERR-20260220-001] pnpm\n\n**Logged**: 2026-02-20T09:00:00Z\n**Status**: pending\n\n### Summary\nUse pnpm\n\n---\n"
	s := newListed(t, everyProfile, nil)
	ids := "SCR-002 SCR-003 SCR-007"
	for _, tt := range []struct {
		name, text string
		entries    int
		want       []string
	}{
		{"a template in a fence", template + block, 1, nil},
		{"an odd number of fences", template + block + "```\n" + block, 1, nil},
		{"nothing but an open fence", "```\n" + block, 0, nil},
		{"two blocks with one id", template + block + block, 2, []string{"SCR-007 FAIL " + errs + ":16"}},
	} {
		s.Write(errs, tt.text)
		if f := lessons.Parse([]byte(tt.text)); len(f.Entries) != tt.entries {
			t.Errorf("%s: %d entries, want %d", tt.name, len(f.Entries), tt.entries)
		}
		s.check(tt.name, ids, tt.want...)
	}
	s.ends("?? " + errs)
}

// T23, the half of the checks.
func TestT23(t *testing.T) {
	t.Parallel()
	const crumb, sop = "memory/client-onboarding.md", "reference/sop.md"
	s := newListed(t, everyProfile, nil)
	fact := "- New clients sign first → Deep dive: " + sop + "\n"
	s.Write(sop, "# How\n")
	size := func(n int) { s.Write(crumb, fact+strings.Repeat("x", n-len(fact)-1)+"\n") }
	size(4096)
	s.check("4,096 bytes", "L2-001 L2-003")
	size(4097)
	s.check("4,097 bytes", "L2-001 L2-003", "L2-001 FAIL "+crumb)
	s.Write(crumb, fact)
	s.Remove(sop)
	s.check("a pointer to nothing", "L2-001 L2-003", "L2-003 FAIL "+crumb+":1")
	s.ends("?? " + crumb)
}

func TestT28(t *testing.T) {
	t.Parallel()
	skill := func(body string) string {
		return "---\nname: deploy\ndescription: ship it\n---\n" + body
	}
	s := newListed(t, everyProfile, map[string]string{
		"skills/deploy/SKILL.md": skill("ours\n"), ".agents/skills/deploy/SKILL.md": skill("theirs\n"),
	})
	ids := "SKL-001 SKL-002 SKL-003 SKL-004"
	list := s.check("one name", ids, "SKL-004 INFO .agents/skills/deploy/SKILL.md")
	if len(list) == 1 && !strings.Contains(list[0].Message, "'skills/deploy/SKILL.md'") {
		t.Errorf("it does not say which one wins: %s", list[0].Message)
	}
	s.Remove(".agents/skills/deploy/SKILL.md")
	s.Symlink("../../elsewhere/ship", "skills/ship")
	s.check("a link out of the root", ids, "SKL-003 FAIL skills/ship")
	s.Remove("skills/ship")
	large := func(n int) { s.Write("skills/deploy/SKILL.md", skill(strings.Repeat("x", n-len(skill(""))))) }
	large(256_000)
	s.check("256,000 bytes", ids)
	large(256_001)
	s.check("256,001 bytes", ids, "SKL-001 FAIL skills/deploy/SKILL.md")

	for name, text := range map[string]string{
		"a colon": "---\nname: deploy\ndescription: a: b\n---\n# The body\n",
		"BOM":     "\ufeff---\nname: deploy\ndescription: a: b\n---\n# The body\n",
		"CRLF":    "---\r\nname: deploy\r\ndescription: a: b\r\n---\r\n# The body\r\n",
		"all":     "\ufeff---\r\nname: deploy\r\ndescription: a: b\r\n---\r\n# The body\r\n",
	} {
		got := skills.Parse([]byte(text), "skills/deploy")
		if body := text[frontmatter.Parse([]byte(text)).To:]; strings.TrimSpace(body) != "# The body" {
			t.Errorf("%s: the body is %q", name, body)
		}
		if got.Name != "deploy" || got.Description != "a: b" {
			t.Errorf("%s: %+v", name, got)
		}
		s.Write("skills/deploy/SKILL.md", text)
		s.check(name, ids)
	}
	s.ends(" M skills/deploy/SKILL.md", " D .agents/skills/deploy/SKILL.md")
}
