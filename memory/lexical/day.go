package lexical

// DayTerms: a calendar day is found as itself, as its month, its year, its day of
// any year and its month of any year. Queries name the same (see Day, Month, …).
func dayTerms(days []string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(t string) {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	for _, d := range days {
		if len(d) != len("2006-01-02") {
			continue
		}
		add(d)
		add(d[:7])
		add(d[:4])
		add("--" + d[5:])
		add("--" + d[5:7])
	}
	return out
}
