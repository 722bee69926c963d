package shapes

import "os"

// texts are workspaces whose Markdown is not what a parser hopes for.
func texts() []Shape {
	return []Shape{
		{
			Name: "broken frontmatter", About: "values with a colon that are not quoted, a frontmatter that never ends",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/feedback_a.md", "---\nname: a\ndescription: Rule: never do X: do Y\ntype: feedback\n---\nbody\n")
				k.write("memory/feedback_b.md", "---\nname: b\nno end\n\n- item\n")
				k.write("memory/feedback_c.md", "---\n\t- tabs: [\n---\n- item\n")
			}),
		},
		{
			Name: "odd skills", About: "SKILL.md without frontmatter, with a BOM, CRLF, blank lines before it, lower case, metadata of all kinds",
			Make: build(func(k kit) {
				k.core("")
				k.write("skills/x/SKILL.md", "\ufeff---\r\nname: My Skill\r\ndescription: \"q\" text\r\nmetadata:\r\n---\r\n")
				k.write("skills/y/SKILL.md", "\n\n---\nname: z\nmetadata: {\"openclaw\": {\"emoji\": \"✅\"}}\n---\nbody\n")
				k.write("skills/z/skill.md", "no frontmatter\n")
				k.write("skills/loose.md", "a file in the skill root\n")
				k.write("skills/w/SKILL.md", "")
				k.write("skills/w/scripts/run.sh", "#!/bin/sh\necho hi\n")
			}),
		},
		{
			Name: "learnings", About: "one id twice, a status missing, unknown or in another language, promotions in free form",
			Make: build(func(k kit) {
				k.core("")
				k.write(".learnings/LEARNINGS.md", "# Learnings\n\n## [LRN-20260310-001] a\n\n**Status**: aktiv\n\n## [LRN-20260310-001] b\n\n- 状态：已解决\n\n## [LRN-20260311-001] c\n")
				k.write(".learnings/ERRORS.md", "## [ERR-20260310-001] x\n**Status**: promoted (to TOOLS.md \"Macro data\")\n**Promoted**: MEMORY.md\n")
			}),
		},
		{
			Name: "hashtags", About: "lines of tags, headings without a space, notes without any heading, odd fences",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/t.md", "#hashtag #two\n##Heading\n")
				k.write("memory/none.md", "just text\nand more\n")
				k.write("memory/fence.md", "- x\n```\nnever closed\n- y\n")
				k.write("memory/empty.md", "")
				k.write("memory/blank.md", "\n\n \n")
				k.write("memory/no-end.md", "- the last line has no end")
				k.commit("start")
				k.append("memory/no-end.md", "\n- now another one")
			}),
		},
		{
			Name: "contradiction", About: "the same fact reworded in two files, and a newer one beside the older that it contradicts",
			Make: build(func(k kit) {
				k.core("")
				k.write("MEMORY.md", "# Memory\n\n- update with npm install\n")
				k.write("memory/2026-03-01.md", "- npm install does not work, use npm i -g\n- to update, run npm install\n")
			}),
		},
		{
			Name: "bytes", About: "not UTF-8, control characters, zero-width and bidi ones, NUL, CRLF and mixed line ends",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/b.md", "caf\xe9 \x07 \u200b \u202e\n")
				k.write("memory/nul.md", "a\x00b\n")
				k.write("memory/crlf.md", "- one\r\n- two\r\n")
				k.write("memory/mixed.md", "- one\r\n- two\n- three\r")
				k.write("memory/utf16.md", "\xff\xfe-\x00 \x00x\x00\n\x00")
				k.commit("bytes")
				k.append("memory/crlf.md", "- three\r\n")
				k.append("memory/b.md", "\x1b[31mred\x1b[0m\n")
				k.append("memory/mixed.md", "\n- four\r\n")
			}),
		},
		{
			Name: "autocrlf", About: "a checkout with CRLF line ends that git converts",
			Make: build(func(k kit) {
				k.core("")
				k.commit("start")
				k.git("config", "core.autocrlf", "true")
				for _, f := range []string{"MEMORY.md", "memory/2026-02-27.md", "memory/2026-02-28.md"} {
					k.must(os.Remove(k.path(f)))
				}
				k.git("checkout", "-q", "--", ".")
				k.append("memory/2026-02-28.md", "- with CRLF\r\n")
				k.write("memory/2026-03-01.md", "# day\r\n\r\n- new\r\n")
			}),
		},
	}
}
