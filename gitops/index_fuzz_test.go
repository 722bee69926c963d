package gitops_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
)

// madeIndex encodes an index with ids of 20 bytes; the paths are those of memory.
func madeIndex(version uint32, flags uint16, paths ...string) []byte {
	b := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(paths)))
	last := ""
	for _, p := range paths {
		e := make([]byte, 40, 100)
		binary.BigEndian.PutUint32(e[24:], uint32(gitops.ModeFile))
		e = append(e, strings.Repeat("i", 20)...)
		low := uint16(min(len(p), 0xfff))
		if flags != 0 {
			e = binary.BigEndian.AppendUint16(e, low|0x4000)
			low = flags
		}
		e = binary.BigEndian.AppendUint16(e, low)
		if version == 4 {
			common := 0
			for common < min(len(p), len(last)) && p[common] == last[common] {
				common++
			}
			cut := len(last) - common
			if cut > 0x7f { // two bytes, of which the first counts one more
				e = append(e, 0x80|byte(cut>>7-1))
			}
			e = append(append(e, byte(cut&0x7f)), p[common:]...)
			e = append(e, 0)
		} else {
			e = append(e, p...)
			e = append(e, make([]byte, 8-len(e)%8)...)
		}
		b, last = append(b, e...), p
	}
	return b
}

// finish adds an extension, when it has a name, and the checksum that nobody reads.
func finish(b []byte, extension string) []byte {
	if extension != "" {
		b = append(append(b, extension...), 0, 0, 0, 3, 'a', 'b', 'c')
	}
	return append(b, make([]byte, 20)...)
}

func TestParseIndex(t *testing.T) {
	t.Parallel()
	paths := []string{"a", "memory/2026-03-01.md", "memory/2026-03-02.md", "memory/" + strings.Repeat("x", 5000), "z"}
	whole := map[string][]byte{
		"version 2":           finish(madeIndex(2, 0, paths...), ""),
		"version 3":           finish(madeIndex(3, 0x4000, paths...), "TREE"),
		"version 4":           finish(madeIndex(4, 0, paths...), "ZZZZ"),
		"version 4, extended": finish(madeIndex(4, 0x2000, paths...), "sdir"),
	}
	for name, b := range whole {
		list, err := gitops.ParseIndex(b, 20)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := []string{}
		for _, e := range list {
			got = append(got, e.Path)
			if e.Mode != gitops.ModeFile || e.SkipWorktree != (name == "version 3") || e.ID.String()[:4] != "6969" {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if !slices.Equal(got, paths) {
			t.Errorf("%s: paths are %.200q", name, got)
		}
		for n := range b { // a whole extension that is cut off shows only in the checksum
			if n < 200 || n > len(b)-200 {
				if _, err := gitops.ParseIndex(b[:n], 20); err == nil && n != len(b)-11 {
					t.Errorf("%s: %d of %d bytes are taken", name, n, len(b))
				}
			}
		}
	}
	many := finish(madeIndex(2, 0, "a"), "")
	many[8] = 0xff
	for name, b := range map[string][]byte{
		"nothing":                     {},
		"version 5":                   finish(madeIndex(5, 0, "a"), ""),
		"extended entry in version 2": finish(madeIndex(2, 0x4000, "a"), ""),
		"unknown flag":                finish(madeIndex(3, 0x8000, "a"), ""),
		"split index":                 finish(madeIndex(2, 0, "a"), "link"),
		"unknown extension":           finish(madeIndex(2, 0, "a"), "zzzz"),
		"absolute path":               finish(madeIndex(2, 0, "/a"), ""),
		"path with NUL":               finish(madeIndex(2, 0, "a\x00b"), ""),
		"no path":                     finish(madeIndex(2, 0, ""), ""),
		"four billion entries":        many,
	} {
		if list, err := gitops.ParseIndex(b, 20); err == nil {
			t.Errorf("%s is read as %+v", name, list)
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add(finish(madeIndex(2, 0, "a", "a/b", strings.Repeat("l", 4096)), "TREE"), false)
	f.Add(finish(madeIndex(3, 0x4000, "a"), "sdir"), false)
	f.Add(finish(madeIndex(4, 0, "memory/a", "memory/b", "z"), "link"), true)
	f.Fuzz(func(t *testing.T, b []byte, long bool) {
		size := 20
		if long {
			size = 32
		}
		list, err := gitops.ParseIndex(b, size)
		if err != nil {
			return
		}
		if len(list)*(43+size) > len(b) {
			t.Errorf("%d entries in %d bytes", len(list), len(b))
		}
		for _, e := range list {
			if e.Path == "" || e.Path[0] == '/' || strings.IndexByte(e.Path, 0) >= 0 || e.Stage > 3 {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func FuzzParseListing(f *testing.F) {
	f.Add([]byte("H 100644 " + someID + " 0\ta\nb\x00  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  uid: 7\tgid: 8\n  size: 9\tflags: 0\n" +
		"S 100755 " + someID + " 2\tc\x00"))
	f.Add([]byte("H 100644 " + someID + " 9\ta\x00  x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := gitops.ParseListing(b)
		for _, e := range list {
			if err == nil && (e.Path == "" || strings.IndexByte(e.Path, 0) >= 0 || e.Stage > 3) {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func TestStatBinary(t *testing.T) {
	t.Parallel()
	want := gitops.Stat{Size: 1 << 40, MTime: -5, CTime: 1_790_000_000_123_456_789, Ino: 1<<64 - 1, Mode: gitops.ModeExecutable}
	b, err := want.AppendBinary([]byte("x"))
	if err != nil || len(b) != 1+gitops.StatSize {
		t.Fatalf("%d bytes: %v", len(b), err)
	}
	var got gitops.Stat
	if err := got.UnmarshalBinary(b[1:]); err != nil || got != want {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
	if err := got.UnmarshalBinary(b); err == nil {
		t.Error("too many bytes are taken")
	}
}
