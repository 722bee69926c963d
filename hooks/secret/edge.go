package secret

import "bytes"

// edge is the first or the last line of a key block, text[from:to] of a line.
type edge struct {
	from, to int
	kind     string // "" where there is none
	begin    bool
}

// findMark finds the first mark of a text as it is found in notes too: dashes
// made typographic, more or fewer of them.
func findMark(text []byte) edge {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], 'P')
		if i < 0 {
			return edge{}
		}
		at += i
		var m edge
		switch rest := text[at:]; {
		case bytes.HasPrefix(rest, []byte("PRIVATE")):
			m = markAt(text, at)
		case bytes.HasPrefix(rest, []byte("PuTTY-")), bytes.HasPrefix(rest, []byte("Private-")):
			m = puttyAt(text, at)
		}
		if m.kind != "" {
			return m
		}
	}
}

// markAt judges the words around PRIVATE.
func markAt(text []byte, at int) edge {
	begin, pgp, start := markStart(text, at)
	if start < 0 {
		return edge{}
	}
	end := markEndsAt(text, at+len("PRIVATE"))
	switch {
	case end < 0:
		return edge{}
	case pgp:
		return edge{start, end, KindPGPPrivateKey, begin}
	}
	return edge{start, end, KindPrivateKey, begin}
}

// markStart reads `-----BEGIN RSA ` backwards from text[:at].
func markStart(text []byte, at int) (begin, pgp bool, start int) {
	for words := 0; words < 8; words++ {
		end := backOver(text, at, " \t")
		if end == at {
			return false, false, -1
		}
		at = end
		for at > 0 && (upper(text[at-1]) || digit(text[at-1])) && end-at < 24 {
			at--
		}
		word := string(text[at:end])
		switch word {
		case "":
			return false, false, -1
		case "PGP":
			pgp = true
		case "BEGIN", "END":
			start := dashesBack(text, backOver(text, at, " \t"))
			return word == "BEGIN", pgp, start
		}
	}
	return false, false, -1
}

// markEndsAt reads ` KEY BLOCK-----` from text[at:].
func markEndsAt(text []byte, at int) int {
	next := skip(text, at, " \t")
	if next == at || !bytes.HasPrefix(text[next:], []byte("KEY")) {
		return -1
	}
	at = next + len("KEY")
	next = skip(text, at, " \t")
	if next > at && bytes.HasPrefix(text[next:], []byte("BLOCK")) {
		next = skip(text, next+len("BLOCK"), " \t")
	}
	end := next
	dashes := 0
	for {
		n := dash(text[end:])
		if n == 0 {
			break
		}
		end += n
		dashes++
	}
	if dashes < 2 {
		return -1
	}
	return end
}

// dash returns the length of the dash that text begins with, 0 for none.
func dash(text []byte) int {
	switch {
	case len(text) > 0 && text[0] == '-':
		return 1
	case bytes.HasPrefix(text, []byte("–")), bytes.HasPrefix(text, []byte("—")):
		return len("–")
	}
	return 0
}

// dashesBack returns where two or more dashes before text[at:] begin, or -1.
func dashesBack(text []byte, at int) int {
	dashes := 0
	for ; ; dashes++ {
		switch {
		case at > 0 && text[at-1] == '-':
			at--
			continue
		case bytes.HasSuffix(text[:at], []byte("–")), bytes.HasSuffix(text[:at], []byte("—")):
			at -= len("–")
			continue
		}
		break
	}
	if dashes < 2 {
		return -1
	}
	return at
}

// backOver goes back over at most eight of the bytes before text[at:].
func backOver(text []byte, at int, over string) int {
	for n := 0; n < 8 && at > 0 && has(over, text[at-1]); n++ {
		at--
	}
	return at
}

// puttyAt judges the first or the last line of a key in PuTTY's format.
func puttyAt(text []byte, at int) edge {
	const head, tail = "PuTTY-User-Key-File-", "Private-MAC:"
	switch rest := text[at:]; {
	case bytes.HasPrefix(rest, []byte(tail)):
		return edge{at, at + len(tail), KindPuTTYKey, false}
	case bytes.HasPrefix(rest, []byte(head)) && len(rest) > len(head)+1 && digit(rest[len(head)]) && rest[len(head)+1] == ':':
		return edge{at, at + len(head) + 2, KindPuTTYKey, true}
	}
	return edge{}
}
