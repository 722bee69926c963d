package secret

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func token(seed uint64) string { return "gh" + "p_" + newMaker(seed).of(base62, 36) }

func TestLines(t *testing.T) {
	t.Parallel()
	a, b := token(1), token(2)
	aws := "AK" + "IA" + newMaker(3).of(caps32, 16)
	tests := []struct {
		name, text string
		want       []Finding
	}{
		{"empty", "", nil},
		{"no newline at the end", "x\n" + a, []Finding{{2, 2, "github-token"}}},
		{"twice on a line", a + " " + b, []Finding{{1, 1, "github-token"}}},
		{"two kinds", a + " " + aws, []Finding{{1, 1, "aws-access-key-id"}, {1, 1, "github-token"}}},
		{"behind a placeholder", "ghp_" + strings.Repeat("x", 36) + " " + a, []Finding{{1, 1, "github-token"}}},
		{"behind the manual's key", "AKIA" + "IOSFODNN7EXAMPLE," + aws, []Finding{{1, 1, "aws-access-key-id"}}},
		{"behind a placeholder of the same word", "sk-your-key-sk-" + "proj-" + newMaker(4).of(base62, 60), []Finding{{1, 1, "openai-key"}}},
		{"allowed", a + " <!-- claw:allow -->", nil},
		{"allowed, in capitals", a + " # CLAW:ALLOW", nil},
		{"the line above is allowed", "claw:allow\n" + a, []Finding{{2, 2, "github-token"}}},
		{"crlf", "x\r\n" + a + "\r\n", []Finding{{2, 2, "github-token"}}},
		{"escaped for Markdown", strings.Replace(a, "_", `\_`, 1), []Finding{{1, 1, "github-token"}}},
		{"zero width inside", a[:9] + "\u200b" + a[9:20] + "\u00ad" + a[20:], []Finding{{1, 1, "github-token"}}},
		{"tags inside", a[:9] + "\U000E0041" + a[9:], []Finding{{1, 1, "github-token"}}},
		{"control byte inside", a[:9] + "\x00" + a[9:], []Finding{{1, 1, "github-token"}}},
		{"utf-16", utf16le("x\n" + a + "\n"), []Finding{{2, 2, "github-token"}}},
		{"colour", "\x1b[1;31m" + a + "\x1b[0m", []Finding{{1, 1, "github-token"}}},
		{"part of a word", "x" + a, nil},
		{"in prose of another language", "我的令牌是" + a + "，请保密", []Finding{{1, 1, "github-token"}}},
	}
	s := New()
	for _, tt := range tests {
		if got := s.Scan([]byte(tt.text)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestAdded(t *testing.T) {
	t.Parallel()
	text := []byte(token(1) + "\nx\n" + token(2) + "\n")
	got := New().ScanAdded(text, func(n int) bool { return n >= 2 })
	if want := []Finding{{3, 3, "github-token"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := New().ScanAdded(text, func(int) bool { return false }); len(got) != 0 {
		t.Errorf("nothing is new: %v", got)
	}
}

// TestLongLine sets a token at and around every edge of a window.
func TestLongLine(t *testing.T) {
	t.Parallel()
	const window, overlap, after = 64 << 10, 8 << 10, 2 << 10
	s := New()
	value := token(5)
	const step = window - overlap
	for _, edge := range []int{0, after, window - overlap, window, window + step, window + 2*step} {
		for d := -60; d <= 60; d += 4 {
			at := edge + d
			if at < 0 {
				continue
			}
			text := []byte("first\n" + strings.Repeat("a ", (at+1)/2) + value + strings.Repeat(" b", window) + "\nlast\n")
			if got := s.Scan(text); !slices.Equal(got, []Finding{{2, 2, "github-token"}}) {
				t.Fatalf("at %d: %v", at, got)
			}
		}
	}
	far := []byte(value + strings.Repeat(" b", 3*window) + " claw:allow\n")
	if got := s.Scan(far); len(got) != 0 {
		t.Errorf("allowed at the far end of the line: %v", got)
	}
	block := mark("BEGIN", "PRIVATE") + `\n` + strings.ReplaceAll(key(8), "\n", `\n`)
	for _, at := range []int{100, window - 20, window - overlap - 10, 2*window - 300} {
		text := []byte(strings.Repeat("a", at) + " " + block + strings.Repeat(" b", window))
		if got := s.Scan(text); !slices.Equal(got, []Finding{{1, 1, KindPrivateKey}}) {
			t.Errorf("key at %d: %v", at, got)
		}
	}
}

// TestMemory: the text is not copied, however long a line is.
func TestMemory(t *testing.T) {
	s := New()
	s.Scan(nil)
	text := bytes.Repeat([]byte("sk-"), 4<<20/3)
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	s.Scan(text)
	runtime.ReadMemStats(&b)
	if n := b.TotalAlloc - a.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes allocated for one line of 4 MB", n)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	s := New()
	done := make(chan []Finding)
	for range 8 {
		go func() { done <- s.Scan([]byte("a\n" + token(9))) }()
	}
	for range 8 {
		if got := <-done; !slices.Equal(got, []Finding{{2, 2, "github-token"}}) {
			t.Error(got)
		}
	}
}

// FuzzScan: no panic, lines inside the text, order kept, the added lines are a
// subset, and a token on a line of its own is found whatever stands around it.
func FuzzScan(f *testing.F) {
	for _, sh := range shapes() {
		f.Add([]byte(sh.make(newMaker(1))), []byte("\n"))
	}
	f.Add([]byte(mark("BEGIN", "RSA PRIVATE")+"\n"+key(2)), []byte("\r\n\x00"))
	f.Add([]byte("\xe2\x80"), []byte("\x1b["))
	s := New()
	f.Fuzz(func(t *testing.T, head, tail []byte) {
		text := slices.Concat(head, []byte("\n"+token(1)+"\n"), tail)
		lines := bytes.Count(text, []byte("\n")) + 1
		all := s.Scan(text)
		last := 0
		for _, x := range all {
			if x.Line < max(1, last) || x.EndLine < x.Line || x.EndLine > lines || x.Kind == "" {
				t.Fatalf("finding %v of %d lines", x, lines)
			}
			last = x.Line
		}
		at := bytes.Count(head, []byte("\n")) + 2
		if want := (Finding{at, at, "github-token"}); !slices.Contains(all, want) {
			t.Fatalf("%v not in %v", want, all)
		}
		for _, x := range s.ScanAdded(text, func(n int) bool { return n%2 == 0 }) {
			if !slices.Contains(all, x) {
				t.Fatalf("%v only among the added", x)
			}
		}
	})
}

func note(size int) []byte {
	const piece = "## 10:30 deploy\n- asked the owner; task-list in [notes](https://git.internal/team/notes) was stale\n" +
		"- 决定：先迁移数据库，再切换流量。Reason: see decisions.md, commit 3f2a9c1d\n- run `make deploy ENV=prod` and check the msg.\n\n"
	return []byte(strings.Repeat(piece, size/len(piece)+1)[:size])
}

func BenchmarkCleanNote(b *testing.B) {
	for _, size := range []int{3 << 10, 340 << 10} {
		text := note(size)
		b.Run(map[bool]string{true: "3KB", false: "340KB"}[size < 4<<10], func(b *testing.B) {
			s := New()
			b.SetBytes(int64(size))
			for b.Loop() {
				s.Scan(text)
			}
		})
	}
}

// BenchmarkFresh is what a process pays that scans one note: index, patterns.
func BenchmarkFresh(b *testing.B) {
	text := note(3 << 10)
	for b.Loop() {
		New().Scan(text)
	}
}

func BenchmarkOneLine(b *testing.B) {
	s := New()
	for name, text := range map[string][]byte{
		"base64":   []byte(newMaker(1).of(base62+"+/", 4<<20)),
		"keywords": bytes.Repeat([]byte("sk-"), 4<<20/3),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Scan(text)
			}
		})
	}
}
