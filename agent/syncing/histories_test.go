package syncing_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/gitops"
)

// TestRandomHistories is T44: two branches of random edits merge to one tree in both
// directions, with every bullet and without a marker; where git merges cleanly the tree is
// git's. CLAW_TEST_BIG makes 200 of them.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	rounds := 20
	if os.Getenv("CLAW_TEST_BIG") != "" {
		rounds = 200
	}
	clean := 0
	for seed := range rounds {
		h := newHistory(t, uint64(seed))
		ws := h.Workspace()
		one, err := agent.MergeCommits(t.Context(), ws, h.ids[:1], h.ids[1], h.ids[2], "b")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		two, err := agent.MergeCommits(t.Context(), ws, h.ids[:1], h.ids[2], h.ids[1], "a")
		if err != nil || one.Tree != two.Tree {
			t.Errorf("seed %d: %s and %s, %v", seed, one.Tree, two.Tree, err)
		}
		text := h.Git("grep", "-h", "", one.Tree.String())
		for token := range h.written {
			if !strings.Contains(text, token) {
				t.Errorf("seed %d: %s is lost", seed, token)
			}
		}
		if strings.Contains(text, "<<<<<<<") {
			t.Errorf("seed %d: a marker", seed)
		}
		if out, err := h.TryGit("merge-tree", "--write-tree", "--no-messages", "a", "b"); err == nil {
			clean++
			if got := strings.TrimSpace(out); got != one.Tree.String() {
				t.Errorf("seed %d: git has another tree\n%s", seed, h.Git("diff", got, one.Tree.String()))
			}
		}
	}
	t.Logf("%d of %d clean for git", clean, rounds)
	if clean == 0 || clean == rounds {
		t.Error("the histories are all alike")
	}
}

type history struct {
	*agenttest.Lab
	ids     []gitops.ID // base, a, b
	written map[string]bool
	rnd     *rand.Rand
}

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{written: map[string]bool{}, rnd: rand.New(rand.NewPCG(seed, 11))}
	var files []string
	for i := range 6 {
		var b strings.Builder
		fmt.Fprintf(&b, "# Topic %d\n\n", i)
		for n := range 12 {
			fmt.Fprintf(&b, "- base%d-%02d of the topic\n", i, n)
			if n == 5 {
				b.WriteString("\n## More\n\n")
			}
		}
		files = append(files, fmt.Sprintf("memory/topic%d.md", i), b.String())
	}
	h.Lab = agenttest.New(t, "", files...)
	h.ids = append(h.ids, h.id("HEAD"))
	for _, side := range []string{"a", "b"} {
		h.Git("switch", "-q", "-c", side, "main")
		for n := range 1 + h.rnd.IntN(4) {
			h.edit(side, n)
		}
		h.Commit(side)
		h.ids = append(h.ids, h.id("HEAD"))
	}
	return h
}

func (h *history) id(rev string) gitops.ID {
	id, err := gitops.ParseID(h.Git("rev-parse", rev))
	if err != nil {
		h.T.Fatal(err)
	}
	return id
}

func (h *history) edit(side string, n int) {
	name := fmt.Sprintf("memory/topic%d.md", h.rnd.IntN(6))
	lines := strings.Split(h.ReadFile(name), "\n")
	i := 2 + h.rnd.IntN(len(lines)-3)
	token := fmt.Sprintf("%s%d", side, n)
	switch h.rnd.IntN(4) {
	case 0:
		if strings.HasPrefix(lines[i], "- base") {
			lines[i] += " " + token + "x"
			h.written[token+"x"] = true
			break
		}
		fallthrough
	case 1, 2:
		lines = slices.Insert(lines, i, "- "+token+"x was added here")
		h.written[token+"x"] = true
	default:
		if strings.HasPrefix(lines[i], "- base") && !strings.Contains(lines[i], "x") {
			lines = slices.Delete(lines, i, i+1)
		}
	}
	h.Write(name, strings.Join(lines, "\n"))
}
