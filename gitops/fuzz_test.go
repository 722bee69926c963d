package gitops_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-claw/git-claw/gitops"
)

const someID = "0123456789abcdef0123456789abcdef01234567"

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("# branch.oid " + someID + "\x00# branch.head main\x00# branch.upstream o/m\x00# branch.ab +1 -2\x00" +
		"1 .M N... 100644 100644 100644 " + someID + " " + someID + " a b\nc\x00? x\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 " + someID + " " + someID + " " + someID + " p\x00"))
	f.Add([]byte("1 A \x00# branch.ab\x002 R. x\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		st, err := gitops.ParseStatus(b)
		if err != nil {
			return
		}
		for _, e := range st.Entries {
			if strings.IndexByte(e.Path, 0) >= 0 || e.Index == 0 || e.Work == 0 {
				t.Errorf("entry %+v", e)
			}
			if e.Partial() && (e.Unmerged() || e.Untracked()) {
				t.Errorf("entry %+v is more than one thing", e)
			}
		}
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("x", 20) + "40000 b\x00" + strings.Repeat("y", 20)))
	f.Add([]byte("100644 a"))
	f.Add([]byte("0 \x00" + strings.Repeat("x", 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, again, err := gitops.ParseTree(b)
		if err != nil {
			return
		}
		second, bytes2, err := gitops.ParseTree(again)
		if err != nil || len(second) != len(entries) || !bytes.Equal(again, bytes2) {
			t.Errorf("%v is encoded as %q: %v", entries, again, err)
		}
		if gitops.SortedTree(entries) != gitops.SortedTree(second) {
			t.Error("encoding changes the order")
		}
	})
}

func FuzzParseRaw(f *testing.F) {
	f.Add([]byte(":100644 000000 " + someID + " " + someID + " M\x00a b\x00:"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := gitops.ParseRaw(b)
		for _, c := range list {
			if err == nil && c.Path == "" {
				t.Errorf("%+v", c)
			}
		}
	})
}

func FuzzParseLog(f *testing.F) {
	one := someID + "\x00" + someID + "\x00\x00n\x00e\x001 +0100\x00n\x00e\x001 -0000\x00s\x00b\x00K: v\n\x00"
	f.Add([]byte(one), false)
	f.Add([]byte(one+"\n:100644 100644 "+someID+" "+someID+" M\x00p\x00\x00"+one), true)
	f.Add([]byte(one+"\x00\x00\x00:"), true)
	f.Fuzz(func(t *testing.T, b []byte, paths bool) {
		commits, err := gitops.ParseLog(b, paths)
		if err != nil {
			return
		}
		for _, c := range commits {
			if !paths && c.Paths != nil || c.Author.When.Location() == nil {
				t.Errorf("commit %+v", c)
			}
		}
	})
}

func FuzzParseBlame(f *testing.F) {
	f.Add([]byte(someID + " 1 1 1\nauthor A\nfilename \"a\\nb\"\n\ttext\n"))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		bl, err := gitops.ParseBlame(b)
		if err == nil && strings.Contains(bl.Text, "\n") {
			t.Errorf("%+v", bl)
		}
	})
}

func FuzzParseConfigList(f *testing.F) {
	f.Add([]byte("a.b\nc\x00d.e\x00f.G h.i\nx\ny\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := gitops.ParseConfigList(b)
		for _, n := range c.Names() {
			if v, ok := c.Get(n); !ok || v != c.All(n)[len(c.All(n))-1] {
				t.Errorf("%q", n)
			}
			_ = c.Bool(n, true)
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("[claw]\n\tlayout = canonical ; c\n[claw \"sub\"]\n\tx\n[include]\n\tpath = /etc/passwd\n"))
	f.Add([]byte("\xef\xbb\xbf[a]b=\"c\\n\"\\\n"))
	f.Add([]byte("[a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := gitops.ParseConfig(b)
		if err != nil {
			return
		}
		for _, n := range c.Names() {
			if strings.HasPrefix(n, "include.") || strings.HasPrefix(n, "includeif.") {
				t.Errorf("an include section got through: %q", n)
			}
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree " + someID + "\nparent " + someID + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 -0930\ngpgsig x\n y\n\ns\n\nb\n"))
	f.Add([]byte("author >< \n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := gitops.ParseCommit(gitops.ID{}, b)
		if err == nil && strings.Contains(c.Subject, "\n") {
			t.Errorf("subject %q", c.Subject)
		}
	})
}

func FuzzFormatMessage(f *testing.F) {
	f.Add("s", "b\n\nK: v", "value")
	f.Add("--- a", "---\n", "\x00")
	f.Fuzz(func(t *testing.T, subject, body, value string) {
		msg := gitops.FormatMessage(subject, body, gitops.Trailers{{Key: "Claw-Actor", Value: value}})
		first, _, _ := strings.Cut(msg, "\n")
		switch {
		case !utf8.ValidString(msg) || strings.ContainsAny(msg, "\x00\r") || !strings.HasSuffix(msg, "\n"):
			t.Errorf("message %q", msg)
		case strings.TrimSpace(first) == "" || utf8.RuneCountInString(first) > 72:
			t.Errorf("subject %q", first)
		}
		if v := gitops.OneLine(value); v != "" && !strings.HasSuffix(msg, "\n\nClaw-Actor: "+v+"\n") {
			t.Errorf("trailer of %q is not at the end of %q", value, msg)
		}
		if s, _ := gitops.SplitMessage(msg); s != strings.TrimRight(first, " \t") {
			t.Errorf("subject %q is read back as %q", first, s)
		}
	})
}

func FuzzCheckPath(f *testing.F) {
	for _, p := range []string{"a/b", "../x", ".git/x", "a/.GIT./b", ".g\u200cit", "a\x00", "/"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if gitops.CheckPath(p) != nil {
			return
		}
		for part := range strings.SplitSeq(p, "/") {
			if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
				t.Errorf("path %q", p)
			}
		}
	})
}
