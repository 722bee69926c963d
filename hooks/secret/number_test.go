package secret

import (
	"slices"
	"strings"
	"testing"
)

// card draws a number that begins like this, with the right last digit.
func card(m maker, head string, long int) string {
	number := []byte(head + m.of("0123456789", long-len(head)))
	for d := byte('0'); d <= '9'; d++ {
		if number[long-1] = d; luhn(number) {
			return string(number)
		}
	}
	return ""
}

// inGroups writes a number with a gap before each group but the first.
func inGroups(number, gap string, groups ...int) string {
	var parts []string
	for _, n := range groups {
		parts = append(parts, number[:n])
		number = number[n:]
	}
	return strings.Join(parts, gap)
}

// iban makes the number of an account of a country, with the right check digits.
func iban(m maker, country string, letters int) string {
	account := m.of(base62[36:], letters) + m.of("0123456789", ibanLength(country)-4-letters)
	for a := '0'; a <= '9'; a++ {
		for b := '0'; b <= '9'; b++ {
			if n := country + string(a) + string(b) + account; n[2:4] > "01" && mod97([]byte(n)) {
				return n
			}
		}
	}
	return ""
}

func TestCards(t *testing.T) {
	t.Parallel()
	s := New()
	for seed := range uint64(20) {
		m := newMaker(seed)
		visa, amex := card(m, "4", 16), card(m, "37", 15)
		numbers := []string{
			visa, inGroups(visa, " ", 4, 4, 4, 4), inGroups(visa, "-", 4, 4, 4, 4), inGroups(visa, "\u00a0", 4, 4, 4, 4), inGroups(visa, ".", 4, 4, 4, 4),
			card(m, "52", 16), card(m, "2321", 16), card(m, "6011", 16), card(m, "3530", 16), card(m, "62", 16), card(m, "62", 19),
			amex, inGroups(amex, " ", 4, 6, 5), card(m, "36", 14), inGroups(card(m, "36", 14), " ", 4, 6, 4), inGroups(card(m, "62", 19), " ", 4, 4, 4, 4, 3),
		}
		for i, number := range numbers {
			for _, around := range []string{"%", "card: %", "- `%`, exp 09/29", "(%)", "Karte %.", "卡号：%。", "\"%\"", "pan=%;"} {
				line := strings.Replace(around, "%", number, 1)
				if got := s.Scan([]byte("x\n" + line)); !slices.Equal(got, []Finding{{2, 2, KindCard}}) {
					t.Errorf("seed %d, number %d in %q: %v", seed, i, around, got)
				}
			}
			wrong := number[:len(number)-1] + string('0'+(number[len(number)-1]-'0'+1)%10)
			for _, line := range []string{
				wrong, "a" + number, number + "b", number + "1", "1" + number, "5b1de0c4-" + number, "9f86d081" + number + "e3", number + "-7a3f", "/items/" + number,
				"+" + number, "#" + number, "x_" + number, number + "_x", "1." + number, "v" + number,
			} {
				for _, f := range s.Scan([]byte(line)) {
					if f.Kind == KindCard {
						t.Errorf("seed %d: a card in %q", seed, line)
					}
				}
			}
		}
	}
	for _, line := range []string{
		"0000 0000 0000 0000", "2026 2027 2028 2029", "4100 4200 4300 4400 4500 4600", "1767225600000000", "1234567812345670", "5b1de0c4-4111-4111-9111-0f6b2e8c913a",
		"phone +49 170 1234567", "978-3-16-148410-0", "192.168.100.200", "2026-03-04 1200 1300 1400",
	} {
		if got := s.Scan([]byte(line)); len(got) != 0 {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestIBAN(t *testing.T) {
	t.Parallel()
	s := New()
	for seed := range uint64(60) {
		m := newMaker(seed)
		for i, country := range []string{"GB", "NL", "MT", "DE", "FR", "NO", "CH", "ES"} {
			letters := 0
			if i < 3 {
				letters = 4
			}
			number := iban(m, country, letters)
			var groups []string
			for i := 0; i < len(number); i += 4 {
				groups = append(groups, number[i:min(i+4, len(number))])
			}
			for _, written := range []string{number, strings.Join(groups, " "), strings.Join(groups, "\u00a0")} {
				for _, around := range []string{"%", "IBAN: %", "- IBAN `%`", "账号 %。", "Konto %, Bank"} {
					line := strings.Replace(around, "%", written, 1)
					if got := s.Scan([]byte("x\n" + line)); !slices.Equal(got, []Finding{{2, 2, KindIBAN}}) {
						t.Errorf("seed %d, %s: %q in %q: %v", seed, country, written, around, got)
					}
				}
			}
			swapped := []byte(number)
			swapped[2], swapped[3] = swapped[3], swapped[2]
			for _, line := range []string{"x" + number, number + "x", number + "1", number[:len(number)-1], strings.ToLower(number), "https://x.internal/" + number + "?a=b", "ZZ" + number[2:]} {
				for _, f := range s.Scan([]byte(line)) {
					if f.Kind == KindIBAN && !strings.Contains(line, "//") {
						t.Errorf("%q: an IBAN", line)
					}
				}
			}
			if swapped[2] != swapped[3] {
				if got := s.Scan(swapped); len(got) != 0 {
					t.Errorf("%q: %v", swapped, got)
				}
			}
		}
	}
}
