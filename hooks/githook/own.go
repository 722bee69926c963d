package githook

import "bytes"

// Own reports whether a script is one of our own files, unchanged and with
// nobody else's lines in it, for any hook that git claw installs.
func Own(script []byte) bool {
	for _, name := range Names() {
		b, ok := parseBlock(script, name)
		if ok && b.own && !b.edited && bytes.Equal(b.cut(script), []byte(shebang)) {
			return true
		}
	}
	return false
}
