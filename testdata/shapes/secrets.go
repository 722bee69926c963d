package shapes

// The keys below are put together from pieces, so that no scanner finds one in
// this source. They open nothing.
func fakeStripe() string { return "sk_" + "live_" + "9fGh27QkWm3ZtRb81XcVn5Ly" }

func fakeGitHub() string { return "ghp" + "_" + "k7Qm2VxR9sTb4LwZ8nHc3JdF6pGy1XeAuE5o" }

func fakeAWS() string { return "AKIA" + "QYLPMN5HHHFPZAM2" }

func fakeTelegram() string { return "123456789:" + "AA" + "Hq3xP7zTk9WvR2mLc8Nb5YdF4sJg6XuEo" }

func fakePEM() string {
	dashes := "-----"
	body := "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" +
		"MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3fxV+2dHgQ0kZqLm5rWcT1uEaJ6sPoVnBx\n"
	return dashes + "BEGIN PRIVATE " + "KEY" + dashes + "\n" + body + dashes + "END PRIVATE " + "KEY" + dashes + "\n"
}

// secrets are workspaces in which credentials lie about.
func secrets() []Shape {
	return []Shape{
		{
			Name: "secrets", About: "keys in prose, in a fence, in JSON and as a file; placeholders beside them; old ones that are committed already",
			Withheld: []string{fakeStripe(), fakeGitHub(), fakeTelegram(), "wggSjAgEAAoIBAQC7VJTUt9Us8cKj"},
			Make: build(func(k kit) {
				k.core("")
				k.write("TOOLS.md", "# Tools\n\n- deploy key "+fakeAWS()+"\n- User: root / Passw0rd99\n- 密码：abc12345\n")
				k.write("memory/gone.md", "- was "+fakeAWS()+"\n- harmless\n")
				k.commit("start")
				k.append("TOOLS.md", "- another line\n")
				k.write("memory/gone.md", "- harmless\n")
				k.append("memory/2026-02-28.md", "- paid with "+fakeStripe()+"\n- and watered the plants\n")
				k.write("memory/keys.md", "# Keys\n\n### API key\n\n```\n"+fakeGitHub()+"\n```\n\n- use `sk-your-key`, `${TOKEN}` or `<token>`\n- Токен: `"+fakeTelegram()+"`\n")
				k.write("memory/state.json", "{\"token\": \""+fakeGitHub()+"\", \"n\": 1}\n")
				k.write("memory/id_rsa.txt", fakePEM())
			}),
		},
	}
}
