package embed_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/embed"
)

func TestHugeBody(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 400} {
		sent := 0
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ call) {
			w.WriteHeader(status)
			for range 1000 {
				n, err := fmt.Fprint(w, strings.Repeat(" ", 1<<20))
				if sent += n; err != nil {
					return
				}
			}
		})
		_, err := create(t, s.config("ollama")).Embed(t.Context(), words(1))
		silent(t, err)
		s.Close() // the step is over
		if sent > 100<<20 {
			t.Errorf("HTTP %d: %d bytes were taken, error is %v", status, sent, err)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var leaked int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked++ }))
	t.Cleanup(other.Close)
	to := func(status int, place string) step {
		return func(w http.ResponseWriter, r *http.Request, _ call) {
			u, _ := url.Parse(place)
			u.User = url.UserPassword("someone", key)
			w.Header().Set("Location", u.String())
			w.WriteHeader(status)
		}
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := serve(t, to(status, other.URL+"/v1/embeddings?key="+key))
		_, err := create(t, s.config("openai")).Embed(t.Context(), words(1))
		var wrong *embed.ResponseError
		if !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, other.URL) || len(wrong.Hints()) != 1 {
			t.Errorf("HTTP %d: error is %v", status, err)
		}
		silent(t, err)
	}
	if leaked != 0 {
		t.Errorf("%d requests went to the other host", leaked)
	}

	// On the same host a redirect that keeps the request is followed, and loops end.
	move := func(w http.ResponseWriter, r *http.Request, _ call) {
		http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
	}
	s := serve(t, move)
	texts := words(2)
	got, err := create(t, s.config("openai")).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, texts, got)
	s = serve(t)
	s.always = move
	_, err = create(t, s.config("openai")).Embed(t.Context(), texts)
	var wrong *embed.ResponseError
	if !errors.As(err, &wrong) || len(s.got()) > 5 {
		t.Errorf("asked %d times, error is %v", len(s.got()), err)
	}
	s = serve(t, to(302, "/v1/embeddings"))
	if _, err = create(t, s.config("openai")).Embed(t.Context(), texts); !errors.As(err, &wrong) {
		t.Errorf("a redirect that drops the texts gives %v", err)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	hang := func(w http.ResponseWriter, r *http.Request, _ call) { <-r.Context().Done() }
	halfway := func(w http.ResponseWriter, r *http.Request, _ call) {
		_, _ = fmt.Fprint(w, `{"embeddings":[[1,`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, step := range map[string]step{"hang": hang, "halfway": halfway} {
		s := serve(t, step)
		cfg := s.config("ollama")
		cfg.Timeout = 500 * time.Millisecond
		_, err := create(t, cfg).Embed(t.Context(), words(1))
		var gone *embed.UnavailableError
		if !errors.As(err, &gone) || !strings.Contains(err.Error(), "no answer within 500ms") || gone.Err != nil || len(s.got()) != 1 {
			t.Errorf("%s: error is %v", name, err)
		}

		// The caller's own time and its change of mind are told apart.
		s = serve(t, step, step)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err = create(t, s.config("ollama")).Embed(ctx, words(1))
		cancel()
		if !errors.As(err, &gone) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: at the deadline the error is %v", name, err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err = create(t, s.config("ollama")).Embed(ctx, words(1))
		if errors.As(err, &gone) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled, the error is %v", name, err)
		}
	}
}

func TestCancelledWhileItWaits(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.always = says(429, "", "Retry-After", "30")
	cfg := s.config("openai")
	cfg.Sleep = nil // the real one
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	_, err := create(t, cfg).Embed(ctx, words(1))
	if !errors.Is(err, context.Canceled) || time.Since(start) > 10*time.Second {
		t.Errorf("after %v the error is %v", time.Since(start), err)
	}
	s = serve(t, says(429, "", "Retry-After", "0"), says(503, "", "Retry-After", "0"))
	cfg = s.config("openai")
	cfg.Sleep = nil
	if _, err := create(t, cfg).Embed(t.Context(), words(1)); err != nil {
		t.Error(err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cfg := s.config("ollama")
	cfg.BaseURL = strings.Replace(s.URL, "//", "//someone:hush-hush@", 1) + "?api-key=deep-secret"
	s.Close()
	got, err := create(t, cfg).Embed(t.Context(), words(2))
	var gone *embed.UnavailableError
	if !errors.As(err, &gone) || gone.URL != s.URL+"/api/embed" || gone.Status != 0 || gone.Hints()[0] != "ollama serve" || len(got) != 2 {
		t.Errorf("error is %v", err)
	}
	if len(s.waited()) != 0 {
		t.Errorf("waited %v for a server that does not run", s.waited())
	}
	silent(t, err, "hush-hush", "someone", "deep-secret")
}

// TestOnlyTheGivenProxy: what the environment says about proxies is the caller's
// business.
func TestOnlyTheGivenProxy(t *testing.T) {
	t.Parallel()
	proxy := serve(t)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	cfg := proxy.config("ollama")
	cfg.Key, cfg.BaseURL = "", "http://embedder.invalid"
	cfg.Proxy = func(r *http.Request) (*url.URL, error) { return at, nil }
	if _, err := create(t, cfg).Embed(t.Context(), words(1)); err != nil || len(proxy.got()) != 1 {
		t.Errorf("through the proxy: %v", err)
	}
	cfg.Proxy = nil
	_, err = create(t, cfg).Embed(t.Context(), words(1))
	var gone *embed.UnavailableError
	if !errors.As(err, &gone) || len(proxy.got()) != 1 {
		t.Errorf("without: %v", err)
	}
	cfg.Client = &http.Client{Transport: broken{}}
	_, err = create(t, cfg).Embed(t.Context(), words(1))
	if !errors.As(err, &gone) || !strings.Contains(err.Error(), "broken by the test") {
		t.Errorf("with a client: %v", err)
	}
}

type broken struct{}

func (broken) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("broken by\nthe test")
}
