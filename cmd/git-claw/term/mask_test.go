package term

import "testing"

func TestEscapeMasks(t *testing.T) {
	t.Parallel()
	key := "gh" + "p_R8s2Kd0xQm7Vt4Yb9Lw3Zc6Nf1Hj5Pq8Ga2E"
	for in, want := range map[string]string{
		"memory/" + key + ".md: renamed":                        "memory/<secret: github-token>: renamed",
		"a " + key + " b " + key:                                "a <secret: github-token> b <secret: github-token>",
		"memory/2026-02-28-deployment-of-the-web-server.md":     "memory/2026-02-28-deployment-of-the-web-server.md",
		"saved 0123456789abcdef0123456789abcdef01234567  claw(": "saved 0123456789abcdef0123456789abcdef01234567  claw(",
		"short": "short",
	} {
		got := Escape(in)
		if got != want || Escape(got) != got {
			t.Errorf("Escape(%q) = %q", in, got)
		}
	}
}
