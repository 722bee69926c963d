package shapes

import (
	"fmt"
	"strings"
)

// sizes are workspaces in which something is large or there is much of it.
func sizes() []Shape {
	return []Shape{
		{
			Name: "core over budget", About: "five rule files of 12,000 characters, each below the host's limit and too much together",
			Make: build(func(k kit) {
				line := "- rule about something useful\n"
				for _, f := range []string{"AGENTS", "SOUL", "TOOLS", "USER", "MEMORY"} {
					k.write(f+".md", strings.Repeat(line, 12000/len(line)))
				}
				k.commit("rules")
			}),
		},
		{
			Name: "long MEMORY.md", About: "46 sections with 409 facts, 50,000 characters",
			Make: build(func(k kit) {
				k.core("")
				var b strings.Builder
				b.WriteString("# M\n")
				for i := range 46 {
					fmt.Fprintf(&b, "## T%d\n", i)
					for j := range 9 {
						fmt.Fprintf(&b, "- fact %d.%d %s\n", i, j, strings.Repeat("about an item and why it matters ", 3))
					}
				}
				k.write("MEMORY.md", b.String())
				k.commit("memory")
				k.write("MEMORY.md", strings.Replace(b.String(), "- fact 20.3 ", "- fact 20.3, corrected ", 1))
			}),
		},
		{
			Name: "CJK memory", About: "13,000 characters that are one line of 39 KB",
			Make: build(func(k kit) { k.core(""); k.write("MEMORY.md", strings.Repeat("记忆", 6500)) }),
		},
		{
			Name: "heartbeat log", About: "a daily note of 340 KB with one heading for each heartbeat",
			Make: build(func(k kit) {
				k.core("")
				var b strings.Builder
				for i := range 6000 {
					fmt.Fprintf(&b, "## %02d:%02d heartbeat\n- no change, system stable (run %d)\n\n", i/60%24, i%60, i+1)
				}
				k.write("memory/2026-03-01.md", b.String())
				k.commit("heartbeats")
				k.append("memory/2026-03-01.md", "## 04:00 heartbeat\n- pump restarted (run 6001)\n")
			}),
		},
		{
			Name: "purge", About: "a first commit of 5,000 files, then one that deletes 1,851 of them",
			Make: build(func(k kit) {
				k.core("")
				for i := range 5000 {
					dir := fmt.Sprintf("notes/%02d", i%50)
					if i < 1851 {
						dir = fmt.Sprintf("skills/s%02d/data", i%40)
					}
					k.write(fmt.Sprintf("%s/f%04d.md", dir, i), fmt.Sprintf("- entry %d\n", i))
				}
				k.commit("import")
				k.git("rm", "-rq", "skills")
				k.git("commit", "-qm", "purge")
			}),
		},
		{
			Name: "too large", About: "a log in memory/ that is larger than what is managed, beside notes",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/trace.md", strings.Repeat("- step done, nothing else to say about it\n", 150_000))
				k.commit("start")
				k.write("memory/dump.md", strings.Repeat("0123456789abcdef\n", 500_000))
				k.append("memory/2026-02-28.md", "- one more\n")
			}),
		},
	}
}
