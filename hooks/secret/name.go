package secret

import "strings"

// Withheld stands for a part of a path that is a secret.
const Withheld = "(withheld)"

// MaskName returns a path whose parts that hold a secret are replaced, and the kind of
// the secret; "" where there is none.
func (s *Scanner) MaskName(rel string) (masked, kind string) {
	found := s.Scan([]byte(rel))
	if len(found) == 0 {
		return rel, ""
	}
	parts := strings.Split(rel, "/")
	hidden := false
	for i, part := range parts {
		if len(s.Scan([]byte(part))) > 0 {
			parts[i], hidden = Withheld, true
		}
	}
	if !hidden { // only the parts together are one
		parts = []string{Withheld}
	}
	return strings.Join(parts, "/"), found[0].Kind
}
