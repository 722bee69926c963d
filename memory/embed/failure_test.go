package embed_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/embed"
)

func TestBusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	const date = "Mon, 02 Mar 2026 10:00:00 GMT"
	later := "Mon, 02 Mar 2026 10:00:07 GMT"
	for name, c := range map[string]struct {
		step step
		want time.Duration
	}{
		"seconds":          {says(429, `{"error":"slow down"}`, "Retry-After", "3"), 3 * time.Second},
		"at once":          {says(503, "", "Retry-After", "0"), 0},
		"date":             {says(503, "", "Retry-After", later, "Date", date), 7 * time.Second},
		"date, our clock":  {says(503, "", "Retry-After", later, "Date", "-"), 5 * time.Second},
		"date in the past": {says(503, "", "Retry-After", date, "Date", later), 0},
		"nothing":          {says(429, ""), 500 * time.Millisecond},
		"nonsense":         {says(502, "", "Retry-After", "-4"), 500 * time.Millisecond},
		"gateway":          {says(504, ""), 500 * time.Millisecond},
	} {
		s := serve(t, c.step)
		cfg := s.config("openai")
		cfg.Now = func() time.Time { return time.Date(2026, 3, 2, 10, 0, 2, 0, time.UTC) }
		texts := words(2)
		got, err := create(t, cfg).Embed(t.Context(), texts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		agree(t, texts, got)
		if w := s.waited(); !slices.Equal(w, []time.Duration{c.want}) {
			t.Errorf("%s: waited %v, expected %v", name, w, c.want)
		}
	}
}

func TestBackOffEnds(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.always = says(503, "loading model")
	cfg := s.config("ollama")
	got, err := create(t, cfg).Embed(t.Context(), words(2))
	var gone *embed.UnavailableError
	if !errors.As(err, &gone) || gone.Status != 503 || !strings.Contains(gone.Reason, "loading model") || got[0] != nil {
		t.Fatalf("error is %v", err)
	}
	ms := time.Millisecond
	if w := s.waited(); !slices.Equal(w, []time.Duration{500 * ms, 1000 * ms, 2000 * ms, 4000 * ms}) || len(s.got()) != 5 {
		t.Errorf("waited %v, asked %d times", w, len(s.got()))
	}

	// With chance the waits are shorter, by up to half.
	s = serve(t)
	s.always = says(503, "")
	cfg = s.config("ollama")
	cfg.Rand = bytes.NewReader([]byte{0, 0, 0, 0x80, 0, 0, 0, 0xff}) // then it is used up
	if _, err := create(t, cfg).Embed(t.Context(), words(1)); err == nil {
		t.Fatal("no error")
	}
	if w := s.waited(); w[0] != 375*ms || w[1] < 500*ms || w[1] > 505*ms || w[2] != 2000*ms {
		t.Errorf("waited %v", w)
	}
}

func TestNoWaitThatIsNotWorthIt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	soon, cancel := context.WithDeadline(t.Context(), now.Add(20*time.Second))
	defer cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		step step
		want string
	}{
		"an hour":     {t.Context(), says(429, "", "Retry-After", "3600"), "asks to wait 1h0m0s"},
		"our time":    {soon, says(429, "", "Retry-After", "30"), "no time to ask again"},
		"empty purse": {t.Context(), says(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), "HTTP 429: pay"},
		"its type":    {t.Context(), says(429, `{"error":{"message":"pay","type":"insufficient_quota","code":null}}`), "HTTP 429: pay"},
	} {
		s := serve(t, c.step)
		cfg := s.config("openai")
		cfg.Now = func() time.Time { return now }
		_, err := create(t, cfg).Embed(c.ctx, words(1))
		var gone *embed.UnavailableError
		if !errors.As(err, &gone) || gone.Status != 429 || !strings.Contains(err.Error(), c.want) || len(s.waited()) != 0 {
			t.Errorf("%s: waited %v, error is %v", name, s.waited(), err)
		}
	}
}

func TestRefusalsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, hint string
		step       step
		want       string
	}{
		"key":       {"openai", "GIT_CLAW_EMBEDDER_KEY", says(401, `{"error":{"message":"Incorrect API key provided: `+key+`."}}`), "HTTP 401: Incorrect API key provided: ***."},
		"forbidden": {"openai", "GIT_CLAW_EMBEDDER_KEY", says(403, "no"), "HTTP 403: no"},
		"model":     {"ollama", "ollama pull made-up", says(404, `{"error":"model \"made-up\" not found"}`), `HTTP 404: model "made-up" not found`},
		"path":      {"openai", "claw.embedderUrl", says(404, ""), "HTTP 404 Not Found"},
		"bad":       {"openai", "", says(400, `{"detail":"what?"}`), "HTTP 400: what?"},
		"message":   {"openai", "", says(418, `{"message":"tea"}`), "HTTP 418: tea"},
		"broken":    {"openai", "", says(500, "<html>\r\n<b>\x1b[31moops\u202e\x00</b>"), "HTTP 500: <html> <b>[31moops</b>"},
		"other 200": {"openai", "", says(202, "{}"), "HTTP 202 Accepted"},
		"strange":   {"openai", "", says(499, "{}"), "HTTP 499"},
	} {
		s := serve(t, c.step)
		_, err := create(t, s.config(c.kind)).Embed(t.Context(), words(3))
		var gone *embed.UnavailableError
		if !errors.As(err, &gone) || gone.Reason != c.want || len(s.got()) != 1 {
			t.Errorf("%s: asked %d times, error is %v", name, len(s.got()), err)
			continue
		}
		if hint := strings.Join(gone.Hints(), ""); !strings.Contains(hint, c.hint) || c.hint == "" && hint != "" {
			t.Errorf("%s: hint is '%s'", name, hint)
		}
		silent(t, err)
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	t.Parallel()
	// The key lies across the place of the cut, and in a body that is cut itself.
	for _, before := range []int{150, 185, 190, 197, 60 << 10} {
		s := serve(t, says(400, strings.Repeat("ä", before)+key+strings.Repeat("b", 80<<10)))
		_, err := create(t, s.config("openai")).Embed(t.Context(), words(1))
		var gone *embed.UnavailableError
		if !errors.As(err, &gone) || len([]rune(gone.Reason)) > 200+len("HTTP 400: ") {
			t.Fatalf("error is %v", err)
		}
		silent(t, err, key[:6])
	}
}

func TestTooLargeBatchesAreHalved(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]step{
		"413":    says(413, ""),
		"422":    says(422, `{"error":"batch size 64 > maximum allowed batch size 10"}`),
		"400":    says(400, `{"error":{"message":"Too many inputs"}}`),
		"ollama": says(400, `{"error":"the input length exceeds the context length"}`),
	} {
		s := serve(t)
		s.always = unless(func(input []string) bool { return len(input) > 10 }, refusal)
		e := create(t, s.config("ollama"))
		texts := words(100)
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		agree(t, texts, got)
		n := len(s.got())
		// It has learnt what the server takes.
		if _, err := e.Embed(t.Context(), words(16)); err != nil {
			t.Fatal(err)
		}
		if sizes := s.sizes()[n:]; !slices.Equal(sizes, []int{8, 8}) {
			t.Errorf("%s: later batches of %v", name, sizes)
		}
	}
}

func TestOneTextTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 100)
	for name, refusal := range map[string]step{
		"too long": says(400, `{"error":{"message":"maximum context length is 512 tokens"}}`),
		"nan":      says(500, `{"error":"failed to encode response: json: unsupported value: NaN"}`),
	} {
		s := serve(t)
		s.always = unless(func(input []string) bool { return slices.Contains(input, long) }, refusal)
		e := create(t, s.config("openai"))
		texts := words(64)
		texts[0], texts[41], texts[5] = long, long, ""
		got, err := e.Embed(t.Context(), texts)
		agree(t, texts, got, 0, 5, 41)
		var bad embed.TextErrors
		if !errors.As(err, &bad) || len(bad) != 3 || bad[0].Index != 0 || bad[1].Index != 5 || bad[2].Index != 41 || len(bad[2].Hints()) != 1 {
			t.Errorf("%s: error is %v", name, err)
		}
		var one *embed.TextError
		if !errors.As(err, &one) || !strings.Contains(err.Error(), "(and 2 more)") {
			t.Errorf("%s: error is %v", name, err)
		}
		n := len(s.got())
		if _, err := e.Embed(t.Context(), words(64)); err != nil || len(s.got()) != n+1 {
			t.Errorf("%s: a long text made all batches smaller: %v", name, s.sizes()[n:])
		}
	}
}

func TestServerThatRefusesAll(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.always = says(413, "")
	_, err := create(t, s.config("openai")).Embed(t.Context(), words(2000))
	var gone *embed.UnavailableError
	if !errors.As(err, &gone) || gone.Status != 413 || len(s.got()) > 40 {
		t.Errorf("asked %d times, error is %v", len(s.got()), err)
	}
}

func TestWhatCameIsKept(t *testing.T) {
	t.Parallel()
	s := serve(t, good, says(500, "boom"))
	texts := words(100)
	texts[3] = ""
	got, err := create(t, s.config("openai")).Embed(t.Context(), texts)
	var gone *embed.UnavailableError
	var bad embed.TextErrors
	if !errors.As(err, &gone) || !errors.As(err, &bad) {
		t.Fatalf("error is %v", err)
	}
	// The empty text is not sent: the first batch goes up to text 64.
	missing := []int{3}
	for i := 65; i < 100; i++ {
		missing = append(missing, i)
	}
	agree(t, texts, got, missing...)
}

func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, body, want string }{
		"html":            {"openai", "<html>hello</html>", "not JSON"},
		"nothing":         {"openai", "", "not JSON"},
		"half":            {"openai", `{"data":[{"index":0,`, "not JSON"},
		"nan":             {"ollama", `{"embeddings":[[1,NaN],[1,2]]}`, "NaN"},
		"too few":         {"ollama", `{"embeddings":[[1,2]]}`, "1 vectors for 2 texts"},
		"too many":        {"openai", `{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}`, "3 vectors for 2 texts"},
		"none":            {"openai", `{"embeddings":[[1],[2]]}`, "0 vectors for 2 texts"},
		"error":           {"openai", `{"error":{"message":"sorry ` + key + `"}}`, "sorry ***"},
		"index twice":     {"openai", `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "index 1"},
		"index beyond":    {"openai", `{"data":[{"index":2,"embedding":[1]},{"index":0,"embedding":[1]}]}`, "index 2"},
		"index below":     {"openai", `{"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]}`, "index -1"},
		"base64":          {"openai", `{"data":[{"embedding":"AACAPw=="},{"embedding":"AACAPw=="}]}`, "no list of numbers"},
		"null":            {"ollama", `{"embeddings":[null,[1]]}`, "no list of numbers"},
		"strings":         {"ollama", `{"embeddings":[["1"],[1]]}`, "no list of numbers"},
		"tokens":          {"ollama", `{"embeddings":[[[1,2],[3,4]],[1]]}`, "no list of numbers"},
		"a number":        {"ollama", `{"embeddings":7}`, "cannot unmarshal"},
		"dims differ":     {"ollama", `{"embeddings":[[1,2],[1,2,3]]}`, "3 components, expected 2"},
		"empty":           {"ollama", `{"embeddings":[[],[]]}`, "0 components"},
		"huge dim":        {"ollama", `{"embeddings":[[` + strings.Repeat("1,", 20000) + `1],[1]]}`, "20001 components"},
		"without vectors": {"openai", `{"data":[{"index":0},{"index":1}]}`, "0 components"},
	} {
		s := serve(t, says(200, c.body))
		e := create(t, s.config(c.kind))
		got, err := e.Embed(t.Context(), words(2))
		var wrong *embed.ResponseError
		if !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, c.want) || len(wrong.Hints()) != 1 || got[0] != nil || e.Dim() != 0 {
			t.Errorf("%s: %v, error is %v", name, got, err)
			continue
		}
		silent(t, err)
	}
}

func TestDimChanges(t *testing.T) {
	t.Parallel()
	s := serve(t, good, says(200, `{"embeddings":[[1,2]]}`))
	e := create(t, s.config("ollama"))
	if _, err := e.Embed(t.Context(), words(1)); err != nil {
		t.Fatal(err)
	}
	_, err := e.Embed(t.Context(), words(1))
	var wrong *embed.ResponseError
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, "2 components, expected 3") || e.Dim() != 3 {
		t.Errorf("dim %d, error is %v", e.Dim(), err)
	}
}

func TestOneVectorIsBad(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"[1,null]", "[1e39,1]", "[-1e400,1]", "[0,-0.0]"} {
		s := serve(t, says(200, `{"embeddings":[[1,2],`+bad+`,[3,4]]}`))
		got, err := create(t, s.config("ollama")).Embed(t.Context(), words(3))
		var one *embed.TextError
		if !errors.As(err, &one) || one.Index != 1 || len(one.Hints()) != 1 || got[0] == nil || got[1] != nil || got[2] == nil {
			t.Errorf("%s: %v, error is %v", bad, got, err)
		}
	}
}
