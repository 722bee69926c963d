package health

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var (
	// notShown matches an element that is not drawn.
	notShown = sync.OnceValue(func() *regexp.Regexp {
		const attributes = `(?:\s+[a-z:@-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*`
		const style = `style\s*=\s*(?:"[^">]*|'[^'>]*|[^\s"'>]*)(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:[^.\d]|\.0)|opacity\s*:\s*0(?:[^.\d]|\.0)|color\s*:\s*transparent|(?:left|right|top|bottom|text-indent|margin-left)\s*:\s*-\d{3})`
		return regexp.MustCompile(`(?i)<template(?:[\s>]|$)|<[a-z][a-z0-9-]*` + attributes + `\s+(?:hidden(?:[\s>/=]|$)|` + style + `)`)
	})
	// whiteText matches an element that writes in the colour of the page; with a
	// background of its own it is seen.
	whiteText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<[a-z][^>]*\sstyle\s*=\s*["'](?:[^"'>]*;)?\s*color\s*:\s*(?:white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))\s*[;"'][^>]*|<font[^>]*\scolor\s*=\s*["']?(?:white|#fff(?:fff)?)[^>]*`)
	})
	whiteOnWhite = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)background(?:-color)?\s*:\s*(?:white|#fff(?:fff)?)\s*[;"']`)
	})
	// loadsPage matches an element that shows another page, or goes there.
	loadsPage = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<(?:iframe|object|embed)\s[^>]*(?:src|srcdoc|data)\s*=|<meta\s[^>]*http-equiv\s*=\s*["']?refresh`)
	})
	// runsScript matches an element that runs a script, and one that does when
	// something happens to it.
	runsScript = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<script(?:[\s>/]|$)|<[a-z][^>]*[\s"'/]on(?:abort|animation[a-z]+|auxclick|before[a-z]+|begin|blur|can[a-z]+|change|click|close|context[a-z]+|copy|cut|dblclick|drag[a-z]*|drop|end|error|focus[a-z]*|hashchange|input|invalid|key[a-z]+|load[a-z]*|message|mouse[a-z]+|page[a-z]+|paste|play[a-z]*|pointer[a-z]+|pop[a-z]+|repeat|reset|resize|scroll[a-z]*|search|select[a-z]*|show|submit|toggle|touch[a-z]+|transition[a-z]+|unload|wheel)\s*=\s*["']?[^"'>\s]`)
	})
	// attribute matches what leads somewhere.
	attribute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:href|src|action|formaction|data)\s*=\s*["']?`)
	})
)

// element looks for elements that are not drawn.
func (p *peek) element(number int, line []byte, out *Out) {
	low := bytes.ToLower(line)
	if !slices.ContainsFunc([]string{"hidden", "display", "font-size", "opacity", "transparent", "<template", ":-", ": -", "color"}, func(w string) bool { return bytes.Contains(low, []byte(w)) }) {
		return
	}
	at := notShown().FindIndex(line)
	if at == nil {
		at = whiteText().FindIndex(line)
		if at != nil && bytes.Contains(low[at[0]:at[1]], []byte("background")) && !whiteOnWhite().Match(line[at[0]:min(len(line), at[1]+1)]) {
			at = nil
		}
	}
	if at != nil && !inSpan(line, at[0]) {
		out.Add(Finding{
			ID: "TXT-002", Path: p.n.Path, Line: number, Message: "an element that is not shown",
			Expected: "text in sight", Actual: p.around(number, at[0]),
		})
	}
}

// script looks for links and elements that run a script.
func (p *peek) script(number int, line []byte, out *Out) {
	at, what := -1, "a link that runs a script"
	for _, from := range targets(line) {
		if runs(line[from:]) && !inSpan(line, from) {
			at = from
			break
		}
	}
	if low := bytes.ToLower(line); at < 0 && (bytes.Contains(low, []byte("<script")) || bytes.Contains(low, []byte("on"))) {
		if k := runsScript().FindIndex(line); k != nil && !inSpan(line, k[0]) {
			at, what = k[0], "an element that runs a script"
		}
	}
	if at < 0 && bytes.IndexByte(line, '=') >= 0 {
		if k := loadsPage().FindIndex(line); k != nil && !inSpan(line, k[0]) {
			at, what = k[0], "an element that loads another page"
		}
	}
	if at >= 0 {
		out.Add(Finding{
			ID: "TXT-003", Path: p.n.Path, Line: number, Message: what,
			Expected: "the address of a page", Actual: p.around(number, at),
		})
	}
}

// targets are the bytes at which addresses of links begin.
func targets(line []byte) []int {
	var out []int
	each := func(mark string) {
		for at := 0; ; {
			k := bytes.Index(line[at:], []byte(mark))
			if k < 0 {
				return
			}
			at += k + len(mark)
			out = append(out, at)
		}
	}
	each("](")
	each("]:")
	if bytes.IndexByte(line, '<') < 0 {
		return out
	}
	each("<")
	if bytes.IndexByte(line, '=') >= 0 {
		for _, m := range attribute().FindAllIndex(line, 50) {
			out = append(out, m[1])
		}
	}
	return out
}

// runs reports whether an address is a script. Browsers pass over white space and
// control characters in its scheme, and Markdown over references and backslashes.
func runs(address []byte) bool {
	address = bytes.TrimLeft(address, " \t<")
	if len(address) == 0 || !strings.ContainsRune("jJvVdD&\\\x01\x02", rune(address[0])) {
		return false
	}
	scheme := strings.Map(func(r rune) rune {
		if r <= ' ' || r == '\\' {
			return -1
		}
		return unicode.ToLower(r)
	}, html.UnescapeString(string(address[:min(len(address), 120)])))
	return slices.ContainsFunc([]string{"javascript:", "vbscript:", "data:text/html", "data:application/xhtml"}, func(s string) bool { return strings.HasPrefix(scheme, s) })
}

func hasData(line []byte) bool {
	return bytes.Contains(line, []byte("data:")) || bytes.Contains(line, []byte("Data:")) || bytes.Contains(line, []byte("DATA:"))
}

// minPayload is the length from which on the data of an address can hold a text.
const minPayload = 24

// dataURIs looks at addresses that hold what they lead to. A picture is a remark, a
// text that a reader cannot read a warning.
func (p *peek) dataURIs(number int, line []byte, out *Out) {
	low := line
	if !bytes.Contains(line, []byte("data:")) {
		low = bytes.ToLower(line)
	}
	var pictures, first int
	for at := 0; at < len(line); {
		k := bytes.Index(low[at:], []byte("data:"))
		if k < 0 {
			break
		}
		at += k
		kind, text, n := readData(line[at:])
		if n > 0 && !inSpan(line, at) {
			if readable(kind, text) {
				out.Add(Finding{
					ID: "TXT-002", Path: p.n.Path, Line: number, Message: "an address that holds a text, encoded",
					Expected: "text that a person can read", Actual: p.decoded(text),
				})
			} else if pictures++; pictures == 1 {
				first = at
			}
		}
		at += max(n, len("data:"))
	}
	if pictures > 0 {
		out.Add(Finding{
			ID: "TXT-002", Path: p.n.Path, Line: number, Severity: Info, Message: "data within an address, such as a picture",
			Expected: "a file beside the note", Actual: p.around(number, first),
		})
	}
}

// readData reads the address that text begins with: its media type, what it holds
// decoded, a part of that where it is long, and its length; 0: it holds nothing.
func readData(text []byte) (kind string, data []byte, n int) {
	const most = 4 << 10
	media, _, ok := bytes.Cut(head(text, 200)[len("data:"):], []byte{','})
	if !ok || bytes.ContainsAny(media, " \t\"'()<>") {
		return "", nil, 0
	}
	n = len("data:") + len(media) + 1
	rest := text[n:]
	size := bytes.IndexAny(rest, " \t\"()<>`")
	if size < 0 {
		size = len(rest)
	}
	if size < minPayload {
		return "", nil, 0
	}
	kind, params, _ := strings.Cut(strings.ToLower(string(media)), ";")
	payload := string(rest[:min(size, most)])
	if un, err := url.PathUnescape(payload); err == nil {
		payload = un
	}
	if !strings.HasSuffix(params, "base64") {
		return kind, []byte(payload), n + size
	}
	payload = strings.Map(func(r rune) rune {
		switch r {
		case '-':
			return '+'
		case '_':
			return '/'
		case '=':
			return -1
		}
		return r
	}, payload)
	data, err := base64.RawStdEncoding.DecodeString(payload)
	if err != nil && len(data) == 0 {
		return "", nil, 0
	}
	return kind, data, n + size
}

// readable reports whether data is a text, whatever its media type says. A drawing
// (SVG) is a picture unless it runs something.
func readable(kind string, data []byte) bool {
	if kind == "image/svg+xml" {
		low := bytes.ToLower(data)
		return !bytes.Contains(low, []byte("<svg")) || bytes.Contains(low, []byte("<script")) || bytes.Contains(low, []byte("javascript:")) || bytes.Contains(low, []byte("<foreignobject")) || runsScript().Match(data)
	}
	data = head(data, 512)
	letters := 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i > 0 && len(data)-i < utf8.UTFMax && letters*2 > len(data) // it was cut
		}
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
		if unicode.IsLetter(r) || r == ' ' {
			letters += size
		}
		i += size
	}
	return letters*2 > len(data)
}
