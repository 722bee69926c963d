package gitops

import "context"

// gcEvery is how many own commits pass, on average, between two offers to git
// to collect garbage. git decides (gc.auto is honoured); by chance instead of by
// a counter, so that no state needs to be kept.
const gcEvery = 200

// gcLoose is from how many loose objects on git packs them where the user has said
// nothing (gc.auto): a write-back makes six of them, and a small one takes a whole block
// of the disk, so that git's own limit of 6,700 stands for 30 MB.
const gcLoose = "2000"

// autoGC starts `git gc --auto` detached. Failing to start it is no failure of
// the commit.
func (r *Repo) autoGC() {
	args := []string{"gc", "--auto", "--quiet"}
	if cfg, err := r.Config(context.Background()); err == nil {
		if _, said := cfg.Get("gc.auto"); !said {
			args = append([]string{"-c", "gc.auto=" + gcLoose}, args...)
		}
	}
	cmd, err := r.Git.command(context.Background(), r.here(Cmd{Args: args}))
	if err != nil {
		return
	}
	detach(cmd)
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}
