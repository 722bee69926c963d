package agent

import (
	"fmt"
	"strings"
	"testing"
)

// TestSecretsAreNotShown: neither a line that is held back nor one of an old
// commit comes out of diff, show or why.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	old, held := "sk_"+"live_"+"edfc089719c0a061bec08afa", "AKIA"+"QWERTYUIOPASDF12"
	l := newLab(t, "", "memory/keys.md", "# Keys\n\n- pay: "+old+"\n", "memory/keys.txt", old+"\n")
	l.write("memory/keys.md", "# Keys\n\n- pay: "+old+"\n- cloud: "+held+"\n")
	l.write("memory/keys.txt", old+"\n"+held+"\n")
	ctx, ws := t.Context(), l.ws()
	var out strings.Builder
	d, err := Diff(ctx, ws, DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for f, err := range d.Files {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%+v", f)
	}
	if s := out.String(); !strings.Contains(s, "<secret: aws-access-key-id>") {
		t.Errorf("the diff does not say what was held back: %s", s)
	}
	shown, err := Show(ctx, ws, "HEAD", "")
	if err != nil {
		t.Fatal(err)
	}
	for f, err := range shown.Files {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%+v", f)
	}
	for line := 3; line <= 4; line++ {
		r, err := Why(ctx, ws, "memory/keys.md", line, "")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Text, "<secret: ") {
			t.Errorf("line %d: %q", line, r.Text)
		}
		fmt.Fprintf(&out, "%+v", r)
	}
	for _, key := range []string{old, held} {
		if strings.Contains(out.String(), key) {
			t.Errorf("a value was shown: %s", out.String())
		}
	}
}
