package agent

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/index"
)

// meaning is a server that speaks OpenAI's API: texts about birds point one way,
// all others another.
type meaning struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
	down bool
}

func newMeaning(t *testing.T) *meaning {
	m := &meaning{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.down {
			http.Error(w, "gone", http.StatusGone)
			return
		}
		m.seen = append(m.seen, in.Input...)
		type item struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var data []item
		for i, s := range in.Input {
			v := []float64{0.1, 1}
			if strings.Contains(s, "heron") || strings.Contains(s, "feathers") {
				v = []float64{1, 0.1}
			}
			data = append(data, item{i, v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(m.Close)
	return m
}

// TestSearchByMeaning: with an embedder a note is found that shares no word with
// the query, held-back text never leaves the machine, nothing is embedded twice, and
// a search goes on by words when the server does not answer.
func TestSearchByMeaning(t *testing.T) {
	t.Parallel()
	m := newMeaning(t)
	l := newLab(t, "", "memory/a.md", "- the heron stood in the pond\n", "memory/b.md", "- invoices are due\n",
		"memory/c.md", "- heron, key "+fakeKey()+"\n", "MEMORY.md", "- heron of the house\n")
	l.git("config", "claw.embedder", "openai")
	l.git("config", "claw.embedderUrl", m.URL)
	l.git("config", "claw.embedderModel", "test")
	opt := index.Options{Clock: time.Now}
	did, err := IndexUpdate(context.Background(), l.ws(), opt)
	if err != nil || did.Indexed != 4 || did.Embedded != 3 {
		t.Fatalf("update: %+v, %v; want 4 notes, 3 vectors", did, err)
	}
	if again, err := IndexUpdate(context.Background(), l.ws(), opt); err != nil || again.Embedded != 0 {
		t.Errorf("a second update embeds %+v, %v", again, err)
	}
	if got := first(l.search(SearchOptions{Query: "animals with feathers", Kind: "group"})); got != "memory/a.md" {
		t.Errorf("by meaning %s comes first", got)
	}
	for _, r := range l.search(SearchOptions{Query: "animals with feathers", Kind: "group", Limit: 20, Tier: "all"}) {
		if r.Path == "MEMORY.md" {
			t.Error("a group session finds MEMORY.md by meaning")
		}
	}
	m.mu.Lock()
	for _, s := range m.seen {
		if strings.Contains(s, fakeKey()) {
			t.Error("a secret was sent")
		}
	}
	m.down = true
	m.mu.Unlock()
	warned := false
	results := l.search(SearchOptions{Query: "invoices", Warn: func(string, ...any) { warned = true }})
	if first(results) != "memory/b.md" || !warned {
		t.Errorf("without the server: %s first, warned %v", first(results), warned)
	}
}

// TestEmbedKeyBlock: no part of a key block is sent, and two workspaces of a
// repository do not take each other's vectors for gone.
func TestEmbedKeyBlock(t *testing.T) {
	t.Parallel()
	m := newMeaning(t)
	l := newLab(t, "one")
	block, body := keyBlock()
	l.write("memory/a.md", "- a heron\n\n"+block)
	l.sub = "two"
	l.write(".claw/config", "[claw]\n\thost = openclaw\n")
	l.write("memory/b.md", "- an invoice\n")
	l.gitCommit("two")
	for name, value := range map[string]string{"embedder": "openai", "embedderUrl": m.URL, "embedderModel": "test"} {
		l.git("config", "claw."+name, value)
	}
	for round := range 2 {
		sent := 0
		for _, sub := range []string{"one", "two"} {
			l.sub = sub
			did, err := IndexUpdate(context.Background(), l.ws(), index.Options{Clock: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			sent += did.Embedded
		}
		if round == 1 && sent != 0 {
			t.Errorf("%d chunks are embedded again", sent)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) == 0 {
		t.Error("nothing was sent: the test shows nothing")
	}
	for _, s := range m.seen {
		if strings.Contains(s, body) {
			t.Error("a part of a key block was sent")
		}
	}
}
