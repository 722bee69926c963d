package learn

import (
	"errors"

	"github.com/git-claw/git-claw/gitops"
)

// maxRaces bounds how often something starts over because somebody else was quicker.
const maxRaces = 20

// moved: somebody else was quicker; the same may work now.
func moved(err error) bool {
	var m *gitops.MovedError
	var c *gitops.WorkTreeChangedError
	return errors.As(err, &m) || errors.As(err, &c)
}
