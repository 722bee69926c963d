package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// errQuit: the person wants no more.
var errQuit = errors.New("quit")

// keys reads single keys from a terminal; where there is no such mode, the first
// character of a line.
type keys struct {
	env *Env
	in  *bufio.Reader
}

func (e *Env) keys(ctx context.Context) *keys {
	return &keys{env: e, in: bufio.NewReader(e.Stdin(ctx))}
}

const (
	ctrlC  = 3
	ctrlD  = 4
	ctrlZ  = 26
	escape = 27

	suspended = '\x00' // no key: the process was stopped, and goes on
)

// next reads one key. The end of input is errQuit.
func (k *keys) next(ctx context.Context) (rune, error) {
	if k.env.Raw == nil {
		line, err := k.line(ctx)
		if err != nil {
			return 0, err
		}
		r, _ := utf8.DecodeRuneInString(strings.TrimSpace(line))
		if line = strings.TrimSpace(line); line == "" {
			r = '\n'
		}
		return r, nil
	}
	restore, err := k.env.Raw()
	if err != nil {
		return 0, err
	}
	r, err := k.key()
	restore()
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil, r == ctrlD:
		fmt.Fprintln(k.env.Err)
		return 0, errQuit
	case r == ctrlZ:
		suspend()
		return suspended, nil
	case r == ctrlC:
		fmt.Fprintln(k.env.Err)
		return 0, context.Canceled
	}
	if r >= ' ' {
		fmt.Fprint(k.env.Err, string(r))
	}
	fmt.Fprintln(k.env.Err)
	return r, nil
}

// key reads a character; the sequence of a function key counts as one that means
// nothing.
func (k *keys) key() (rune, error) {
	r, _, err := k.in.ReadRune()
	if err != nil || r != escape {
		return r, err
	}
	for k.in.Buffered() > 0 {
		if _, _, err := k.in.ReadRune(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// line reads a line; errQuit at the end of input.
func (k *keys) line(ctx context.Context) (string, error) {
	line, err := k.in.ReadString('\n')
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, io.EOF) && line == "":
		fmt.Fprintln(k.env.Err)
		return "", errQuit
	case err != nil && !errors.Is(err, io.EOF):
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
