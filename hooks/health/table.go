package health

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// families lists every family.
func families() []Family {
	return []Family{
		l1Family(),
		editsFamily(),
		hotFamily(),
		tagsFamily(),
		warmFamily(),
		bufferFamily(),
		closureFamily(),
		daysFamily(),
		lessonsFamily(),
		ownFamily(),
		layersFamily(),
		prefsFamily(),
		prefsHistoryFamily(),
		evolutionFamily(),
		skillsFamily(),
		secretsFamily(),
		placeFamily(),
		historyFamily(),
		mergingFamily(),
		readableFamily(),
		textFamily(),
		hiddenFamily(),
		sessionFamily(),
	}
}

// prefixes are the beginnings of ids in the order of SPEC 12, which reports have.
var prefixes = [...]string{"L1", "HOT", "TAG", "WARM", "BUF", "EPI", "SCR", "OWN", "L2", "L3", "PRF", "EVO", "SKL", "GIT", "TXT", "SES", "SNAP"}

// place is where a check stands in the table: its prefix, then its number.
func place(id string) int {
	prefix, number, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return slices.Index(prefixes[:], prefix)*1000 + n
}

func byPlace(a, b Check) int { return cmp.Compare(place(a.ID), place(b.ID)) }

// Checks returns the rows of all checks in the order of the table.
func Checks() []Check { return rows(families()) }

func rows(fams []Family) []Check {
	var out []Check
	for _, f := range fams {
		out = append(out, f.Checks...)
	}
	slices.SortStableFunc(out, byPlace)
	return out
}

// CheckOf finds a check by its id.
func CheckOf(id string) (Check, bool) {
	c := checkIn(families(), id)
	return c, c.ID != ""
}
