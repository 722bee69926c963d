package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// valueType is the form of a parameter's value.
type valueType uint8

const (
	text valueType = iota
	boolean
	integer
	decimal
	duration
)

// direction is which change of a value tightens: only such changes may come
// from a tracked file.
type direction uint8

const (
	anyway  direction = iota // neither tightens nor loosens
	lower                    // a smaller number is tighter
	higher                   // a larger number is tighter
	onlyOn                   // true is tighter
	ordered                  // later in choices is tighter
)

// parameter is one row of the table of parameters (SPEC 13).
type parameter struct {
	name    string
	tracked bool // may be set in .claw/config
	kind    valueType
	def     string
	tighter direction
	choices []string // allowed words, none: any
	list    bool     // may be given several times
	floor   int64    // a tracked value below it would hide what it limits; 0: none
	prefix  bool     // name stands for all names that begin with it
	gitOnly bool     // names a program, or what one gets: only git's own configuration counts (SPEC SK-13)
}

// parameters is the table of SPEC section 13. A default of "" means unset.
var parameters = []parameter{
	{name: "version", tracked: true, kind: integer, def: configVersion}, // of the form of .claw/config
	{name: "host", tracked: true, def: "auto", choices: []string{"auto", OpenClaw, OpenClawClassic, ClaudeCode, Generic}},
	{name: "profiles", tracked: true, def: "auto"},
	{name: "timezone", tracked: true, def: "system"},
	{name: "paths", tracked: true, list: true},
	{name: "maxFileBytes", tracked: true, kind: integer, def: "4194304", tighter: lower, floor: 64 << 10},
	// The defaults of these five are the host's, see Settings.limit.
	{name: "bootstrap.maxChars", tracked: true, kind: integer, tighter: lower},
	{name: "bootstrap.userMaxChars", tracked: true, kind: integer, tighter: lower},
	{name: "bootstrap.totalMaxChars", tracked: true, kind: integer, tighter: lower},
	{name: "bootstrap.indexLines", tracked: true, kind: integer, tighter: lower},
	{name: "bootstrap.indexBytes", tracked: true, kind: integer, tighter: lower},
	{name: "l1.fileTokensMin", tracked: true, kind: integer, def: "500", tighter: higher},
	{name: "l1.fileTokensMax", tracked: true, kind: integer, def: "1000", tighter: lower},
	{name: "l1.totalTokensMax", tracked: true, kind: integer, def: "7000", tighter: lower},
	{name: "l1.budget", tracked: true, def: "off"},
	{name: "l1.strict", tracked: true, kind: boolean, def: "false", tighter: onlyOn},
	{name: "breadcrumb.maxBytes", tracked: true, kind: integer, def: "4096", tighter: lower},
	{name: "hot.maxLines", tracked: true, kind: integer, def: "60", tighter: lower},
	{name: "hot.maxOpenQuestions", tracked: true, kind: integer, def: "5", tighter: lower},
	{name: "warm.verifyDays", tracked: true, kind: integer, def: "30", tighter: lower},
	{name: "buffer.maxLines", tracked: true, kind: integer, def: "80", tighter: lower},
	{name: "buffer.warnLines", tracked: true, kind: integer, def: "64", tighter: lower},
	{name: "buffer.maxActive", tracked: true, kind: integer, def: "3", tighter: lower},
	{name: "buffer.staleAfter", tracked: true, kind: duration, def: "2h", tighter: lower},
	{name: "buffer.track", def: "wal", choices: []string{"wal", "branch", "none"}},
	{name: "friction.minutes", tracked: true, kind: integer, def: "5"},
	{name: "layout.daily", tracked: true, def: "auto", choices: []string{"auto", "memory", "memory/episodic"}},
	{name: "episodic.ttlDays", tracked: true, kind: integer, def: "30", tighter: lower},
	{name: "episodic.maxActive", tracked: true, kind: integer, def: "31", tighter: lower},
	{name: "learnings.ttlDays", tracked: true, kind: integer, def: "30", tighter: lower},
	{name: "learnings.scanLines", tracked: true, kind: integer, def: "20", tighter: lower},
	{name: "promote.count", tracked: true, kind: integer, def: "3", tighter: higher},
	{name: "promote.windowDays", tracked: true, kind: integer, def: "7", tighter: lower},
	{name: "promote.newTopicAfter", tracked: true, kind: integer, def: "3"},
	{name: "promote.slowCount", tracked: true, kind: integer, def: "3"},
	{name: "promote.slowTasks", tracked: true, kind: integer, def: "2"},
	{name: "promote.slowDays", tracked: true, kind: integer, def: "30"},
	{name: "review.cron", def: "0 9 * * 1"},
	{name: "si.root", tracked: true, def: "self-improving"},
	{name: "si.mode", tracked: true, def: "active", choices: []string{"passive", "active", "strict"}},
	{name: "si.hotMaxLines", tracked: true, kind: integer, def: "100", tighter: lower},
	{name: "si.warmMaxLines", tracked: true, kind: integer, def: "200", tighter: lower},
	{name: "si.useCount", tracked: true, kind: integer, def: "3"},
	{name: "si.windowDays", tracked: true, kind: integer, def: "7"},
	{name: "si.warmDays", tracked: true, kind: integer, def: "30"},
	{name: "si.coldDays", tracked: true, kind: integer, def: "90"},
	{name: "si.askCount", tracked: true, kind: integer, def: "3", tighter: higher},
	{name: "si.askBatch", tracked: true, kind: integer, def: "5"},
	{name: "si.askTimeoutDays", tracked: true, kind: integer, def: "7"},
	{name: "si.deferDays", tracked: true, kind: integer, def: "7"},
	{name: "si.maxIgnores", tracked: true, kind: integer, def: "3"},
	{name: "si.lessonCount", tracked: true, kind: integer, def: "3", tighter: higher},
	{name: "si.correctionsMax", tracked: true, kind: integer, def: "50", tighter: lower},
	{name: "evolution.maxPending", tracked: true, kind: integer, def: "50", tighter: lower},
	{name: "skills.maxFileBytes", tracked: true, kind: integer, def: "256000", tighter: lower},
	{name: "skills.maxInPrompt", tracked: true, kind: integer, def: "150", tighter: lower},
	{name: "skills.maxPromptChars", tracked: true, kind: integer, def: "18000", tighter: lower},
	{name: "skills.maxPerSource", tracked: true, kind: integer, def: "200", tighter: lower},
	{name: "skills.maxPerRoot", tracked: true, kind: integer, def: "300", tighter: lower},
	{name: "recall.gate", tracked: true, def: "off", tighter: ordered, choices: []string{"off", "integrity", "all"}},
	{name: "recall.vectorWeight", tracked: true, kind: decimal},
	{name: "recall.maxResults", tracked: true, kind: integer, def: "6"},
	{name: "recall.minScore", tracked: true, kind: decimal, def: "0.35"},
	{name: "recall.candidates", tracked: true, kind: integer, def: "50"},
	{name: "recall.mmr", tracked: true, kind: boolean, def: "false"},
	{name: "recall.mmrLambda", tracked: true, kind: decimal, def: "0.7"},
	{name: "recall.decay", tracked: true, kind: boolean, def: "false"},
	{name: "recall.halfLifeDays", tracked: true, kind: integer, def: "30"},
	{name: "recall.snippetChars", tracked: true, kind: integer, def: "700", tighter: lower},
	{name: "recall.rareChunks", tracked: true, kind: integer, def: "3"},
	{name: "recall.paths", tracked: true, list: true},
	{name: "recall.catchupMs", kind: duration, def: "2000"},
	{name: "recall.log", kind: boolean, def: "false"},
	{name: "index.chunkTokens", tracked: true, kind: integer, def: "400"},
	{name: "index.overlapTokens", tracked: true, kind: integer, def: "80"},
	{name: "snapshot.messages", tracked: true, kind: integer, def: "15"},
	{name: "lock.foreignTTL", kind: duration, def: "10m"},
	{name: "wal.keep", kind: integer, def: "200"},
	{name: "wal.push", kind: boolean, def: "false"},
	{name: "runHooks", def: gitops.RunHooksAuto, choices: []string{gitops.RunHooksAuto, gitops.RunHooksNever}},
	{name: "durability", def: "journal", choices: []string{"none", "journal", "full"}},
	{name: "lockTimeout", kind: duration, def: "10s"},
	{name: "syncTimeout", kind: duration, def: "5m"},
	{name: "autoPush", kind: boolean, def: "false"},
	{name: "pullRequestCommand", gitOnly: true},
	{name: "watch.debounceMs", kind: duration, def: "1500"},
	{name: "approve.quotes", kind: boolean, def: "false"},
	{name: "approve.requireSignature", kind: boolean, def: "false"},
	{name: "approve.keys", list: true},
	{name: "agentCommand", gitOnly: true},
	{name: "agentEnv", gitOnly: true},
	{name: "llmCommand", gitOnly: true},
	{name: "embedder", gitOnly: true, def: "none", choices: []string{"none", "openai", "ollama"}},
	{name: "embedderUrl", gitOnly: true},
	{name: "embedderModel", gitOnly: true},
	{name: "embedderKey"},
	{name: "skillTimeout", kind: duration, def: "600"},
	{name: "llmTimeout", kind: duration, def: "60"},
	{name: "health.severity.", tracked: true, prefix: true, choices: []string{"I", "W", "F"}}, // see Settings.Severity
	{name: "health.disable", list: true},
}

// parameterOf finds a row by a name as this source or as git writes it, which
// gives the last part in lower case. The middle part counts as it is: to git
// `claw.L1.strict` is another name than `claw.l1.strict`.
func parameterOf(name string) (parameter, bool) {
	middle := func(s string) string { return s[:strings.LastIndexByte(s, '.')+1] }
	for _, p := range parameters {
		if p.prefix && len(name) > len(p.name) && strings.HasPrefix(name, p.name) ||
			strings.EqualFold(p.name, name) && middle(p.name) == middle(name) {
			return p, true
		}
	}
	return parameter{}, false
}

// named is the name for a person: as the table has it, or as given where the row
// stands for many.
func (p parameter) named(given string) string {
	if p.prefix {
		return given
	}
	return p.name
}

// mustParameter finds the row of a name in this program's own source; a test
// calls it for every name in use.
func mustParameter(name string) parameter {
	p, ok := parameterOf(name)
	if !ok {
		panic("no parameter " + name)
	}
	return p
}

// variable is the name of the environment variable: GIT_CLAW_ and the name in
// capitals, words parted by underscores.
func (p parameter) variable() string {
	var b strings.Builder
	b.WriteString("GIT_CLAW_")
	for _, r := range p.name {
		switch {
		case r == '.':
			b.WriteByte('_')
		case r >= 'A' && r <= 'Z':
			b.WriteByte('_')
			b.WriteRune(r)
		default:
			b.WriteString(strings.ToUpper(string(r)))
		}
	}
	return b.String()
}

// valid reports whether a value has the parameter's form.
func (p parameter) valid(v string) bool {
	if len(p.choices) > 0 {
		return slices.Contains(p.choices, v)
	}
	var err error
	switch p.kind {
	case boolean:
		_, err = gitops.ParseBool(v)
	case integer:
		var n int64
		if n, err = parseInt(v); err == nil && n < 0 {
			return false
		}
	case decimal:
		_, err = strconv.ParseFloat(v, 64)
	case duration:
		_, err = parseDuration(p.name, v)
	}
	return err == nil
}

func (p parameter) expects() string {
	if len(p.choices) > 0 {
		return "it is one of " + strings.Join(p.choices, ", ")
	}
	return [...]string{text: "it is a text", boolean: "it is true or false", integer: "it is a whole number", decimal: "it is a number", duration: "it is a time such as 10s"}[p.kind]
}

// refuses says why a tracked file may not give a parameter this value, or "".
func (p parameter) refuses(v string) string {
	if !p.valid(v) {
		return p.expects()
	}
	if p.floor > 0 && p.number(v) < p.floor {
		return fmt.Sprintf("below %d it would keep notes out of history", p.floor)
	}
	looser := false
	switch p.tighter {
	case lower, higher:
		if p.def == "" {
			return "" // compared with the host's own number, where that is known
		}
		have, want := p.number(v), p.number(p.def)
		looser = p.tighter == lower && have > want || p.tighter == higher && have < want
	case onlyOn:
		on, err := gitops.ParseBool(v)
		looser = err == nil && !on
	case ordered:
		looser = slices.Index(p.choices, v) <= slices.Index(p.choices, p.def)
	case anyway:
	}
	if looser {
		return fmt.Sprintf("a tracked file may tighten, not loosen; set it with 'git config claw.%s %s'", p.name, v)
	}
	return ""
}

func (p parameter) number(v string) int64 {
	if p.kind == duration {
		d, err := parseDuration(p.name, v)
		if err != nil {
			return 0
		}
		return int64(d)
	}
	n, err := parseInt(v)
	if err != nil {
		return 0
	}
	return n
}
