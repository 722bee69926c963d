package gitops

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Env is what git claw takes from its surroundings, injected by main.
type Env struct {
	Environ []string          // the process environment, see Canonical
	Dir     string            // the current directory, absolute
	Now     func() time.Time  // the one clock (SPEC 0.2)
	Rand    io.Reader         // randomness for ids, temp names and jitter
	Log     *slog.Logger      // trace of git calls (never content); may be nil
	Wait    func(what string) // told once when waiting for somebody else begins; may be nil
}

// Getenv returns the last value of a variable in the injected environment.
func (e Env) Getenv(name string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e.Environ[i], "="); ok && sameVariable(k, name) {
			return v
		}
	}
	return ""
}

// sameVariable compares names of variables: Windows knows `Path` as `PATH`.
func sameVariable(a, b string) bool {
	return a == b || os.PathSeparator == '\\' && strings.EqualFold(a, b)
}

// pathVariables are set by git for hooks, often relative to the directory
// the hook starts in; we change directories, so they must not stay relative.
var pathVariables = map[string]bool{
	"GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_INDEX_FILE": true,
	"GIT_COMMON_DIR": true, "GIT_OBJECT_DIRECTORY": true,
}

// dropVariables would change what git prints or asks in ways the parsers here
// do not expect, or name programs that git would run.
var dropVariables = map[string]bool{
	"GIT_LITERAL_PATHSPECS": true, "GIT_GLOB_PATHSPECS": true,
	"GIT_NOGLOB_PATHSPECS": true, "GIT_ICASE_PATHSPECS": true,
	"GIT_EXTERNAL_DIFF": true, "GIT_DIFF_OPTS": true, "GIT_TERMINAL_PROMPT": true,
	"GIT_OPTIONAL_LOCKS": true, "GIT_PREFIX": true, "GIT_INTERNAL_GETTEXT_SH_SCHEME": true,
	"LC_ALL": true, "LANGUAGE": true, "GIT_REDIRECT_STDOUT": true, "GIT_REDIRECT_STDERR": true,
}

// Canonical returns environ as git claw passes it on to git: relative
// repository variables made absolute against dir, variables that would change
// the format of git's answers removed, and the fixed ones of the runner added.
func Canonical(environ []string, dir string) []string {
	out := make([]string, 0, len(environ)+4)
	for _, kv := range environ {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || dropVariables[k] {
			continue
		}
		if pathVariables[k] && v != "" && !filepath.IsAbs(v) {
			kv = k + "=" + filepath.Join(dir, v)
		}
		out = append(out, kv)
	}
	return append(out, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1")
}
