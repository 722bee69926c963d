package secret

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// kinds are what the findings say that a text holds.
func kinds(found []Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Kind)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestPlace: what is found does not depend on where it stands in a long line, or
// in a long text.
func TestPlace(t *testing.T) {
	t.Parallel()
	s := New()
	m := newMaker(5)
	for i, sh := range shapes() {
		value := sh.make(m)
		want := s.Scan([]byte("x " + value + " y"))
		for _, at := range []int{31, 4095, 8192 + i, 65535, 65536 + i, 131072 - i} {
			line := strings.Repeat("a ", at/2) + value + strings.Repeat(" b", 500+i)
			if got := s.Scan([]byte(line)); !slices.Equal(got, want) {
				t.Errorf("%s at %d: %v, want %v", sh.kind, at, got, want)
			}
		}
	}
}

// TestParts: the findings of a text are those of its parts, wherever it is cut
// between two notes.
func TestParts(t *testing.T) {
	t.Parallel()
	s := New()
	all := shapes()
	for seed := range uint64(30) {
		m := newMaker(seed)
		var whole strings.Builder
		var want []Finding
		lines := 0
		for range 12 {
			var note strings.Builder
			fmt.Fprintf(&note, "# note %d\n\n", m.r.IntN(100))
			for range m.r.IntN(20) {
				switch m.r.IntN(6) {
				case 0:
					note.WriteString("- " + all[m.r.IntN(len(all))].make(m) + "\n")
				case 1:
					note.WriteString("- password: " + m.of(base62, 12) + "\n")
				case 2:
					note.WriteString(mark("BEGIN", "EC PRIVATE") + "\n" + key(3) + mark("END", "EC PRIVATE") + "\n")
				default:
					note.WriteString(noise(m) + "\n")
				}
			}
			note.WriteString("\n\n\n")
			for _, f := range s.Scan([]byte(note.String())) {
				want = append(want, Finding{f.Line + lines, f.EndLine + lines, f.Kind})
			}
			lines += strings.Count(note.String(), "\n")
			whole.WriteString(note.String())
		}
		text := []byte(whole.String())
		if got := s.Scan(text); !slices.Equal(got, want) {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
		if got := s.Scan(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))); !slices.Equal(got, want) {
			t.Errorf("seed %d, with CRLF: %v, want %v", seed, got, want)
		}
	}
}

// hard are pieces that make a line of nothing else hard to read: a word of a rule
// as often as it can stand, a shape that fails late, a label in the value of a
// label.
func hard() []string {
	return []string{
		"sk-", "key=", "keyid=", "password ", "token:\"", "pass=a&", "AKIAXXXXXXXXXXXXXXXX ", "a://a:a", "a@b.c:1 ", "a.bcdefg.", "-----BEGIN PRIVATE KEY-----",
		"private key ", "4111 ", "DE89 3704 ", "eyJaaaaaaaaaaaa.eyJaaaaaaaaaaaa.", "eyJ", "ZXlK", "curl -u a:b ", "key is ", "密码是", "密码", "user: a / b2c3d4 ", "pat.", "xoxb-",
		"_mmk", "sig=", "glpat-", "t1.", "hvs.", "sc_a1a1a.", `{"token":"a","password":"b","key":"c","id":12},`, "<key>", `\_`, "a\u200b", "a\x00", "curl -u-u", "@a.b", "secret",
		"token a b c d ", "key(", "token: github-token-v2 ", "password: (", "key **", "kind: Secret", "data: ", "---", "PRIVATE KEY", "PuTTY-User-Key-File-2:", "0", "a1", "A1", "\xff", "é", "=", "\"", "'",
	}
}

func lineOf(piece string, n int) []byte { return []byte(strings.Repeat(piece, n/len(piece)+1)[:n]) }

// took is how long a scan takes, by as many as fill the time.
func took(s *Scanner, text []byte, fill time.Duration) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	n, begin := 0, spent()
	for {
		s.Scan(text)
		n++
		if all := spent() - begin; all >= fill || n == 10_000 {
			return all / time.Duration(n)
		}
	}
}

// TestLinear: no line is hard to read. Eight times as much of it takes about eight
// times as long.
func TestLinear(t *testing.T) {
	s := New()
	const n = 8 << 10
	test := func(name string, line func(n int) []byte) {
		few := max(took(s, line(n), 20*time.Millisecond), 10*time.Microsecond)
		if many := took(s, line(8*n), 20*time.Millisecond); many > 24*few {
			t.Errorf("%s: %v for %d bytes, %v for eight times as much", name, few, n, many)
		}
	}
	for _, piece := range hard() {
		test(fmt.Sprintf("%q", piece), func(n int) []byte { return lineOf(piece, n) })
	}
	for _, around := range []string{" ", ">", "\"", "*", "=", "a"} {
		for _, piece := range []string{"token: x ", "kind: a data: password "} {
			test(fmt.Sprintf("%q behind %q", piece, around), func(n int) []byte { return append(lineOf(around, n), lineOf(piece, n)...) })
			test(fmt.Sprintf("%q before %q", piece, around), func(n int) []byte { return append(lineOf(piece, n), lineOf(around, n)...) })
		}
	}
}

// TestLongLineIsFast: a line of one megabyte is read in 50 ms, whatever a program
// may have written into it.
func TestLongLineIsFast(t *testing.T) {
	s := New()
	const n, limit = 1 << 20, 50 * time.Millisecond
	m := newMaker(3)
	for name, text := range map[string][]byte{
		"prose": bytes.ReplaceAll(note(n), []byte("\n"), []byte(" ")), "base64": []byte(m.of(base62+"+/", n)), "hex": []byte(m.of(hexes, n)),
		"digits": []byte(m.of("0123456789", n)), "words": lineOf("sk-", n), "json": lineOf(`{"id":12,"token":"","key":"c","name":"x"},`, n), "chinese": lineOf("决定：先迁移数据库，再切换流量。", n),
		"picture": []byte("![](data:image/png;base64," + m.of(base62+"+/", n) + ")"), "blank": bytes.Repeat([]byte(" "), n),
	} {
		if d := took(s, text, 2*limit); d > limit*slower {
			t.Errorf("%s: %v", name, d)
		}
	}
}

// FuzzPlace: a line reads the same alone and far within a text, and what is
// written after a blank line does not change what was found before it.
func FuzzPlace(f *testing.F) {
	for _, sh := range shapes()[:40] {
		f.Add([]byte("key: "+sh.make(newMaker(2))), []byte("x\n"))
	}
	for _, line := range []string{"password: {9}", "token: {R}", "# API key", "kind: Secret", "data:", "curl -u a:{9} \\", "user: root / {9}", "密码：{8}"} {
		f.Add([]byte(fill(line)), []byte(fill("{R}\n")))
	}
	s := New()
	f.Fuzz(func(t *testing.T, line, rest []byte) {
		line = bytes.ReplaceAll(line, []byte("\n"), nil)
		alone := s.Scan(line)
		behind := s.Scan(slices.Concat([]byte("a\n\n# b\n\n"), line))
		for i := range behind {
			behind[i].Line -= 4
			behind[i].EndLine -= 4
		}
		if !slices.Equal(alone, behind) {
			t.Fatalf("%q: alone %v, behind a text %v", line, alone, behind)
		}
		before := s.Scan(slices.Concat(line, []byte("\n\n\n\n\n"), rest))
		for _, x := range alone {
			// A block may go on, a manifest may say later what it is: only more is found.
			if !slices.ContainsFunc(before, func(y Finding) bool { return y.Line == x.Line && y.Kind == x.Kind }) && !slices.Contains(kinds(before), x.Kind) {
				t.Fatalf("%q: %v is not found before %q: %v", line, x, rest, before)
			}
		}
	})
}

// without takes the lines of findings out of a text.
func without(text []byte, found []Finding) []byte {
	out := map[int]bool{}
	for _, f := range found {
		for n := f.Line; n <= f.EndLine; n++ {
			out[n] = true
		}
	}
	var rest []byte
	n := 0
	for line := range bytes.Lines(text) {
		if n++; !out[n] {
			rest = append(rest, line...)
		}
	}
	return rest
}

// FuzzWithout: what is left when the lines of all findings are taken out, which is
// what a commit gets, holds no further ones.
func FuzzWithout(f *testing.F) {
	for _, text := range []string{
		"Password:\n{9}\n{7}x\n{9}\n", "### API key\n\n{R}\n{L}\n# token: {R}\n{R}\n", "kind: Secret\ndata:\n  a: QWxhZGRpbjpvcGVu\n  b: QWxhZGRpbjpvcGVu\n",
		"curl x \\\n -u a:{9}\n -u b:{9}\n", "token: |\n{R}\n{R}", "data:\n a: QWxhZGRpbjpvcGVu\nkind: Secret\n", "# Password\n```\n{9}\n```\n{9}\n", "password: {9}\n{9}\n",
	} {
		f.Add([]byte(fill(text)))
	}
	f.Add([]byte(fill("# token\n\n" + mark("BEGIN", "EC PRIVATE") + "\n" + key(2) + mark("END", "EC PRIVATE") + "\n{R}\n")))
	s := New()
	f.Fuzz(func(t *testing.T, text []byte) {
		s.Scan(nil)
		if c := s.pass(text, false); c.dropped || bytes.Contains(text, []byte("PRIVATE")) || bytes.Contains(text, []byte("PuTTY")) {
			return // a block is judged by what stands in it, the rest is read twice
		}
		found := s.Scan(text)
		rest := without(text, found)
		if again := s.Scan(rest); len(again) > 0 {
			t.Fatalf("%q: %v, and without them %q: %v", text, found, rest, again)
		}
	})
}
