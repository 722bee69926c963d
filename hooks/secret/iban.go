package secret

// findIBAN judges an account number: a country, two check digits, and as many
// characters as the country has, in groups of four or in one.
func findIBAN(c *scan, at, _ int) (string, int) {
	text := c.text
	start := at - 1
	if start < 0 || !upper(text[start]) || !upper(text[at]) || !guarded(text, start) || start > 0 && joins(text, start) {
		return "", 0
	}
	long := ibanLength(string(text[start : start+2]))
	if long == 0 {
		return "", 0
	}
	var number [34]byte
	n, end, gap, spaced := 0, start, 0, false
	for n < long && end < len(text) {
		if n == 4 {
			gap = gapAt(text, end)
			spaced = gap > 0
		}
		if n > 0 && n%4 == 0 && spaced {
			if gapAt(text, end) != gap {
				return "", 0
			}
			end += gap
			if end >= len(text) {
				return "", 0
			}
		}
		if !digit(text[end]) && !upper(text[end]) {
			return "", 0
		}
		number[n] = text[end]
		n++
		end++
	}
	if n < long || end < len(text) && (alnum(text[end]) || joinsAfter(text, end)) || !mod97(number[:n]) {
		return "", end
	}
	c.account = end
	return KindIBAN, end
}

// mod97 reports whether the check digits, the third and the fourth character,
// are right.
func mod97(n []byte) bool {
	rest := 0
	for i := range n {
		switch c := n[(i+4)%len(n)]; {
		case digit(c):
			rest = (rest*10 + int(c-'0')) % 97
		default:
			rest = (rest*100 + int(c-'A'+10)) % 97
		}
	}
	return rest == 1
}

// ibanLength returns how long the numbers of a country are, 0 for none.
func ibanLength(country string) int {
	const table = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27" +
		"GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22" +
		"MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SD18SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20"
	for i := 0; i < len(table); i += 4 {
		if table[i:i+2] == country {
			return int(table[i+2]-'0')*10 + int(table[i+3]-'0')
		}
	}
	return 0
}
