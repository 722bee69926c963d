package gitops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// LocalCommand reads a setting that names a program: a JSON array of arguments, which no
// shell sees. ok is false where it is not set. A value that stands in a file of the work
// tree, included from there by the local configuration, is refused: anybody who can push
// could write it (SPEC SK-13).
func (r *Repo) LocalCommand(ctx context.Context, name string) (argv []string, ok bool, err error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return nil, false, err
	}
	value, ok := cfg.Get(strings.ToLower(name))
	if !ok || strings.TrimSpace(value) == "" {
		return nil, false, nil
	}
	out, err := r.run(ctx, Cmd{Args: []string{"config", "--show-origin", "-z", "--get", name}})
	if err != nil {
		return nil, false, fmt.Errorf("read '%s': %w", name, err)
	}
	origin, _, _ := bytes.Cut(out, []byte{0})
	if file, isFile := strings.CutPrefix(string(origin), "file:"); isFile && r.inWorkTree(file) {
		return nil, false, fmt.Errorf("'%s' is refused: it stands in '%s', which is part of the work tree", name, file)
	}
	if err := json.Unmarshal([]byte(value), &argv); err != nil || len(argv) == 0 || argv[0] == "" {
		return nil, false, fmt.Errorf(`'%s' is no JSON array of arguments, such as ["program", "-x"]`, name)
	}
	return argv, true, nil
}

// inWorkTree reports whether a file that git named lies in the work tree, links resolved.
func (r *Repo) inWorkTree(file string) bool {
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.TopLevel, file)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	for _, dir := range []string{r.GitDir, r.CommonDir} {
		if below(dir, file) {
			return false
		}
	}
	return r.TopLevel != "" && below(r.TopLevel, file)
}

func below(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// ErrTooMuch: a program said more than was asked for.
var ErrTooMuch = errors.New("the program says too much")

// Filter runs a program, gives it text on its standard input and returns what it says, most
// bytes of it at most. It runs in the git directory, knows nothing of this repository, and
// is ended with all it started when the time is over.
func (r *Repo) Filter(ctx context.Context, argv []string, text []byte, limit time.Duration, most int) ([]byte, error) {
	program := argv[0]
	switch {
	case filepath.IsAbs(program):
	case strings.ContainsAny(program, `/\`):
		return nil, fmt.Errorf("'%s' is neither a name nor an absolute path", program)
	default:
		var err error
		if program, err = lookPath(program, r.Git.env); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Dir = r.GitDir
	for _, kv := range r.Git.env.Environ {
		if !strings.HasPrefix(strings.ToUpper(kv), "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = settle
	out := &bounded{most: most}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(text), out
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run '%s': %w", argv[0], ctx.Err())
	case out.over:
		return nil, fmt.Errorf("run '%s': %w", argv[0], ErrTooMuch)
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // a process it left behind holds the pipe
	}
	if err != nil {
		return nil, fmt.Errorf("run '%s': %w", argv[0], err)
	}
	return out.b.Bytes(), nil
}

// bounded keeps so many bytes and fails for more, which ends who writes them.
type bounded struct {
	b    bytes.Buffer
	most int
	over bool
}

func (w *bounded) Write(p []byte) (int, error) {
	if w.b.Len()+len(p) > w.most {
		w.over = true
		return 0, ErrTooMuch
	}
	return w.b.Write(p)
}
