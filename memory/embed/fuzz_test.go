package embed_test

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/git-claw/git-claw/memory/embed"
)

// answer is a transport that gives one answer, without a network.
type answer struct {
	status int
	body   []byte
}

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.WriteHeader(a.status)
	_, err := w.Write(a.body)
	return w.Result(), err
}

// FuzzAnswer: whatever a server says gives good vectors or an error.
func FuzzAnswer(f *testing.F) {
	f.Add(true, true, []byte(`{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":[1e9,-2]}]}`))
	f.Add(false, true, []byte(`{"embeddings":[[1,null],[3, 4 ]]}`))
	f.Add(false, false, []byte(`{"error":{"message":"too large","code":7}}`))
	f.Fuzz(func(t *testing.T, openAI, ok bool, body []byte) {
		a := answer{http.StatusOK, body}
		cfg := embed.Config{Kind: "ollama", Model: "m"}
		if openAI {
			cfg.Kind = "openai"
		}
		if !ok {
			a.status = http.StatusBadRequest
		}
		cfg.Client = &http.Client{Transport: a}
		e := create(t, cfg)
		got, err := e.Embed(t.Context(), []string{"a", "b"})
		missing := 0
		for _, v := range got {
			if v == nil {
				missing++
				continue
			}
			for _, x := range v {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					t.Errorf("component %v", x)
				}
			}
			if len(v) != e.Dim() {
				t.Errorf("%d components, expected %d", len(v), e.Dim())
			}
		}
		var gone *embed.UnavailableError
		var wrong *embed.ResponseError
		var bad embed.TextErrors
		if typed := errors.As(err, &gone) || errors.As(err, &wrong) || errors.As(err, &bad); (missing > 0) != typed || len(got) != 2 {
			t.Errorf("%d missing, error is %v", missing, err)
		}
	})
}
