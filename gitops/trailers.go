package gitops

import (
	"strings"
)

// Trailer is one `Key: value` line of a commit message's last paragraph.
type Trailer struct{ Key, Value string }

// Trailers are in the order of the message.
type Trailers []Trailer

// Get returns the first value of key, or "". Keys compare without case, as in
// git.
func (t Trailers) Get(key string) string {
	for _, x := range t {
		if strings.EqualFold(x.Key, key) {
			return x.Value
		}
	}
	return ""
}

// All returns every value of key.
func (t Trailers) All(key string) []string {
	var out []string
	for _, x := range t {
		if strings.EqualFold(x.Key, key) {
			out = append(out, x.Value)
		}
	}
	return out
}

// parseTrailers reads the output of %(trailers:only,unfold), which git's own
// parser wrote: one trailer a line.
func parseTrailers(s string) Trailers {
	var out Trailers
	for line := range strings.SplitSeq(s, "\n") {
		if k, v, ok := strings.Cut(line, ":"); ok {
			out = append(out, Trailer{Key: k, Value: strings.TrimSpace(v)})
		}
	}
	return out
}

// maxSubject is the longest subject written, in characters (SPEC GN-02).
const maxSubject = 72

// FormatMessage builds a commit message: subject cut to 72 characters, body,
// and trailers as the last paragraph. Every part is made one that git reads
// back as the same: values are one line each, empty values are left out, and a
// body cannot pass for trailers because the trailers form a paragraph of their
// own after it.
func FormatMessage(subject, body string, trailers Trailers) string {
	var b strings.Builder
	b.WriteString(cut(OneLine(subject), maxSubject))
	b.WriteByte('\n')
	if body = cleanBody(body); body != "" {
		b.WriteByte('\n')
		b.WriteString(body)
		b.WriteByte('\n')
	}
	first := true
	for _, t := range trailers {
		v := OneLine(t.Value)
		if v == "" {
			continue
		}
		if first {
			b.WriteByte('\n')
			first = false
		}
		b.WriteString(t.Key + ": " + v + "\n")
	}
	return b.String()
}

// OneLine folds white space and control characters to single spaces.
func OneLine(s string) string {
	s = strings.ToValidUTF8(s, "�")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r >= 0x80 && r <= 0xa0 || r == 0x2028 || r == 0x2029
	}), " ")
}

// cleanBody drops NUL and carriage returns and outer blank lines.
func cleanBody(s string) string {
	s = strings.ToValidUTF8(s, "�")
	s = strings.NewReplacer("\x00", "", "\r", "").Replace(s)
	return strings.Trim(s, "\n \t")
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
