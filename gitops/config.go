package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Config is git configuration: names in lower case (subsections keep theirs),
// each with its values in the order git read them, so that the last one counts.
type Config struct {
	values map[string][]string
	// Includes is true when a parsed file has include sections, which
	// ParseConfig does not follow.
	Includes bool
}

func (r *Repo) readConfig(ctx context.Context) (*Config, error) {
	b, err := r.run(ctx, Cmd{Args: []string{"config", "--list", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("read git config: %w", err)
	}
	c := parseConfigList(b)
	// The last color.ui is our runner's own.
	if all := c.values["color.ui"]; len(all) > 1 {
		c.values["color.ui"] = all[:len(all)-1]
	} else {
		delete(c.values, "color.ui")
	}
	return c, nil
}

// parseConfigList reads the output of `git config --list -z`: name, newline,
// value, NUL; a name without newline is a boolean that is true.
func parseConfigList(b []byte) *Config {
	c := &Config{values: map[string][]string{}}
	for rec := range bytes.SplitSeq(b, []byte{0}) {
		if len(rec) == 0 {
			continue
		}
		name, value, ok := bytes.Cut(rec, []byte{'\n'})
		v := string(value)
		if !ok {
			v = "true"
		}
		c.values[string(name)] = append(c.values[string(name)], v)
	}
	return c
}

// Get returns the last value of name, which is given in lower case.
func (c *Config) Get(name string) (string, bool) {
	v := c.values[name]
	if len(v) == 0 {
		return "", false
	}
	return v[len(v)-1], true
}

// All returns every value of name in order.
func (c *Config) All(name string) []string { return c.values[name] }

// Names returns all names, unordered.
func (c *Config) Names() []string {
	out := make([]string, 0, len(c.values))
	for k := range c.values {
		out = append(out, k)
	}
	return out
}

// Bool reads a boolean the way git does; def when name is absent or no boolean.
func (c *Config) Bool(name string, def bool) bool {
	v, ok := c.Get(name)
	if !ok {
		return def
	}
	b, err := ParseBool(v)
	if err != nil {
		return def
	}
	return b
}

// ParseBool reads git's booleans: true, yes, on, numbers; false, no, off, empty.
func ParseBool(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return false, errors.New("not a boolean")
	}
	return n != 0, nil
}
