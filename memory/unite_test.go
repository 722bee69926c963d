package memory

import "testing"

func TestUnite(t *testing.T) {
	t.Parallel()
	w := &Workspace{Prefix: "ws/", siRoot: "self-improving/"}
	for _, c := range []struct {
		path, base, theirs, work, want string
		ok                             bool
	}{
		{"ws/memory/a.md", "# A\n\n- a\n", "# A\n\n- a\n- came in\n", "# A\n\n- a\n- typed\n", "# A\n\n- a\n- came in\n- typed\n", true},
		{"ws/memory/a.md", "# A\n\n- a\n", "# A\n\n- a\n- came in\n", "# A\n\n- a\n- came in\n- typed\n", "# A\n\n- a\n- came in\n- typed\n", true},
		{"ws/memory/s.json", `{"a":1}`, `{"a":1,"b":2}`, `{"a":3}`, `{"a":3,"b":2}`, true},
		{"ws/skills/x/SKILL.md", "1. a\n", "1. a\n2. b\n", "0. z\n1. a\n", "0. z\n1. a\n2. b\n", true},
		{"ws/skills/x/run.sh", "a\n", "b\n", "c\n", "", false},
		{"memory/a.md", "a\n", "b\n", "c\n", "", false},
	} {
		got, ok := w.unite(c.path, []byte(c.base), []byte(c.theirs), []byte(c.work))
		if ok != c.ok || ok && string(got) != c.want {
			t.Errorf("%s: %v\n%s", c.path, ok, got)
		}
	}
}
