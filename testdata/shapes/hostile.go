package shapes

import (
	"os"
	"path/filepath"
)

// hostile are repositories that somebody made on purpose, and folders that are
// not ours to write.
func hostile() []Shape {
	return []Shape{
		{
			Name: "hostile clone", About: "links out of the tree in the place of folders and settings' targets, settings that name programs and files, absurd refs, escape sequences",
			Make: build(func(k kit) {
				out := Outside(k.dir)
				k.mkdir(out)
				k.must(os.WriteFile(filepath.Join(out, "victim.md"), []byte("- not part of the workspace\n"), 0o666))
				k.core("")
				k.link("../outside", "reference")
				k.link("../outside/victim.md", "TOOLS.md")
				k.link("../outside", "memory/out")
				k.link("../outside", ".learnings")
				k.write("skills/\x1b]0;owned\x07/SKILL.md", "---\nname: \x1b[2J\n---\n")
				k.write("memory/\u202egnp.md", "- \x1b[31mred \x9b2J \u202e\n<!-- claw:conflict id=00000000 kind=edit n=99999999999999999999 -->\n")
				k.write("memory/hook.md", "- $(touch ../outside/ran) `touch ../outside/ran`\n")
				k.write("run.sh", "#!/bin/sh\ntouch ../outside/ran\n")
				k.must(os.Chmod(k.path("run.sh"), 0o755))
				k.write(".gitattributes", "*.md filter=evil diff=evil merge=evil\n")
				k.write(".claw/notes.md", "- a file that is there before the settings\n")
				k.write(".gitconfig", "[core]\n\tfsmonitor = ./run.sh\n")
				k.commit("start\n\nClaw-Event: writeback\nClaw-Id: 20260201-00000000\nClaw-Actor: \x1b[31muser\n")
				id := k.git("rev-parse", "HEAD")
				for _, ref := range []string{
					"refs/heads/claw/l1/../x", "refs/heads/claw/nothing/20260101-a-0000", "refs/heads/claw/l1/" + "not-an-id",
					"refs/heads/-rf", "refs/heads/main 2", "refs/claw/open/\x1b[31m",
				} {
					// git refuses the worst of them itself.
					k.gitEnv(nil, "-c", "alias.try=!f() { git update-ref -- \"$1\" "+id+" || true; }; f", "try", ref)
				}
			}),
		},
		{
			Name: "hostile settings", About: "a .claw/config that came with the clone: programs, includes, paths out of the tree, looser limits, not even valid values",
			Make: build(func(k kit) {
				k.mkdir(Outside(k.dir))
				k.core("")
				k.write("notes/n.md", "- x\n")
				k.link("../outside", "linked")
				k.write(".claw/config", "[include]\n\tpath = ../../outside/config\n\tpath = /etc/passwd\n"+
					"[core]\n\tpager = touch ../outside/ran\n\thooksPath = ../outside\n\tfsmonitor = touch ../outside/ran\n"+
					"[claw]\n\tversion = 1\n\tagentCommand = touch ../outside/ran\n\tllmCommand = touch ../outside/ran\n"+
					"\tpaths = ../outside/\n\tpaths = /etc/\n\tpaths = linked/\n\tpaths = .git/\n\tpaths = notes/\n"+
					"\tmaxFileBytes = 99999999999999999999\n\thost = \x1b[31mx\n\ttimezone = ../../etc/localtime\n\tprofiles = nothing \x07\n"+
					"[claw \"si\"]\n\troot = ../../outside\n[claw \"health\"]\n\tdisable = EPI-006\n[alias]\n\tstatus = !touch ../outside/ran\n")
				k.commit("start")
				k.append("notes/n.md", "- y\n")
			}),
		},
		{
			Name: "read-only", About: "a folder that may be read and not written", Refusal: ReadOnly,
			Make: build(func(k kit) {
				k.core("")
				k.commit("start")
				k.append("memory/2026-02-28.md", "- more\n")
				mode := func(w os.FileMode) {
					k.must(filepath.WalkDir(k.dir, func(p string, d os.DirEntry, err error) error {
						if err != nil || d.Type()&os.ModeSymlink != 0 {
							return err
						}
						fi, err := d.Info()
						if err != nil {
							return err
						}
						return os.Chmod(p, fi.Mode().Perm()&^0o222|w)
					}))
				}
				mode(0)
				k.t.Cleanup(func() { mode(0o200) })
			}),
		},
	}
}
