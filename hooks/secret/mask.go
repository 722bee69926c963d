package secret

import "bytes"

// Mask returns text with the words of every line that holds a secret replaced by
// `<secret: kind>`, for output. Lines, indentation, list and quote marks stay, so
// that line numbers and entries do. Text without a finding is returned as it is.
func (s *Scanner) Mask(text []byte) []byte {
	found := s.Scan(text)
	if len(found) == 0 {
		return text
	}
	kinds := map[int]string{}
	for _, f := range found {
		for line := f.Line; line <= f.EndLine; line++ {
			if kinds[line] == "" {
				kinds[line] = f.Kind
			}
		}
	}
	var out bytes.Buffer
	n := 0
	for line := range bytes.Lines(text) {
		n++
		kind := kinds[n]
		if kind == "" {
			out.Write(line)
			continue
		}
		body := bytes.TrimRight(line, "\r\n")
		out.Write(body[:markEnd(body)])
		out.WriteString("<secret: " + kind + ">")
		out.Write(line[len(body):])
	}
	return out.Bytes()
}

// markEnd is where the words of a line begin, behind indentation and the marks of
// list items and quotes.
func markEnd(line []byte) int {
	i := 0
	for i < len(line) && bytes.IndexByte([]byte(" \t>"), line[i]) >= 0 {
		i++
	}
	if i+1 < len(line) && bytes.IndexByte([]byte("-*+"), line[i]) >= 0 && line[i+1] == ' ' {
		i += 2
	}
	return i
}
