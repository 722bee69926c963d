package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ConfigWriteError: git could not write the repository's own configuration.
type ConfigWriteError struct {
	Name   string
	Reason string // of git, one line
}

func (e *ConfigWriteError) Error() string {
	return fmt.Sprintf("cannot set '%s' in the configuration of the repository: %s", e.Name, e.Reason)
}

// LocalConfig reads a section of the repository's own configuration, which all its worktrees share;
// what is set for the user or the system does not count. The section is given with its dot at the end,
// in lower case.
func (r *Repo) LocalConfig(ctx context.Context, section string) (*Config, error) {
	b, err := r.run(ctx, Cmd{Args: []string{"config", "--local", "-z", "--get-regexp", "^" + strings.ReplaceAll(section, ".", `\.`)}})
	var ge *GitError
	if errors.As(err, &ge) && ge.Code == 1 { // nothing is set
		return parseConfigList(nil), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration of the repository: %w", err)
	}
	return parseConfigList(b), nil
}

// SetLocalConfig gives a name one value in the repository's own configuration, in place of those it
// has there.
func (r *Repo) SetLocalConfig(ctx context.Context, name, value string) error {
	_, err := r.run(ctx, Cmd{Args: []string{"config", "--local", "--replace-all", name, value}})
	var ge *GitError
	if errors.As(err, &ge) {
		reason, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(ge.Stderr), "error: "), "\n")
		return &ConfigWriteError{Name: name, Reason: reason}
	}
	if err != nil {
		return err
	}
	r.configMu.Lock()
	r.config = nil
	r.configMu.Unlock()
	return nil
}
