package gitops

import (
	"bytes"
	"fmt"
	"strings"
)

// ParseConfig reads a file in git-config syntax, such as a tracked
// `.claw/config`, exactly as git does (config.c; a test compares them). The
// parser that go-git uses reads `x` as `x =`, breaks continued lines and refuses
// what git takes. Include sections are never followed: a tracked file must not
// reach other files.
func ParseConfig(b []byte) (*Config, error) {
	p := configParser{in: bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), line: 1}
	c := &Config{values: map[string][]string{}}
	for {
		ch, eof := p.next()
		switch {
		case eof:
			return c, nil
		case isSpace(rune(ch)):
		case ch == '#' || ch == ';':
			p.skipLine()
		case ch == '[':
			if !p.header() {
				return nil, p.fail()
			}
		case isAlpha(ch):
			name, value, ok := p.variable(ch)
			if !ok {
				return nil, p.fail()
			}
			section, _, _ := strings.Cut(p.section, ".")
			switch section {
			case "include", "includeif":
				c.Includes = true
			case "": // before the first section: git gives it a name that nothing asks for
			default:
				name = p.section + name
				c.values[name] = append(c.values[name], value)
			}
		default:
			return nil, p.fail()
		}
	}
}

type configParser struct {
	in      []byte
	line    int
	section string // with its dot, "" before the first
}

func (p *configParser) fail() error {
	return fmt.Errorf("parse config: line %d is no git-config syntax", p.line)
}

// next returns one character. The end of the file also ends the line.
func (p *configParser) next() (ch byte, eof bool) {
	if len(p.in) == 0 {
		return '\n', true
	}
	ch = p.in[0]
	p.in = p.in[1:]
	if ch == '\r' && len(p.in) > 0 && p.in[0] == '\n' {
		ch, p.in = '\n', p.in[1:]
	}
	if ch == '\n' {
		p.line++
	}
	return ch, false
}

func (p *configParser) skipLine() {
	for ch, eof := p.next(); !eof && ch != '\n'; ch, eof = p.next() {
	}
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isKey(c byte) bool { return isAlpha(c) || c >= '0' && c <= '9' || c == '-' }

// header reads `[section]` or `[section "sub"]` behind the bracket.
func (p *configParser) header() bool {
	var name []byte
	for {
		ch, eof := p.next()
		switch {
		case eof:
			return false
		case ch == ']':
			p.section = string(bytes.ToLower(name)) + "."
			return len(name) > 0
		case isSpace(rune(ch)):
			sub, ok := p.subsection(ch)
			p.section = string(bytes.ToLower(name)) + "." + sub + "."
			return ok
		case !isKey(ch) && ch != '.':
			return false
		}
		name = append(name, ch)
	}
}

func (p *configParser) subsection(ch byte) (string, bool) {
	for isSpace(rune(ch)) {
		if ch == '\n' {
			return "", false
		}
		ch, _ = p.next()
	}
	if ch != '"' {
		return "", false
	}
	var sub []byte
	for {
		ch, _ := p.next()
		if ch == '\\' {
			if ch, _ = p.next(); ch != '\n' {
				sub = append(sub, ch)
				continue
			}
		}
		switch ch {
		case '\n', 0:
			return "", false
		case '"':
			ch, _ = p.next()
			return string(sub), ch == ']'
		}
		sub = append(sub, ch)
	}
}

// variable reads `name` or `name = value`, of which first was read.
func (p *configParser) variable(first byte) (name, value string, ok bool) {
	key := []byte{first}
	ch, eof := p.next()
	for !eof && isKey(ch) {
		key = append(key, ch)
		ch, eof = p.next()
	}
	name = string(bytes.ToLower(key))
	for ch == ' ' || ch == '\t' {
		ch, _ = p.next()
	}
	switch ch {
	case '\n':
		return name, "true", true
	case '=':
		value, ok = p.value()
		return name, value, ok
	}
	return "", "", false
}

// value reads up to the end of the line: quotes, escapes, comments, lines that
// go on behind a backslash. White space at both ends goes.
func (p *configParser) value() (string, bool) {
	var out, space []byte
	quoted, comment := false, false
	for {
		ch, _ := p.next()
		switch {
		case ch == 0:
			return "", false
		case ch == '\n':
			return string(out), !quoted
		case comment:
			continue
		case isSpace(rune(ch)) && !quoted:
			if len(out) > 0 {
				space = append(space, ch)
			}
			continue
		case !quoted && (ch == ';' || ch == '#'):
			comment = true
			continue
		}
		out, space = append(out, space...), nil
		switch ch {
		case '"':
			quoted = !quoted
		case '\\':
			ch, _ := p.next()
			esc := strings.IndexByte("tbn\\\"", ch)
			switch {
			case ch == '\n': // the line goes on
			case esc < 0:
				return "", false
			default:
				out = append(out, "\t\b\n\\\""[esc])
			}
		default:
			out = append(out, ch)
		}
	}
}
