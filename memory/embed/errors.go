package embed

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMessage bounds what is quoted of a server, in characters.
const maxMessage = 200

// ConfigError: a setting cannot be used. It never holds the value of a key.
type ConfigError struct {
	Name   string // "claw.embedderUrl"
	Reason string
	Hint   string // a command, or ""
}

func (e *ConfigError) Error() string { return fmt.Sprintf("'%s' %s", e.Name, e.Reason) }

// Hints tells how to set it right.
func (e *ConfigError) Hints() []string { return hints(e.Hint) }

// UnavailableError: the embedder gives no vectors now. A search goes on without.
type UnavailableError struct {
	URL    string // without user, password and query; "" without an embedder
	Status int    // of HTTP; 0: there was no answer
	Reason string
	Hint   string
	Err    error // context.DeadlineExceeded when the time of the caller was over, or nil
}

func (e *UnavailableError) Error() string {
	if e.URL == "" {
		return e.Reason
	}
	return fmt.Sprintf("embedder '%s' is not available: %s", e.URL, e.Reason)
}

// Unwrap gives the end of the caller's time.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Hints tells what to try.
func (e *UnavailableError) Hints() []string { return hints(e.Hint) }

// ResponseError: the server answered something that is no list of vectors, or
// sends its callers elsewhere.
type ResponseError struct{ URL, Reason, Hint string }

func (e *ResponseError) Error() string {
	return fmt.Sprintf("cannot use the answer of embedder '%s': %s", e.URL, e.Reason)
}

// Hints tells what to try.
func (e *ResponseError) Hints() []string { return hints(e.Hint) }

// TextError: one text has no vector; the others do.
type TextError struct {
	Index  int // among the texts given to Embed
	Reason string
	Hint   string
}

func (e *TextError) Error() string {
	return fmt.Sprintf("text %d has no vector: %s", e.Index, e.Reason)
}

// Hints tells what to try.
func (e *TextError) Hints() []string { return hints(e.Hint) }

// TextErrors lists the texts without a vector, by index. It is never empty.
type TextErrors []*TextError

func (e TextErrors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", e[0], len(e)-1)
}

// Unwrap gives the single errors.
func (e TextErrors) Unwrap() []error {
	out := make([]error, len(e))
	for i, t := range e {
		out[i] = t
	}
	return out
}

func hints(hint string) []string {
	if hint == "" {
		return nil
	}
	return []string{hint}
}

// quote makes a foreign text fit to be shown: one line, without control and
// invisible characters, without secrets, at most maxMessage characters. Secrets
// go before it is cut, so that no half of one is left.
func quote(text string, secrets []string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "***")
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxMessage {
		text = string(runes[:maxMessage-3]) + "..."
	}
	return text
}
