package embed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// MaxText is the length in bytes that a text is cut to: the largest that no
	// text of whatever script makes more than the 8,191 tokens common servers take.
	MaxText = 8 << 10

	// MaxDim is the largest number of components that is believed.
	MaxDim = 1 << 14

	defaultBatch   = 64
	maxBatch       = 2048 // what OpenAI takes
	maxBatchBytes  = 256 << 10
	defaultTimeout = time.Minute // a local server loads its model first
	maxModel       = 256
)

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// ID tells whose vectors can be compared: provider, model, and a hash of all
	// else that decides the result. It holds no credentials. "": no embedder.
	ID() string

	// Dim is the number of components, 0 until the first answer.
	Dim() int

	// Embed gives one vector a text, in order, of any length; nil where there is
	// none. What is not nil is good, also beside an error. The error is or wraps
	// TextErrors (only some are missing), *UnavailableError, *ResponseError, or
	// context.Canceled. A long list is better given in parts that are stored one
	// after the other: what was paid for is then kept.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Config chooses an embedder. Everything but Kind and Model has a default.
type Config struct {
	Kind    string // "openai", "ollama", "none" or ""
	BaseURL string // http or https
	Model   string
	Key     string // sent as a bearer token

	Batch          int           // texts a request, default 64
	Timeout        time.Duration // of one request, default a minute
	AllowPlainHTTP bool          // send credentials unencrypted to another machine

	// Client sends the requests; its redirects are replaced. nil: one that asks
	// Proxy (nil: no proxy), and nothing else of its surroundings.
	Client *http.Client
	Proxy  func(*http.Request) (*url.URL, error)

	// Now is the system's clock, not one that a user sets: it is compared with the
	// deadline of ctx and with a Retry-After date. nil: neither is.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	Rand  io.Reader // jitter between attempts; nil: none
}

// New checks a Config; nothing is sent yet. The error is a *ConfigError. Without
// an embedder the result is one whose ID is "" and that is never available.
func New(cfg Config) (Embedder, error) {
	var p protocol
	switch cfg.Kind {
	case "", "none":
		return none{}, nil
	case "openai":
		p = openAI
	case "ollama":
		p = ollama
	default:
		return nil, &ConfigError{
			Name: "claw.embedder", Reason: fmt.Sprintf("is unknown: '%s'", quote(cfg.Kind, nil)),
			Hint: "git config claw.embedder ollama (or openai, none)",
		}
	}
	if err := checkModel(cfg.Model, p); err != nil {
		return nil, err
	}
	c := &client{
		protocol: p, model: cfg.Model, timeout: cfg.Timeout,
		now: cfg.Now, sleep: cfg.Sleep, rand: cfg.Rand, limit: cfg.Batch,
	}
	if err := c.setEndpoint(cfg); err != nil {
		return nil, err
	}
	if c.limit <= 0 {
		c.limit = defaultBatch
	}
	c.limit = min(c.limit, maxBatch)
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
	c.http = c.httpClient(cfg)
	c.id = c.makeID()
	return c, nil
}

func checkModel(model string, p protocol) error {
	e := &ConfigError{Name: "claw.embedderModel", Hint: "git config claw.embedderModel " + p.example}
	switch {
	case model == "":
		e.Reason = "is not set"
	case len(model) > maxModel || strings.ContainsFunc(model, unprintable):
		e.Reason = "is no name of a model"
	default:
		return nil
	}
	return e
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// client is an embedder behind HTTP.
type client struct {
	protocol
	id       string
	model    string
	endpoint string   // without user and password
	shown    string   // endpoint without its query, which may hold a key
	header   string   // Authorization, or ""
	secrets  []string // what no text may hold
	http     *http.Client
	timeout  time.Duration
	now      func() time.Time
	sleep    func(context.Context, time.Duration) error
	rand     io.Reader

	mu    sync.Mutex // guards what answers teach, and rand
	dim   int
	limit int // texts a request
}

// makeID hashes the place as well: two servers may call different models the
// same. Raise the number when texts are prepared in another way.
func (c *client) makeID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "1\x00%s\x00%s\x00%s\x00%d", c.name, c.model, c.shown, MaxText))
	return fmt.Sprintf("%s/%s/%x", c.name, c.model, sum[:8])
}

func (c *client) ID() string { return c.id }

func (c *client) Dim() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dim
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// none is the absence of an embedder.
type none struct{}

func (none) ID() string { return "" }

func (none) Dim() int { return 0 }

func (none) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return make([][]float32, len(texts)), &UnavailableError{
		Reason: "no embedder is configured", Hint: "git config claw.embedder ollama",
	}
}
