package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

func settingsOf(t *testing.T, environ []string, git, tracked string) *Settings {
	t.Helper()
	parse := func(s string) *gitops.Config {
		c, err := gitops.ParseConfig([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	return newSettings(gitops.Env{Environ: environ}, parse(git), parse(tracked))
}

func TestParameterTable(t *testing.T) {
	t.Parallel()
	names, variables := make(map[string]bool), make(map[string]bool)
	for _, p := range parameters {
		if names[strings.ToLower(p.name)] || variables[p.variable()] {
			t.Errorf("'%s' stands twice", p.name)
		}
		names[strings.ToLower(p.name)], variables[p.variable()] = true, true
		if p.def != "" && !p.valid(p.def) {
			t.Errorf("'%s': its default '%s' is not valid", p.name, p.def)
		}
		if p.gitOnly && p.tracked {
			t.Errorf("'%s' names a program and may be set in a tracked file", p.name)
		}
		if p.tracked && p.def != "" && p.tighter != ordered && p.tighter != onlyOn {
			if why := p.refuses(p.def); why != "" {
				t.Errorf("'%s': its own default is refused: %s", p.name, why)
			}
		}
	}
	for name, want := range map[string]string{"autoPush": "GIT_CLAW_AUTO_PUSH", "l1.strict": "GIT_CLAW_L1_STRICT", "watch.debounceMs": "GIT_CLAW_WATCH_DEBOUNCE_MS"} {
		if got := mustParameter(name).variable(); got != want {
			t.Errorf("variable of '%s' is %s", name, got)
		}
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	const tracked = "[claw]\n\tmaxFileBytes = 64k\n"
	const git = "[claw]\n\tmaxFileBytes = 2k\n"
	for _, tt := range []struct {
		env, git, tracked string
		want              int64
	}{
		{"", "", "", 4194304},
		{"", "", tracked, 65536},
		{"", git, tracked, 2048},
		{"GIT_CLAW_MAX_FILE_BYTES=3k", git, tracked, 3072},
		{"GIT_CLAW_MAX_FILE_BYTES=nonsense", git, tracked, 2048},
		{"", "[claw]\n\tmaxFileBytes = nonsense\n", tracked, 65536},
	} {
		if got := settingsOf(t, []string{tt.env}, tt.git, tt.tracked).Int("maxFileBytes"); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
	s := settingsOf(t, nil, "[claw]\n\tlockTimeout = 3\n\tautoPush = yes\n[claw \"watch\"]\n\tdebounceMs = 20\n", "")
	if s.Duration("lockTimeout") != 3*time.Second || s.Duration("watch.debounceMs") != 20*time.Millisecond || s.Duration("lock.foreignTTL") != 10*time.Minute {
		t.Errorf("durations %v %v %v", s.Duration("lockTimeout"), s.Duration("watch.debounceMs"), s.Duration("lock.foreignTTL"))
	}
	if !s.Bool("autoPush") || s.Bool("wal.push") || !s.Set("autoPush") || s.Set("wal.push") {
		t.Error("booleans are read wrongly")
	}
}

// TestTrackedFileOnlyTightens has what a hostile clone would put into its
// .claw/config: each is ignored, with a warning that names it.
func TestTrackedFileOnlyTightens(t *testing.T) {
	t.Parallel()
	ignored := []struct{ text, name, want string }{
		{"[claw]\n\tagentCommand = [\"sh\"]\n", "agentCommand", ""},
		{"[claw]\n\tllmCommand = x\n", "llmCommand", ""},
		{"[claw]\n\tautoPush = true\n", "autoPush", "false"},
		{"[claw]\n\trunHooks = never\n", "runHooks", "auto"},
		{"[claw]\n\tdurability = none\n", "durability", "journal"},
		{"[claw \"buffer\"]\n\ttrack = branch\n", "buffer.track", "wal"},
		{"[claw \"health\"]\n\tdisable = GIT-008\n", "health.disable", ""},
		{"[claw \"l1\"]\n\tstrict = false\n", "l1.strict", "false"},
		{"[claw \"recall\"]\n\tgate = off\n", "recall.gate", "off"},
		{"[claw]\n\tmaxFileBytes = 1g\n", "maxFileBytes", "4194304"},
		{"[claw \"hot\"]\n\tmaxLines = 61\n", "hot.maxLines", "60"},
		{"[claw \"buffer\"]\n\tstaleAfter = 3h\n", "buffer.staleAfter", "2h"},
		{"[claw \"promote\"]\n\tcount = 1\n", "promote.count", "3"},
		{"[claw]\n\tmaxFileBytes = -1\n", "maxFileBytes", "4194304"},
		{"[claw]\n\tnonsense = 1\n", "nonsense", ""},
		{"[claw \"L1\"]\n\tstrict = true\n", "L1.strict", ""},
		{"[core]\n\tsshCommand = sh\n", "core.sshcommand", ""},
		{"[include]\n\tpath = /etc/passwd\n", "include", ""},
	}
	for _, tt := range ignored {
		s := settingsOf(t, nil, "", tt.text)
		if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], tt.name) {
			t.Errorf("%q: warnings %q", tt.text, w)
		}
		if _, ok := parameterOf(tt.name); ok && s.String(tt.name) != tt.want {
			t.Errorf("%q: %s is '%s'", tt.text, tt.name, s.String(tt.name))
		}
	}
	s := settingsOf(t, nil, "", "[claw]\n\tmaxFileBytes = 100k\n[claw \"hot\"]\n\tmaxLines = 40\n[claw \"l1\"]\n\tstrict = true\n"+
		"[claw \"recall\"]\n\tgate = integrity\n[claw \"promote\"]\n\tcount = 4\n[claw \"si\"]\n\tmode = strict\n")
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("tighter values: warnings %q", w)
	}
	if s.Int("hot.maxLines") != 40 || !s.Bool("l1.strict") || s.String("recall.gate") != "integrity" || s.Int("promote.count") != 4 || s.String("si.mode") != "strict" {
		t.Error("tighter values do not count")
	}
}

func TestSeverity(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, nil, "[claw \"health.severity\"]\n\tGIT-004 = I\n", "[claw \"health.severity\"]\n\tL1-005 = F\n\tGIT-008 = I\n\tGIT-001 = X\n")
	for id, want := range map[string][2]string{"GIT-004": {"W", "I"}, "L1-005": {"W", "F"}, "GIT-008": {"F", "F"}, "GIT-001": {"F", "F"}, "L1-007": {"W", "W"}} {
		if got := s.Severity(id, want[0]); got != want[1] {
			t.Errorf("%s is %s, want %s", id, got, want[1])
		}
	}
	if w := s.Warnings(); len(w) != 2 {
		t.Errorf("warnings %q", w)
	}
}

func TestProgramsComeFromGitOnly(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, []string{"GIT_CLAW_AGENT_COMMAND=evil"}, "[claw]\n\tagentCommand = good\n", "")
	if got := s.String("agentCommand"); got != "good" {
		t.Errorf("agentCommand is '%s'", got)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("[claw]\n")
	for i := range 5000 {
		b.WriteString("\tx" + strings.Repeat("y", i%50) + "z" + strings.Repeat("q", i/50) + " = 1\n")
	}
	if w := settingsOf(t, nil, "", b.String()).Warnings(); len(w) != maxWarnings {
		t.Errorf("%d warnings", len(w))
	}
}
