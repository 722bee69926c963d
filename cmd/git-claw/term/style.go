package term

import "strings"

// Style adds our own colours. The zero value adds none. Text given to it has
// passed Escape before, for only these sequences may reach a terminal raw.
type Style struct{ On bool }

func (s Style) wrap(code, text string) string {
	if !s.On || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[m"
}

// Bold is for what the eye looks for first: headings, names of commands.
func (s Style) Bold(text string) string { return s.wrap("1", text) }

// Dim is for what may be skipped.
func (s Style) Dim(text string) string { return s.wrap("2", text) }

// Red is for removed text and for what failed.
func (s Style) Red(text string) string { return s.wrap("31", text) }

// Green is for added text and for what is well.
func (s Style) Green(text string) string { return s.wrap("32", text) }

// Yellow is for commit ids and for what waits.
func (s Style) Yellow(text string) string { return s.wrap("33", text) }

// Cyan is for places: paths and hunk headers.
func (s Style) Cyan(text string) string { return s.wrap("36", text) }

// ColorBool decides as 'git config --get-colorbool' does whether to use
// colours, from the value of a color.* setting: "always" and "never" decide,
// a false boolean is "never", "auto", a true boolean and an empty value look
// at the terminal. ok is false for any other value, which git refuses.
func ColorBool(value string, terminal bool) (on, ok bool) {
	switch strings.ToLower(value) {
	case "always":
		return true, true
	case "never", "false", "no", "off", "0":
		return false, true
	case "auto", "true", "yes", "on", "1", "":
		return terminal, true
	}
	return false, false
}
