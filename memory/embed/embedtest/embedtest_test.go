package embedtest_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/embed"
	"github.com/git-claw/git-claw/memory/embed/embedtest"
)

var _ embed.Embedder = (*embedtest.Bag)(nil)

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestBag(t *testing.T) {
	t.Parallel()
	b := embedtest.New(256, []string{"car", "automobile", "Auto"})
	v, err := b.Embed(t.Context(), []string{"The car is red.", "the AUTOMOBILE is red", "a green boat sails", "", "red is the auto"})
	if err != nil || b.Texts() != 5 {
		t.Fatalf("%d texts, %v", b.Texts(), err)
	}
	for i, want := range []float64{1, 1, 0, 0, 1} {
		if got := cosine(v[0], v[i]); math.Abs(got-want) > 0.2 || math.Abs(cosine(v[i], v[i])-1) > 1e-5 {
			t.Errorf("text %d: cosine %v, expected %v", i, got, want)
		}
	}
	again, err := embedtest.New(256).Embed(t.Context(), []string{"a green boat sails"})
	if err != nil || !slices.Equal(again[0], v[2]) {
		t.Errorf("another embedder gives another vector: %v", err)
	}
}

func TestHandlerSpeaksBoth(t *testing.T) {
	t.Parallel()
	b := embedtest.New(64)
	s := httptest.NewServer(b.Handler())
	t.Cleanup(s.Close)
	texts := []string{"one", "two", "three"}
	want, err := b.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for kind, base := range map[string]string{"openai": s.URL + "/v1", "ollama": s.URL} {
		e, err := embed.New(embed.Config{Kind: kind, BaseURL: base, Model: "bag"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Embed(t.Context(), texts)
		if err != nil || e.Dim() != 64 {
			t.Fatalf("%s: dim %d, %v", kind, e.Dim(), err)
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%s: vector %d differs", kind, i)
			}
		}
	}
}

// TestOnlyTestsImportIt: no file of the product does.
func TestOnlyTestsImportIt(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if strings.HasSuffix(i.Path.Value, `/embedtest"`) {
				t.Errorf("'%s' imports it", path)
			}
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Errorf("%d files, %v", files, err)
	}
}
