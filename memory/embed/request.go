package embed

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	maxTries  = 5
	firstWait = 500 * time.Millisecond
	maxWait   = time.Minute // a server that asks for more is reported instead

	maxErrorBody   = 64 << 10
	replyBase      = 1 << 20
	replyEveryText = 256 << 10 // a vector of 8,192 numbers in full
)

// refusedError: the server calls the batch, or a text of it, too large.
type refusedError struct {
	status  int
	message string
}

func (e *refusedError) Error() string { return e.message }

// busyError: the same request may be answered later.
type busyError struct {
	*UnavailableError
	after time.Duration // what the server asked for; -1: nothing
}

// request embeds texts in one request, which is repeated while the server is busy.
func (c *client) request(ctx context.Context, texts []string) ([]vec, error) {
	body, err := json.Marshal(map[string]any{"model": c.model, "input": texts})
	if err != nil {
		return nil, fmt.Errorf("embed texts: %w", err)
	}
	for try := 1; ; try++ {
		vectors, err := c.once(ctx, body, len(texts))
		var busy *busyError
		if !errors.As(err, &busy) {
			return vectors, err
		}
		if err := c.wait(ctx, try, busy); err != nil {
			return nil, err
		}
	}
}

// wait sleeps before the next try, or tells why there is none.
func (c *client) wait(ctx context.Context, try int, busy *busyError) error {
	d := busy.after
	if d < 0 {
		d = c.jitter(min(firstWait<<(try-1), maxWait))
	}
	out := *busy.UnavailableError
	if d > maxWait {
		out.Reason += fmt.Sprintf("; it asks to wait %v", d.Round(time.Second))
		return &out
	}
	if try == maxTries {
		out.Reason += fmt.Sprintf(" (%d times)", maxTries)
		return &out
	}
	// A search that ends before the next try does not wait for it.
	if end, ok := ctx.Deadline(); ok && c.now != nil && end.Sub(c.now()) <= d {
		out.Reason += ", and there is no time to ask again"
		return &out
	}
	if err := c.sleep(ctx, d); err != nil {
		return c.ended(ctx, err)
	}
	return nil
}

// jitter takes off up to half, so that callers that were refused together do not
// come back together.
func (c *client) jitter(d time.Duration) time.Duration {
	var b [4]byte
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rand == nil {
		return d
	}
	if _, err := io.ReadFull(c.rand, b[:]); err != nil {
		return d
	}
	return d - time.Duration(float64(d)/2*float64(binary.LittleEndian.Uint32(b[:]))/(1<<32))
}

// once sends one request.
func (c *client) once(ctx context.Context, body []byte, n int) ([]vec, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, &ConfigError{Name: "claw.embedderUrl", Reason: "is no URL"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "git-claw")
	if c.header != "" {
		req.Header.Set("Authorization", c.header)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.failed(ctx, limited, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing is written
	limit := maxErrorBody
	if resp.StatusCode == http.StatusOK {
		limit = replyBase + n*replyEveryText
	}
	reply, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, c.failed(ctx, limited, err)
	case resp.StatusCode != http.StatusOK:
		return nil, c.refused(resp, reply)
	case len(reply) > limit:
		return nil, c.wrong(fmt.Sprintf("it is larger than %d bytes", limit))
	}
	return c.read(reply, n)
}

// failed tells why there was no answer.
func (c *client) failed(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return c.ended(ctx, ctx.Err())
	}
	var redirect *redirectError
	if errors.As(err, &redirect) {
		return &ResponseError{
			URL: c.shown, Reason: fmt.Sprintf("it sends its callers to '%s'", quote(redirect.to, c.secrets)),
			Hint: "if you trust that place, set claw.embedderUrl to it",
		}
	}
	out := &UnavailableError{URL: c.shown, Hint: c.startHint}
	// The text of a url.Error quotes the URL with its query.
	var in *url.Error
	if errors.As(err, &in) {
		err = in.Err
	}
	var slow interface{ Timeout() bool }
	if limited.Err() != nil || errors.As(err, &slow) && slow.Timeout() {
		out.Reason = fmt.Sprintf("no answer within %v", c.timeout)
		if limited.Err() == nil {
			out.Reason = "no answer in time"
		}
		return out
	}
	out.Reason = quote(err.Error(), c.secrets)
	return out
}

// ended: the caller gave up, or had no more time; only the first is an end to
// what the caller does.
func (c *client) ended(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &UnavailableError{URL: c.shown, Reason: "no answer in the time there was", Err: context.DeadlineExceeded}
	}
	return fmt.Errorf("embed texts: %w", err)
}

// refused reads an answer that is not 200.
func (c *client) refused(resp *http.Response, reply []byte) error {
	status := resp.StatusCode
	msg, code := message(reply)
	msg = quote(msg, c.secrets)
	out := &UnavailableError{URL: c.shown, Status: status, Reason: fmt.Sprintf("HTTP %d", status)}
	if text := http.StatusText(status); msg == "" && text != "" {
		out.Reason += " " + text
	} else if msg != "" {
		out.Reason += ": " + msg
	}
	switch status {
	case http.StatusTooManyRequests:
		if code == "insufficient_quota" { // waiting does not fill an account
			return out
		}
		return &busyError{out, c.retryAfter(resp.Header)}
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &busyError{out, c.retryAfter(resp.Header)}
	case http.StatusRequestEntityTooLarge:
		return &refusedError{status, out.Reason}
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		if tooLarge(msg) {
			return &refusedError{status, out.Reason}
		}
	case http.StatusInternalServerError:
		// Ollama fails so when one text of a batch gives NaN: the others need not
		// go without.
		if strings.Contains(msg, "unsupported value: NaN") {
			return &refusedError{status, out.Reason}
		}
	case http.StatusUnauthorized, http.StatusForbidden:
		out.Hint = "set GIT_CLAW_EMBEDDER_KEY, or run: git config claw.embedderKey <key>"
	case http.StatusNotFound:
		out.Hint = fmt.Sprintf(c.missingHint, c.model)
	}
	return out
}

// tooLarge tells from a message whether fewer or shorter texts may be taken:
// servers have no common code for it.
func tooLarge(msg string) bool {
	msg = strings.ToLower(msg)
	for _, sign := range []string{
		"too large", "too long", "too many", "maximum", "context length", "exceed", "batch size",
	} {
		if strings.Contains(msg, sign) {
			return true
		}
	}
	return false
}

// retryAfter reads the header: seconds, or a date, which is compared with the
// server's own clock. -1: there is none.
func (c *client) retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(s) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return -1
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		if c.now == nil {
			return -1
		}
		now = c.now()
	}
	return max(0, at.Sub(now))
}
