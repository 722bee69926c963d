package skills

import (
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// catalogueFrame is how many characters OpenClaw writes around the skills of its catalogue
// (2026.9.6), besides its notes on what was left out.
const catalogueFrame = 370

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// CatalogueChars is how many characters of the prompt the catalogue of skills takes in its full form:
// name, description and location of each (SPEC SK-07).
func CatalogueChars(all []Listed) int {
	if len(all) == 0 {
		return 0
	}
	n := catalogueFrame
	for _, l := range all {
		n += doc.Chars([]byte("\n  <skill>\n    <name>" + xmlEscapes.Replace(l.Name) + "</name>\n    <description>" + xmlEscapes.Replace(l.Description) +
			"</description>\n    <location>" + xmlEscapes.Replace(l.Location) + "</location>\n  </skill>"))
	}
	return n
}

// Listed is a skill in the catalogue.
type Listed struct{ Name, Description, Location string }
