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

// trailerRules make git read trailers as they are written here, whatever
// separator or comment character the user has configured for other uses.
var trailerRules = []string{"-c", "trailer.separators=:", "-c", "core.commentChar=#"}

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
// body cannot pass for trailers nor end the message early.
func FormatMessage(subject, body string, trailers Trailers) string {
	var last strings.Builder
	for _, t := range trailers {
		if v := OneLine(t.Value); v != "" && t.Key != "" {
			last.WriteString(cleanKey(t.Key) + ": " + v + "\n")
		}
	}
	subject = strings.ReplaceAll(OneLine(subject), scissors, ">8")
	if endsMessage(subject) {
		subject = strings.TrimLeft(subject, "- ")
	}
	if subject == "" {
		subject = "(no subject)" // git would take the next paragraph for it
	}
	subject = cut(subject, maxSubject)
	var b strings.Builder
	b.WriteString(subject + "\n")
	if body = cleanBody(body); body != "" {
		if last.Len() == 0 {
			body = blurTrailers(body)
		}
		b.WriteString("\n" + body + "\n")
	}
	if last.Len() > 0 {
		b.WriteString("\n" + last.String())
	}
	return b.String()
}

// cleanKey keeps what git allows in a trailer's key.
func cleanKey(k string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return r
		}
		return '-'
	}, k)
}

// OneLine folds white space and control characters to single spaces.
func OneLine(s string) string {
	s = strings.ToValidUTF8(s, "�")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r >= 0x80 && r <= 0xa0 || r == 0x2028 || r == 0x2029
	}), " ")
}

// scissors is the line below which git drops everything (git-commit(1),
// --cleanup), after a comment character.
const scissors = "------------------------ >8 ------------------------"

// endsMessage recognises the line that begins a patch, "---".
func endsMessage(line string) bool {
	rest, ok := strings.CutPrefix(line, "---")
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\v\f"))
}

// cleanBody drops NUL and carriage returns and outer blank lines. A line at
// which a program of git would end the message, "---" of a patch or the scissors,
// is moved in by one space.
func cleanBody(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.NewReplacer("\x00", "", "\r", "").Replace(s)
	lines := strings.Split(strings.TrimRight(strings.TrimLeft(s, "\n"), "\n \t"), "\n")
	for i, l := range lines {
		if endsMessage(l) || strings.Contains(l, scissors) {
			lines[i] = " " + l
		}
	}
	return strings.Join(lines, "\n")
}

// blurTrailers moves every line in by one space that git could read as a
// trailer, for a message without trailers.
func blurTrailers(body string) string {
	lines := strings.Split(body, "\n")
	for i, l := range lines {
		key, _, ok := strings.Cut(l, ":")
		key = strings.TrimRight(key, " \t")
		if ok && key != "" && cleanKey(key) == key || strings.HasPrefix(l, "(cherry picked from commit ") {
			lines[i] = " " + l
		}
	}
	return strings.Join(lines, "\n")
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
