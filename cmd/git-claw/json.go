package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

// writeJSON writes one line: the fields of v, a struct or map, after a schema.
// Characters that a terminal would obey or hide are written as \u escapes: the
// value is the same, and looking at JSON on a terminal is as safe as looking at
// text. Bytes that are not UTF-8 become U+FFFD (SPEC 0.2).
func writeJSON(w io.Writer, schema string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON '%s': %w", schema, err)
	}
	fields := bytes.TrimPrefix(bytes.TrimSpace(b.Bytes()), []byte("{"))
	head := `{"schema":"` + schema + `"`
	if len(fields) > 1 {
		head += ","
	}
	_, err := fmt.Fprintf(w, "%s%s\n", head, escapeJSON(fields))
	return err
}

// escapeJSON spells hidden characters as escapes. They occur only inside
// strings, for the encoder writes none outside.
func escapeJSON(b []byte) []byte {
	if bytes.IndexFunc(b, term.Hidden) < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+32)
	for _, r := range string(b) {
		switch {
		case !term.Hidden(r):
			out = append(out, string(r)...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
