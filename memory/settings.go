package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// Settings are the values of claw.* parameters. A value comes from, in this
// order: the variable GIT_CLAW_<NAME>, git's own configuration, the tracked
// .claw/config, the default. The tracked file is an allow-list: it may set only
// parameters marked tracked, and may tighten a check, a limit or a gate but
// never loosen it, because anybody who can push can write it.
type Settings struct {
	env      gitops.Env
	git      *gitops.Config
	tracked  *gitops.Config // nil: none
	warnings []string
}

func newSettings(env gitops.Env, git, tracked *gitops.Config) *Settings {
	s := &Settings{env: env, git: git, tracked: tracked}
	if tracked != nil {
		s.checkTracked()
	}
	return s
}

// Warnings tells which tracked values were ignored, and why.
func (s *Settings) Warnings() []string { return s.warnings }

func (s *Settings) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if !slices.Contains(s.warnings, w) {
		s.warnings = append(s.warnings, w)
	}
}

// checkTracked finds what the tracked file must not say.
func (s *Settings) checkTracked() {
	if s.tracked.Includes {
		s.warn("'.claw/config' may not include other files; the include is ignored")
	}
	names := s.tracked.Names()
	slices.Sort(names)
	for _, full := range names {
		name, ok := strings.CutPrefix(full, "claw.")
		if !ok {
			s.warn("'%s' in '.claw/config' is ignored: only claw.* may be set there", full)
			continue
		}
		p, ok := parameterOf(name)
		switch {
		case !ok:
			s.warn("'claw.%s' in '.claw/config' is ignored: no such parameter", name)
		case !p.tracked:
			s.warn("'claw.%s' in '.claw/config' is ignored: it may only be set in git's own configuration", p.name)
		case p.list:
		default:
			v, _ := s.tracked.Get(full)
			if why := p.refuses(v); why != "" {
				s.warn("'claw.%s = %s' in '.claw/config' is ignored: %s", p.name, v, why)
			}
		}
	}
}

// String returns the value of a parameter.
func (s *Settings) String(name string) string {
	v, _ := s.lookup(name)
	return v
}

// Set reports whether a parameter has a value besides its default.
func (s *Settings) Set(name string) bool {
	_, set := s.lookup(name)
	return set
}

func (s *Settings) lookup(name string) (string, bool) {
	p := mustParameter(name)
	lower := "claw." + strings.ToLower(name)
	if v := s.env.Getenv(p.variable()); v != "" && p.valid(v) {
		return v, true
	}
	if v, ok := s.git.Get(lower); ok {
		if p.valid(v) {
			return v, true
		}
		s.warn("'claw.%s = %s' is ignored: %s", p.name, v, p.expects())
	}
	if s.tracked != nil && p.tracked {
		if v, ok := s.tracked.Get(lower); ok && p.refuses(v) == "" {
			return v, true
		}
	}
	return p.def, false
}

// All returns every value of a list parameter, of git's own configuration first,
// then of the tracked file.
func (s *Settings) All(name string) []string {
	p := mustParameter(name)
	lower := "claw." + strings.ToLower(name)
	out := slices.Clone(s.git.All(lower))
	if s.tracked != nil && p.tracked {
		out = append(out, s.tracked.All(lower)...)
	}
	return out
}

// Bool returns a parameter that is true or false.
func (s *Settings) Bool(name string) bool {
	b, err := gitops.ParseBool(s.String(name))
	return err == nil && b
}

// Int returns a parameter that is a whole number.
func (s *Settings) Int(name string) int64 {
	n, err := parseInt(s.String(name))
	if err != nil {
		return 0
	}
	return n
}

// Duration returns a parameter that is a time: `10s`, `2h`, or a bare number of
// milliseconds for parameters whose name ends in Ms.
func (s *Settings) Duration(name string) time.Duration {
	d, err := parseDuration(name, s.String(name))
	if err != nil {
		return 0
	}
	return d
}

// parseInt reads whole numbers with git's suffixes k, m and g.
func parseInt(v string) (int64, error) {
	mul := int64(1)
	if v != "" {
		switch v[len(v)-1] {
		case 'k', 'K':
			mul = 1 << 10
		case 'm', 'M':
			mul = 1 << 20
		case 'g', 'G':
			mul = 1 << 30
		}
		if mul > 1 {
			v = v[:len(v)-1]
		}
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return n * mul, err
}

func parseDuration(name, v string) (time.Duration, error) {
	if strings.HasSuffix(name, "Ms") {
		n, err := strconv.ParseInt(v, 10, 64)
		return time.Duration(n) * time.Millisecond, err
	}
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	return time.ParseDuration(v)
}
