package health

import "slices"

// families lists every family, in the order of SPEC 12. Reports have the order of
// this table.
func families() []Family {
	return []Family{
		l1Family(),
	}
}

// Checks returns the rows of all checks in the order of the table.
func Checks() []Check {
	var out []Check
	for _, f := range families() {
		out = append(out, f.Checks...)
	}
	return out
}

// CheckOf finds a check by its id.
func CheckOf(id string) (Check, bool) {
	all := Checks()
	i := slices.IndexFunc(all, func(c Check) bool { return c.ID == id })
	if i < 0 {
		return Check{}, false
	}
	return all[i], true
}
