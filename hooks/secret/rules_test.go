package secret

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const (
	base62 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	url64  = base62 + "_-"
	hexes  = "0123456789abcdef"
	caps32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	bech32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
)

// maker draws values of the right shape. They are made when the test runs, so
// that no scanner of secrets stops at this file.
type maker struct{ r *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 7))} }

func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.r.IntN(len(alphabet))]
	}
	return string(b)
}

// shape is a secret of a kind, made anew for every seed, and texts that are
// close to it but none.
type shape struct {
	kind  string
	make  func(m maker) string
	never []string
}

func shapes() []shape {
	x := strings.Repeat
	return []shape{
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
		{"gitlab-token", func(m maker) string { return "glp" + "at-" + m.of(url64, 20) }, []string{"glpat-" + x("x", 20), "glpat-your-token-goes-here"}},
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
		}, []string{"xoxb-" + x("x", 40), "xoxb-your-bot-token-here", "xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx"}},
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
}

// TestShapes makes each kind many times and sets it into the surroundings in
// which notes hold it.
func TestShapes(t *testing.T) {
	t.Parallel()
	s := New()
	around := []string{
		"%s", "key: %s", "- `%s`", "\"%s\"", "密钥：%s。", "令牌%s在此", "KEY=%s\r", "{\"out\":\"done\\n%s\\n\"}", "\x1b[31m%s\x1b[0m", "\xff%s\xfe",
		"\u200b%s\u2060", "_%s_", "a=1&key%%3D%s", "**%s**", "\xef\xbb\xbf%s",
	}
	for i, sh := range shapes() {
		for seed := range uint64(40) {
			value := sh.make(newMaker(seed*1000 + uint64(i)))
			format := around[int(seed)%len(around)]
			if sh.kind == "azure-devops-token" && strings.HasPrefix(format, "_") {
				format = "%s"
			}
			text := "# note\n\n" + fmt.Sprintf(format, value) + "\n- after\n"
			got := s.Scan([]byte(text))
			if !slices.Contains(got, Finding{3, 3, sh.kind}) {
				t.Errorf("%s, seed %d: not found in %q: %v", sh.kind, seed, text, got)
			}
			for _, f := range got {
				if f.Line != 3 || f.EndLine != 3 {
					t.Errorf("%s, seed %d: finding off its line: %v", sh.kind, seed, f)
				}
			}
		}
		for _, text := range sh.never {
			if got := s.Scan([]byte(text)); len(got) != 0 {
				t.Errorf("%s: %q is a finding: %v", sh.kind, text, got)
			}
		}
	}
}

// TestTable holds what the engine relies on: every kind has a shape above,
// every pattern compiles, keywords are lower case.
func TestTable(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, sh := range shapes() {
		tested[sh.kind] = true
	}
	seen := map[string]bool{}
	s := New()
	for i := range s.rules {
		r := &s.rules[i]
		if seen[r.ID] {
			t.Errorf("rule '%s' twice", r.ID)
		}
		seen[r.ID] = true
		if !tested[r.ID] {
			t.Errorf("rule '%s' has no shape in the test", r.ID)
		}
		if (len(r.Keywords) == 0) == (r.Run == 0) {
			t.Errorf("rule '%s' needs keywords or a run", r.ID)
		}
		for _, k := range r.Keywords {
			if k != strings.ToLower(k) || len(k) < 2 {
				t.Errorf("rule '%s': keyword %q", r.ID, k)
			}
		}
		if r.compiled() == nil {
			t.Errorf("rule '%s' has no pattern", r.ID)
		}
	}
}

// TestPlaceholdersAreNeverDrawn keeps the tests for placeholders from hiding a
// real key: of random values of the usual sizes none is judged to be one.
func TestPlaceholdersAreNeverDrawn(t *testing.T) {
	t.Parallel()
	m := newMaker(1)
	for _, alphabet := range []string{base62, url64, hexes, caps32} {
		for range 10_000 {
			n := 16 + m.r.IntN(60)
			switch alphabet {
			case hexes:
				n = 32 + m.r.IntN(33)
			case caps32:
				n = 16 // no shape in capitals is longer
			}
			if v := m.of(alphabet, n); placeholder([]byte(v)) {
				t.Errorf("%q is judged a placeholder", v)
			}
		}
	}
}
