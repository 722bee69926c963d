package secret

// labelKind says what kind of value stands behind a label.
type labelKind uint8

const (
	labelPassword labelKind = iota + 1
	labelToken              // what is behind it is random, or it is none
	labelKey                // as a token, but often the name of something else: stricter
	labelService            // the name of a service, stricter still
	labelHeader             // the scheme stands before the value
	labelUser               // a name, and perhaps a password beside it
)

// labelRules are the words that people and programs write before a secret. They
// match in any case where they are ASCII; others are listed as they are written
// within a sentence, without the first letter where that may be a capital.
func labelRules() []rule {
	return []rule{
		{
			label: labelPassword,
			words: "password|passwd|passwrd|passwort|passphrase|passcode|kennwort|losungswort|contraseña|contrasena|contrasenya|mot de passe|senha|" +
				"palavra-passe|parola d'ordine|wachtwoord|lösenord|losenord|adgangskode|kodeord|passord|salasana|parool|hasło|haslo|" +
				"heslo|jelszó|jelszo|parolă|şifre|sifre|slaptažodis|mật khẩu|mat khau|kata sandi|lozinka|geslo|ароль|АРОЛЬ|ароля|" +
				"ароли|озинка|密码|密碼|口令|パスワード|パスフレーズ|暗証番号|비밀번호|패스워드|كلمة المرور|كلمة السر|סיסמה|סיסמא|" +
				"पासवर्ड|পাসওয়ার্ড|รหัสผ่าน|κωδικός|κωδικό|συνθηματικό",
		},
		{label: labelPassword, tight: true, words: "pass|pwd|pw:|pw=|mdp|clave|parola|passwords|psk|wpa2|wpa|wifi-key|wlan-key"},
		{
			label: labelToken,
			words: "token|secret|apikey|credential|creds|jeton|geheimnis|clé api|clé d'api|clave api|clave de api|chave de api|chave api|" +
				"chiave api|api-schlüssel|api schlüssel|klucz api|api-sleutel|api-nyckel|токен|Токен|ТОКЕН|секрет|api-ключ|ключ api|" +
				"api ключ|ключ доступа|令牌|密钥|密鑰|秘钥|金鑰|api 키|api키|토큰|시크릿|トークン|シークレット|apiキー|アクセスキー|秘密鍵|" +
				"api anahtarı|khóa api|kunci api|مفتاح api|מפתח api|κλειδί api|एपीआई कुंजी",
		},
		{label: labelKey, tight: true, words: "key|keys|auth|schlüssel|clé|clave|chave|chiave|klucz|ключ|キー"},
		{label: labelHeader, words: "authorization|authorisation|bearer"},
		{
			label: labelUser, tight: true,
			words: "user|username|user name|login|account|benutzer|benutzername|usuario|usuário|utilisateur|utente|gebruiker|" +
				"użytkownik|用户名|用户|帳號|账号|帐号|账户|логин|ользователь|ユーザー|ユーザ名|아이디|사용자|e-mail|email|mail|zugangsdaten|logins",
		},
		{label: labelService, tight: true, words: services},
	}
}

// services are names that stand for the key itself in settings: `datadog: …`.
const services = "adafruit|airtable|algolia|alibaba|artifactory|asana|atlassian|beamer|bintray|bitbucket|bittrex|cloudflare|codecov|cohere|" +
	"coinbase|confluent|contentful|datadog|deepseek|discord|droneci|dropbox|elevenlabs|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|" +
	"gocardless|heroku|hubspot|intercom|jfrog|kraken|kucoin|launchdarkly|linkedin|looker|mailchimp|mailgun|mapbox|mattermost|" +
	"meraki|messagebird|mistral|netlify|newrelic|nytimes|okta|openai|openrouter|pinecone|plaid|rapidapi|sendbird|sendgrid|sentry|snyk|sonar|sonar.login|" +
	"sonar_login|sourcegraph|squarespace|sumologic|telegram|telegram bot|twilio|twitch|twitter|yandex|zendesk"

// notBehind reports whether a word behind a label makes it something
// else, or begins one that does: token|izer, key id, password policy.
func notBehind(word []byte) bool {
	var b [12]byte
	word = lowered(b[:0], word)
	for n := 2; n <= len(word); n++ {
		if notBehindWord(word[:n]) {
			return true
		}
	}
	return false
}

func notBehindWord(word []byte) bool {
	switch string(word) {
	case "age", "alg", "algorithm", "alias", "arg", "arial", "arn", "ary", "audience", "auth", "based", "bind", "binding", "bits", "board", "box",
		"budget", "chain", "change", "check", "checksum", "class", "column", "cost", "count", "digest", "detail", "dir", "down", "ed", "endpoint", "error", "etag",
		"event", "example", "expir", "field", "file", "fingerprint", "flag", "folder", "form", "format", "frame", "free", "func", "gen", "generator",
		"hash", "hilfe", "hint", "holder", "host", "id", "index", "info", "ing", "input", "ion", "ism", "issuer", "ist", "ive", "iz", "kind", "label",
		"layout", "left", "len", "length", "less", "limit", "manager", "map", "md5", "mesh", "method", "mode", "name", "note", "ops", "option", "pad",
		"pair", "param", "path", "pattern", "per", "placeholder", "point", "polic", "port", "prefix", "press", "price", "prompt", "provider", "recover",
		"ref", "reference", "regex", "require", "reset", "ress", "ring", "rotat", "rule", "schema", "scope", "selector", "server", "service", "set", "sha",
		"signature", "size", "sn", "space", "state", "status", "stone", "store", "strength", "suffix", "support", "table", "tag", "template", "thumbprint",
		"ttl", "type", "up", "update", "uri", "url", "usage", "used", "valid", "var", "variable", "vault", "verif", "version", "window", "word":
		return true
	}
	return false
}

// notBefore reports whether a word, lower case, before a label makes it something
// else: public key, csrf_token, maxTokens.
func notBefore(word []byte) bool {
	switch string(word) {
	case "answer", "authenticity", "bos", "bucket", "build", "cache", "cached", "cancel", "change", "checksum", "cls", "commit", "completion", "composite",
		"continuation", "csrf", "cursor", "dedup", "dedupe", "design", "dict", "doc", "end", "eos", "etag", "file", "foreign", "forgot", "group", "hash",
		"host", "host_key", "hot", "i18n", "id", "idempotency", "idx", "index", "input", "issue", "json", "kv", "lookup", "map", "mask", "max", "message",
		"metadata", "min", "n", "natural", "next", "no", "not", "num", "object", "order", "output", "pad", "page", "pageing", "pagination", "partition",
		"per", "primary", "project", "prompt", "pub", "public", "reasoning", "redis", "registry", "reset", "routing", "row", "s3", "schema", "sep",
		"sequence", "shortcut", "sort", "sorting", "span", "special", "start", "stop", "storage", "surrogate", "sync", "syntax", "total",
		"trace", "translation", "unique", "unk", "vocab", "without", "xsrf":
		return true
	}
	return false
}
