package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ErrNoTerminal: this system has no terminal that a program can play.
var ErrNoTerminal = errors.New("no terminal to play")

// Key is what a person types once a text stands on the screen.
type Key struct{ After, Type string }

// Terminal runs argv at a terminal of 80 columns, where a person types keys. The result
// has what the terminal showed.
func (b *Box) Terminal(ctx context.Context, dir string, keys []Key, argv ...string) (Result, error) {
	us, them, err := openTerminal()
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = us.Close() }()
	path, ok := b.lookPath(argv[0])
	if !ok {
		return Result{}, fmt.Errorf("no program '%s'", argv[0])
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(append([]string{}, b.env...), "TERM=xterm", "COLUMNS=80")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = them, them, them
	cmd.SysProcAttr = ownTerminal()
	if err := cmd.Start(); err != nil {
		_ = them.Close()
		return Result{}, fmt.Errorf("run '%s': %w", strings.Join(argv, " "), err)
	}
	_ = them.Close()
	screen, err := play(us, keys)
	werr := cmd.Wait()
	res := Result{Both: strings.ReplaceAll(screen, "\r\n", "\n"), Code: cmd.ProcessState.ExitCode()}
	res.Stdout = res.Both
	var exit *exec.ExitError
	if errors.As(werr, &exit) {
		werr = nil
	}
	return res, errors.Join(err, werr)
}

// patience is how long a text may take to appear.
const patience = 30 * time.Second

// play reads the screen until the program ends, and types.
func play(us *os.File, keys []Key) (string, error) {
	var screen bytes.Buffer
	from := 0
	buf := make([]byte, 4096)
	for {
		_ = us.SetReadDeadline(time.Now().Add(patience))
		n, err := us.Read(buf)
		screen.Write(buf[:n])
		for len(keys) > 0 {
			i := bytes.Index(screen.Bytes()[from:], []byte(keys[0].After))
			if i < 0 {
				break
			}
			from += i + len(keys[0].After)
			if _, err := us.WriteString(keys[0].Type); err != nil {
				return screen.String(), fmt.Errorf("type: %w", err)
			}
			keys = keys[1:]
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return screen.String(), fmt.Errorf("the screen does not show '%s'", keys[0].After)
		case err != nil: // the other end was closed
			if len(keys) > 0 {
				return screen.String(), fmt.Errorf("the screen never showed '%s'", keys[0].After)
			}
			return screen.String(), nil
		}
	}
}
