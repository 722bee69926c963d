package secret

import (
	"maps"
	"slices"
	"strings"
)

// shape is a secret of a kind, made anew for every seed, and texts that are
// close to it but none.
type shape struct {
	kind  string
	make  func(m maker) string
	never []string
}

func shapes() []shape {
	x := strings.Repeat
	list := []shape{
		{"aws-access-key-id", func(m maker) string { return "AK" + "IA" + m.of(caps32, 16) }, []string{"AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + x("X", 16), "AKIA short", "the AKIA" + x("A", 40)}},
		{"aws-access-key-id", func(m maker) string { return "AS" + "IA" + m.of(caps32, 16) }, []string{"ASIA and the Pacific", "in Asia 1234567890123456"}},
		{"aws-secret-access-key", func(m maker) string { return "aws_secret_access_key = " + m.of(base62+"+/", 40) }, []string{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=${SECRET}", "secret access key: ask the owner"}},
		{"aws-secret-access-key", func(m maker) string { return `"SecretAccessKey": "` + m.of(base62+"+/", 40) + `"` }, []string{`"SecretAccessKey": "<secret>"`}},
		{"aws-bedrock-key", func(m maker) string { return "ABS" + "K" + m.of(base62, 120) }, []string{"ABSK" + x("x", 120)}},
		{"azure-storage-key", func(m maker) string { return "AccountName=a;Account" + "Key=" + m.of(base62+"+/", 86) + "==;" }, []string{"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoMGMw" + "==", "AccountKey=<key>"}},
		{"azure-client-secret", func(m maker) string { return m.of(base62, 3) + "8Q" + "~" + m.of(base62, 34) }, []string{"abc8Q~" + x("x", 34)}},
		{"azure-sas", func(m maker) string {
			return "https://a.blob.core.windows.net/c?sv=2023-01-03&si" + "g=" + m.of(base62, 42) + "%3D"
		}, []string{"?sv=2023-01-03&sig=<signature>", "&sig=" + x("x", 43) + "%3D"}},
		{"azure-devops-token", func(m maker) string { return m.of(base62, 76) + "AZ" + "DO" + m.of(base62, 4) }, []string{"AZDO"}},
		{"digitalocean-token", func(m maker) string { return "dop" + "_v1_" + m.of(hexes, 64) }, []string{"dop_v1_" + x("0", 64), "dop_v1_<token>"}},
		{"google-api-key", func(m maker) string { return "AI" + "za" + m.of(url64, 34) + "k" }, []string{"AIza" + x("x", 35), "AIzaShort", "AIza" + x("Sy", 60)}},
		{"google-oauth-secret", func(m maker) string { return "GOC" + "SPX-" + m.of(base62, 28) }, []string{"GOCSPX-your-client-secret-goes-here"}},
		{"google-oauth-token", func(m maker) string { return "ya" + "29." + m.of(url64, 60) }, []string{"ya29.<token>"}},
		{"github-token", func(m maker) string { return "gh" + "p_" + m.of(base62, 36) }, []string{"ghp_" + x("x", 36), "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_your_token", "ghp_…"}},
		{"github-token", func(m maker) string { return "gh" + "s_" + m.of(base62, 36) }, []string{"ghs_" + x("0123456789", 4)}},
		{"github-token", func(m maker) string { return "gh" + "o_" + m.of(base62, 36) }, nil},
		{"github-token", func(m maker) string { return "gh" + "u_" + m.of(base62, 36) }, nil},
		{"github-token", func(m maker) string { return "gh" + "r_" + m.of(base62, 76) }, nil},
		{"github-fine-grained-token", func(m maker) string { return "github" + "_pat_" + m.of(base62, 22) + "_" + m.of(base62, 59) }, []string{"github_pat_" + x("X", 82), "github_pat_11ABC...", "github_pat_${TOKEN}"}},
		{"gitlab-token", func(m maker) string { return "glp" + "at-" + m.of(url64, 20) }, []string{"glpat-" + x("x", 20), "glpat-" + "your-token-goes-here"}},
		{"gitlab-token", func(m maker) string { return "gld" + "t-" + m.of(url64, 20) }, nil},
		{"gitlab-runner-token", func(m maker) string { return "GR" + "1348941" + m.of(url64, 20) }, []string{"GR1348941<token>"}},
		{"npm-token", func(m maker) string { return "np" + "m_" + m.of(base62, 36) }, []string{"npm_" + x("x", 36), "npm_config_registry_something_longer_than_that"}},
		{"npm-auth", func(m maker) string { return "//registry.npmjs.org/:_auth" + "Token=" + m.of(hexes, 36) }, []string{"//registry.npmjs.org/:_authToken=${NPM_TOKEN}"}},
		{"pypi-token", func(m maker) string { return "pyp" + "i-AgEIcHlwaS5vcmc" + m.of(url64, 90) }, []string{"pypi-AgE...", "pypi-agent-something"}},
		{"anthropic-key", func(m maker) string { return "sk-" + "ant-api03-" + m.of(url64, 93) + "AA" }, []string{"sk-ant-api03-" + x("x", 90), "sk-ant-...", "sk-ant-your-key-goes-here-please", "sk-ant-api03-<key>"}},
		{"anthropic-key", func(m maker) string { return "sk-" + "ant-oat01-" + m.of(url64, 93) + "AA" }, nil},
		{"openai-key", func(m maker) string {
			return "sk-" + "proj-" + m.of(url64, 74) + "T3Blbk" + "FJ" + m.of(url64, 74)
		}, []string{"sk-proj-" + x("x", 48), "sk-proj-your-openai-api-key-goes-here-and-nowhere-else", "sk-proj-abc...xyz"}},
		{"openai-key", func(m maker) string {
			return "sk-" + "svcacct-" + m.of(url64, 58) + "T3Blbk" + "FJ" + m.of(url64, 58)
		}, nil},
		{"openrouter-key", func(m maker) string { return "sk-" + "or-v1-" + m.of(hexes, 64) }, []string{"sk-or-v1-" + x("0", 64)}},
		{"sk-key", func(m maker) string { return "sk-" + m.of(base62, 20) + "T3Blbk" + "FJ" + m.of(base62, 20) }, []string{"sk-your-key", "sk-" + x("x", 48), "sk-abcdefghijklmnopqrstuvwxyz0123456789", "sk-1234567890abcdef1234567890abcdef", "task-" + "8f3Kq0Zp1Vb7Yw2Xe5Rt9Uo4Ia6Sd8Fg"}},
		{"sk-key", func(m maker) string { return "sk-" + m.of(hexes, 32) }, nil},
		{"huggingface-token", func(m maker) string { return "hf" + "_" + m.of(base62[10:], 34) }, []string{"hf_" + x("x", 34), "hf_hub_download_something_with_words"}},
		{"groq-key", func(m maker) string { return "gs" + "k_" + m.of(base62, 52) }, []string{"gsk_" + x("x", 52)}},
		{"xai-key", func(m maker) string { return "xa" + "i-" + m.of(base62, 80) }, []string{"xai-" + x("x", 80)}},
		{"slack-token", func(m maker) string {
			return "xox" + "b-" + m.of("0123456789", 12) + "-" + m.of("0123456789", 13) + "-" + m.of(base62, 24)
		}, []string{"xoxb-" + x("x", 40), "xoxb-your-bot-token-here", "xoxb-" + "123456789012-1234567890123-abcdefghijklmnopqrstuvwx"}},
		{"slack-token", func(m maker) string { return "xox" + "e.xox" + "p-1-" + m.of(base62, 120) }, nil},
		{"slack-app-token", func(m maker) string {
			return "xap" + "p-1-" + m.of(caps32, 11) + "-" + m.of("0123456789", 13) + "-" + m.of(hexes, 64)
		}, []string{"xapp-1-A000-1-" + x("0", 64)}},
		{"slack-webhook", func(m maker) string {
			return "https://hooks.sl" + "ack.com/services/T" + m.of(caps32, 8) + "/B" + m.of(caps32, 8) + "/" + m.of(base62, 24)
		}, []string{"https://hooks.slack.com/services/T00000000/B00000000/" + x("X", 24), "https://hooks.slack.com/services/…"}},
		{"stripe-key", func(m maker) string { return "sk" + "_live_" + m.of(base62, 24) }, []string{"sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc", "sk_live_" + x("x", 24), "sk_live_..."}},
		{"stripe-key", func(m maker) string { return "rk" + "_live_" + m.of(base62, 99) }, nil},
		{"stripe-webhook-secret", func(m maker) string { return "whs" + "ec_" + m.of(base62, 32) }, []string{"whsec_" + x("x", 32)}},
		{"sendgrid-key", func(m maker) string { return "SG" + "." + m.of(url64, 22) + "." + m.of(url64, 43) }, []string{"SG." + x("x", 22) + "." + x("x", 43), "msg.something.other"}},
		{"twilio-key", func(m maker) string { return "S" + "K" + m.of(hexes, 32) }, []string{"SK" + x("0", 32), "SK" + "0123456789abcdef0123456789abcdef01", "desk4 and task5"}},
		{"telegram-bot-token", func(m maker) string { return m.of("123456789", 10) + ":A" + "A" + m.of(url64, 32) + "q" }, []string{"123456789:AA" + x("x", 33), "123456789:AA…", "10:AAA rated"}},
		{"discord-bot-token", func(m maker) string {
			return "MTIzNDU2Nzg5MDEyMzQ1Njc4." + m.of(url64, 6) + "." + m.of(base62, 38)
		}, []string{"MTIzNDU2Nzg5MDEyMzQ1Njc4." + x("x", 6) + "." + x("x", 38), "a.very.long.word.of.sixty.characters.and.more.that.is.nothing.at.all"}},
		{"discord-webhook", func(m maker) string {
			return "https://discord" + ".com/api/webhooks/" + m.of("0123456789", 18) + "/" + m.of(url64, 68)
		}, []string{"https://discord.com/api/webhooks/123456789012345678/<token>"}},
		{"jwt", func(m maker) string {
			return "ey" + "J" + m.of(base62, 33) + ".ey" + "J" + m.of(url64, 80) + "." + m.of(url64, 43)
		}, []string{"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.", "eyJ...eyJ..."}},
		{"age-secret-key", func(m maker) string { return "AGE-SEC" + "RET-KEY-1" + m.of(bech32, 58) }, []string{"AGE-SECRET-KEY-1" + x("Q", 58), "AGE-SECRET-KEY-1..."}},
		{"url-credentials", func(m maker) string { return "postgres://app:" + m.of(base62, 12) + "@db.internal:5432/prod" }, []string{
			"postgres://user:password@localhost/db", "https://user:pass@host", "https://user:pass@example.com", "https://u:" + "hunter22@git.example.org/x",
			"postgres://${USER}:${PASS}@db/x", "mysql://root:$MYSQL_PASSWORD@db", "amqp://guest:guest@rabbit:5672", "redis://:***@cache:6379",
			"https://<user>:<token>@github.com", "https://medium.com/@someone", "http://localhost:8080/@vite/client", "docker://alpine:3.19@sha256:" + x("ab", 32),
			"ssh://git@host:22/x", "http://host:80?mail=a@b", "mongodb://user:your-password@mongo", "ftp://user:xxxxxx@files.net", "https://user:%s@host.net",
		}},
		{"url-credentials", func(m maker) string { return "redis://:" + m.of(base62, 16) + "@cache:6379" }, nil},
		{"url-credentials", func(m maker) string { return "https:\\/\\/bot:" + m.of(base62, 16) + "@git.internal" }, nil},
	}
	all := bodies()
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		for _, body := range all[kind] {
			list = append(list, shape{kind, func(m maker) string { return m.like(body) }, []string{crossed(body)}})
		}
	}
	return list
}

// bodies are shapes of one form: sets of characters in braces, as in the table,
// and a ^ where the word of a rule is parted in this file.
func bodies() map[string][]string {
	return map[string][]string{
		"alibaba-access-key-id": {"LT^AI{a20}"},
		"adobe-client-secret":   {"p8^e-{a32}"},
		"yandex-key":            {"AQ^VN{w36}a", "t1^.{w60}.{w86}"},
		"cloudflare-key":        {"v1^.0-{h24}-{h146}"},
		"heroku-key":            {"HRKU^-AA{w58}"},
		"flyio-token":           {"fo^1_{w43}", "fm^2_{b120}"},
		"scalingo-token":        {"tk^-us-{w48}"},
		"openshift-token":       {"sha^256~{w43}"},
		"planetscale-token":     {"pscale^_tkn_{w43}", "pscale^_pw_{w43}", "pscale^_oauth_{w43}"},
		"clickhouse-key":        {"4b^1d{a38}"},
		"databricks-token":      {"da^pi{h32}"},
		"pulumi-token":          {"pu^l-{h40}"},
		"terraform-token":       {"{a14}.atlas^v1.{w66}"},
		"vault-token":           {"hv^s.{w94}", "hv^b.{w150}"},
		"doppler-token":         {"dp^.pt.{a43}"},
		"infracost-key":         {"ic^o-{a32}"},
		"prefect-token":         {"pn^u_{a36}"},
		"harness-key":           {"pa^t.{w22}.{a24}.{a20}"},
		"authress-key":          {"sc^_{a12}.{a5}.acc-{a20}.{b60}"},
		"tailnet-key":           {"dn^key-{w26}-{w52}"},
		"tailscale-key":         {"tsk^ey-auth-{a16}-{a32}", "tsk^ey-api-{a12}-{a32}"},
		"onepassword-key":       {"A^3-{u6}-{u11}-{u5}-{u5}-{u5}", "A^3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"},
		"onepassword-token":     {"ops^_eyJ{b260}"},
		"gitlab-session":        {"_gitlab^_session={h32}"},
		"bitbucket-token":       {"AT^BB{a32}"},
		"atlassian-token":       {"ATA^TT3{w186}"},
		"sourcegraph-token":     {"sg^p_{h40}", "sg^p_{h16}_{h40}", "sg^p_local_{h40}"},
		"rubygems-key":          {"ruby^gems_{h48}"},
		"nuget-key":             {"oy^2{l43}"},
		"clojars-token":         {"CLO^JARS_{h60}"},
		"docker-token":          {"dckr^_pat_{w27}"},
		"artifactory-key":       {"AK^Cp{a69}", "cmV^md{a59}"},
		"sonar-token":           {"sq^p_{h40}"},
		"postman-key":           {"PM^AK-{h24}-{h34}"},
		"octopus-key":           {"AP^I-{u26}"},
		"linear-key":            {"lin^_api_{a40}"},
		"notion-token":          {"nt^n_{d11}{a35}"},
		"readme-key":            {"rd^me_{l70}"},
		"maxmind-key":           {"{a6}_{a29}_m^mk"},
		"sentry-token":          {"sntrys^_eyJ{b120}", "sntryu^_{h64}"},
		"newrelic-key":          {"NR^AK-{u27}", "NR^II-{a32}", "NR^JS-{h19}"},
		"grafana-token":         {"gl^c_{b60}", "gl^sa_{a32}_{h8}", "eyJr^Ijoi{a90}"},
		"dynatrace-token":       {"dt^0c01.{u24}.{u64}"},
		"frameio-token":         {"fi^o-u-{w64}"},
		"airtable-token":        {"pa^t{a14}.{h64}"},
		"typeform-token":        {"tf^p_{w59}"},
		"mapbox-token":          {"p^k.{l60}.{l22}"},
		"intra42-secret":        {"s-s4^t2ud-{h64}"},
		"settlemint-token":      {"sm^_aat_{a16}"},
		"sidekiq-secret":        {"BUNDLE_GEMS__CONTRIB^SYS__COM={h8}:{h8}"},
		"perplexity-key":        {"pp^lx-{a48}"},
		"nvidia-key":            {"nva^pi-{w64}"},
		"replicate-token":       {"r^8_{a37}"},
		"teams-webhook":         {"https://x.webhook.office^.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}"},
		"facebook-token":        {"EA^AM{a180}", "{d15}|{w27}"},
		"sendinblue-key":        {"xkey^sib-{h64}-{a16}"},
		"mailchimp-key":         {"{h32}-u^s12"},
		"square-token":          {"sq0^atp-{w22}", "EA^AA{w60}"},
		"shopify-token":         {"sh^pat_{h32}"},
		"shippo-token":          {"shippo^_live_{h40}"},
		"duffel-token":          {"duffel^_live_{w43}"},
		"easypost-key":          {"EZ^AK{a54}"},
		"flutterwave-key":       {"FLW^SECK-{h32}"},
		"lob-key":               {"li^ve_{h35}", "te^st_pub_{h31}"},
		"plaid-token":           {"access^-production-{h8}-{h4}-{h4}-{h4}-{h12}"},
		"aws-bedrock-key":       {"bedrock^-api-key-{b60}"},
		"aws-access-key-id":     {"A^3T{u17}"},
		"sendgrid-key":          {"S^G.{w66}"},
		"slack-token":           {"xox^a-2-{d9}-{d11}-{d13}-{h16}", "xox^b-{d10}-{a24}"},
		"stripe-key":            {"sk^_test_{a24}"},
		"gitlab-token":          {"glr^t-t1_{w27}.{l9}"},
	}
}

// like draws a value of a body.
func (m maker) like(body string) string {
	sets := map[byte]string{
		'd': "0123456789", 'h': hexes, 'l': base62[:36], 'u': base62[:10] + base62[36:], 'a': base62, 'w': url64, 'b': base62 + "+/",
	}
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '^':
		case '{':
			n, end := 0, i+2
			for ; body[end] != '}'; end++ {
				n = n*10 + int(body[end]-'0')
			}
			// The ends are letters or digits: what stands around may belong to the set.
			b.WriteString(m.of(strings.Trim(sets[body[i+1]], "_-+/"), 1) + m.of(sets[body[i+1]], max(n-2, 0)) + m.of(strings.Trim(sets[body[i+1]], "_-+/"), min(n-1, 1)))
			i = end
		default:
			b.WriteByte(body[i])
		}
	}
	return b.String()
}

// crossed is a body with x in place of what is random.
func crossed(body string) string {
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '^':
		case '{':
			n, end := 0, i+2
			for ; body[end] != '}'; end++ {
				n = n*10 + int(body[end]-'0')
			}
			b.WriteString(strings.Repeat("x", n))
			i = end
		default:
			b.WriteByte(body[i])
		}
	}
	return b.String()
}
