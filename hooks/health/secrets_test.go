package health

import "strings"

// A key of a provider, in pieces, so that no scanner finds one in this source.
func fakeKey() string { return "AKIA" + "QYLPMN5HHHFPZAM2" }

func fakeBlock() string {
	return "-----BEGIN PRIVATE " + "KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", 3) + "-----END PRIVATE " + "KEY-----\n"
}

func secretsCases() []checkCase {
	const day = "memory/2026-02-28.md"
	return []checkCase{
		{id: "EPI-006", name: "a clean day", files: tree{day: "- planted\n"}},
		{id: "EPI-006", name: "a key in a day", files: tree{day: "- planted\n- key " + fakeKey() + "\n"}, want: []string{"FAIL " + day + ":2"}},
		{id: "EPI-006", name: "a placeholder", edge: true, files: tree{day: "- key AKIAXXXXXXXXXXXXXXXX, ${TOKEN}, <token>\n"}},
		{id: "EPI-006", name: "an allowed line", edge: true, files: tree{day: "- " + fakeKey() + " claw:allow\n"}},
		{id: "EPI-006", name: "elsewhere it is another check", files: tree{"memory/a.md": fakeKey(), "memory/2026-02-28-x.md": fakeKey()}},
		{id: "EPI-006", name: "an archived day", files: tree{"memory/archive/2025/01/2025-01-02.md": fakeKey()}, want: []string{"FAIL memory/archive/2025/01/2025-01-02.md:1"}},
		{id: "SNAP-001", name: "a clean snapshot", files: tree{"memory/2026-02-28-seeds.md": "# Session: x\n"}},
		{id: "SNAP-001", name: "a key in a snapshot", files: tree{"memory/2026-02-28-seeds.md": "user: " + fakeKey() + "\n"}, want: []string{"FAIL memory/2026-02-28-seeds.md:1"}},
		{id: "SNAP-001", name: "a time is a suffix", edge: true, files: tree{"memory/2026-02-28-0915.md": fakeKey()}, want: []string{"FAIL memory/2026-02-28-0915.md:1"}},
		{id: "SNAP-001", name: "a day is none", edge: true, files: tree{day: fakeKey()}},
		{id: "GIT-008", name: "clean", files: core(nil)},
		{id: "GIT-008", name: "a key in a rule file", files: core(tree{"TOOLS.md": "# Tools\n- " + fakeKey() + "\n"}), want: []string{"FAIL TOOLS.md:2"}},
		{id: "GIT-008", name: "a key in JSON", files: tree{"memory/state.json": `{"k": "` + fakeKey() + `"}`}, want: []string{"FAIL memory/state.json:1"}},
		{id: "GIT-008", name: "a block is one finding", files: tree{"memory/id.txt": "x\n" + fakeBlock()}, want: []string{"FAIL memory/id.txt:2"}},
		{id: "GIT-008", name: "a removed key", edge: true, files: tree{"TOOLS.md": "# Tools\n"}, git: &fakeGit{head: tree{"TOOLS.md": fakeKey()}}},
		{id: "GIT-008", name: "a file of credentials", files: tree{"skills/x/.env": "MODE=1\n"}, want: []string{"FAIL skills/x/.env"}},
		{id: "GIT-008", name: "one of the root, which is not managed", ignored: tree{".env": "MODE=1\n"}, git: &fakeGit{tracked: []string{".env"}}, want: []string{"FAIL .env"}},
		{id: "GIT-008", name: "one that git does not track", edge: true, ignored: tree{".env": "MODE=1\n"}},
		{id: "GIT-008", name: "one of the code around", edge: true, ignored: tree{"src/test.pem": "x"}, git: &fakeGit{tracked: []string{"src/test.pem"}}},
		{id: "GIT-008", name: "harmless files of such names", edge: true, files: tree{
			"memory/secrets.json": "{\n  \"token\": \"\"\n}\n", "memory/.env": "# none\nTOKEN=\n", "memory/ca.pem": "-----BEGIN CERTIFICATE-----\nMIIB\n", "memory/talk.key": "PK\x03\x04rest", "memory/b.key": "\n",
		}},
		{id: "GIT-008", name: "keys and stores of keys", files: tree{"memory/a.p12": "\x30\x82", "memory/b.PFX": "\x30\x82", "skills/x/id_ed25519": "opaque\n"}, want: []string{"FAIL memory/a.p12", "FAIL memory/b.PFX", "FAIL skills/x/id_ed25519"}},
		{id: "GIT-008", name: "public keys, and words", edge: true, files: tree{"memory/id_rsa": "ssh-rsa AAAAB3Nz pip@example.com\n", "memory/id_rsa.pub": "ssh-rsa AAAAB3Nz\n", "memory/id_rsa.md": "How to make one.\n", "memory/empty.p12": ""}},
		{id: "GIT-008", name: "bytes under such a name", files: tree{"memory/a.key": "\x01\x02", "memory/secrets.yml": "pin: 1\n"}, want: []string{"FAIL memory/a.key", "FAIL memory/secrets.yml"}},
	}
}
