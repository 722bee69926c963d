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
	s.checkLocal()
	if tracked != nil {
		s.checkTracked()
	}
	return s
}

// maxWarnings bounds what a file with thousands of names makes us say.
const maxWarnings = 50

// Warnings tells which values were ignored, and why. Names and values in them
// come from files that others write: escape them for a terminal.
func (s *Settings) Warnings() []string { return s.warnings }

func (s *Settings) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if len(s.warnings) < maxWarnings && !slices.Contains(s.warnings, w) {
		s.warnings = append(s.warnings, w)
	}
}

// clawNames lists the claw.* names of a configuration without `claw.`, sorted;
// others are the rest.
func clawNames(c *gitops.Config) (names, others []string) {
	for _, full := range c.Names() {
		if name, ok := strings.CutPrefix(full, "claw."); ok {
			names = append(names, name)
		} else {
			others = append(others, full)
		}
	}
	slices.Sort(names)
	slices.Sort(others)
	return names, others
}

// checkLocal finds mistakes in git's own configuration.
func (s *Settings) checkLocal() {
	names, _ := clawNames(s.git)
	for _, name := range names {
		p, ok := parameterOf(name)
		if !ok {
			s.warn("'claw.%s' is ignored: no such parameter", name)
			continue
		}
		if v, _ := s.git.Get("claw." + name); !p.list && !p.valid(v) {
			s.warn("'claw.%s = %s' is ignored: %s", p.named(name), v, p.expects())
		}
	}
}

// checkTracked finds what the tracked file must not say.
func (s *Settings) checkTracked() {
	if s.tracked.Includes {
		s.warn("'.claw/config' may not include other files; the include is ignored")
	}
	names, others := clawNames(s.tracked)
	for _, full := range others {
		s.warn("'%s' in '.claw/config' is ignored: only claw.* may be set there", full)
	}
	for _, name := range names {
		p, ok := parameterOf(name)
		switch {
		case !ok:
			s.warn("'claw.%s' in '.claw/config' is ignored: no such parameter", name)
		case !p.tracked:
			s.warn("'claw.%s' in '.claw/config' is ignored: it may only be set in git's own configuration", p.name)
		case p.list:
		default:
			v, _ := s.tracked.Get("claw." + name)
			if why := p.refuses(v); why != "" {
				s.warn("'claw.%s = %s' in '.claw/config' is ignored: %s", p.named(name), v, why)
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
	if v, ok := s.local(p, name); ok {
		return v, true
	}
	if v, ok := s.shared(p, name); ok {
		return v, true
	}
	return p.def, false
}

// local looks where only this machine's owner writes.
func (s *Settings) local(p parameter, name string) (string, bool) {
	if !p.gitOnly && !p.prefix {
		if v := s.env.Getenv(p.variable()); v != "" && p.valid(v) {
			return v, true
		}
	}
	v, ok := s.git.Get("claw." + strings.ToLower(name))
	return v, ok && p.valid(v)
}

// shared looks into the tracked file.
func (s *Settings) shared(p parameter, name string) (string, bool) {
	if s.tracked == nil || !p.tracked {
		return "", false
	}
	v, ok := s.tracked.Get("claw." + strings.ToLower(name))
	return v, ok && p.refuses(v) == ""
}

// limit returns a number whose default is the host's; 0 is no limit.
func (s *Settings) limit(name string, host int) int {
	p := mustParameter(name)
	if v, ok := s.local(p, name); ok {
		return int(p.number(v))
	}
	if v, ok := s.shared(p, name); ok {
		n := int(p.number(v))
		if n > 0 && (host == 0 || n <= host) {
			return n
		}
		s.warn("'claw.%s = %s' in '.claw/config' is ignored: a tracked file may tighten, not loosen", name, v)
	}
	return host
}

// Severity returns how grave a health check is, I, W or F. def is the check's
// own; the tracked file can only raise it.
func (s *Settings) Severity(id, def string) string {
	name := "health.severity." + id
	p := mustParameter(name)
	if v, ok := s.local(p, name); ok {
		return v
	}
	if v, ok := s.shared(p, name); ok {
		if slices.Index(p.choices, v) > slices.Index(p.choices, def) {
			return v
		}
		s.warn("'claw.%s = %s' in '.claw/config' is ignored: a tracked file may tighten, not loosen", name, v)
	}
	return def
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

// Float returns a parameter that is a decimal number.
func (s *Settings) Float(name string) float64 {
	f, err := strconv.ParseFloat(s.String(name), 64)
	if err != nil {
		return 0
	}
	return f
}
