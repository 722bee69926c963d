package shapes

import "fmt"

// names are workspaces whose files are called what nobody expects.
func names() []Shape {
	return []Shape{
		{
			Name: "ten files for a day", About: "one session, one file: HHMM behind the date, a summary, and the day itself",
			Make: build(func(k kit) {
				k.core("")
				for _, t := range []string{"-2203", "-2205", "-2206", "-2212", "-2215", "-2218", "-2235", "", "-summary", "_evening"} {
					k.write("memory/2026-02-23"+t+".md", "- x "+t+"\n")
				}
			}),
		},
		{
			Name: "error text as slug", About: "a host took the error of its model for a title, on several days the same",
			Make: build(func(k kit) {
				k.core("")
				for day := 16; day < 21; day++ {
					k.write(fmt.Sprintf("memory/2026-03-%d-request-timed-out-before-a-res.md", day), "- x\n")
				}
			}),
		},
		{
			Name: "odd names", About: "spaces, Chinese, Cyrillic, full-width and glob characters, quotes, a backslash, a newline, a tab, not UTF-8, NFC and NFD",
			Make: build(func(k kit) {
				k.core("")
				for _, name := range []string{
					"Заметки/План [v2].md", "晨露/产出/报告（一）.md", "memory/20260225_0710_app development.md",
					"memory/a*b?.md", "memory/[x].md", "memory/:(glob)x.md", "memory/!bang.md", "memory/#hash.md", "memory/ space .md",
					"memory/back\\slash.md", "memory/\"quoted\".md", "memory/line\nbreak.md", "memory/tab\there.md",
					"memory/caf\xe9.md", "memory/cafe\u0301.md", "memory/café.md", "memory/-dash.md", "memory/--all",
					"memory/报告（一）.md", "memory/{a,b}.md", "memory/$HOME.md", "memory/`id`.md", "memory/x;y&z.md",
				} {
					k.write(name, "- one\n")
				}
				k.commit("names")
				k.append("memory/a*b?.md", "- two\n")
				k.append("memory/line\nbreak.md", "- two\n")
				k.append("memory/caf\xe9.md", "- two\n")
				k.append("memory/-dash.md", "- two\n")
				k.append("Заметки/План [v2].md", "- two\n")
				k.write("memory/新 note\n[2].md", "- new\n")
				k.write("skills/мой навык/SKILL.md", "---\nname: x\n---\nbody\n")
			}),
		},
		{
			Name: "tilde and dash", About: "a folder called ~ and files whose names look like options",
			Make: build(func(k kit) {
				k.core("")
				k.write("~/n.md", "- x\n")
				k.write("-n.md", "- x\n")
				k.write("memory/~/n.md", "- x\n")
				k.write("memory/-rf.md", "- x\n")
				k.write("memory/--help.md", "- x\n")
				k.write("skills/--force/SKILL.md", "# x\n")
			}),
		},
		{
			Name: "links", About: "symbolic links: dangling, out of the tree, to a folder, to themselves; a rule file that is one",
			Make: build(func(k kit) {
				k.core("")
				k.link("/home/none/x", "a.md")
				k.link("../..", "up")
				k.link("memory", "m2")
				k.link("loop", "loop")
				k.link("AGENTS.md", "CLAUDE.md")
				k.link("/home/none/y", "memory/dangling.md")
				k.link("../../outside", "memory/up")
				k.link("../skills", "memory/skills")
				k.link("self.md", "memory/self.md")
				k.link("2026-02-27.md", "memory/yesterday.md")
				k.write("skills/x/SKILL.md", "# x\n")
				k.git("add", "memory/yesterday.md", "CLAUDE.md")
				k.git("commit", "-qm", "links")
				k.append("memory/2026-02-27.md", "- more\n")
			}),
		},
		{
			Name: "case and form", About: "names that some file systems take for one",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/Plan.md", "- x\n")
				k.write("memory/plan.md", "- y\n")
				k.write("memory.md", "- lower case\n")
				k.write("Memory.md", "- mixed case\n")
				k.commit("start")
				k.append("memory/plan.md", "- z\n")
			}),
		},
	}
}
