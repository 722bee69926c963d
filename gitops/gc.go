package gitops

import "context"

// gcEvery is how many own commits pass, on average, between two offers to git
// to collect garbage. git decides (gc.auto is honoured); by chance instead of by
// a counter, so that no state needs to be kept.
const gcEvery = 200

// autoGC starts `git gc --auto` detached. Failing to start it is no failure of
// the commit.
func (r *Repo) autoGC() {
	cmd, err := r.Git.command(context.Background(), r.here(Cmd{Args: []string{"gc", "--auto", "--quiet"}}))
	if err != nil {
		return
	}
	detach(cmd)
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}
