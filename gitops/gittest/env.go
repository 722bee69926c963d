package gittest

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Name and Email are who commits in test repositories.
const (
	Name  = "Test Agent"
	Email = "agent@example.com"
)

// Environ is the isolated environment below home, which holds a .gitconfig with
// an identity. Nothing of the caller's git configuration or GIT_* variables is
// in it. With newGit that git comes first in PATH.
func Environ(home, newGit string) []string {
	var out []string
	path := ""
	for _, kv := range os.Environ() { //nolint:forbidigo // the tests' own process
		k, v, _ := strings.Cut(kv, "=")
		switch up := strings.ToUpper(k); {
		case up == "PATH":
			path = v
		case strings.HasPrefix(up, "GIT_"), strings.HasPrefix(up, "XDG_"), strings.HasPrefix(up, "LC_"),
			slices.Contains([]string{"HOME", "LANG", "LANGUAGE", "TZ", "EDITOR", "VISUAL", "PAGER", "EMAIL", "NO_COLOR"}, up):
		default:
			out = append(out, kv)
		}
	}
	if newGit != "" {
		path = filepath.Dir(newGit) + string(os.PathListSeparator) + path
	}
	return append(out,
		"PATH="+path, "HOME="+home, "USERPROFILE="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
	)
}

// Home makes a home directory with a .gitconfig in it.
func Home(t testing.TB, dir string) string {
	t.Helper()
	home := filepath.Join(dir, "home")
	config := "[user]\n\tname = " + Name + "\n\temail = " + Email + "\n" +
		"[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n" +
		"[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n"
	must(t, os.MkdirAll(home, 0o777))
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o666))
	return home
}

// NewGit is the path of a git newer than the system's, for reftable and for what
// later releases say differently; CLAW_TEST_NEWGIT names it. Without it the test
// is skipped, but not in CI.
func NewGit(t testing.TB) string {
	t.Helper()
	git := os.Getenv("CLAW_TEST_NEWGIT") //nolint:forbidigo // the tests' own process
	if git == "" {
		t.Skip("CLAW_TEST_NEWGIT names no newer git; run: export CLAW_TEST_NEWGIT=$(sh testdata/tools/newgit.sh)")
	}
	return git
}

// Clock is an injected clock: it stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock starts at noon of 1 March 2026, UTC.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// Now is the time it shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves it.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Rand is repeatable randomness, another for each seed.
func Rand(seed string) *rand.ChaCha8 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed))
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], h.Sum64())
	return rand.NewChaCha8(key)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
