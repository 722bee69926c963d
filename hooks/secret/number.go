package secret

// findNumber judges what begins with a run of digits: a payment card, and two
// tokens that begin with the number of their owner.
func findNumber(c *scan, at, _ int) (string, int) {
	text := c.text
	if at > 0 && digit(text[at-1]) || at < c.account {
		return "", 0
	}
	end := at
	for end < len(text) && end-at < 24 && digit(text[end]) {
		end++
	}
	if n := end - at; n >= 5 && n <= 16 {
		if kind, stop := c.numbered(at, end); kind != "" {
			return kind, stop
		}
	}
	if end-at == 4 || end-at >= 14 && end-at <= 19 {
		if stop := cardEnd(text, at, end); stop > 0 {
			return KindCard, stop
		}
	}
	return "", end
}

// numbered judges a token behind a number, text[at:end].
func (c *scan) numbered(at, end int) (string, int) {
	text := c.text
	if end >= len(text) {
		return "", 0
	}
	bot := at >= 3 && text[at-3] == 'b' && text[at-2] == 'o' && text[at-1] == 't'
	n := end - at
	switch {
	case text[end] == ':' && n >= 8 && n <= 12 && (bot || guarded(text, at)):
		if end+1 >= len(text) || text[end+1] != 'A' {
			return "", 0
		}
		stop := c.runEnd('w', end+1)
		long := stop - (end + 1)
		if long < 35 || long > 36 || long == 36 && alnum(text[stop-1]) || placeholder(text[end+2:stop]) {
			return "", 0
		}
		return "telegram-bot-token", stop
	case (text[end] == '|' || text[end] == '%') && n >= 15 && guarded(text, at):
		from := end + 1
		if text[end] == '%' && from+1 < len(text) && text[from] == '7' && text[from+1]|0x20 == 'c' {
			from += 2
		}
		stop := c.runEnd('w', from)
		if long := stop - from; long < 27 || long > 40 || placeholder(text[from:stop]) || wordy(text[from:stop]) {
			return "", 0
		}
		return "facebook-token", stop
	}
	return "", 0
}

// cardEnd returns the end of a card's number that begins with the digits
// text[at:end], 0 if there is none. The number stands by itself: no part of a
// UUID, a hash, a version or a path.
func cardEnd(text []byte, at, end int) int {
	if at > 0 && (!guarded(text, at) || joins(text, at)) {
		return 0
	}
	grouping := end-at == 4
	for gap := 1; grouping && gap <= 2; gap++ {
		if at > gap && gapAt(text, at-gap) == gap && digit(text[at-gap-1]) {
			return 0 // the middle of a row of numbers
		}
	}
	var number [19]byte
	n := copy(number[:], text[at:end])
	if grouping {
		gap := gapAt(text, end)
		for groups := 1; gap > 0 && groups < 5; groups++ {
			next := end + gap
			stop := next
			for stop < len(text) && stop-next < 7 && digit(text[stop]) {
				stop++
			}
			if stop-next < 3 || stop-next > 6 || n+stop-next > len(number) || gapAt(text, end) != gap || text[end] != text[at+4] {
				break
			}
			n += copy(number[n:], text[next:stop])
			end = stop
		}
		if !grouped(text[at:end], gap) || gapAt(text, end) > 0 && end+gap < len(text) && digit(text[end+gap]) {
			return 0
		}
	}
	if end < len(text) && (alnum(text[end]) || joinsAfter(text, end)) {
		return 0
	}
	if !issued(number[:n]) || !luhn(number[:n]) {
		return 0
	}
	return end
}

// gapAt returns the length of what may stand between groups of digits.
func gapAt(text []byte, at int) int {
	switch {
	case at >= len(text):
		return 0
	case text[at] == ' ' || text[at] == '-' || text[at] == '.':
		return 1
	case text[at] == 0xC2 && at+1 < len(text) && text[at+1] == 0xA0: // no-break space
		return 2
	}
	return 0
}

// grouped reports whether a number is written as cards are.
func grouped(text []byte, gap int) bool {
	var form [24]byte
	n := 0
	for i := 0; i < len(text); {
		from := i
		for i < len(text) && digit(text[i]) {
			i++
		}
		if n < len(form) {
			form[n] = '0' + byte(i-from)
			n++
		}
		i += gap
	}
	switch string(form[:n]) {
	case "4444", "44443", "465", "464":
		return true
	}
	return false
}

// joins reports whether the number at text[at:] goes on what stands before it.
func joins(text []byte, at int) bool {
	switch c := text[at-1]; c {
	case '-', '.', '_', ',', '/', ':', '+', '#', '&', '?', '%', '$':
		if c == ':' || c == ',' {
			return at >= 2 && digit(text[at-2])
		}
		return c != '-' && c != '.' || at >= 2 && alnum(text[at-2])
	}
	return false
}

// joinsAfter reports whether what stands at text[at:] goes on a number.
func joinsAfter(text []byte, at int) bool {
	return has("-._/:,+%@=", text[at]) && at+1 < len(text) && alnum(text[at+1])
}

// issued reports whether cards begin like this and are that long.
func issued(n []byte) bool {
	head := func(digits int) int {
		v := 0
		for _, d := range n[:digits] {
			v = v*10 + int(d-'0')
		}
		return v
	}
	two, three, four := head(2), head(3), head(4)
	switch len(n) {
	case 14:
		return two == 36 || two == 38 || two == 39 || three >= 300 && three <= 305
	case 15:
		return two == 34 || two == 37
	case 16:
		switch {
		case n[0] == '4', two >= 51 && two <= 55, four >= 2221 && four <= 2720, four >= 3528 && four <= 3589,
			four == 6011, two == 65, three >= 644 && three <= 649:
			return true
		}
	case 19:
	default:
		return false
	}
	return two == 62 || maestro(four)
}

func maestro(four int) bool {
	switch four {
	case 5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763:
		return true
	}
	return false
}

// luhn reports whether the last digit is the right one.
func luhn(n []byte) bool {
	sum := 0
	for i, d := range n {
		v := int(d - '0')
		if (len(n)-i)%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}
