package shapes

import (
	"fmt"
	"os"
	"strings"
)

// git are repositories with a past: odd commits, conflicts, hooks, gitlinks.
func git() []Shape {
	return []Shape{
		{
			Name: "committed conflict markers", About: "a merge that somebody committed with its markers; titles and fences that only look so",
			Make: build(func(k kit) {
				k.core("")
				k.write("SESSION-STATE.md", "# State\n")
				k.append("SESSION-STATE.md", "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> origin/host2\n")
				k.write("memory/markers.md", "- x\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> origin/host2\n")
				k.write("memory/titles.md", "Title\n=======\n\n```\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```\n")
				k.commit("oops")
				k.append("memory/markers.md", "- y\n")
			}),
		},
		{
			Name: "two hosts", About: "two machines that append to one daily note, one session state and one log of JSON lines",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/state.jsonl", "{\"t\":1}\n")
				k.commit("base")
				for _, host := range []string{"host2", "host1"} {
					k.git("switch", "-qc", host)
					k.append("memory/2026-02-28.md", "- from "+host+"\n")
					k.append("memory/state.jsonl", "{\"t\":2,\"host\":\""+host+"\"}\n")
					k.commit(host)
					k.git("switch", "-q", "main")
				}
				k.git("merge", "-q", "--no-ff", "-m", "merge host1", "host1")
				k.git("merge", "-q", "-s", "ours", "-m", "merge host2", "host2")
				k.append("memory/2026-02-28.md", "- from host2\n- later\n")
			}),
		},
		{
			Name: "merge in progress", About: "two machines met and nobody resolved it yet", Refusal: InProgress,
			Make: build(func(k kit) {
				k.core("")
				k.commit("base")
				k.git("switch", "-qc", "host2")
				k.append("memory/2026-02-28.md", "- from host2\n")
				k.commit("host2")
				k.git("switch", "-q", "main")
				k.append("memory/2026-02-28.md", "- from host1\n")
				k.commit("host1")
				k.gitEnv(nil, "config", "merge.conflictStyle", "merge")
				k.gitEnv([]string{"GIT_MERGE_AUTOEDIT=no"}, "-c", "alias.try=!git merge -q host2 || true", "try")
			}),
		},
		{
			Name: "odd commits", About: "identical subjects, a subject of 400 characters, emoji, backticks, an empty message, a message of newlines",
			Make: build(func(k kit) {
				k.core("")
				k.commit("backup")
				for range 12 {
					k.git("commit", "-q", "--allow-empty", "-m", "backup")
				}
				k.git("commit", "-q", "--allow-empty", "-m", strings.Repeat("备份 ✅ ", 60))
				k.git("commit", "-q", "--allow-empty", "-m", "100% `done` $(id) \"x\"\n\nClaw-Event: writeback is only quoted\nnot a trailer")
				k.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
				k.git("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-m", "\n\n\n")
				k.append("memory/2026-02-28.md", "- more\n")
			}),
		},
		{
			Name: "no identity", About: "git does not know who commits and may not guess", Refusal: NoIdentity,
			Make: build(func(k kit) {
				k.core("")
				k.commit("start")
				k.git("config", "user.useConfigOnly", "true")
				k.git("config", "user.name", "")
				k.git("config", "user.email", "")
				k.append("memory/2026-02-28.md", "- more\n")
			}),
		},
		{
			Name: "hooks path", About: "core.hooksPath in the work tree, with the hooks of a task tool in it",
			Make: build(func(k kit) {
				k.core("")
				k.write(".githooks/pre-push", "#!/bin/sh\nexit 0\n")
				k.write(".githooks/pre-commit", "#!/bin/sh\n# task tool\nexit 0\n")
				k.must(os.Chmod(k.path(".githooks/pre-push"), 0o755))
				k.must(os.Chmod(k.path(".githooks/pre-commit"), 0o755))
				k.git("config", "core.hooksPath", ".githooks")
				k.commit("hooks")
				k.append("memory/2026-02-28.md", "- more\n")
			}),
		},
		{
			Name: "hooks of its own", About: "foreign hooks that run on every commit, one of them changing the message",
			Make: build(func(k kit) {
				k.core("")
				k.commit("start")
				for name, script := range map[string]string{
					"pre-commit": "exit 0\n", "commit-msg": "printf '\\nSeen-By: hook\\n' >>\"$1\"\n", "post-commit": "exit 0\n",
				} {
					k.write(".git/hooks/"+name, "#!/bin/sh\n"+script)
					k.must(os.Chmod(k.path(".git/hooks/"+name), 0o755))
				}
				k.append("memory/2026-02-28.md", "- more\n")
			}),
		},
		{
			Name: "gitlinks", About: "skills that are repositories of their own, committed without .gitmodules; a nested one not committed",
			Make: build(func(k kit) {
				k.core("")
				for i, dir := range []string{"skills/cloned", "memory/sub", "tool", "memory/nested"} {
					k.write(dir+"/README.md", fmt.Sprintf("- %d\n", i))
					k.git("init", "-q", "-b", "main", dir)
					k.git("-C", dir, "add", "-A")
					k.git("-C", dir, "commit", "-qm", "start")
				}
				k.git("add", "skills/cloned", "memory/sub", "tool", "AGENTS.md", "memory/2026-02-27.md")
				k.git("commit", "-qm", "start")
				k.append("memory/sub/README.md", "- more\n")
				k.append("memory/nested/README.md", "- more\n")
			}),
		},
		{
			Name: "everything staged", About: "staged and unstaged edits, partly staged files, an intent to add, a removal that is only staged",
			Make: build(func(k kit) {
				k.core("")
				k.write("TOOLS.md", "# Tools\n")
				k.write("memory/kept.md", "- x\n")
				k.write("README.md", "readme\n")
				k.commit("start")
				k.append("memory/2026-02-27.md", "- staged\n")
				k.append("README.md", "staged\n")
				k.append("TOOLS.md", "- staged\n")
				k.git("add", "-A")
				k.append("TOOLS.md", "- and not staged\n")
				k.append("memory/2026-02-28.md", "- not staged\n")
				k.write("memory/intent.md", "- later\n")
				k.git("add", "-N", "memory/intent.md")
				k.git("rm", "-q", "--cached", "memory/kept.md")
				k.write(".gitignore", "*.log\n")
				k.git("add", ".gitignore")
			}),
		},
		{
			Name: "ignore rules partly staged", About: "the file that gets a block has staged and unstaged edits", Refusal: PartlyStaged,
			Make: build(func(k kit) {
				k.core("")
				k.write(".gitignore", "*.log\n")
				k.git("add", ".gitignore")
				k.git("commit", "-qm", "start")
				k.append(".gitignore", "*.bak\n")
				k.git("add", ".gitignore")
				k.append(".gitignore", "*.orig\n")
			}),
		},
		{
			Name: "ignore rules edited", About: "the files that get a block have edits that nobody committed, and no line end at their end",
			Make: build(func(k kit) {
				k.core("")
				k.write(".gitignore", "*.log")
				k.write(".gitattributes", "*.md text\n")
				k.commit("start")
				k.append(".gitignore", "\n*.bak")
				k.append(".gitattributes", "*.png binary")
				k.git("add", ".gitattributes")
			}),
		},
		{
			Name: "detached", About: "HEAD on no branch, as after looking at an old commit",
			Make: build(func(k kit) {
				k.core("")
				k.commit("one")
				k.append("memory/2026-02-28.md", "- two\n")
				k.commit("two")
				k.git("checkout", "-q", "--detach", "HEAD~1")
				k.append("memory/2026-02-28.md", "- on no branch\n")
			}),
		},
		{
			Name: "unborn", About: "a repository without a commit, as OpenClaw leaves a new workspace",
			Make: build(func(k kit) { k.core(""); k.write("BOOTSTRAP.md", "# Hello\n\nAsk who you are.\n") }),
		},
		{
			Name: "moved away and back", About: "files that became folders, folders that became files, a rename, a changed mode",
			Make: build(func(k kit) {
				k.core("")
				k.write("memory/topic", "- a file\n")
				k.write("memory/area/one.md", "- in a folder\n")
				k.write("memory/area/two.md", "- in a folder too\n")
				k.write("memory/old-name.md", "- the same text\n- in another file\n")
				k.write("skills/x/run.sh", "#!/bin/sh\necho x\n")
				k.commit("start")
				k.must(os.Remove(k.path("memory/topic")))
				k.write("memory/topic/one.md", "- now a folder\n")
				k.must(os.RemoveAll(k.path("memory/area")))
				k.write("memory/area", "- now a file\n")
				k.must(os.Rename(k.path("memory/old-name.md"), k.path("memory/new-name.md")))
				k.must(os.Chmod(k.path("skills/x/run.sh"), 0o755))
			}),
		},
	}
}
