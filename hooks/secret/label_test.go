package secret

import (
	"strings"
	"testing"
)

// Values of the tests below, put together here so that no scanner stops at this
// file.
var (
	word9  = "Passw" + "0rd99"
	word7  = "hunt" + "er2"
	word8  = "abc1" + "2345"
	random = "Zx9vQ2" + "LmT4bK7cWpR8sJ"
	lowest = "7f3kq9" + "zt2mxw8vb4n1"
	hash32 = "9f86d081" + "884c7d65" + "9a2feaa0" + "c55ad015"
	uuid   = "5b1de0c4" + "-7a3f-4c1e-9d25-" + "0f6b2e8c913a"
)

// fill puts the values into a line: 9, 7, 8 for passwords, R, L, H, U for keys.
func fill(line string) string {
	return strings.NewReplacer("{M}", "Cpb"+"NUKQngejNYN", "{W}", "velvet"+"harbor"+"monsoon", "{P}", "velvet harbor "+"monsoon kettle lantern", "{9}", word9, "{6}", "482"+"913", "{7}", word7, "{8}", word8, "{R}", random, "{L}", lowest, "{H}", hash32, "{U}", uuid).Replace(line)
}

// TestLabelled: values after labels, as people and programs write them.
func TestLabelled(t *testing.T) {
	t.Parallel()
	lines := map[string][]string{
		KindPassword: {
			"password: {7}", "Password = {9}", "PASSWORD={9}", "- **Password:** `{9}`", "password is {9}", "The password is {7}.", "The root password is now {9}",
			"password for the staging server is {9}", "pw: {9}", "pwd={9}", "DB_PASS={9}", "db.pass = '{7}'", "passwd: \"{9}\"", "passphrase: {9}",
			"| password | {9} |", "| Password (root) | `{9}` |", "password (admin): {9}", "new password → {9}", "password - {9}", "password=\"p@ss!word\"",
			"Das Passwort lautet {9}", "Passwort für den Server ist {9}", "Kennwort: {7}", "das neue Kennwort ist {9}.",
			"la contraseña es {9}", "Contraseña: {8}", "clave: {9}", "mot de passe : {9}", "le mot de passe est {9}", "mdp: {9}",
			"senha: {9}", "a senha é {9}", "la password è {9}", "wachtwoord: {9}", "het wachtwoord is {9}", "lösenord: {9}", "lösenordet är {9}",
			"hasło: {9}", "hasło to: {9}", "heslo: {9}", "jelszó: {9}", "parola: {9}", "şifre: {9}", "пароль: {9}", "Пароль — {9}", "ПАРОЛЬ: {9}", "пароль от сервера: {9}",
			"密码：{8}", "密码是{8}，请保密", "密碼: {9}", "管理员密码为 {9}", "口令：{9}", "パスワードは{9}です", "パスワード：{8}", "비밀번호: {9}", "비밀번호는 {9} 입니다",
			"mật khẩu: {9}", "mật khẩu là {9}", "kata sandi: {9}", "كلمة المرور: {9}", "סיסמה: {9}", "पासवर्ड: {9}", "รหัสผ่าน: {9}", "κωδικός: {9}",
			"User: root / {9}", "login: admin / {7}", "user: root, password {9}", "username/password: root/{9}", "用户名：root / {9}",
			"machine git.internal login bot password {9}", "bob@mail.internal:{9}", "alice@mail.internal / {9}", "Server=db;User Id=sa;Password={9};",
			"jdbc:postgresql://db/x?user=app&password={9}", "mysql.password={9}", "--password {9}", "--password={9}", "`password: {9}`", "password: {6}",
			"my password's {9}, keep it: password: {9}", "spring.datasource.password: {9}", "wifi password: {9}", "WPA2: {9}", "password :{9}", "password:{9}",
			"password: {M}", "Passwort: `{M}`", "DB_PASSWORD={M}", "DB_PASSWORD={W}", "export SMTP_PASSWORD=\"{W}\"", "passphrase: {P}", "Passphrase: `{P}`",
			"salasana on {9}", "Salasana on {9}.", "parool on {9}", "hasło to {9}", "a jelszó az {9}", "הסיסמה היא {9}",
		},
		KindLabelled: {
			"token: {R}", "Token = \"{L}\"", "API key: {R}", "api_key={L}", "API-KEY: `{R}`", "apikey={H}", "**API key:** {R}", "the api key is {R}", "secret: {R}",
			"client_secret: {U}", "client_secret = \"{H}\"", "access token: {R}", "accessToken: '{R}'", "private key: 0x{H}{H}", "credentials: {R}", "creds = {L}",
			"| API key | {R} |", "| token | `{L}` | x |", "MY_SERVICE_TOKEN={R}", "x-api-key: {U}", "Authorization: Bearer {R}", "authorization: token {L}",
			"curl -H \"Authorization: Bearer {R}\" x", "--token {R}", "--api-key={L}", "?access_token={R}&x=1", "{\"token\":\"{R}\",\"a\":1}", "\"apiKey\" => \"{R}\"",
			"<apiToken>{R}</apiToken>", "set(\"API_TOKEN\", \"{R}\")", "encryption key: {R}", "signing_key: {H}", "key: {R}7a", "API token (prod): {R}",
			"токен: {R}", "API-ключ: {R}", "令牌：{R}", "密钥是 {R}", "API 密钥: {L}", "トークン：{R}", "토큰: {R}", "clave de API: {R}", "chave de API: {R}", "clé API : {R}", "jeton : {R}",
			"API-Schlüssel: {R}", "Geheimnis: {R}", "chiave API: {R}", "klucz API: {R}", "token api: {R}", "api_token_for_ci: {R}", "secret value: {R}", "session secret → {R}",
			"Cookie: sessionid={L}", "> Set-Cookie: theme=dark; auth_session={R}; Path=/", "my token is {R}.", "bearer {R}", "Token: {R} (rotated)", "license key: {R}",
		},
		KindService: {
			"datadog: {H}", "cloudflare: \"{R}Kq4\"", "OKTA = '{R}Kq4'", "\"artifactory\", \"{R}{R}\"",
		},
		KindBasicAuth: {
			"curl -u elastic:{9} https://db.internal", "curl --user 'api:{R}' https://x.internal", "curl -s \"https://x\" -u bob:{7}x9", "Authorization: Basic Ym9iOlBh" + "c3N3MHJkOTk=",
		},
	}
	s := New()
	for kind, all := range lines {
		for _, line := range all {
			text := fill(line)
			got := s.Scan([]byte("# day\n\n" + text + "\n"))
			if len(got) == 0 {
				t.Errorf("%s: not found in %q", kind, line)
				continue
			}
			if len(got) != 1 || got[0].Kind != kind || got[0].Line != 3 {
				t.Errorf("%q: got %v, want %s", line, got, kind)
			}
		}
	}
}

// TestLone: a value on a line of its own, below what names it.
func TestLone(t *testing.T) {
	t.Parallel()
	s := New()
	for text, line := range map[string]int{
		"### API key\n\n```\n{R}\n```\n":                                    4,
		"## Token\n\nThis is the one for CI.\n\n```text\n{L}\n```\n":        6,
		"# Password\n\n```\n{9}\n```\n":                                     4,
		"Password:\n{9}\n":                                                  2,
		"| host | password |\n|---|---|\n| db | `{9}` |\n":                  3,
		"| Name | API key | x |\n|-|-|-|\n| a | - | b |\n| a | {R} | b |\n": 4,
		"Password:\n\n    {9}\n":                                            3,
		"**API key**\n\n`{R}`\n":                                            3,
		"API key:\n- {R}\n":                                                 2,
		"token: |\n  {R}\n":                                                 2,
		"<token>\n  {R}\n</token>\n":                                        2,
		"- name: DEPLOY_TOKEN\n  value: \"{R}\"\n":                          2,
		"### 密码\n\n{8}\n":                                                   3,
		"### Пароль от сервера\n\n```\n{9}\n```\n":                          4,
		"> ### API key\n>\n> ```\n> {R}\n> ```\n":                           4,
		"### API keys\n\n```\n# prod\n{R}\n```\n":                           5,
		"kind: Secret\ndata:\n  a: QWxhZGRpbjpvcGVu\n":                      3,
		"data:\n  # x\n  a: QWxhZGRpbjpvcGVu\nkind: 'Secret'\n":             3,
		"> kind: Secret\n> data:\n>   a: QWxhZGRpbjpvcGVu\n":                3,
		"kind: Secret\ndata:\n  a: |\n    QWxhZGRpbjpvcGVu\n":               4,
		"kind: Secret\nstringData:\n  cfg: \"QWxhZGRpbjpvcGVu\"\n---\n":     3,
		"curl https://x.internal \\\n  -u bob:{9} \\\n  -o y\n":             2,
		"curl https://x.internal \\\n  -H 'Authorization: Bearer {R}'\n":    2,
	} {
		got := s.Scan([]byte(fill(text)))
		if len(got) != 1 || got[0].Line != line {
			t.Errorf("%q: got %v, want line %d", text, got, line)
		}
	}
	for _, text := range []string{
		"| host | password |\n|---|---|\n| db | ask |\n| db2 | rotated |\n", "| field | password |\n|---|---|\n| type | varchar |\n\n| a | {9} |\n", "| a | token |\n|---|---|\n| x | token-2 |\n",
		"### API key\n\n```\n<your key>\n```\n", "### API key\n\n```\n${API_KEY}\n```\n", "### API key\n\nAsk the owner.\n\n## Other\n\n{R}\n",
		"### Token budget\n\n```\n{R}\n```\n", "## Keyboard\n\n{R}\n", "Password:\nask the owner\n{9}\n", "### Password policy\n\n```\n{9}\n```\n",
		"### API key\n\n```\n5b1de0c47a3f4c1e9d250f6b2e8c913a00112233\n```\n", "kind: ConfigMap\ndata:\n  a: QWxhZGRpbjpvcGVu\n",
		"kind: Secret\nmetadata:\n  name: QWxhZGRpbjpvcGVu\n", "kind: Secret\n---\ndata:\n  a: QWxhZGRpbjpvcGVu\n", "### Password\n\n```go\nfunc check1(p string) bool {\n```\n",
		"kind: Secret\ndata:\n  a: {{ .Values.password }}\n", "token:\n  expires_in: 3600\n", "see the token\n{R}\n",
	} {
		if got := s.Scan([]byte(fill(text))); len(got) != 0 {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// TestNoSecret: lines with labels, and none of them a secret.
func TestNoSecret(t *testing.T) {
	t.Parallel()
	s := New()
	for _, line := range []string{
		"password: <password>", "password: ${PASSWORD}", "password: $DB_PASSWORD", "password: xxxxxxxx", "password: ********", "password: your-password", "password = changeme",
		"password: {{ vault.pw }}", "password: $(pass show db)", "password: [REDACTED]", "password: …", "password: ...", "password: example", "password: %s", "password: %DB_PW%",
		"password is required", "the password is 12 characters", "password is 12-character", "password is base64 encoded", "password is sha256 hashed", "Password reset: 2FA required",
		"Password policy: min12 chars", "password_hash: {H}", "passwords: 123456 rows", "Password manager: 1Password7", "password length: 16chars", "passwordField: input2",
		"password: see 1Password", "password: os.environ['DB_PW2']", "password: process.env.DB_PW2", "password: getPassword2()", "password: <{9}>", "api key: \"ab12-<key>-cd34ef56\"", "secret: k8s-tls-crt", "secret: app-db-pw1", "token: ci-bot-2-eu1", "credential: aws-eks-us1", "secret: billing-api-v2", "password changed 2026-03-04", "password: 2026-03-04",
		"password: /run/secrets/db2", "password: secrets/db2.txt", "password: https://vault.internal/x2", "--- PASS: TestSettings2 (0.00s)", "PASS: 150 tests", "pass 3: rerun step2",
		"passage2: x1y2z3w4", "compass: north45", "the passport is AB1234567", "Passwort: siehe 1Password", "el password es obligatorio", "密码：请询问管理员", "密码长度：256", "пароль: спросить", "パスワード：未設定",
		"token: <token>", "token: ${TOKEN}", "token: your-token-here-12345", "token: sk-your-key", "max_tokens: 200000", "tokens: 4096", "token count: 123456", "tokenizer: cl100k_base2", "token_type: bearer2x",
		"token expires: 2026-03-04T10:20:30Z", "csrf_token: {R}", "csrf-token={R}", "page token: {R}", "nextPageToken: {R}", "sync_token: {R}", "public key: {R}", "public_key = \"{R}\"", "cache key: {H}", "cacheKey: {R}", "primary key: {U}",
		"idempotency-key: {U}", "key: {H}", "key: {U}", "key: ctrl+shift+p1", "keyboard: {R}", "monkey: {R}", "key_id: {R}", "keyid: {R}", "key id: {R}", "secret_name: prod-db-secret-2", "secret: see vault", "secretary: {R}",
		"api key: see .env", "api key: in 1Password", "API key: rotate every 90days", "api version: rc0.15.0_20231217", "auth: oauth2", "author: a1b2c3d4e5f6g7h8i9", "authority: {R}", "token path: /run/token1",
		"secret: memory/2026-03-04.md", "token: github_token_v2", "token: refresh-token-step-2", "key: feature-flag-new-editor-2", "key: user_settings_v2_dark_mode", "sort key: {R}", "foreign key: {U}", "token = getToken2(ctx)", "tokens used: 182937 of 200000",
		"user: root / home", "User: bob / carol", "login: https://x.internal/a1b2c3", "email: a@b.internal", "scp a@host.internal:/srv/x1", "git@host.internal:team/repo2.git", "ssh a@host.internal:2222", "mail a@b.internal: 3rd note2",
		"curl -u $USER:$PASS https://x", "curl -u user:pass x", "curl -u <user>:<pw1234> x", "curl -u admin x", "docker run -u 1000:1000 x", "curl -u \"${U}:${P}\" x",
		"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Basic ...", "bearer of good news2day", "Authorization: Bearer xxxxxxxxxxxxxxxxxxxx", "Authorization-Results: 5h.internal",
		"datadog: see dashboards", "agent:main:mattermost:channel:{L}", "discord:dm:{L}", "telegram: @someone12345", "linear: {H}", "sentry: {U}", "discord: 123456789012345678", "cloudflare: 3f2a9c1d5b7e8a6c4d2f1e0b9a8c7d6e5f4a3b2c",
		"- [x] rotate the token (done 2026-03-04, see a1b2c3d4e5)", "keys: a1, b2, c3", "secret santa: bob2026", "the secret is out", "token ring, 802.5", "passphrase: correct horse", "credentials: ~/.aws/credentials", "auth: none",
		"passphrase: ask the owner for it", "passphrase: stored under team drive", "passphrase: four random words please", "DB_PASSWORD=changeme", "DB_PASSWORD=mysecretpassword", "DB_PASSWORD=postgres", "DB_PASSWORD=yourpasswordhere",
		"password: PasswordInputField", "password: getUserPassword", "password: handleSubmit", "password: parseJSONResponse", "password: McDonaldsMenu", "password: AuthService", "Cookie: theme=dark; lang=en", "cookie: csrf_session={R}", "Cookie: sessionid=<id>", "password to {9}x", "password on staging",
		"key: \"Befehl_P2\"", "key = settings.theme.dark2", "secret ls -f id={L}", "![t](https://x.internal/b.svg?token={R})", "sha256: {H}{H}", "checksum: {H}", "commit {H}", "id: {U}", "hash = {H}",
	} {
		if got := s.Scan([]byte("# day\n\n" + fill(line) + "\n")); len(got) != 0 {
			t.Errorf("%q: got %v", line, got)
		}
	}
}
