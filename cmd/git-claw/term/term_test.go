package term

import (
	"bytes"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"": 0, "abc": 3, "记忆": 4, "ｆｕｌｌ": 8, "cafe\u0301": 4, "Заметки": 7, "한글": 4, "é": 1,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		cols int
		want string
	}{
		{"short", 10, "short"},
		{"exactly ten", 11, "exactly ten"},
		{"one too long", 11, "one too lo…"},
		{"记忆记忆记忆", 12, "记忆记忆记忆"},
		{"记忆记忆记忆", 11, "记忆记忆记…"},
		{"记忆记忆记忆", 10, "记忆记忆…"},
		{"ab", 1, "…"},
		{"ab", 0, ""},
		{"ab", -3, ""},
		{"\U0001F468\u200d\U0001F469\u200d\U0001F467", 4, "\U0001F468…"},
	}
	for _, tt := range tests {
		if got := Truncate(tt.in, tt.cols); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.cols, got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"one two three four", []string{"one two", "three four"}},
		{"  spaces   go  ", []string{"spaces go"}},
		{"a /very/long/path/name b", []string{"a", "/very/long/path/name", "b"}},
		{"记忆记忆记忆记忆", []string{"记忆记忆记", "忆记忆"}},
	}
	for _, tt := range tests {
		if got := Wrap(tt.in, 10, nil); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Wrap(%q, 10, nil) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	if got := (Style{}).Red("x"); got != "x" {
		t.Errorf("without colours Red gives %q", got)
	}
	if got := (Style{On: true}).Red("x"); got != "\x1b[31mx\x1b[m" {
		t.Errorf("with colours Red gives %q", got)
	}
	if got := (Style{On: true}).Red(""); got != "" {
		t.Errorf("Red of nothing is %q", got)
	}
}

// TestColorBoolAsGit asks git the same questions.
func TestColorBoolAsGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"always", "never", "auto", "true", "false", "yes", "no", "on", "off", "1", "0", "Always", "bogus"} {
		for _, terminal := range []bool{false, true} {
			tty := map[bool]string{false: "false", true: "true"}[terminal]
			cmd := exec.Command(git, "-c", "color.claw="+value, "config", "--get-colorbool", "color.claw", tty)
			cmd.Dir = t.TempDir()
			cmd.Env = []string{"HOME=" + cmd.Dir, "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm"}
			out, err := cmd.Output()
			on, ok := ColorBool(value, terminal)
			if ok != (err == nil) {
				t.Errorf("ColorBool(%q, %t): ok = %t, git says %v", value, terminal, ok, err)
				continue
			}
			if want := strings.TrimSpace(string(out)) == "true"; on != want {
				t.Errorf("ColorBool(%q, %t) = %t, git says %t", value, terminal, on, want)
			}
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	var out bytes.Buffer
	p := NewProgress(&out, func() time.Time { return clock }, "reading", 40)
	p.Update(1, 10)
	clock = clock.Add(999 * time.Millisecond)
	p.Update(2, 10)
	if out.Len() > 0 {
		t.Errorf("within the first second it wrote %q", out.String())
	}
	clock = clock.Add(time.Millisecond)
	p.Update(3, 10)
	clock = clock.Add(50 * time.Millisecond)
	p.Update(4, 10)
	clock = clock.Add(50 * time.Millisecond)
	p.Update(5, 0)
	p.Done()
	p.Done()
	want := "\rreading:  30% (3/10)\x1b[K\rreading: 5\x1b[K\r\x1b[K"
	if got := out.String(); got != want {
		t.Errorf("it wrote %q, want %q", got, want)
	}
	quiet := NewProgress(nil, nil, "reading", 40)
	quiet.Update(1, 2)
	quiet.Done()
}

func FuzzTruncate(f *testing.F) {
	for _, s := range []string{"", "plain text of a note", "晨露晨露晨露", "\U0001F468\u200d\U0001F469 and more of it", "a\u202eb\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if w := Truncate(Escape(s), 10); Width(w) > 10 {
			t.Errorf("Truncate(Escape(%q), 10) = %q takes %d columns", s, w, Width(w))
		}
	})
}
