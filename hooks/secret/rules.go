package secret

import (
	"bytes"
	"slices"
)

// Rule is one shape of secret on a line.
type Rule struct {
	// ID names the kind; it is printed and stays the same for ever.
	ID string

	// Keywords, in lower case: the pattern is tried only near one of them, so
	// the rarer they are in prose the less a rule costs. They may be of any
	// language; only ASCII letters fold.
	Keywords []string

	// Inside: a match may begin before its keyword. Where it is false, a keyword
	// in the middle of a word is not looked at further.
	Inside bool

	// Needs is what, besides a keyword, stands near it in every match.
	Needs string

	// Run stands in for keywords where a shape has none: the pattern is tried
	// near a word (letters, digits, `_-.`) of at least this length.
	Run int

	// Pattern in RE2 syntax, for visible text of one line. Nothing alphanumeric
	// stands before a match. The last group, or the whole match, is what is
	// judged to be a placeholder or not.
	Pattern string

	// Exact: the match is not followed by a letter or digit.
	Exact bool

	// Accept, if set, judges a match (groups as of the pattern, the whole
	// first) in place of the test for placeholders.
	Accept func(groups [][]byte) bool
}

// Rules returns the built-in table.
func Rules() []Rule {
	return slices.Concat(cloudRules(), forgeRules(), modelRules(), serviceRules(), tokenRules())
}

func cloudRules() []Rule {
	return []Rule{
		{ID: "aws-access-key-id", Keywords: []string{"akia", "asia", "abia", "acca"}, Pattern: `(?:AKIA|ASIA|ABIA|ACCA)([A-Z0-9]{16})`, Exact: true},
		{
			ID:       "aws-secret-access-key",
			Keywords: []string{"secret_access_key", "secretaccesskey", "secret access key", "secret-access-key"},
			Pattern:  `(?i:secret[-_ ]?access[-_ ]?key)["'\x60*]*\s*(?:=|:|：)>?\s*["'\x60*]*([0-9A-Za-z/+]{40})`, Exact: true,
		},
		{ID: "aws-bedrock-key", Keywords: []string{"absk"}, Pattern: `ABSK([0-9A-Za-z+/]{100,})`},
		{
			ID: "azure-storage-key", Keywords: []string{"accountkey=", "sharedaccesskey="},
			Pattern: `(?:AccountKey|SharedAccessKey)=([0-9A-Za-z+/]{43,86}={1,2})`, Accept: acceptAzureKey,
		},
		{ID: "azure-client-secret", Keywords: []string{"q~"}, Inside: true, Pattern: `[0-9A-Za-z_~.]{3}[0-9]Q~([0-9A-Za-z_~.-]{31,34})`},
		{ID: "azure-sas", Keywords: []string{"sig="}, Pattern: `sig=([0-9A-Za-z%/+]{40,}(?:%3[Dd]|=))`, Accept: acceptAzureKey},
		{ID: "azure-devops-token", Keywords: []string{"azdo"}, Inside: true, Pattern: `([0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4})`, Exact: true},
		{ID: "digitalocean-token", Keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_", "dos_v1_"}, Pattern: `do[oprs]_v1_([0-9a-f]{64})`, Exact: true},
		{ID: "google-api-key", Keywords: []string{"aiza"}, Pattern: `AIza([0-9A-Za-z_-]{35})`, Exact: true},
		{ID: "google-oauth-secret", Keywords: []string{"gocspx-"}, Pattern: `GOCSPX-([0-9A-Za-z_-]{28})`},
		{ID: "google-oauth-token", Keywords: []string{"ya29."}, Pattern: `ya29\.([0-9A-Za-z_-]{30,})`},
	}
}

func forgeRules() []Rule {
	return []Rule{
		{ID: "github-token", Keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, Pattern: `gh[pousr]_([0-9A-Za-z]{36,})`},
		{ID: "github-fine-grained-token", Keywords: []string{"github_pat_"}, Pattern: `github_pat_([0-9A-Za-z_]{50,})`},
		{
			ID: "gitlab-token",
			Keywords: []string{
				"glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glcbt-", "gloas-", "glagent-", "glimt-", "glsoat-", "glffct-", "glwt-", "glrtr-",
			},
			Pattern: `gl(?:pat|dt|rt|ptt|ft|cbt|oas|agent|imt|soat|ffct|wt|rtr)-([0-9A-Za-z_-]{20,})`,
		},
		{ID: "gitlab-runner-token", Keywords: []string{"gr1348941"}, Pattern: `GR1348941([0-9A-Za-z_-]{20,})`},
		{ID: "npm-token", Keywords: []string{"npm_"}, Pattern: `npm_([0-9A-Za-z]{36})`, Exact: true},
		{ID: "npm-auth", Keywords: []string{":_auth", ":_password"}, Inside: true, Pattern: `[0-9A-Za-z]*:_(?:authToken|auth|password)\s*=\s*["']?([0-9A-Za-z+/=_.-]{20,})`},
		{ID: "pypi-token", Keywords: []string{"pypi-age"}, Pattern: `pypi-AgE([0-9A-Za-z_-]{50,})`},
	}
}

func modelRules() []Rule {
	return []Rule{
		{ID: "anthropic-key", Keywords: []string{"sk-ant-"}, Pattern: `sk-ant-(?:[a-z]{2,8}[0-9]{2}-)?([0-9A-Za-z_-]{24,})`},
		{ID: "openai-key", Keywords: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"}, Pattern: `sk-(?:proj|svcacct|admin|None)-([0-9A-Za-z_-]{40,})`},
		{ID: "openrouter-key", Keywords: []string{"sk-or-"}, Pattern: `sk-or-(?:v[0-9]-)?([0-9a-f]{32,})`},
		// OpenAI's first form, and the many services that took it over.
		{ID: "sk-key", Keywords: []string{"sk-"}, Pattern: `sk-([0-9A-Za-z]{32,})`},
		{ID: "huggingface-token", Keywords: []string{"hf_", "api_org_"}, Pattern: `(?:hf|api_org)_([0-9A-Za-z]{30,})`},
		{ID: "groq-key", Keywords: []string{"gsk_"}, Pattern: `gsk_([0-9A-Za-z]{48,})`},
		{ID: "xai-key", Keywords: []string{"xai-"}, Pattern: `xai-([0-9A-Za-z]{70,})`},
	}
}

func serviceRules() []Rule {
	return []Rule{
		{
			ID: "slack-token", Keywords: []string{"xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"},
			Pattern: `xox[a-eoprs](?:\.xox[bp])?-([0-9A-Za-z%/+=-]{20,})`,
		},
		{ID: "slack-app-token", Keywords: []string{"xapp-"}, Pattern: `xapp-([0-9]-[0-9A-Z]+-[0-9]+-[0-9a-f]{32,})`},
		{
			ID: "slack-webhook", Keywords: []string{"hooks.slack.com"},
			Pattern: `hooks\.slack\.com/(?:services|workflows|triggers)/[0-9A-Za-z_]+/[0-9A-Za-z_]+/([0-9A-Za-z_/]{16,})`,
		},
		{ID: "stripe-key", Keywords: []string{"sk_live_", "rk_live_"}, Pattern: `[sr]k_live_([0-9A-Za-z]{16,})`},
		{ID: "stripe-webhook-secret", Keywords: []string{"whsec_"}, Pattern: `whsec_([0-9A-Za-z+/]{24,})`},
		{ID: "sendgrid-key", Keywords: []string{"sg."}, Pattern: `SG\.[0-9A-Za-z_-]{16,32}\.([0-9A-Za-z_-]{32,64})`},
		{ID: "twilio-key", Keywords: hexDigitsAfter("sk"), Pattern: `SK([0-9a-f]{32})`, Exact: true},
		{ID: "telegram-bot-token", Keywords: []string{":aa"}, Inside: true, Pattern: `(?:bot)?[0-9]{8,12}:AA([0-9A-Za-z_-]{33})`, Exact: true},
		// A user id in base64, a time, a signature.
		{ID: "discord-bot-token", Run: 58, Needs: ".", Pattern: `(?:[MNO][DTjz][AEIMQUYcgk][0-5w-z]){4}[0-9A-Za-z_-]{7,12}\.[0-9A-Za-z_-]{6}\.([0-9A-Za-z_-]{27,})`},
		{
			ID: "discord-webhook", Keywords: []string{"/api/webhooks/"}, Inside: true,
			Pattern: `discord(?:app)?\.com/api/webhooks/[0-9]{15,}/([0-9A-Za-z_-]{60,})`,
		},
	}
}

func tokenRules() []Rule {
	return []Rule{
		{ID: "jwt", Keywords: []string{"eyj"}, Pattern: `eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.([0-9A-Za-z_-]{16,})`, Accept: acceptJWT},
		{ID: "age-secret-key", Keywords: []string{"age-secret-key-"}, Pattern: `(?i:AGE-SECRET-KEY-(?:PQ-)?1([02-9AC-HJ-NP-Z]{50,}))`},
		{
			ID: "url-credentials", Keywords: []string{"://"}, Inside: true, Needs: "@",
			Pattern: `[A-Za-z][0-9A-Za-z+.-]*://([^\s:/?#@"'<>|\x60]*):([^\s/"'<>|\x60]{3,})@([0-9A-Za-z\[{$<][^\s/?#:"'\x60]*)`,
			Accept:  acceptURL,
		},
	}
}

// hexDigitsAfter makes keywords of a prefix too short to be one.
func hexDigitsAfter(prefix string) []string {
	var out []string
	for _, d := range "0123456789abcdef" {
		out = append(out, prefix+string(d))
	}
	return out
}

// acceptJWT passes the token that the manual of JSON web tokens prints.
func acceptJWT(groups [][]byte) bool {
	const printed = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
	return string(groups[1]) != printed && !placeholder(groups[1])
}

// acceptAzureKey passes the key that every storage emulator has.
func acceptAzureKey(groups [][]byte) bool {
	const emulator = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
	return !bytes.HasPrefix(groups[1], []byte(emulator)) && !placeholder(groups[1])
}
