package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// testClock is what a test's clock shows.
var testClock = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// testStreams are what a command wrote, and what it will read.
type testStreams struct{ In, Out, Err *bytes.Buffer }

// testEnv is an Env without a process: buffers for the streams, no terminal, an
// environment of its own, a clock that stands.
func testEnv(t *testing.T, environ ...string) (*Env, testStreams) {
	t.Helper()
	s := testStreams{new(bytes.Buffer), new(bytes.Buffer), new(bytes.Buffer)}
	home := t.TempDir()
	return &Env{
		In: s.In, Out: s.Out, Err: s.Err,
		Environ: append([]string{
			"HOME=" + home, "PATH=" + processPath(), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
		}, environ...),
		Dir:        home,
		Now:        func() time.Time { return testClock },
		Rand:       zeros{},
		Columns:    func() int { return 80 },
		Executable: func() (string, error) { return "/usr/local/bin/git-claw", nil },
		Hostname:   func() string { return "here" },
	}, s
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// runWords runs a command line and returns what it wrote and the exit code.
func runWords(t *testing.T, env *Env, s testStreams, line string) (out, errs string, code int) {
	t.Helper()
	code = run(context.Background(), env, strings.Fields(line))
	return s.Out.String(), s.Err.String(), code
}

func TestGlobalOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		environ    []string
		want       Options
	}{
		{"none", "version", nil, Options{}},
		{"before", "-q --as agent -w /w version", nil, Options{Quiet: true, Actor: "agent", ActorSaid: true, Workspace: "/w"}},
		{"after", "version -q --as agent -w /w", nil, Options{Quiet: true, Actor: "agent", ActorSaid: true, Workspace: "/w"}},
		{
			"variables", "version",
			[]string{"GIT_CLAW_ACTOR=cron", "GIT_CLAW_SESSION=s1", "GIT_CLAW_SESSION_KIND=group"},
			Options{Actor: "cron", Session: "s1", SessionKind: "group"},
		},
		{
			"options before variables", "version --as user --session=s2",
			[]string{"GIT_CLAW_ACTOR=cron", "GIT_CLAW_SESSION=s1"},
			Options{Actor: "user", ActorSaid: true, Session: "s2", SessionSaid: true},
		},
		{"kind narrows", "version --for group", []string{"GIT_CLAW_SESSION_KIND=main"}, Options{SessionKind: "group"}},
		{"kind does not widen", "version --for main", []string{"GIT_CLAW_SESSION_KIND=group"}, Options{SessionKind: "group"}},
		{"kind main", "version --for main", nil, Options{SessionKind: "main"}},
		{"cluster", "version -qv", nil, Options{Quiet: true, Verbose: true}},
		{"color", "version --color", nil, Options{Color: "always"}},
		{"color value", "--color=never version", nil, Options{Color: "never"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, s := testEnv(t, tt.environ...)
			if _, errs, code := runWords(t, env, s, tt.line); code != 0 {
				t.Fatalf("exit %d: %s", code, errs)
			}
			if env.Opt != tt.want {
				t.Errorf("options %+v, want %+v", env.Opt, tt.want)
			}
		})
	}
}

func TestDirectoryOptions(t *testing.T) {
	t.Parallel()
	env, s := testEnv(t)
	home := env.Dir
	if _, errs, code := runWords(t, env, s, "-C .. -C "+home[strings.LastIndex(home, "/")+1:]+" version"); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if env.Dir != home {
		t.Errorf("directory '%s', want '%s'", env.Dir, home)
	}
	_, errs, code := runWords(t, env, s, "-C not,there version")
	if want := "error: cannot change to 'not,there': no such directory\n"; code != exitFatal || errs != want {
		t.Errorf("exit %d, %q, want %d, %q", code, errs, exitFatal, want)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	env, s := testEnv(t, "GIT_CLAW_NOW=2020-01-01T00:00:00Z")
	if _, errs, code := runWords(t, env, s, "version --now 2026-05-06T07:08:09Z"); code != 0 || !env.Now().Equal(want) {
		t.Errorf("exit %d, clock %v, %s", code, env.Now(), errs)
	}
	env, s = testEnv(t, "GIT_CLAW_NOW=2026-05-06T07:08:09Z")
	if _, errs, code := runWords(t, env, s, "version"); code != 0 || !env.Now().Equal(want) {
		t.Errorf("exit %d, clock %v, %s", code, env.Now(), errs)
	}
	env, s = testEnv(t, "GIT_CLAW_NOW=yesterday")
	if _, errs, code := runWords(t, env, s, "version"); code != exitUsage || !strings.HasPrefix(errs, "error: 'yesterday' is no time for 'GIT_CLAW_NOW'\n") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tty     bool
		color   string
		environ []string
		want    bool
	}{
		{"pipe", false, "", nil, false},
		{"terminal", true, "", nil, true},
		{"dumb terminal", true, "", []string{"TERM=dumb"}, false},
		{"NO_COLOR", true, "", []string{"NO_COLOR=1"}, false},
		{"empty NO_COLOR", true, "", []string{"NO_COLOR="}, true},
		{"option before NO_COLOR", true, "always", []string{"NO_COLOR=1"}, true},
		{"option in a pipe", false, "always", nil, true},
		{"never", true, "never", nil, false},
		{"inside a pager", false, "", []string{"GIT_PAGER_IN_USE=true"}, true},
	}
	for _, tt := range tests {
		env, _ := testEnv(t, tt.environ...)
		env.OutTTY, env.Opt.Color = tt.tty, tt.color
		if got := env.Style(nil).On; got != tt.want {
			t.Errorf("%s: colours %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestConfirmWarnHints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		opt     Options
		environ []string
		want    string
	}{
		{"plain", Options{}, nil, "saved 2\nwarning: odd\nhint: look\n"},
		{"quiet", Options{Quiet: true}, nil, "warning: odd\n"},
		{"no advice", Options{}, []string{"GIT_ADVICE=0"}, "saved 2\nwarning: odd\n"},
		{"json", Options{JSON: true}, nil, `{"schema":"claw.warning/1","message":"odd","hints":["look"]}` + "\n"},
	} {
		env, s := testEnv(t, tt.environ...)
		env.Opt = tt.opt
		env.Confirm("saved %d", 2)
		env.Warn("odd", "look")
		if got := s.Err.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFailedWriteOfOutput(t *testing.T) {
	t.Parallel()
	env, s := testEnv(t)
	env.Out = &stickyWriter{w: full{}}
	_, errs, code := runWords(t, env, s, "version")
	if want := "error: write standard output: unexpected EOF\n"; code != exitFatal || errs != want {
		t.Errorf("exit %d, %q, want %d, %q", code, errs, exitFatal, want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
