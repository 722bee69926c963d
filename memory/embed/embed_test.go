package embed_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/embed"
)

func TestBothProtocols(t *testing.T) {
	t.Parallel()
	for kind, path := range map[string]string{"openai": "/v1/embeddings", "ollama": "/api/embed"} {
		s := serve(t)
		e := create(t, s.config(kind))
		if e.Dim() != 0 || !strings.HasPrefix(e.ID(), kind+"/made-up/") {
			t.Errorf("%s: id '%s', dim %d", kind, e.ID(), e.Dim())
		}
		if got, err := e.Embed(t.Context(), nil); err != nil || len(got) != 0 || len(s.got()) != 0 {
			t.Errorf("%s: no texts give %v, %v", kind, got, err)
		}
		texts := words(3)
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, texts, got)
		c := s.got()[0]
		if c.path != path || c.model != "made-up" || !slices.Equal(c.input, texts) {
			t.Errorf("%s: sent %+v", kind, c)
		}
		if c.header.Get("Authorization") != "Bearer "+key || c.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers %v", kind, c.header)
		}
		if e.Dim() != 3 {
			t.Errorf("%s: dim %d", kind, e.Dim())
		}
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	s := serve(t)
	texts := words(150)
	got, err := create(t, s.config("openai")).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, texts, got)
	if sizes := s.sizes(); !slices.Equal(sizes, []int{64, 64, 22}) {
		t.Errorf("batches of %v", sizes)
	}

	s = serve(t)
	cfg := s.config("ollama")
	cfg.Batch = 4
	if _, err := create(t, cfg).Embed(t.Context(), words(10)); err != nil {
		t.Fatal(err)
	}
	if sizes := s.sizes(); !slices.Equal(sizes, []int{4, 4, 2}) {
		t.Errorf("batches of %v", sizes)
	}

	// 33 texts of 8 KiB are more than 256 KiB.
	s = serve(t)
	long := make([]string, 33)
	for i := range long {
		long[i] = strings.Repeat("x", embed.MaxText)
	}
	if _, err := create(t, s.config("ollama")).Embed(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	if sizes := s.sizes(); !slices.Equal(sizes, []int{32, 1}) {
		t.Errorf("batches of %v", sizes)
	}
}

func TestTextsAreMadeFit(t *testing.T) {
	t.Parallel()
	s := serve(t)
	texts := []string{"a\x00b\xffc", strings.Repeat("é", embed.MaxText), " \n", strings.Repeat("x", embed.MaxText)}
	got, err := create(t, s.config("openai")).Embed(t.Context(), texts)
	var bad *embed.TextError
	if !errors.As(err, &bad) || bad.Index != 2 || got[0] == nil || got[1] == nil || got[2] != nil || got[3] == nil {
		t.Fatalf("error is %v", err)
	}
	sent := s.got()[0].input
	if sent[0] != "a\uFFFDb\uFFFDc" || len(sent[1]) != embed.MaxText || !utf8.ValidString(sent[1]) || sent[2] != texts[3] {
		t.Errorf("sent %q of %d bytes", sent[0], len(sent[1]))
	}
	odd := "x" + strings.Repeat("é", embed.MaxText)
	if _, err := create(t, s.config("openai")).Embed(t.Context(), []string{odd}); err != nil {
		t.Fatal(err)
	}
	if cut := s.got()[1].input[0]; len(cut) != embed.MaxText-1 || !strings.HasPrefix(odd, cut) {
		t.Errorf("cut to %d bytes", len(cut))
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	id := func(cfg embed.Config) string { return create(t, cfg).ID() }
	base := embed.Config{Kind: "openai", Model: "m", BaseURL: "https://example.org/v1"}
	for name, change := range map[string]func(*embed.Config){
		"key":      func(c *embed.Config) { c.Key = key },
		"user":     func(c *embed.Config) { c.BaseURL = "https://someone:secret@example.org/v1" },
		"query":    func(c *embed.Config) { c.BaseURL = "https://example.org/v1?api-key=0123456789" },
		"slash":    func(c *embed.Config) { c.BaseURL = "https://example.org/v1/" },
		"endpoint": func(c *embed.Config) { c.BaseURL = "https://example.org/v1/embeddings" },
		"batch":    func(c *embed.Config) { c.Batch = 7 },
	} {
		c := base
		if change(&c); id(c) != id(base) {
			t.Errorf("%s changes the id: '%s', '%s'", name, id(base), id(c))
		}
	}
	for name, change := range map[string]func(*embed.Config){
		"model": func(c *embed.Config) { c.Model = "n" },
		"kind":  func(c *embed.Config) { c.Kind = "ollama" },
		"host":  func(c *embed.Config) { c.BaseURL = "https://other.example.org/v1" },
	} {
		c := base
		if change(&c); id(c) == id(base) {
			t.Errorf("%s does not change the id '%s'", name, id(base))
		}
	}
}

func TestNone(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "none"} {
		e := create(t, embed.Config{Kind: kind, BaseURL: "::", Key: "bad\nkey"})
		got, err := e.Embed(t.Context(), words(2))
		var gone *embed.UnavailableError
		if e.ID() != "" || e.Dim() != 0 || len(got) != 2 || got[0] != nil || !errors.As(err, &gone) || len(gone.Hints()) != 1 {
			t.Errorf("'%s': id '%s', %v, %v", kind, e.ID(), got, err)
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	secret := "hush-hush"
	for name, c := range map[string]struct {
		cfg  embed.Config
		want string
	}{
		"kind":            {embed.Config{Kind: "gpt\x1b[31m", Model: "m"}, "claw.embedder"},
		"no model":        {embed.Config{Kind: "ollama"}, "claw.embedderModel"},
		"model":           {embed.Config{Kind: "ollama", Model: "a\nb"}, "claw.embedderModel"},
		"long model":      {embed.Config{Kind: "ollama", Model: strings.Repeat("m", 300)}, "claw.embedderModel"},
		"scheme":          {embed.Config{Kind: "openai", Model: "m", BaseURL: "file:///etc/passwd"}, "claw.embedderUrl"},
		"no scheme":       {embed.Config{Kind: "openai", Model: "m", BaseURL: "example.org"}, "claw.embedderUrl"},
		"no host":         {embed.Config{Kind: "openai", Model: "m", BaseURL: "https:///v1"}, "claw.embedderUrl"},
		"unparseable":     {embed.Config{Kind: "openai", Model: "m", BaseURL: "https://u:" + secret + "@ex ample.org:x"}, "claw.embedderUrl"},
		"key":             {embed.Config{Kind: "openai", Model: "m", Key: secret + "\nX: y"}, "claw.embedderKey"},
		"plain with key":  {embed.Config{Kind: "openai", Model: "m", Key: key, BaseURL: "http://example.org/v1"}, "claw.embedderUrl"},
		"plain with user": {embed.Config{Kind: "openai", Model: "m", BaseURL: "http://u:" + secret + "@example.org/v1"}, "claw.embedderUrl"},
	} {
		_, err := embed.New(c.cfg)
		var bad *embed.ConfigError
		if !errors.As(err, &bad) || bad.Name != c.want || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: error is %v", name, err)
		}
		silent(t, err, secret)
	}
	for name, cfg := range map[string]embed.Config{
		"plain without key": {Kind: "ollama", Model: "m", BaseURL: "http://example.org"},
		"plain allowed":     {Kind: "ollama", Model: "m", BaseURL: "http://example.org", Key: key, AllowPlainHTTP: true},
		"loopback":          {Kind: "ollama", Model: "m", BaseURL: "http://[::1]:11434", Key: key},
		"localhost":         {Kind: "openai", Model: "m", BaseURL: "http://LOCALHOST:1/v1", Key: key},
		"defaults":          {Kind: "openai", Model: "m", Key: key},
	} {
		if _, err := embed.New(cfg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUserOfTheURL(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cfg := s.config("ollama")
	cfg.Key = ""
	cfg.BaseURL = strings.Replace(s.URL, "//", "//someone:hush-hush@", 1) + "?version=2"
	if _, err := create(t, cfg).Embed(t.Context(), words(1)); err != nil {
		t.Fatal(err)
	}
	req := http.Request{Header: s.got()[0].header}
	if user, password, ok := req.BasicAuth(); !ok || user != "someone" || password != "hush-hush" {
		t.Errorf("headers %v", req.Header)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := serve(t)
	e := create(t, s.config("openai"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := e.Embed(t.Context(), words(70))
			if err != nil || len(got) != 70 || e.Dim() != 3 {
				t.Errorf("%d vectors, %v", len(got), err)
			}
		})
	}
	wg.Wait()
}

func TestNumbersAreReadInFull(t *testing.T) {
	t.Parallel()
	s := serve(t, says(200, `{"embeddings": [[ 1e-3 , -0.25,1E2, 3.4028234e38 ,1e-60]]}`))
	got, err := create(t, s.config("ollama")).Embed(context.Background(), []string{"a"})
	if want := []float32{1e-3, -0.25, 100, math.MaxFloat32, 0}; err != nil || !slices.Equal(got[0], want) {
		t.Errorf("vector is %v, expected %v: %v", got, want, err)
	}
}
