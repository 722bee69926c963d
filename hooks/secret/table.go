package secret

import "slices"

// rules returns the table. A new shape is a line in it; a test holds one secret
// of every kind and texts that are none.
func rules() []rule {
	return slices.Concat(markRules(), cloudRules(), hostRules(), forgeRules(), toolRules(), modelRules(), chatRules(), payRules(), webRules(), tokenRules(), labelRules())
}

// markRules are no secrets but what the scan has to know of a line.
func markRules() []rule {
	return []rule{
		{words: Allow, fold: true, find: findAllow},
		{words: "private|putty-user-key-file", fold: true, find: findMarker},
		{words: "000", find: findNumber},
		{words: letterAndDigits(), find: findIBAN},
		{words: "curl|wget|httpie|sshpass|mysql", fold: true, find: findCommand},
		{words: "kind:|data:", fold: true, find: findManifest},
		{words: "cookie:", fold: true, find: findCookie},
	}
}

// letterAndDigits are the words of one letter and two digits, any of them.
func letterAndDigits() string {
	b := make([]byte, 0, 26*4)
	for c := byte('a'); c <= 'z'; c++ {
		b = append(b, c, '0', '0', '|')
	}
	return string(b[:len(b)-1])
}

// digitsAround makes words of what is too short to be one.
func digitsAround(before, after, digits string) string {
	var b []byte
	for i := range len(digits) {
		if i > 0 {
			b = append(b, '|')
		}
		b = append(append(append(b, before...), digits[i]), after...)
	}
	return string(b)
}

func cloudRules() []rule {
	return []rule{
		{id: "aws-access-key-id", words: "AKIA|ASIA|ABIA|ACCA", body: "{u16}"},
		{id: "aws-access-key-id", words: "A3T", body: "{u17}"},
		{
			id: "aws-secret-access-key", words: "secret_access_key|secretaccesskey|secret access key|secret-access-key",
			fold: true, assign: true, body: "{b40}",
		},
		{id: "aws-bedrock-key", words: "ABSK", body: "{b100+}"},
		{id: "aws-bedrock-key", words: "bedrock-api-key-", body: "{b28+}"},
		{id: "azure-storage-key", words: "AccountKey=|SharedAccessKey=", body: "{b43-86}="},
		{id: "azure-client-secret", words: digitsAround("", "Q~", "0123456789"), back: 3, body: "{k3}{d1}Q~{k31-34}"},
		{id: "azure-sas", words: "sig=", find: findAzureSignature},
		{id: "azure-devops-token", words: "AZDO", back: 76, body: "{a76}AZDO{a4}", all: true},
		{id: "google-api-key", words: "AIza", body: "{w35}"},
		{id: "google-oauth-secret", words: "GOCSPX-", body: "{w28}"},
		{id: "google-oauth-token", words: "ya29.", body: "{w30+}"},
		{id: "alibaba-access-key-id", words: "LTAI", body: "{a16-24}"},
		{id: "yandex-key", words: "AQVN", body: "{w35-38}"},
		{id: "yandex-key", words: "t1.", body: "{x1-1200}.{w86}"},
		{id: "adobe-client-secret", words: "p8e-", body: "{a32}"},
	}
}

func hostRules() []rule {
	return []rule{
		{id: "digitalocean-token", words: "dop_v1_|doo_v1_|dor_v1_|dos_v1_", body: "{h64}"},
		{id: "cloudflare-key", words: "v1.0-", body: "{h24}-{h146}"},
		{id: "heroku-key", words: "HRKU-AA", body: "{w58}"},
		{id: "flyio-token", words: "fo1_", body: "{w43}"},
		{id: "flyio-token", words: "fm1a_|fm1r_|fm2_", body: "{b100+}"},
		{id: "scalingo-token", words: "tk-us-", body: "{w48}"},
		{id: "openshift-token", words: "sha256~", body: "{w43}"},
		{id: "planetscale-token", words: "pscale_tkn_|pscale_oauth_|pscale_pw_", body: "{v32-64}"},
		{id: "clickhouse-key", words: "4b1d", body: "{a38}"},
		{id: "databricks-token", words: "dapi", body: "{h32}"},
		{id: "pulumi-token", words: "pul-", body: "{h40}"},
		{id: "terraform-token", words: ".atlasv1.", back: 14, body: "{a14}.atlasv1.{v60-70}"},
		{id: "vault-token", words: "hvs.|hvb.|hvr.", body: "{w24+}"},
		{id: "doppler-token", words: "dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit.", body: "{a40-44}"},
		{id: "infracost-key", words: "ico-", body: "{a32}", accept: acceptMixed},
		{id: "prefect-token", words: "pnu_|pnb_", body: "{a36}"},
		{id: "harness-key", words: "pat.|sat.", body: "{w22}.{a24}.{a20}"},
		{id: "authress-key", words: "scauth_|authress_|ext_|sc_", body: "{a5-30}.{a4-6}.acc{s1}{w10-32}.{x30-120}"},
		{id: "tailnet-key", words: "dnkey-", body: "{w26-200}"},
		{id: "tailscale-key", words: "tskey-auth-|tskey-api-|tskey-client-|tskey-webhook-", body: "{a8-32}-{a20-64}"},
		{id: "onepassword-key", words: "A3-", body: "{u6}-{u11}-{u5}-{u5}-{u5}", all: true},
		{id: "onepassword-key", words: "A3-", body: "{u6}-{u6}-{u5}-{u5}-{u5}-{u5}", all: true},
		{id: "onepassword-token", words: "ops_eyJ", body: "{x200+}"},
	}
}

func forgeRules() []rule {
	return []rule{
		{id: "github-token", words: "ghp_|gho_|ghu_|ghs_|ghr_", body: "{a36+}"},
		{id: "github-fine-grained-token", words: "github_pat_", body: "{w50+}"},
		{
			id: "gitlab-token", body: "{w20+}",
			words: "glpat-|gldt-|glrt-|glptt-|glft-|glcbt-|gloas-|glagent-|glimt-|glsoat-|glffct-|glwt-|glrtr-",
		},
		{id: "gitlab-runner-token", words: "GR1348941", body: "{w20+}"},
		{id: "gitlab-session", words: "_gitlab_session=", body: "{l32}"},
		{id: "bitbucket-token", words: "ATBB", body: "{a32}"},
		{id: "atlassian-token", words: "ATATT3|ATCTT3", body: "{x100+}"},
		{id: "sourcegraph-token", words: "sgp_", body: "{g40}"},
		{id: "sourcegraph-token", words: "sgp_", body: "{g16}_{g40}"},
		{id: "sourcegraph-token", words: "sgp_local_", body: "{g40}"},
		{id: "npm-token", words: "npm_", body: "{a36}"},
		{id: "npm-auth", words: ":_authToken|:_auth|:_password", find: findNPMAuth},
		{id: "pypi-token", words: "pypi-AgE", body: "{w50+}"},
		{id: "rubygems-key", words: "rubygems_", body: "{h48}"},
		{id: "nuget-key", words: "oy2", body: "{l43}"},
		{id: "clojars-token", words: "clojars_", fold: true, body: "{a60}"},
		{id: "docker-token", words: "dckr_pat_|dckr_oat_", body: "{w27+}"},
		{id: "artifactory-key", words: "AKCp", body: "{a69}"},
		{id: "artifactory-key", words: "cmVmd", body: "{a59}"},
	}
}

func toolRules() []rule {
	return []rule{
		{id: "sonar-token", words: "squ_|sqp_|sqa_", body: "{h40}"},
		{id: "postman-key", words: "PMAK-", body: "{g24}-{g34}"},
		{id: "octopus-key", words: "API-", body: "{u26}"},
		{id: "linear-key", words: "lin_api_|lin_oauth_", body: "{a40+}"},
		{id: "notion-token", words: "ntn_", body: "{d11}{a35}"},
		{id: "readme-key", words: "rdme_", body: "{l70}"},
		{id: "maxmind-key", words: "_mmk", back: 36, body: "{a6}_{a29}_mmk", all: true},
		{id: "sentry-token", words: "sntrys_eyJ", body: "{x80+}"},
		{id: "sentry-token", words: "sntryu_", body: "{h64}"},
		{id: "newrelic-key", words: "NRAK-", body: "{a27}"},
		{id: "newrelic-key", words: "NRII-", body: "{w32}"},
		{id: "newrelic-key", words: "NRJS-", body: "{h19}"},
		{id: "grafana-token", words: "glc_", body: "{x32+}"},
		{id: "grafana-token", words: "glsa_", body: "{a32}_{g8}", all: true},
		{id: "grafana-token", words: "eyJrIjoi", body: "{a70-400}"},
		{id: "dynatrace-token", words: "dt0c01.", body: "{a24}.{a64}"},
		{id: "frameio-token", words: "fio-u-", body: "{v64}"},
		{id: "airtable-token", words: "pat", body: "{a14}.{h64}"},
		{id: "typeform-token", words: "tfp_", body: "{v59}"},
		{id: "mapbox-token", words: "pk.|sk.", body: "{w60+}.{w22}"},
		{id: "intra42-secret", words: "s-s4t2ud-|s-s4t2af-", body: "{h64}"},
		{id: "settlemint-token", words: "sm_aat_|sm_pat_|sm_sat_", body: "{a16}"},
		{id: "sidekiq-secret", words: "contribsys__com", fold: true, assign: true, body: "{h8}:{h8}", all: true, accept: acceptAny},
	}
}

func modelRules() []rule {
	return []rule{
		{id: "anthropic-key", words: "sk-ant-", body: "{w24+}"},
		{id: "openai-key", words: "sk-proj-|sk-svcacct-|sk-admin-|sk-None-", body: "{w40+}"},
		{id: "openrouter-key", words: "sk-or-v1-|sk-or-", body: "{h32+}"},
		// OpenAI's first form, and the many services that took it over.
		{id: "sk-key", words: "sk-", body: "{a32+}"},
		{id: "huggingface-token", words: "hf_|api_org_", body: "{a30+}", accept: acceptMixed},
		{id: "groq-key", words: "gsk_", body: "{a48+}"},
		{id: "xai-key", words: "xai-", body: "{a70+}"},
		{id: "nvidia-key", words: "nvapi-", body: "{w60-80}"},
		{id: "perplexity-key", words: "pplx-", body: "{a48}"},
		{id: "replicate-token", words: "r8_", body: "{a37}"},
	}
}

func chatRules() []rule {
	return []rule{
		{
			id: "slack-token", body: "{x10+}", accept: acceptSlack,
			words: "xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxe.xoxb-|xoxe.xoxp-|xoxo-|xoxp-|xoxr-|xoxs-",
		},
		{id: "slack-app-token", words: "xapp-", body: "{d1}-{u1-20}-{d1-20}-{l32+}"},
		{
			id: "slack-webhook", body: "{p36+}",
			words: "hooks.slack.com/services/|hooks.slack.com/workflows/|hooks.slack.com/triggers/",
		},
		// A user id in base64, a time, a signature: see dots.
		{
			id: "discord-webhook", body: "{d15+}/{w60+}",
			words: "discord.com/api/webhooks/|discordapp.com/api/webhooks/",
		},
		{
			id: "teams-webhook", words: "webhook.office.com/webhookb2/",
			body: "{w36}@{w36}/IncomingWebhook/{a32}/{w36}",
		},
		{id: "facebook-token", words: "EAAM|EAAC", body: "{a100+}"},
		{id: "twilio-key", words: digitsAround("SK", "", "0123456789abcdef"), body: "{h31}"},
		{id: "sendgrid-key", words: "SG.", body: "{w16-32}.{w32-64}"},
		{id: "sendgrid-key", words: "SG.", body: "{v66}"},
		{id: "sendinblue-key", words: "xkeysib-", body: "{h64}-{a16}"},
		{id: "mailchimp-key", words: "-us", back: 32, body: "{h32}-us{d1-2}", all: true},
	}
}

func payRules() []rule {
	return []rule{
		{id: "stripe-key", words: "sk_live_|rk_live_|sk_prod_|rk_prod_", body: "{a16+}"},
		{id: "stripe-key", words: "sk_test_|rk_test_", body: "{a16+}", accept: acceptTestKey},
		{id: "stripe-webhook-secret", words: "whsec_", body: "{b24+}"},
		{id: "square-token", words: "sq0atp-|sq0csp-", body: "{w22+}"},
		{id: "square-token", words: "EAAA", body: "{w56-64}"},
		{id: "shopify-token", words: "shpat_|shpca_|shppa_|shpss_", body: "{g32}"},
		{id: "shippo-token", words: "shippo_live_|shippo_test_", body: "{g40}"},
		{id: "duffel-token", words: "duffel_live_|duffel_test_", body: "{v43}"},
		{id: "easypost-key", words: "EZAK|EZTK", body: "{a54}"},
		{id: "flutterwave-key", words: "FLWSECK_TEST-|FLWSECK-|FLWPUBK_TEST-", body: "{a12+}"},
		{id: "lob-key", words: "live_|test_", body: "{h35}"},
		{id: "lob-key", words: "live_pub_|test_pub_", body: "{h31}"},
		{id: "plaid-token", words: "access-sandbox-|access-development-|access-production-", body: "{h8}-{h4}-{h4}-{h4}-{h12}", all: true},
	}
}

func webRules() []rule {
	return []rule{
		{id: KindURL, words: "://", find: findURL},
	}
}

func tokenRules() []rule {
	return []rule{
		{id: "jwt", words: "eyJ", find: findJWT},
		{id: "jwt", words: "ZXlK", find: findEncodedJWT},
		{id: "age-secret-key", words: "age-secret-key-1|age-secret-key-pq-1", fold: true, body: "{a50+}"},
	}
}
