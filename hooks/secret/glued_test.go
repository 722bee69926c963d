package secret

import "testing"

// TestGlued: something invisible between a word and a key does not make them one
// word, nor does it hide a key that it stands in.
func TestGlued(t *testing.T) {
	t.Parallel()
	key := "ghp_" + "q7Zr2MvX9tLb4KpW8sJd1HnG5cFy3TaE6uRo"
	for _, text := range []string{
		"token\x1b[1m" + key + "\x1b[0m", "pw\u200b" + key, "x\x00" + key, "a\u00ad" + key + "\u200bb",
		"- " + key[:10] + "\u200b" + key[10:],
	} {
		if got := New().Scan([]byte("first\n" + text + "\n")); len(got) != 1 || got[0].Line != 2 {
			t.Errorf("Scan(%q) = %v", text, got)
		}
	}
}
