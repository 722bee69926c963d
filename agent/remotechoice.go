package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// RemoteChoice is the repository that a branch is synced with.
type RemoteChoice struct {
	Remote string // its name
	Branch string // the branch there, short
	// PushTo is another one to which the user's own pushes of this branch go; "": none.
	PushTo string
	// Follows: the branch has an upstream, or the user chose otherwise that it has none.
	Follows bool
}

// ChooseRemote takes the upstream of a branch, else where the user pushes to, else the
// only remote, else 'origin'. *RefusedError: there is none, or nobody can tell which.
func ChooseRemote(cfg *gitops.Config, branch string) (RemoteChoice, error) {
	var names []string
	for _, n := range cfg.Names() {
		if name, ok := strings.CutPrefix(n, "remote."); ok && strings.HasSuffix(name, ".url") {
			names = append(names, strings.TrimSuffix(name, ".url"))
		}
	}
	slices.Sort(names)
	c := RemoteChoice{Branch: branch, Follows: !cfg.Bool("branch.autosetupmerge", true)}
	pushTo, ok := cfg.Get("branch." + branch + ".pushremote")
	if !ok {
		pushTo, _ = cfg.Get("remote.pushdefault")
	}
	up, hasRemote := cfg.Get("branch." + branch + ".remote")
	merge, hasMerge := cfg.Get("branch." + branch + ".merge")
	c.Follows = c.Follows || hasRemote || hasMerge
	switch {
	case slices.Contains(names, up):
		c.Remote = up
		if hasMerge {
			c.Branch = strings.TrimPrefix(merge, "refs/heads/")
		}
		if pushTo != up && slices.Contains(names, pushTo) {
			c.PushTo = pushTo
		}
	case up != "" && up != ".": // an address, or a remote that was removed
		return c, &RefusedError{
			Problem: fmt.Sprintf("branch '%s' follows '%s', which is no remote here", branch, gitops.WithoutPassword(up)),
			Advice:  remoteAdvice(branch, names),
		}
	case slices.Contains(names, pushTo):
		c.Remote = pushTo
	case len(names) == 1:
		c.Remote = names[0]
	case slices.Contains(names, "origin"):
		c.Remote = "origin"
	case len(names) == 0:
		return c, &RefusedError{Problem: "there is no remote to sync with", Advice: remoteAdvice(branch, nil)}
	default:
		return c, &RefusedError{
			Problem: fmt.Sprintf("there are %d remotes, and branch '%s' follows none of them", len(names), branch),
			Advice:  remoteAdvice(branch, names),
		}
	}
	return c, nil
}

// remoteAdvice is a command for each remote that can be chosen.
func remoteAdvice(branch string, names []string) []string {
	if len(names) == 0 {
		return []string{"git remote add origin <address of a repository that all machines reach>"}
	}
	const most = 5
	var out []string
	for i, n := range names {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more; see 'git remote -v'", len(names)-most))
			break
		}
		out = append(out, fmt.Sprintf("to sync with '%s': git config %s %s", n, shellQuote("branch."+branch+".remote"), shellQuote(n)))
	}
	return out
}
