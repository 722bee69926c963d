package secret

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A text in pieces has the findings of the whole, wherever the pieces end.
func TestScanReader(t *testing.T) {
	t.Parallel()
	key := "AK" + "IAQYLPMN5HHHFPZAM2"
	s := New()
	for name, text := range map[string]string{
		"nothing":        "",
		"short":          "- key " + key + "\n",
		"lines":          strings.Repeat("- note of a day\n", 70000) + "- key " + key + "\n" + strings.Repeat("- more\n", 200000) + "- key " + key + "x\nkey " + key + "\n",
		"one line":       strings.Repeat("word ", 600000) + key + strings.Repeat(" word", 600000),
		"at the edge":    strings.Repeat("x ", (pieceBytes+overlapBytes-20)/2) + key + "\nend",
		"label above it": strings.Repeat("- a\n", (pieceBytes+overlapBytes-12)/4) + "Password:\nPassw" + "0rd99\n" + strings.Repeat("- b\n", 300000),
	} {
		want := s.Scan([]byte(text))
		got, err := s.ScanReader(iotest.HalfReader(strings.NewReader(text)))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	if _, err := s.ScanReader(iotest.ErrReader(errors.New("gone"))); err == nil {
		t.Error("no error")
	}
	many := bytes.Repeat([]byte("- key "+key+"\n"), 100000)
	if got, err := s.ScanReader(bytes.NewReader(many)); err != nil || len(got) < maxFromPiece || len(got) == 100000 {
		t.Errorf("%d findings, %v", len(got), err)
	}
}
