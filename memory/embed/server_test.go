package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/embed"
)

const key = "sk-made-up-0123456789"

// call is one request that a server got.
type call struct {
	path   string
	header http.Header
	model  string
	input  []string
}

// step answers one request.
type step func(w http.ResponseWriter, r *http.Request, in call)

// server answers by a script, and as it should when the script is over.
type server struct {
	*httptest.Server

	mu     sync.Mutex
	calls  []call
	steps  []step
	always step
	waits  []time.Duration
}

func serve(t *testing.T, steps ...step) *server {
	t.Helper()
	s := &server{steps: steps, always: good}
	s.Server = httptest.NewServer(http.HandlerFunc(s.handle))
	t.Cleanup(s.Close)
	return s
}

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	err := json.NewDecoder(r.Body).Decode(&in)
	c := call{path: r.URL.Path, header: r.Header, model: in.Model, input: in.Input}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	next := s.always
	if len(s.steps) > 0 {
		next, s.steps = s.steps[0], s.steps[1:]
	}
	s.mu.Unlock()
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	next(w, r, c)
}

func (s *server) got() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// sizes are the numbers of texts of the requests.
func (s *server) sizes() (out []int) {
	for _, c := range s.got() {
		out = append(out, len(c.input))
	}
	return out
}

func (s *server) waited() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.waits)
}

// config speaks to s without ever sleeping.
func (s *server) config(kind string) embed.Config {
	cfg := embed.Config{Kind: kind, BaseURL: s.URL, Model: "made-up", Key: key, Timeout: 5 * time.Second}
	if kind == "openai" {
		cfg.BaseURL += "/v1"
	}
	cfg.Sleep = func(ctx context.Context, d time.Duration) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = append(s.waits, d)
		return ctx.Err()
	}
	return cfg
}

func create(t *testing.T, cfg embed.Config) embed.Embedder {
	t.Helper()
	e, err := embed.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// vectorOf is what the good server gives: different for different texts.
func vectorOf(text string) []float32 {
	v := []float32{1, float32(len(text)), 0}
	for _, b := range []byte(text) {
		v[2] += float32(b)
	}
	return v
}

func good(w http.ResponseWriter, _ *http.Request, in call) {
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []item
	var list [][]float32
	for i, text := range in.input {
		data = append(data, item{i, vectorOf(text)})
		list = append(list, vectorOf(text))
	}
	slices.Reverse(data)
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "embeddings": list})
}

// says answers with a fixed status and body; headers alternate name and value.
func says(status int, body string, headers ...string) step {
	return func(w http.ResponseWriter, _ *http.Request, _ call) {
		for i := 0; i < len(headers); i += 2 {
			w.Header()[headers[i]] = []string{headers[i+1]}
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

// unless refuses what is true for a batch, and is good otherwise.
func unless(refuse func(input []string) bool, refusal step) step {
	return func(w http.ResponseWriter, r *http.Request, in call) {
		if refuse(in.input) {
			refusal(w, r, in)
			return
		}
		good(w, r, in)
	}
}

// words makes n different texts.
func words(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("text %d %s", i, strings.Repeat("x", i%7))
	}
	return out
}

// agree checks that each text has its own vector, and those at missing none.
func agree(t *testing.T, texts []string, got [][]float32, missing ...int) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(got), len(texts))
	}
	for i, text := range texts {
		want := vectorOf(text)
		if slices.Contains(missing, i) {
			want = nil
		}
		if !slices.Equal(got[i], want) {
			t.Errorf("vector %d is %v, expected %v", i, got[i], want)
		}
	}
}

// silent checks that an error tells something, and no secret.
func silent(t *testing.T, err error, secrets ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	text := fmt.Sprintf("%v %+v", err, err)
	var h interface{ Hints() []string }
	if errors.As(err, &h) {
		text += strings.Join(h.Hints(), " ")
	}
	for _, s := range append(secrets, key) {
		if strings.Contains(text, s) {
			t.Errorf("the error tells '%s': %s", s, text)
		}
	}
}
