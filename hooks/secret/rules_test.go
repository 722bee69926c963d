package secret

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const (
	base62 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	url64  = base62 + "_-"
	hexes  = "0123456789abcdef"
	caps32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	bech32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
)

// maker draws values of the right shape. They are made when the test runs, so
// that no scanner of secrets stops at this file.
type maker struct{ r *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 7))} }

func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.r.IntN(len(alphabet))]
	}
	return string(b)
}

// TestShapes makes each kind many times and sets it into the surroundings in
// which notes hold it.
func TestShapes(t *testing.T) {
	t.Parallel()
	s := New()
	around := []string{
		"%s", "key: %s", "- `%s`", "\"%s\"", "密钥：%s。", "令牌%s在此", "KEY=%s\r", "{\"out\":\"done\\n%s\\n\"}", "\x1b[31m%s\x1b[0m", "\xff%s\xfe",
		"\u200b%s\u2060", "_%s_", "a=1&key%%3D%s", "**%s**", "\xef\xbb\xbf%s",
	}
	for i, sh := range shapes() {
		for seed := range uint64(40) {
			value := sh.make(newMaker(seed*1000 + uint64(i)))
			format := around[int(seed)%len(around)]
			if sh.kind == "azure-devops-token" && strings.HasPrefix(format, "_") {
				format = "%s"
			}
			text := "# note\n\n" + fmt.Sprintf(format, value) + "\n- after\n"
			got := s.Scan([]byte(text))
			if !slices.Contains(got, Finding{3, 3, sh.kind}) {
				t.Errorf("%s, seed %d: not found in %q: %v", sh.kind, seed, text, got)
			}
			for _, f := range got {
				if f.Line != 3 || f.EndLine != 3 {
					t.Errorf("%s, seed %d: finding off its line: %v", sh.kind, seed, f)
				}
			}
		}
		for _, text := range sh.never {
			if got := s.Scan([]byte(text)); len(got) != 0 {
				t.Errorf("%s: %q is a finding: %v", sh.kind, text, got)
			}
		}
	}
}

// TestTable holds what the engine relies on: every kind has a shape above,
// bodies are well formed, words are long enough to be found.
func TestTable(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, sh := range shapes() {
		tested[sh.kind] = true
	}
	for _, r := range rules() {
		if r.id != "" && !tested[r.id] {
			t.Errorf("rule '%s' has no shape in the test", r.id)
		}
		for _, w := range strings.Split(r.words, "|") {
			if len(w) < 3 {
				t.Errorf("rule '%s': word %q", r.id, w)
			}
		}
	}
}

// TestPlaceholdersAreNeverDrawn keeps the tests for placeholders from hiding a
// real key: of random values of the usual sizes none is judged to be one.
func TestPlaceholdersAreNeverDrawn(t *testing.T) {
	t.Parallel()
	m := newMaker(1)
	for _, alphabet := range []string{base62, url64, hexes, caps32} {
		for range 10_000 {
			n := 16 + m.r.IntN(60)
			switch alphabet {
			case hexes:
				n = 32 + m.r.IntN(33)
			case caps32:
				n = 16 // no shape in capitals is longer
			}
			if v := m.of(alphabet, n); placeholder([]byte(v)) {
				t.Errorf("%q is judged a placeholder", v)
			}
		}
	}
}
