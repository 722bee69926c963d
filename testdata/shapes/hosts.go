package shapes

import (
	"fmt"
	"strings"
)

// hosts are the layouts in which hosts and people keep workspaces.
func hosts() []Shape {
	return []Shape{
		{
			Name: "daily notes ignored", About: "the notes of each day are kept out of git, one of them was committed before",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/state.json", "{}\n")
				k.git("add", "memory/2026-02-27.md")
				k.git("commit", "-qm", "one note")
				k.write(".gitignore", "memory/????-??-??.md\nmemory/*.json\n")
				k.append("memory/2026-02-27.md", "- still tracked\n")
			}),
		},
		{
			Name: "three workspaces", About: "several agents in one repository, beside files that belong to none",
			Roots: []string{"workspace-main", "workspace-dev", "agents/workspace-ops"},
			Make: build(func(k kit) {
				k.write("README.md", "three agents\n")
				k.write("AGENTS.md", "# For all\n")
				for _, root := range []string{"workspace-main/", "workspace-dev/", "agents/workspace-ops/"} {
					k.core(root)
				}
				k.commit("start")
				for _, root := range []string{"workspace-main/", "workspace-dev/", "agents/workspace-ops/"} {
					k.append(root+"memory/2026-02-28.md", "- more\n")
				}
				k.append("README.md", "not saved\n")
			}),
		},
		{
			Name: "state folder", About: "OpenClaw's state folder as a repository, the workspace below it",
			Roots: []string{"workspace"},
			Make: build(func(k kit) {
				k.write("openclaw.json", "{\"agents\": {\"defaults\": {}}}\n")
				k.write("agents/main/sessions/1.jsonl", "{\"role\":\"user\"}\n")
				k.core("workspace/")
				k.write("workspace/.openclaw/workspace-state.json", "{\"v\":1}\n")
				k.write("workspace/openclaw-workspace-state.json", "{\"v\":1}\n")
				k.write("workspace/memory/main.sqlite", "SQLite format 3\x00")
				k.write("workspace/memory/main.sqlite-wal", "wal")
				k.write("workspace/memory/.dreams/short-term.json", "{}\n")
			}),
		},
		{
			Name: "auto-memory", About: "Claude Code's memory folder: an index of links and topic files with frontmatter, side by side",
			Make: build(func(k kit) {
				var index strings.Builder
				index.WriteString("# Memory Index\n\n")
				for i, topic := range []string{"feedback_style", "project_pump", "user_role", "reference_wiki"} {
					fmt.Fprintf(&index, "- [Topic %d](%s.md) — what it is about\n", i, topic)
					k.write(topic+".md", fmt.Sprintf("---\nname: %s\ndescription: Rule: number %d: always\ntype: feedback\n---\n\nText %d.\n", topic, i, i))
				}
				k.write("MEMORY.md", index.String())
				k.commit("start")
				k.append("project_pump.md", "\nThe pump was replaced.\n")
				k.write("feedback_tests.md", "---\nname: feedback_tests\n---\nRun them.\n")
			}),
		},
		{
			Name: "code repository", About: "a project with CLAUDE.md and skills in it, 3,000 foreign files and node_modules committed",
			Make: build(func(k kit) {
				k.write("package.json", "{\"name\": \"app\"}\n")
				k.write("CLAUDE.md", "# Project\n\n- run the tests\n")
				k.write(".claude/skills/deploy/SKILL.md", "---\nname: deploy\n---\n")
				k.write("docs/guide.md", "# Guide\n")
				for i := range 60 {
					for j := range 50 {
						k.write(fmt.Sprintf("node_modules/m%02d/f%02d.js", i, j), "x\n")
					}
					k.write(fmt.Sprintf("src/f%02d.ts", i), fmt.Sprintf("export const x = %d\n", i))
				}
				k.commit("project")
				k.append("CLAUDE.md", "- ask before pushing\n")
				k.append("src/f01.ts", "// not saved\n")
				k.write("src/new.ts", "// new\n")
				k.write("node_modules/m00/README.md", "# changed\n")
			}),
		},
		{
			Name: "notes elsewhere", About: "more than half of the Markdown lies outside what is managed",
			Make: build(func(k kit) {
				k.core("")
				for i := range 20 {
					k.write(fmt.Sprintf("Projects/p%02d/notes.md", i), "- x\n")
				}
				k.write("Journal.md", "- x\n")
				k.write("dist/bundle.md", "- never\n")
				k.write("memory/node_modules/pkg/README.md", "- never\n")
				k.write("memory/note.md.tmp", "half")
				k.write("memory/note.md.tmp.123", "half")
				k.write("memory/private.key", "key")
				k.write(".env", "X=1\n")
			}),
		},
	}
}
