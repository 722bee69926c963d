package sandbox

import (
	"errors"
	"strings"
	"testing"
)

func TestTerminal(t *testing.T) {
	t.Parallel()
	box, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	res, err := box.Terminal(t.Context(), t.TempDir(), []Key{{"name? ", "Li\n"}}, "sh", "-c", "test -t 0 && printf 'name? ' && read n && echo hello $n; exit 3")
	if errors.Is(err, ErrNoTerminal) {
		t.Skip(err)
	}
	if err != nil || res.Code != 3 || !strings.Contains(res.Both, "hello Li\n") {
		t.Errorf("%q, exit %d, %v", res.Both, res.Code, err)
	}
	if _, err := box.Terminal(t.Context(), t.TempDir(), []Key{{"never", "x"}}, "true"); err == nil {
		t.Error("a text that never came is no error")
	}
}
